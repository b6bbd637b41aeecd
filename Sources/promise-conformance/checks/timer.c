/* promise/timer.h */
#include "../checked.h"
#include "../scheduling.h"

CHECKS(timer)

#define DAYS (INT64_C(100) * 24 * 3600 * 1000 * MILLISECONDS)

RULE(sleep_ends_in_time, "a sleep ends with VOID, and not early") {
  static const int64_t times[] = {0, 1, MILLISECONDS, 30 * MILLISECONDS};
  for (int i = 0; i < 4; i++) {
    int64_t before = now();
    promise_t *nap = promise_sleep(times[i]);
    REQUIRE(nap != NULL);
    CHECK_STATUS(promise_wait(nap, FOR_EVER), PROMISE_OK);
    CHECK(now() - before >= times[i]);
    promise_value_t value;
    CHECK_INT(promise_state(nap), PROMISE_FULFILLED);
    CHECK_STATUS(promise_result(nap, &value), PROMISE_OK);
    CHECK_INT(value.kind, PROMISE_KIND_VOID);
    promise_release(nap);
  }
}

/* Besides the test, only the timer has a reference, so a stale handle shows that the timer has released it. */
RULE(settled_sleep_is_released_at_once, "settling a sleep by other means stops its timer, which releases it") {
  for (int how = 0; how < 3; how++) {
    promise_t *nap = promise_sleep(3600 * 1000 * MILLISECONDS);
    spy_t spy = {0};
    CHECK_STATUS(promise_observe(nap, spy_observer, spy_observer, &spy, spy_free), PROMISE_OK);
    CHECK_INT(promise_state(nap), PROMISE_PENDING);
    if (how == 0)
      CHECK_STATUS(promise_discard(nap), PROMISE_OK);
    if (how == 1)
      CHECK_STATUS(promise_resolve(nap, I64(5)), PROMISE_OK);
    if (how == 2)
      CHECK_STATUS(promise_reject(nap, I64(5)), PROMISE_OK);
    CHECK_SPY(&spy, 1, 1);
    CHECK(how > 0 || was_discarded(nap));
    CHECK_INT(promise_state(nap), how == 1 ? PROMISE_FULFILLED : PROMISE_REJECTED);
    CHECK_STATUS(promise_release(nap), PROMISE_OK);
    CHECK_STATUS(promise_state(nap), PROMISE_ESTALE);
  }
}

RULE(timer_holds_its_promise, "the timer holds its promise") {
  spy_t spy = {0};
  promise_t *nap = promise_sleep(MILLISECONDS);
  promise_t *child = promise_then(nap, spy_handler, &spy, spy_free);
  promise_release(nap);
  CHECK_STATUS(promise_wait(child, FOR_EVER), PROMISE_OK);
  promise_release(child);
  CHECK_SPY(&spy, 1, 1);
}

RULE(time_beyond_time_never_comes, "of two sleeps the shorter one ends first") {
  static const int64_t longest[] = {DAYS, INT64_MAX};
  for (int i = 0; i < 2; i++) {
    promise_t *nap = promise_sleep(longest[i]), *short_one = promise_sleep(1);
    CHECK_STATUS(promise_wait(short_one, FOR_EVER), PROMISE_OK);
    CHECK_INT(promise_state(nap), PROMISE_PENDING);
    CHECK_STATUS(promise_discard(nap), PROMISE_OK);
    RELEASE(short_one, nap);
  }
}

static gate_t second_ended = GATE_CLOSED;

static void blocks(void *ctx, const promise_value_t *value) {
  (void)ctx, (void)value;
  gate_wait(&second_ended);
}

static void opens(void *ctx, const promise_value_t *value) {
  (void)ctx, (void)value;
  gate_open(&second_ended);
}

/* The callback of the first timer waits for that of the second, which is due later. */
RULE(blocked_callback_does_not_hold_up_other_timers, "a callback that blocks delays no other timer") {
  promise_t *first = promise_sleep(MILLISECONDS), *second = promise_sleep(2 * MILLISECONDS);
  promise_observe(first, blocks, NULL, NULL, NULL);
  promise_observe(second, opens, NULL, NULL, NULL);
  CHECK_STATUS(promise_wait(first, FOR_EVER), PROMISE_OK);
  CHECK_STATUS(promise_wait(second, FOR_EVER), PROMISE_OK);
  RELEASE(first, second);
}

