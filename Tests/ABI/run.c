/* promise_run(): work on an executor, and the promise of its result. */
#include "scheduling.h"

TEST(verdict_settles_the_promise) {
  spy_t spy = {.verdict = PROMISE_REJECT, .answer = *I64(7)};
  promise_t *promise = promise_run(promise_executor_immediate(), spy_handler, &spy, spy_free);
  CHECK(ended(promise, PROMISE_REJECTED, 7));
  promise_release(promise);
  CHECK_SPY(&spy, 1, 1);

  promise_t *inner = promise_new();
  spy_t adopts = {.verdict = PROMISE_ADOPT, .answer = holding(retained(inner))};
  promise = promise_run(NULL, spy_handler, &adopts, spy_free);
  CHECK_INT(promise_state(promise), PROMISE_PENDING);
  promise_resolve(inner, I64(9));
  CHECK(ended(promise, PROMISE_FULFILLED, 9));
  RELEASE(promise, inner);

  spy_t none = {.verdict = PROMISE_REJECTED, .answer = *I64(7)};
  promise = promise_run(NULL, spy_handler, &none, spy_free);
  CHECK(failed_with(promise, PROMISE_EINVAL));
  promise_release(promise);
}

TEST(job_runs_on_the_given_executor) {
  spy_t spy = {.verdict = PROMISE_FULFILL, .answer = *I64(7)};
  promise_t *promise = promise_run(promise_executor_global(PROMISE_PRIORITY_DEFAULT), spy_handler, &spy, spy_free);
  CHECK_STATUS(promise_wait(promise, FOR_EVER), PROMISE_OK);
  CHECK(ended(promise, PROMISE_FULFILLED, 7));
  CHECK(!pthread_equal(spy.thread, pthread_self()));
  CHECK(pthread_equal(spy.thread, spy.freed_on));
  promise_release(promise);
  CHECK_SPY(&spy, 1, 1);
}

static promise_job_t *kept;

TEST(job_may_be_run_later_or_dropped) {
  promise_executor_t *executor = promise_executor_new(keep_job, &kept, NULL);
  for (int drops = 0; drops < 2; drops++) {
    spy_t spy = {.verdict = PROMISE_FULFILL, .answer = *I64(7)};
    promise_t *promise = promise_run(executor, spy_handler, &spy, spy_free);
    CHECK_SPY(&spy, 0, 0);
    CHECK_INT(promise_state(promise), PROMISE_PENDING);
    CHECK_STATUS((drops ? promise_job_drop : promise_job_run)(kept), PROMISE_OK);
    CHECK_SPY(&spy, !drops, 1);
    CHECK(drops ? failed_with(promise, PROMISE_ECLOSED) : ended(promise, PROMISE_FULFILLED, 7));
    promise_release(promise);
  }
  promise_executor_release(executor);
}

TEST(promise_may_be_released_at_once) {
  promise_executor_t *executor = promise_executor_new(keep_job, &kept, NULL);
  payload_t payload = {0};
  spy_t spy = {.verdict = PROMISE_FULFILL, .answer = object(&payload)};
  CHECK_STATUS(promise_release(promise_run(executor, spy_handler, &spy, spy_free)), PROMISE_OK);
  CHECK_STATUS(promise_executor_release(executor), PROMISE_OK);
  CHECK_SPY(&spy, 0, 0);
  CHECK_STATUS(promise_job_run(kept), PROMISE_OK);
  CHECK_SPY(&spy, 1, 1);
  CHECK_INT(atomic_load(&payload.destroyed), 1);
}
