/* Serial executors on the pool take turns: an executor with endless work leaves the threads of the pool to others. */
#include "scheduling.h"

static atomic_bool is_over;

/* Submits itself again until another job has run. */
static void goes_on(void *ctx) {
  if (!atomic_load(&is_over))
    CHECK_STATUS(promise_executor_submit(ctx, goes_on, ctx, NULL), PROMISE_OK);
}

static void ends_it(void *ctx) {
  atomic_store(&is_over, true);
  gate_open(ctx);
}

TEST(endless_serial_work_lets_others_run) {
  enum { BUSY = 64 }; /* more than the number of threads of the pool */
  promise_executor_t *busy[BUSY], *pool = promise_executor_global(PROMISE_PRIORITY_DEFAULT);
  gate_t gate = GATE_CLOSED;
  for (int i = 0; i < BUSY; i++) {
    busy[i] = promise_executor_serial(pool);
    REQUIRE(busy[i] != NULL);
    CHECK_STATUS(promise_executor_submit(busy[i], goes_on, busy[i], NULL), PROMISE_OK);
  }
  CHECK_STATUS(promise_executor_submit(pool, ends_it, &gate, NULL), PROMISE_OK);
  gate_wait(&gate);
  for (int i = 0; i < BUSY; i++)
    promise_executor_release(busy[i]);
}