static promise_verdict_t sleeps_itself(void *ctx, const promise_value_t *in, promise_value_t *out) {
  (void)ctx, (void)in;
  promise_t *nap = promise_sleep(MILLISECONDS);
  CHECK_STATUS(promise_wait(nap, FOR_EVER), PROMISE_OK);
  promise_release(nap);
  *out = *I64(1);
  return PROMISE_FULFILL;
}

RULE(callback_of_a_timer_may_wait_for_another, "the callback of a timer may wait for another timer") {
  promise_t *nap = promise_sleep(1), *child = promise_then(nap, sleeps_itself, NULL, NULL);
  CHECK_STATUS(promise_wait(child, FOR_EVER), PROMISE_OK);
  CHECK(ended(child, PROMISE_FULFILLED, 1));
  RELEASE(child, nap);
}

static promise_t *sleeps_on(promise_executor_t *executor, promise_t *source, int64_t ns) {
  (void)source;
  return promise_sleep_on(executor, ns);
}

RULE(sleep_ends_on_its_executor, "a sleep is settled on its executor") {
  promise_executor_t *serial = promise_executor_serial(NULL);
  promise_executor_t *const executors[] = {promise_executor_global(PROMISE_PRIORITY_UTILITY), serial,
                                           promise_executor_immediate()};
  for (int i = 0; i < 3; i++)
    ends_on(executors[i], sleeps_on, NULL);
  promise_executor_release(serial);
}

RULE(executor_may_drop_a_sleep, "an executor settles a sleep, and rejects it by dropping the job") {
  shelf_t shelf = SHELF_EMPTY;
  promise_executor_t *executor = promise_executor_new(shelve_and_open, &shelf, NULL);
  promise_t *nap = promise_sleep_on(executor, 1);
  gate_wait(&was_submitted);
  CHECK_INT(promise_state(nap), PROMISE_PENDING);
  CHECK_STATUS(promise_job_drop(take_job(&shelf)), PROMISE_OK);
  CHECK(failed_with(nap, PROMISE_ECLOSED));
  promise_release(nap);
  /* The promise is settled after its timer has fired, and before the job runs. */
  for (int drop = 0; drop < 2; drop++) {
    was_submitted.open = false;
    nap = promise_sleep_on(executor, 1);
    gate_wait(&was_submitted);
    CHECK_STATUS(promise_resolve(nap, I64(3)), PROMISE_OK);
    promise_job_t *job = take_job(&shelf);
    CHECK_STATUS((drop ? promise_job_drop : promise_job_run)(job), PROMISE_OK);
    CHECK(ended(nap, PROMISE_FULFILLED, 3));
    CHECK_STATUS(promise_release(nap), PROMISE_OK);
    CHECK_STATUS(promise_state(nap), PROMISE_ESTALE);
  }
  promise_executor_release(executor);
}

RULE(times_that_are_none_are_refused, "invalid times and executors are refused") {
  CHECK_POINTER(promise_sleep(-1), NULL);
  CHECK_STATUS(promise_last_status(), PROMISE_EINVAL);
  CHECK_POINTER(promise_sleep_on((promise_executor_t *)(void *)stale(), 1), NULL);
  CHECK_STATUS(promise_last_status(), PROMISE_ESTALE);
}

RULE(a_request_discards_a_sleep, "a request to cancel a sleep discards it") {
  promise_t *nap = promise_sleep(DAYS);
  CHECK_INT(promise_state(nap), PROMISE_PENDING);
  CHECK_STATUS(promise_request_cancel(nap, NULL), PROMISE_OK);
  CHECK_DISCARDED(nap);
  release(nap);
  CHECK_STATUS(promise_state(nap), PROMISE_ESTALE);
  /* The request propagates from a derived promise. */
  nap = promise_sleep(DAYS);
  promise_t *child = child_of(nap);
  release(nap);
  CHECK_STATUS(promise_request_cancel(child, NULL), PROMISE_OK);
  CHECK_DISCARDED(child);
  CHECK_STATUS(promise_state(nap), PROMISE_ESTALE);
  release(child);
}

RULE(the_time_is_that_of_the_monotonic_clock, "promise_now() is the time of the monotonic clock") {
  for (int i = 0; i < 100; i++) {
    int64_t before = now(), time = promise_now();
    CHECK(before <= time && time <= now());
  }
}

RULE(a_delay_ends_as_its_promise_later, "promise_delay() ends as its promise, and not early") {
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

RULE(a_timeout_rejects, "promise_timeout() rejects with PROMISE_ETIMEDOUT, unless its promise ends before") {
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
