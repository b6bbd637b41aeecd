/* promise_loop_wait leaves nothing behind in the loop. The wait itself: loop.c. */

#include "loops.h"

static void settles(void *promise) {
  CHECK_STATUS(promise_resolve(promise, I64(1)), PROMISE_OK);
}

/* A wait with a zero time limit runs the job that settles the promise. */
TEST(a_look_leaves_the_descriptor_as_it_was) {
  fixture_t fixture = setup();
  promise_t *promise = promise_new();
  submit(fixture, settles, promise);
  CHECK(readable(fixture.loop));
  CHECK_STATUS(promise_loop_wait(fixture.loop, promise, 0), PROMISE_OK);
  CHECK(!readable(fixture.loop));
  CHECK_INT(promise_loop_run_once(fixture.loop), 0);
  CHECK(!readable(fixture.loop));
  promise_release(promise);
  teardown(fixture);
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
  fixture_t fixture = setup(), other = setup();
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

typedef struct moving {
  fixture_t other;
  promise_t *source;
} moving_t;

/* Runs the other loop, which so belongs to this thread, then submits work to it. */
static void leaves_work_elsewhere(void *ctx) {
  moving_t *moving = ctx;
  CHECK_INT(promise_loop_run_once(moving->other.loop), 0);
  settles(moving->source);
}

/* The thread comes to drive the other loop only by a job that runs within the wait. */
TEST(a_wait_for_work_that_a_job_leaves_elsewhere_is_a_deadlock) {
  fixture_t fixture = setup();
  moving_t moving = {.other = setup(), .source = promise_new()};
  promise_reaction_t reaction = {.size = sizeof reaction, .executor = moving.other.executor, .on_fulfilled = adds_one};
  promise_t *promise = promise_react(moving.source, &reaction);
  submit(fixture, leaves_work_elsewhere, &moving);
  CHECK_STATUS(promise_loop_wait(fixture.loop, promise, LONG), PROMISE_EDEADLK);
  CHECK_INT(promise_loop_run_once(moving.other.loop), 1);
  CHECK(ended(promise, PROMISE_FULFILLED, 2));
  RELEASE(promise, moving.source);
  teardown(moving.other), teardown(fixture);
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
