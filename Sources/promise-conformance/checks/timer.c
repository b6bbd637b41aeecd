/* promise/timer.h */
#include <time.h>

#include "../support.h"

#define DAYS (INT64_C(100) * 24 * 3600 * 1000 * MILLISECOND)

static int64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (int64_t)time.tv_sec * 1000 * MILLISECOND + time.tv_nsec;
}

static void nothing_happens_early(void) {
  int64_t before = now();
  promise_t *promise = promise_sleep(20 * MILLISECOND);
  EXPECT(promise != NULL);
  EXPECT_STATUS(promise_wait(promise, FOR_EVER), PROMISE_OK);
  EXPECT(now() - before >= 20 * MILLISECOND);
  promise_value_t value;
  EXPECT_INT(promise_state(promise), PROMISE_FULFILLED);
  EXPECT_STATUS(promise_result(promise, &value), PROMISE_OK);
  EXPECT_INT(value.kind, PROMISE_KIND_VOID);
  release(promise);
}

static gate_t woken = GATE_CLOSED;
static void wakes(void *ctx, const promise_value_t *value) {
  (void)ctx, (void)value;
  gate_open(&woken);
}

static void the_timer_holds_its_promise(void) {
  promise_t *promise = promise_sleep(1);
  EXPECT_STATUS(promise_observe(promise, wakes, NULL, NULL, NULL), PROMISE_OK);
  release(promise);
  gate_wait(&woken);
}

static void settling_stops_the_timer(void) {
  spy_t spy = {0};
  promise_t *promise = promise_sleep(DAYS);
  EXPECT_STATUS(promise_observe(promise, NULL, spy_observer, &spy, spy_free), PROMISE_OK);
  EXPECT_INT(promise_state(promise), PROMISE_PENDING);
  EXPECT_STATUS(promise_discard(promise), PROMISE_OK);
  EXPECT_SPY(&spy, 1, 1);
  EXPECT_DISCARDED(promise);
  release(promise);
  EXPECT_STATUS(promise_state(promise), PROMISE_ESTALE);
  promise = promise_sleep(INT64_MAX);
  resolve(promise, 7);
  EXPECT_ENDED(promise, PROMISE_FULFILLED, 7);
  release(promise);
}

static void shorter_times_come_first(void) {
  promise_t *later = promise_sleep(DAYS), *sooner = promise_sleep(1);
  EXPECT_STATUS(promise_wait(sooner, FOR_EVER), PROMISE_OK);
  EXPECT_INT(promise_state(later), PROMISE_PENDING);
  EXPECT_STATUS(promise_discard(later), PROMISE_OK);
  release(later);
  release(sooner);
}

static void times_that_are_none_are_refused(void) {
  EXPECT_POINTER(promise_sleep(-1), NULL);
  EXPECT_STATUS(promise_last_status(), PROMISE_EINVAL);
  EXPECT_POINTER(promise_sleep_on((promise_executor_t *)(void *)stale(), 1), NULL);
  EXPECT_STATUS(promise_last_status(), PROMISE_ESTALE);
}

static void a_delay_ends_as_its_promise_later(void) {
  promise_t *source = fulfilled(7);
  int64_t before = now();
  promise_t *promise = promise_delay(source, 20 * MILLISECOND);
  EXPECT_STATUS(promise_wait(promise, FOR_EVER), PROMISE_OK);
  EXPECT(now() - before >= 20 * MILLISECOND);
  EXPECT_ENDED(promise, PROMISE_FULFILLED, 7);
  release(promise);
  promise = promise_delay_on(promise_executor_immediate(), source, 1);
  EXPECT_STATUS(promise_wait(promise, FOR_EVER), PROMISE_OK);
  EXPECT_ENDED(promise, PROMISE_FULFILLED, 7);
  release(promise);
  EXPECT_POINTER(promise_delay(NULL, 1), NULL);
  EXPECT_POINTER(promise_delay(source, -1), NULL);
  EXPECT_STATUS(promise_last_status(), PROMISE_EINVAL);
  release(source);
}

static void a_timeout_rejects(void) {
  promise_t *source = pending();
  promise_t *promise = promise_timeout(source, MILLISECOND);
  EXPECT_STATUS(promise_wait(promise, FOR_EVER), PROMISE_OK);
  EXPECT_LIBRARY_ERROR(promise, PROMISE_ETIMEDOUT);
  release(promise);
  promise = promise_timeout(source, DAYS);
  resolve(source, 7);
  EXPECT_ENDED(promise, PROMISE_FULFILLED, 7);
  release(promise);
  promise = promise_timeout_on(promise_executor_immediate(), source, 0);
  EXPECT_ENDED(promise, PROMISE_FULFILLED, 7);
  release(promise);
  EXPECT_POINTER(promise_timeout(stale(), 1), NULL);
  EXPECT_STATUS(promise_last_status(), PROMISE_ESTALE);
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
  EXPECT_INT(promise_state(promise), PROMISE_PENDING);
  EXPECT_STATUS(promise_job_drop(job), PROMISE_OK);
  EXPECT_LIBRARY_ERROR(promise, PROMISE_ECLOSED);
  release(promise);
  EXPECT_STATUS(promise_executor_release(executor), PROMISE_OK);
}

const check_t timer_checks[] = {
    {"a sleep ends with VOID, and not early", nothing_happens_early},
    {"the timer holds its promise", the_timer_holds_its_promise},
    {"settling it by other means stops the timer, and it holds it no more", settling_stops_the_timer},
    {"of two times the shorter one comes first", shorter_times_come_first},
    {"promise_delay() ends as its promise, and not early", a_delay_ends_as_its_promise_later},
    {"promise_timeout() rejects with PROMISE_ETIMEDOUT, unless its promise ends before", a_timeout_rejects},
    {"times and executors that are none are refused", times_that_are_none_are_refused},
    {"an executor settles it, and rejects it by dropping the job", an_executor_settles_it},
    {NULL, NULL},
};
