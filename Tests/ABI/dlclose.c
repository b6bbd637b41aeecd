/* dlclose(): the library stays loaded, because its threads and promises do. CHECK_COPY is the path of a copy of the
 * library: this program is linked with the original. */
#include "copy.h"

/* The pool and the timers of the copy still work. */
static void works(void) {
  gate_t gate = GATE_CLOSED;
  CHECK_STATUS(
      copy.promise_executor_submit(copy.promise_executor_global(PROMISE_PRIORITY_DEFAULT), open_gate, &gate, NULL),
      PROMISE_OK);
  gate_wait(&gate);
  promise_t *sleep = copy.promise_sleep(1);
  CHECK_STATUS(copy.promise_wait(sleep, FOR_EVER), PROMISE_OK);
  CHECK_STATUS(copy.promise_release(sleep), PROMISE_OK);
}

typedef struct visit {
  gate_t used, closed;
} visit_t;

/* A thread that uses the library, and ends after the library was closed. */
static void *visits(void *argument) {
  visit_t *visit = argument;
  for (int i = 0; i < 1000; i++)
    CHECK_STATUS(copy.promise_release(copy.promise_new()), PROMISE_OK);
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
  promise_t *kept = copy.promise_new();
  CHECK_INT(dlclose(library), 0);
  gate_open(&visit.closed);
  finish(thread);
  CHECK(dlopen(getenv("CHECK_COPY"), RTLD_NOW | RTLD_NOLOAD) == library);
  works();

  /* Opening it again returns the same library. */
  promise_t *(*before)(void) = copy.promise_new;
  CHECK_POINTER(open_copy(), library);
  CHECK(copy.promise_new == before);
  CHECK_INT(copy.promise_state(kept), PROMISE_PENDING);
  CHECK_STATUS(copy.promise_resolve(kept, I64(1)), PROMISE_OK);
  CHECK_STATUS(copy.promise_release(kept), PROMISE_OK);
  works();
}
