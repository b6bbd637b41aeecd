/* promise/cancel.h: deadlines whose requests run on an executor. Other deadlines: token.c. */
#include "../checked.h"
#include "../loops.h"

CHECKS(deadline_executor)

static promise_executor_t *expected;

static void is_asked(void *ctx, const promise_value_t *reason) {
  CHECK_INT(promise_executor_is_current(expected), 1);
  CHECK_INT(promise_value_code(reason), PROMISE_ETIMEDOUT);
  spy_see(ctx, reason);
}

/* A deadline that has passed when it is set makes its request on the executor too. */
RULE(a_deadline_asks_on_its_executor,
     "a deadline requests cancellation on its executor, also if it has passed already") {
  for (int has_passed = 0; has_passed < 2; has_passed++) {
    spy_t spy = {0};
    fixture_t fixture = setup();
    expected = fixture.executor;
    promise_token_t *token = promise_token_new(0);
    promise_t *promise = pending();
    CHECK_STATUS(promise_on_cancel_request(promise, is_asked, &spy, spy_free), PROMISE_OK);
    CHECK_STATUS(promise_token_add(token, promise), PROMISE_OK);
    int64_t deadline = promise_now() + (has_passed ? -1 : MILLISECONDS);
    CHECK_STATUS(promise_token_set_deadline(token, fixture.executor, deadline), PROMISE_OK);
    CHECK_INT(promise_token_deadline(token), deadline);
    CHECK_SPY(&spy, 0, 0);
    while (promise_cancel_requested(promise) == 0)
      CHECK(promise_loop_run_once(fixture.loop) >= 0);
    CHECK(promise_now() >= deadline);
    CHECK_SPY(&spy, 1, 1);
    CHECK_INT(promise_token_is_cancelled(token), 1);
    CHECK_INT(promise_token_generation(token), 0);
    release(promise);
    CHECK_STATUS(promise_token_release(token), PROMISE_OK);
    teardown(fixture);
  }
}

RULE(a_dropped_job_asks_nobody, "a dropped job of a deadline requests no cancellation") {
  spy_t spy = {0};
  fixture_t fixture = setup();
  promise_token_t *token = promise_token_new(0);
  promise_t *promise = pending();
  CHECK_STATUS(promise_on_cancel_request(promise, spy_observer, &spy, spy_free), PROMISE_OK);
  CHECK_STATUS(promise_token_add(token, promise), PROMISE_OK);
  CHECK_STATUS(promise_token_set_deadline(token, fixture.executor, promise_now() - 1), PROMISE_OK);
  CHECK_STATUS(promise_loop_release(fixture.loop), PROMISE_OK);
  CHECK_SPY(&spy, 0, 0);
  CHECK_INT(promise_cancel_requested(promise), 0);
  CHECK_STATUS(promise_token_set_deadline(token, (promise_executor_t *)(void *)stale(), 1), PROMISE_ESTALE);
  CHECK_STATUS(promise_token_set_deadline(token, NULL, -1), PROMISE_EINVAL);
  release(promise);
  CHECK_SPY(&spy, 0, 1);
  CHECK_STATUS(promise_token_release(token), PROMISE_OK);
  CHECK_STATUS(promise_executor_release(fixture.executor), PROMISE_OK);
}
