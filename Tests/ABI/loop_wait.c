/* promise_loop_wait leaves nothing behind in the loop. The wait itself: loop.c. */

#include "loops.h"

static void settles(void *promise) {
  CHECK_STATUS(promise_resolve(promise, I64(1)), PROMISE_OK);
}

/* A wait with a zero time limit runs the job that settles the promise. */
TEST(a_look_leaves_the_descriptor_as_it_was) {
  promise_loop_t *loop = promise_loop_new();
  promise_executor_t *executor = promise_loop_executor(loop);
  promise_t *promise = promise_new();
  CHECK_STATUS(promise_executor_submit(executor, settles, promise, NULL), PROMISE_OK);
  CHECK(readable(loop));
  CHECK_STATUS(promise_loop_wait(loop, promise, 0), PROMISE_OK);
  CHECK(!readable(loop));
  CHECK_INT(promise_loop_run_once(loop), 0);
  CHECK(!readable(loop));
  promise_release(promise);
  promise_executor_release(executor);
  CHECK_STATUS(promise_loop_release(loop), PROMISE_OK);
}

/* Another thread settles the promise while the wait times out. */
TEST(a_wait_that_ends_meanwhile_does_too) {
  promise_loop_t *loop = promise_loop_new();
  long rounds = check_scale(2000), wrong = 0;
  for (long i = 0; i < rounds; i++) {
    promise_t *promise = promise_new();
    pthread_t thread = start(resolve_there, promise);
    promise_loop_wait(loop, promise, (i % 50) * 1000);
    finish(thread);
    wrong += readable(loop);
    promise_release(promise);
  }
  CHECK_INT(wrong, 0);
  CHECK_STATUS(promise_loop_release(loop), PROMISE_OK);
}
