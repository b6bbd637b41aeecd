/* promise/timer.h */
#include "../checked.h"

#define DAYS (INT64_C(100) * 24 * 3600 * 1000 * MILLISECONDS)

static void nothing_happens_early(void) {
  int64_t before = now();
  promise_t *promise = promise_sleep(20 * MILLISECONDS);
  CHECK(promise != NULL);
  CHECK_STATUS(promise_wait(promise, FOR_EVER), PROMISE_OK);
  CHECK(now() - before >= 20 * MILLISECONDS);
  promise_value_t value;
  CHECK_INT(promise_state(promise), PROMISE_FULFILLED);
  CHECK_STATUS(promise_result(promise, &value), PROMISE_OK);
  CHECK_INT(value.kind, PROMISE_KIND_VOID);
  release(promise);
}

static gate_t woken = GATE_CLOSED;
static void wakes(void *ctx, const promise_value_t *value) {
  (void)ctx, (void)value;
  gate_open(&woken);
}

static void the_timer_holds_its_promise(void) {
  promise_t *promise = promise_sleep(1);
  CHECK_STATUS(promise_observe(promise, wakes, NULL, NULL, NULL), PROMISE_OK);
  release(promise);
  gate_wait(&woken);
}

static void settling_stops_the_timer(void) {
  spy_t spy = {0};
  promise_t *promise = promise_sleep(DAYS);
  CHECK_STATUS(promise_observe(promise, NULL, spy_observer, &spy, spy_free), PROMISE_OK);
  CHECK_INT(promise_state(promise), PROMISE_PENDING);
  CHECK_STATUS(promise_discard(promise), PROMISE_OK);
  CHECK_SPY(&spy, 1, 1);
  CHECK_DISCARDED(promise);
  release(promise);
  CHECK_STATUS(promise_state(promise), PROMISE_ESTALE);
  promise = promise_sleep(INT64_MAX);
  resolve(promise, 7);
  CHECK_ENDED(promise, PROMISE_FULFILLED, 7);
  release(promise);
}

static void shorter_times_come_first(void) {
  promise_t *later = promise_sleep(DAYS), *sooner = promise_sleep(1);
  CHECK_STATUS(promise_wait(sooner, FOR_EVER), PROMISE_OK);
  CHECK_INT(promise_state(later), PROMISE_PENDING);
  CHECK_STATUS(promise_discard(later), PROMISE_OK);
  release(later);
  release(sooner);
}

static void times_that_are_none_are_refused(void) {
  CHECK_POINTER(promise_sleep(-1), NULL);
  CHECK_STATUS(promise_last_status(), PROMISE_EINVAL);
  CHECK_POINTER(promise_sleep_on((promise_executor_t *)(void *)stale(), 1), NULL);
  CHECK_STATUS(promise_last_status(), PROMISE_ESTALE);
}

static void a_delay_ends_as_its_promise_later(void) {
  promise_t *source = fulfilled(7);
  int64_t before = now();
  promise_t *promise = promise_delay(source, 20 * MILLISECONDS);
  CHECK_STATUS(promise_wait(promise, FOR_EVER), PROMISE_OK);
  CHECK(now() - before >= 20 * MILLISECONDS);
  CHECK_ENDED(promise, PROMISE_FULFILLED, 7);
  release(promise);
  promise = promise_delay_on(promise_executor_immediate(), source, 1);
  CHECK_STATUS(promise_wait(promise, FOR_EVER), PROMISE_OK);
  CHECK_ENDED(promise, PROMISE_FULFILLED, 7);
  release(promise);
  CHECK_POINTER(promise_delay(NULL, 1), NULL);
  CHECK_POINTER(promise_delay(source, -1), NULL);
  CHECK_STATUS(promise_last_status(), PROMISE_EINVAL);
  release(source);
}

static void a_timeout_rejects(void) {
  promise_t *source = pending();
  promise_t *promise = promise_timeout(source, MILLISECONDS);
  CHECK_STATUS(promise_wait(promise, FOR_EVER), PROMISE_OK);
  CHECK_LIBRARY_ERROR(promise, PROMISE_ETIMEDOUT);
  release(promise);
  promise = promise_timeout(source, DAYS);
  resolve(source, 7);
  CHECK_ENDED(promise, PROMISE_FULFILLED, 7);
  release(promise);
  promise = promise_timeout_on(promise_executor_immediate(), source, 0);
  CHECK_ENDED(promise, PROMISE_FULFILLED, 7);
  release(promise);
  CHECK_POINTER(promise_timeout(stale(), 1), NULL);
  CHECK_STATUS(promise_last_status(), PROMISE_ESTALE);
  release(source);
}

static gate_t submitted = GATE_CLOSED;
static promise_job_t *job;
static void keeps(void *ctx, promise_job_t *submitted_job) {
  (void)ctx;
  job = submitted_job;
  gate_open(&submitted);
}

static void an_executor_settles_it(void) {
  promise_executor_t *executor = promise_executor_new(keeps, NULL, NULL);
  promise_t *promise = promise_sleep_on(executor, 1);
  gate_wait(&submitted);
  CHECK_INT(promise_state(promise), PROMISE_PENDING);
  CHECK_STATUS(promise_job_drop(job), PROMISE_OK);
  CHECK_LIBRARY_ERROR(promise, PROMISE_ECLOSED);
  release(promise);
  CHECK_STATUS(promise_executor_release(executor), PROMISE_OK);
}

CHECKS(timer) = {
    RULE("a sleep ends with VOID, and not early", nothing_happens_early),
    RULE("the timer holds its promise", the_timer_holds_its_promise),
    RULE("settling it by other means stops the timer, and it holds it no more", settling_stops_the_timer),
    RULE("of two times the shorter one comes first", shorter_times_come_first),
    RULE("promise_delay() ends as its promise, and not early", a_delay_ends_as_its_promise_later),
    RULE("promise_timeout() rejects with PROMISE_ETIMEDOUT, unless its promise ends before", a_timeout_rejects),
    RULE("times and executors that are none are refused", times_that_are_none_are_refused),
    RULE("an executor settles it, and rejects it by dropping the job", an_executor_settles_it),
    CHECKS_END,
};
