/* Two copies of the library in one process: each refuses the other's handles. CHECK_COPY is the path of a second
 * copy. */
#include <dlfcn.h>

#include "support.h"

/* The functions of the second copy. */
static struct {
  promise_t *(*new_)(void);
  promise_status_t (*release)(promise_t *);
  promise_state_t (*state)(promise_t *);
  promise_status_t (*resolve)(promise_t *, const promise_value_t *);
  promise_status_t (*result)(promise_t *, promise_value_t *);
  promise_t *(*then)(promise_t *, promise_handler_t, void *, promise_free_t);
  const promise_type_t *(*type_named)(const char *);
  const char *(*type_name)(const promise_type_t *);
} copy;

static void open_copy(void) {
  const char *path = getenv("CHECK_COPY");
  REQUIRE(path != NULL);
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (library == NULL)
    fprintf(stderr, "%s\n", dlerror());
  REQUIRE(library != NULL);
#define LOAD(field, name) *(void **)&copy.field = dlsym(library, name)
  LOAD(new_, "promise_new");
  LOAD(release, "promise_release");
  LOAD(state, "promise_state");
  LOAD(resolve, "promise_resolve");
  LOAD(result, "promise_result");
  LOAD(then, "promise_then");
  LOAD(type_named, "promise_type_named");
  LOAD(type_name, "promise_type_name");
#undef LOAD
  REQUIRE(copy.new_ != NULL && copy.new_ != promise_new && copy.type_name != NULL);
}

static void handles_of_one_are_stale_in_the_other(void) {
  open_copy();
  enum { COUNT = 5000 };
  static promise_t *ours[COUNT], *theirs[COUNT];
  for (int i = 0; i < COUNT; i++) {
    ours[i] = promise_new();
    theirs[i] = copy.new_();
  }
  for (int i = 0; i < COUNT; i++) {
    CHECK_STATUS(promise_state(theirs[i]), PROMISE_ESTALE);
    CHECK_STATUS(copy.state(ours[i]), PROMISE_ESTALE);
    CHECK_STATUS(promise_release(theirs[i]), PROMISE_ESTALE);
    CHECK_STATUS(copy.release(ours[i]), PROMISE_ESTALE);
    CHECK_STATUS(copy.resolve(ours[i], I64(1)), PROMISE_ESTALE);
    CHECK_POINTER(copy.then(ours[i], adds_one, NULL, NULL), NULL);
  }
  for (int i = 0; i < COUNT; i++) {
    CHECK_INT(promise_state(ours[i]), PROMISE_PENDING);
    CHECK_STATUS(promise_release(ours[i]), PROMISE_OK);
    CHECK_STATUS(copy.release(theirs[i]), PROMISE_OK);
  }
}

static void types_of_one_are_stale_in_the_other(void) {
  open_copy();
  const promise_type_t *ours = promise_type_named("error"), *theirs = copy.type_named("error");
  CHECK(ours != theirs);
  CHECK_TEXT(copy.type_name(theirs), "error");
  CHECK_POINTER(promise_type_name(theirs), NULL);
  CHECK_POINTER(copy.type_name(ours), NULL);
}

static void both_work_side_by_side(void) {
  open_copy();
  promise_t *ours = promise_new(), *theirs = copy.new_();
  promise_value_t value;
  promise_t *our_child = promise_then(ours, adds_one, NULL, NULL),
            *their_child = copy.then(theirs, adds_one, NULL, NULL);
  CHECK_STATUS(promise_resolve(ours, I64(1)), PROMISE_OK);
  CHECK_STATUS(copy.resolve(theirs, I64(10)), PROMISE_OK);
  CHECK(ended(our_child, PROMISE_FULFILLED, 2));
  CHECK_STATUS(copy.result(their_child, &value), PROMISE_OK);
  CHECK_INT(value.as.i64, 11);
  CHECK_STATUS(promise_release(our_child), PROMISE_OK);
  CHECK_STATUS(promise_release(ours), PROMISE_OK);
  CHECK_STATUS(copy.release(their_child), PROMISE_OK);
  CHECK_STATUS(copy.release(theirs), PROMISE_OK);
}

int main(void) {
  RUN(handles_of_one_are_stale_in_the_other);
  RUN(types_of_one_are_stale_in_the_other);
  RUN(both_work_side_by_side);
  return check_report();
}
