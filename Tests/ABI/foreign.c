/* Two copies of the library in one process: each rejects the other's handles. CHECK_COPY is the path of a second
 * copy. */
#define _GNU_SOURCE
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
  const promise_type_t *(*type_register)(const char *, const promise_type_t *, promise_free_t);
  promise_executor_t *(*global)(promise_priority_t);
  promise_status_t (*submit)(promise_executor_t *, void (*)(void *), void *, promise_free_t);
  promise_t *(*sleep)(int64_t);
  promise_status_t (*wait)(promise_t *, int64_t);
} copy;

static void find_functions(void *library) {
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
  LOAD(type_register, "promise_type_register");
  LOAD(global, "promise_executor_global");
  LOAD(submit, "promise_executor_submit");
  LOAD(sleep, "promise_sleep");
  LOAD(wait, "promise_wait");
#undef LOAD
  REQUIRE(copy.new_ != NULL && copy.new_ != promise_new && copy.wait != NULL);
}

static void open_copy(void) {
  const char *path = getenv("CHECK_COPY");
  REQUIRE(path != NULL);
  find_functions(dlopen(path, RTLD_NOW | RTLD_LOCAL));
}

TEST(handles_of_one_are_stale_in_the_other) {
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

TEST(types_of_one_are_stale_in_the_other) {
  open_copy();
  const promise_type_t *ours = promise_type_named("error"), *theirs = copy.type_named("error");
  CHECK(ours != theirs);
  CHECK_TEXT(copy.type_name(theirs), "error");
  CHECK_POINTER(promise_type_name(theirs), NULL);
  CHECK_POINTER(copy.type_name(ours), NULL);
  CHECK_POINTER(promise_type_register("test.foreign.child", theirs, NULL), NULL);
  CHECK_STATUS(promise_last_status(), PROMISE_ESTALE);
  /* Each copy has types of its own, so one name causes no conflict. */
  ours = promise_type_register("test.foreign", NULL, NULL);
  theirs = copy.type_register("test.foreign", NULL, payload_destroy);
  CHECK(ours != NULL && theirs != NULL && ours != theirs);
}

TEST(both_work_side_by_side) {
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

/* Each copy rejects handles that the threads of the other created, and continues. */
static void both_have_threads(void) {
  gate_t here = GATE_CLOSED, there = GATE_CLOSED;
  promise_executor_t *ours = promise_executor_global(PROMISE_PRIORITY_DEFAULT),
                     *theirs = copy.global(PROMISE_PRIORITY_DEFAULT);
  CHECK_STATUS(promise_executor_submit(theirs, open_gate, &here, NULL), PROMISE_ESTALE);
  CHECK_STATUS(copy.submit(ours, open_gate, &there, NULL), PROMISE_ESTALE);
  CHECK_STATUS(promise_executor_submit(ours, open_gate, &here, NULL), PROMISE_OK);
  CHECK_STATUS(copy.submit(theirs, open_gate, &there, NULL), PROMISE_OK);
  gate_wait(&here);
  gate_wait(&there);
  promise_t *our_sleep = promise_sleep(1), *their_sleep = copy.sleep(1);
  CHECK_STATUS(promise_wait(their_sleep, FOR_EVER), PROMISE_ESTALE);
  CHECK_STATUS(copy.wait(our_sleep, FOR_EVER), PROMISE_ESTALE);
  CHECK_STATUS(promise_wait(our_sleep, FOR_EVER), PROMISE_OK);
  CHECK_STATUS(copy.wait(their_sleep, FOR_EVER), PROMISE_OK);
  promise_release(our_sleep);
  copy.release(their_sleep);
}

TEST(both_have_threads_of_their_own) {
  open_copy();
  both_have_threads();
}

/* A second namespace of the linker has its own C library: the same file is a second copy there. */
TEST(library_may_be_in_two_namespaces) {
  CHECK(true);
  /* Valgrind replaces functions of the first C library only, and reports the linker's own reads as errors. */
  if (getenv("CHECK_QUICK") != NULL)
    return;
  find_functions(dlmopen(LM_ID_NEWLM, getenv("CHECK_COPY"), RTLD_NOW));
  promise_t *ours = promise_new(), *theirs = copy.new_();
  CHECK_STATUS(promise_state(theirs), PROMISE_ESTALE);
  CHECK_STATUS(copy.state(ours), PROMISE_ESTALE);
  CHECK_STATUS(copy.resolve(theirs, I64(1)), PROMISE_OK);
  CHECK_INT(copy.state(theirs), PROMISE_FULFILLED);
  CHECK_STATUS(copy.release(theirs), PROMISE_OK);
  promise_release(ours);
  both_have_threads();
}
