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

static const int64_t LONG = 10000 * MILLISECONDS;

typedef struct waiting {
  promise_loop_t *loop;
  promise_t *promise;
  promise_status_t status;
} waiting_t;

static promise_verdict_t waits(void *ctx, const promise_value_t *in, promise_value_t *out) {
  (void)in, (void)out;
  waiting_t *waiting = ctx;
  waiting->status = promise_loop_wait(waiting->loop, waiting->promise, LONG);
  return PROMISE_FULFILL;
}

static void waits_as_job(void *ctx) {
  waits(ctx, NULL, NULL);
}

/* Within a callback, for the promise that it settles. */
TEST(a_wait_for_the_running_callback_is_a_deadlock) {
  fixture_t fixture = setup();
  waiting_t waiting = {.loop = fixture.loop};
  promise_t *source = promise_new();
  waiting.promise = promise_then(source, waits, &waiting, NULL);
  promise_resolve(source, I64(1));
  CHECK_STATUS(waiting.status, PROMISE_EDEADLK);
  RELEASE(waiting.promise, source);
  teardown(fixture);
}

/* Within a job of another loop, or of a serial executor, for the promise of a job behind it. */
TEST(a_wait_for_work_outside_the_loop_is_a_deadlock) {
  fixture_t fixture = setup(), other = {.loop = promise_loop_new()};
  other.executor = promise_loop_executor(other.loop);
  promise_executor_t *serial = promise_executor_serial(other.executor);
  promise_executor_t *const executors[] = {other.executor, serial};
  for (int i = 0; i < 2; i++) {
    waiting_t waiting = {.loop = fixture.loop};
    CHECK_STATUS(promise_executor_submit(executors[i], waits_as_job, &waiting, NULL), PROMISE_OK);
    waiting.promise = react_on(executors[i], adds_one, NULL, NULL);
    CHECK(promise_loop_run_once(other.loop) > 0);
    CHECK_STATUS(waiting.status, PROMISE_EDEADLK);
    CHECK(ended(waiting.promise, PROMISE_FULFILLED, 2));
    promise_release(waiting.promise);
  }
  promise_executor_release(serial);
  teardown(other), teardown(fixture);
}

static promise_verdict_t settles_by_timer(void *ctx, const promise_value_t *in, promise_value_t *out) {
  (void)in, (void)out;
  settles(ctx);
  return PROMISE_FULFILL;
}

/* Work of the loop itself, a job or a timer, may settle the promise that the running callback would settle. */
TEST(a_wait_for_work_of_the_loop_is_none) {
  for (int i = 0; i < 2; i++) {
    fixture_t fixture = setup();
    waiting_t waiting = {.loop = fixture.loop};
    promise_t *source = promise_new(), *sleep = promise_sleep_on(fixture.executor, MILLISECONDS);
    waiting.promise = promise_then(source, waits, &waiting, NULL);
    promise_t *awake = i == 0 ? promise_new() : promise_then(sleep, settles_by_timer, waiting.promise, NULL);
    if (i == 0)
      submit(fixture, settles, waiting.promise);
    promise_resolve(source, I64(1));
    CHECK_STATUS(waiting.status, PROMISE_OK);
    RELEASE(awake, sleep, waiting.promise, source);
    teardown(fixture);
  }
}
