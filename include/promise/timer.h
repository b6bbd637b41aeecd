/* promise/timer.h - what happens after some time. Part of promise.h: read that first.
 *
 * Times are nanoseconds of the monotonic clock: they do not pass while the machine sleeps, and setting the clock changes
 * nothing. Nothing happens early. A time beyond what the clock can count never comes.
 *
 * A thread of the library's own waits for all timers; it starts with the first one, and ends when there has been none
 * for a while. Without an executor, a timer's promise is settled on a thread for timers, and so are its callbacks run:
 * in the order of their times, one after the other. If one blocks for longer than about 10 ms, or computes for longer
 * than about 100 ms, the others go on beside it.
 *
 * As with alarm(), a child of fork() has none of its parent's timers, those of loops excepted; they can be made anew. */
#ifndef PROMISE_TIMER_H
#define PROMISE_TIMER_H

#include <stdint.h>

#include "executor.h"

PROMISE_BEGIN_DECLS

/* The time of the monotonic clock, in nanoseconds: CLOCK_MONOTONIC, as time.monotonic_ns() of Python and
 * std::chrono::steady_clock of C++ give it. For deadlines (promise_token_set_deadline()).
 * [any thread] */
PROMISE_API int64_t promise_now(void);

/* A promise that is fulfilled, with VOID, after `ns` nanoseconds, never before this returns. The timer holds it until
 * then. Settling it otherwise stops the timer, and frees what it holds, at once. A request to cancel discards it.
 * NULL: PROMISE_EINVAL if `ns` is negative; PROMISE_ENOMEM, which stands for want of a thread too.
 * [any thread] */
PROMISE_API promise_t *PROMISE_NULLABLE promise_sleep(int64_t ns);

/* The same, settled on `executor`: an executor that drops the job rejects the promise with an ERROR of domain "promise"
 * and code PROMISE_ECLOSED. A loop's executor (loop.h) keeps the timer itself, without another thread. NULL: as
 * promise_sleep().
 * NULL: as promise_sleep(), and PROMISE_ESTALE if `executor` is no executor.
 * [any thread] */
PROMISE_API promise_t *PROMISE_NULLABLE promise_sleep_on(promise_executor_t *PROMISE_NULLABLE executor, int64_t ns);

/* A promise that ends as `promise` does, `ns` nanoseconds later. Requests to cancel concern `promise`; if it is cancelled,
 * and somebody has asked, before or after, the rest of the time is skipped: it ends where the later of the two came.
 * NULL: PROMISE_EINVAL if `promise` is NULL or `ns` negative; PROMISE_ESTALE; PROMISE_ENOMEM.
 * [any thread] */
PROMISE_API promise_t *PROMISE_NULLABLE promise_delay(promise_t *PROMISE_NULLABLE promise, int64_t ns);

/* The same, settled on `executor` as by promise_sleep_on().
 * NULL: as promise_delay(), and PROMISE_ESTALE if `executor` is no executor.
 * [any thread] */
PROMISE_API promise_t *PROMISE_NULLABLE promise_delay_on(promise_executor_t *PROMISE_NULLABLE executor,
                                                         promise_t *PROMISE_NULLABLE promise, int64_t ns);

/* A promise that ends as `promise` does, or, if that takes longer than `ns` nanoseconds, is rejected with an ERROR of
 * domain "promise" and code PROMISE_ETIMEDOUT; then `promise` is asked to cancel, if nobody else is interested in it.
 * Settling it otherwise stops the timer. It is settled on return if `promise` is settled.
 * NULL: as promise_delay().
 * [any thread] */
PROMISE_API promise_t *PROMISE_NULLABLE promise_timeout(promise_t *PROMISE_NULLABLE promise, int64_t ns);

/* The same, rejected on `executor`; fulfilled, or rejected by `promise`, where that happens. An executor that drops the
 * job leaves it to `promise`.
 * NULL: as promise_delay_on().
 * [any thread] */
PROMISE_API promise_t *PROMISE_NULLABLE promise_timeout_on(promise_executor_t *PROMISE_NULLABLE executor,
                                                           promise_t *PROMISE_NULLABLE promise, int64_t ns);

PROMISE_END_DECLS

#endif /* PROMISE_TIMER_H */
