/* promise/timer.h - timers: sleeps, delays, time limits. Part of promise.h: read that first.
 *
 * Times are nanoseconds of the monotonic clock: it stops while the machine is suspended, and setting the wall clock
 * does not affect it. Nothing happens early. A time beyond the range of the clock is never reached.
 *
 * Threads: one thread of the library waits for all timers. It starts with the first timer, and ends a while after the
 * last one. Without an executor, a timer's promise is settled on a timer thread, and its callbacks run there,
 * in the order of the timers' times, one after the other. If a callback blocks for longer than about 10 ms, or computes
 * for longer than about 100 ms, the other timers continue on another thread, up to 512 threads.
 *
 * fork(): as with alarm(), a child has none of its parent's timers, except those of loops. It can create new ones. */
#ifndef PROMISE_TIMER_H
#define PROMISE_TIMER_H

#include <stdint.h>

#include "executor.h"

PROMISE_BEGIN_DECLS

/* Returns the time of the monotonic clock, in nanoseconds: CLOCK_MONOTONIC, as time.monotonic_ns() of Python and
 * std::chrono::steady_clock of C++ do. For deadlines (promise_token_set_deadline()).
 * [any thread] */
PROMISE_API int64_t promise_now(void);

/* Creates a promise that is fulfilled with VOID after `ns` nanoseconds, never within this call; another thread may do
 * it before this returns. The timer keeps the promise while it has callbacks; releasing the last reference without
 * callbacks stops the timer. Settling it otherwise stops the timer and frees its memory at once. A request to cancel
 * discards it.
 * Returns a new reference.
 * NULL: PROMISE_EINVAL if `ns` is negative; PROMISE_ENOMEM, also if no thread can be started.
 * [any thread] */
PROMISE_NODISCARD PROMISE_API promise_t *PROMISE_NULLABLE promise_sleep(int64_t ns);

/* Creates a promise as promise_sleep() does, settled on `executor`; NULL stands for the timer thread. If the executor
 * drops the job, the promise is rejected with an ERROR of domain "promise" and code PROMISE_ECLOSED. A loop's executor
 * (loop.h) keeps the timer itself, without another thread.
 * Returns a new reference.
 * NULL: as promise_sleep(); PROMISE_ESTALE if `executor` is not an executor.
 * [any thread] */
PROMISE_NODISCARD PROMISE_API promise_t *PROMISE_NULLABLE
promise_sleep_on(promise_executor_t *PROMISE_NULLABLE executor, int64_t ns);

/* Creates a promise that is settled as `promise`, `ns` nanoseconds after it. A request to cancel propagates to
 * `promise`. If `promise` is cancelled and the result was asked to cancel, in either order, the result is settled at
 * once, without the rest of the delay. Settling or discarding the result stops the timer and frees it once the
 * result's callbacks have returned; releasing it without callbacks does so at once. If there is no memory for a timer
 * when `promise` is settled, the result is rejected with an ERROR of domain "promise" and code PROMISE_ENOMEM.
 * Returns a new reference.
 * NULL: PROMISE_EINVAL if `promise` is NULL or `ns` negative; PROMISE_ESTALE; PROMISE_ENOMEM.
 * [any thread] */
PROMISE_NODISCARD PROMISE_API promise_t *PROMISE_NULLABLE promise_delay(promise_t *PROMISE_NULLABLE promise,
                                                                        int64_t ns);

/* Creates a promise as promise_delay() does, settled on `executor` as by promise_sleep_on().
 * Returns a new reference.
 * NULL: as promise_delay(); PROMISE_ESTALE also if `executor` is not an executor.
 * [any thread] */
PROMISE_NODISCARD PROMISE_API promise_t *PROMISE_NULLABLE
promise_delay_on(promise_executor_t *PROMISE_NULLABLE executor, promise_t *PROMISE_NULLABLE promise, int64_t ns);

/* Creates a promise that is settled as `promise`, or, after `ns` nanoseconds, rejected with an ERROR of domain
 * "promise" and code PROMISE_ETIMEDOUT. After the rejection, which may wake a waiter first, `promise` is asked to
 * cancel, unless others have interest in it (cancel.h). Settling the result by other means stops the timer. The result
 * is settled on return if `promise` is.
 * Returns a new reference.
 * NULL: as promise_delay().
 * [any thread] */
PROMISE_NODISCARD PROMISE_API promise_t *PROMISE_NULLABLE promise_timeout(promise_t *PROMISE_NULLABLE promise,
                                                                          int64_t ns);

/* Creates a promise as promise_timeout() does, whose rejection by the time limit happens on `executor`. Otherwise it is
 * settled on the thread that settles `promise`. If the executor drops the job, there is no time limit.
 * Returns a new reference.
 * NULL: as promise_delay_on().
 * [any thread] */
PROMISE_NODISCARD PROMISE_API promise_t *PROMISE_NULLABLE
promise_timeout_on(promise_executor_t *PROMISE_NULLABLE executor, promise_t *PROMISE_NULLABLE promise, int64_t ns);

PROMISE_END_DECLS

#endif /* PROMISE_TIMER_H */
