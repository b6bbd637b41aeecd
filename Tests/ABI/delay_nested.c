/* promise_delay_on() whose delay passes while a callback of the result runs: the timer waits for no callback. */
#include "loops.h"

typedef struct nested {
  fixture_t fixture;
  promise_t *delayed;
  int calls;
} nested_t;

/* Runs the loop until the delay is over, within the call of this function. */
static void run_until_the_delay_is_over(nested_t *nested) {
  nested->calls++;
  int64_t deadline = promise_now() + 5000 * MILLISECONDS;
  promise_t *later = promise_sleep_on(nested->fixture.executor, 20 * MILLISECONDS);
  while (promise_state(later) == PROMISE_PENDING && promise_now() < deadline)
    promise_loop_run(nested->fixture.loop, 5 * MILLISECONDS);
  CHECK_INT(promise_state(later), PROMISE_FULFILLED);
  promise_release(later);
}

static void run_for(void *ctx, const promise_value_t *value) {
  (void)value;
  run_until_the_delay_is_over(ctx);
}

static nested_t delayed_by_a_loop(void) {
  nested_t nested = {.fixture = setup()};
  promise_t *source = fulfilled(1);
  nested.delayed = promise_delay_on(nested.fixture.executor, source, MILLISECONDS);
  promise_release(source);
  REQUIRE(nested.delayed != NULL);
  return nested;
}

TEST(it_passes_within_a_handler_of_a_request) {
  nested_t nested = delayed_by_a_loop();
  CHECK_STATUS(promise_on_cancel_request(nested.delayed, run_for, &nested, NULL), PROMISE_OK);
  CHECK_STATUS(promise_request_cancel(nested.delayed, NULL), PROMISE_OK);
  CHECK_INT(nested.calls, 1);
  CHECK(ended(nested.delayed, PROMISE_FULFILLED, 1));
  promise_release(nested.delayed);
  teardown(nested.fixture);
}

TEST(it_passes_within_a_callback_of_the_result) {
  for (int is_discarded = 0; is_discarded < 2; is_discarded++) {
    nested_t nested = delayed_by_a_loop();
    CHECK_STATUS(promise_observe(nested.delayed, run_for, run_for, &nested, NULL), PROMISE_OK);
    CHECK_STATUS(is_discarded ? promise_discard(nested.delayed) : promise_resolve(nested.delayed, I64(2)), PROMISE_OK);
    CHECK_INT(nested.calls, 1);
    promise_release(nested.delayed);
    teardown(nested.fixture);
  }
}

/* ---- On the thread for timers ---- */

typedef struct worker {
  promise_t *delayed;
  gate_t is_over;
} worker_t;

static void *works_until_the_delay_is_over(void *ctx) {
  worker_t *worker = ctx;
  CHECK_STATUS(promise_wait(worker->delayed, FOR_EVER), PROMISE_OK);
  gate_open(&worker->is_over);
  return NULL;
}

static void wait_for_the_worker(void *ctx, const promise_value_t *reason) {
  (void)reason;
  gate_wait(&((worker_t *)ctx)->is_over);
}

TEST(it_ends_a_wait_on_which_a_handler_waits) {
  /* On a slow machine a short delay may be over before the request. */
  promise_status_t status = PROMISE_ESETTLED;
  for (int64_t delay = 20 * MILLISECONDS; status == PROMISE_ESETTLED && delay <= 20000 * MILLISECONDS; delay *= 10) {
    promise_t *source = fulfilled(1);
    worker_t worker = {.delayed = promise_delay(source, delay), .is_over = GATE_CLOSED};
    CHECK_STATUS(promise_on_cancel_request(worker.delayed, wait_for_the_worker, &worker, NULL), PROMISE_OK);
    pthread_t thread = start(works_until_the_delay_is_over, &worker);
    status = promise_request_cancel(worker.delayed, NULL);
    finish(thread);
    CHECK(ended(worker.delayed, PROMISE_FULFILLED, 1));
    RELEASE(source, worker.delayed);
  }
  CHECK_STATUS(status, PROMISE_OK);
}
