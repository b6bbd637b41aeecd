/* dlclose(): the library stays loaded, because its threads and promises do. CHECK_COPY is the path of a copy of the
 * library: this program is linked with the original. */
#define _GNU_SOURCE
#include <dlfcn.h>

#include "support.h"

/* The functions of the copy. */
static struct {
  promise_t *(*new_)(void);
  promise_status_t (*release)(promise_t *);
  promise_status_t (*resolve)(promise_t *, const promise_value_t *);
  promise_state_t (*state)(promise_t *);
  promise_status_t (*wait)(promise_t *, int64_t);
  promise_t *(*sleep)(int64_t);
  promise_executor_t *(*global)(promise_priority_t);
  promise_status_t (*submit)(promise_executor_t *, void (*)(void *), void *, promise_free_t);
} copy;

static void find_functions(void *library) {
  REQUIRE(library != NULL);
#define LOAD(field, name) *(void **)&copy.field = dlsym(library, name)
  LOAD(new_, "promise_new");
  LOAD(release, "promise_release");
  LOAD(resolve, "promise_resolve");
  LOAD(state, "promise_state");
  LOAD(wait, "promise_wait");
  LOAD(sleep, "promise_sleep");
  LOAD(global, "promise_executor_global");
  LOAD(submit, "promise_executor_submit");
#undef LOAD
  REQUIRE(copy.new_ != NULL && copy.new_ != promise_new && copy.submit != NULL);
}

static void *open_copy(void) {
  const char *path = getenv("CHECK_COPY");
  REQUIRE(path != NULL);
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  find_functions(library);
  return library;
}

/* The pool and the timers of the copy still work. */
static void works(void) {
  gate_t gate = GATE_CLOSED;
  CHECK_STATUS(copy.submit(copy.global(PROMISE_PRIORITY_DEFAULT), open_gate, &gate, NULL), PROMISE_OK);
  gate_wait(&gate);
  promise_t *sleep = copy.sleep(1);
  CHECK_STATUS(copy.wait(sleep, FOR_EVER), PROMISE_OK);
  CHECK_STATUS(copy.release(sleep), PROMISE_OK);
}

typedef struct visit {
  gate_t used, closed;
} visit_t;

/* A thread that uses the library, and ends after the library was closed. */
static void *visits(void *argument) {
  visit_t *visit = argument;
  for (int i = 0; i < 1000; i++)
    CHECK_STATUS(copy.release(copy.new_()), PROMISE_OK);
  gate_open(&visit->used);
  gate_wait(&visit->closed);
  return NULL;
}

TEST(library_stays_when_it_is_closed) {
  void *library = open_copy();
  visit_t visit = {GATE_CLOSED, GATE_CLOSED};
  pthread_t thread = start(visits, &visit);
  gate_wait(&visit.used);
  works();
  promise_t *kept = copy.new_();
  CHECK_INT(dlclose(library), 0);
  gate_open(&visit.closed);
  finish(thread);
  CHECK(dlopen(getenv("CHECK_COPY"), RTLD_NOW | RTLD_NOLOAD) == library);
  works();

  /* Opening it again returns the same library. */
  promise_t *(*before)(void) = copy.new_;
  CHECK_POINTER(open_copy(), library);
  CHECK(copy.new_ == before);
  CHECK_INT(copy.state(kept), PROMISE_PENDING);
  CHECK_STATUS(copy.resolve(kept, I64(1)), PROMISE_OK);
  CHECK_STATUS(copy.release(kept), PROMISE_OK);
  works();
}
