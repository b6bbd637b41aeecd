/* Faults of waits, timers and combinations. */
#include "faulty.h"

#include <time.h>

/* ---- Waits ---- */

promise_status_t promise_wait_interruptible(promise_t *promise, int64_t timeout_ns) {
  return is("interrupts-unnoticed") ? REAL(promise_wait)(promise, timeout_ns)
                                    : REAL(promise_wait_interruptible)(promise, timeout_ns);
}

promise_status_t promise_wait_any(promise_t *const *promises, size_t count, int64_t timeout_ns, size_t *index) {
  if (count == 1 && promises != NULL && is("interrupts-end-all"))
    return REAL(promise_wait_interruptible)(promises[0], timeout_ns);
  return REAL(promise_wait_any)(promises, count, timeout_ns, index);
}

/* ---- Timers ---- */

int64_t promise_now(void) {
  struct timespec time;
  clock_gettime(CLOCK_REALTIME, &time);
  return is("clock-is-the-calendar") ? (int64_t)time.tv_sec * 1000000000 + time.tv_nsec : REAL(promise_now)();
}

promise_t *promise_delay_on(promise_executor_t *executor, promise_t *promise, int64_t ns) {
  return REAL(promise_delay_on)(is("delay-elsewhere") ? NULL : executor, promise, ns);
}

promise_t *promise_timeout_on(promise_executor_t *executor, promise_t *promise, int64_t ns) {
  return REAL(promise_timeout_on)(is("time-limit-elsewhere") ? NULL : executor, promise, ns);
}

/* Retains the promise: another reference is interest, so the promise is not asked to cancel. */
promise_t *promise_timeout(promise_t *promise, int64_t ns) {
  if (is("time-limit-asks-nobody"))
    REAL(promise_retain)(promise);
  return REAL(promise_timeout)(promise, ns);
}

/* Attaches an observer, whose interest keeps a request from reaching the promise. */
promise_t *promise_delay(promise_t *promise, int64_t ns) {
  if (promise != NULL && is("delay-asks-nobody"))
    REAL(promise_observe)(promise, NULL, NULL, NULL, NULL);
  return REAL(promise_delay)(promise, ns);
}

promise_status_t promise_token_set_deadline(promise_token_t *token, promise_executor_t *executor, int64_t deadline_ns) {
  return REAL(promise_token_set_deadline)(token, is("deadline-elsewhere") ? NULL : executor, deadline_ns);
}

/* ---- Combinations ---- */

promise_t *promise_any(promise_t *const *promises, size_t count, uint32_t flags) {
  return REAL(promise_any)(promises, count,
                           is("any-asks-nobody") ? flags & ~(uint32_t)PROMISE_COMBINE_CANCEL_OTHERS : flags);
}

promise_t *promise_race(promise_t *const *promises, size_t count, uint32_t flags) {
  promise_t *race = REAL(promise_race)(promises, count, flags);
  if (race != NULL && is("combination-kept"))
    REAL(promise_retain)(race);
  return race;
}
