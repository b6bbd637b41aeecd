/* promise/timer.h - what happens after some time. Part of promise.h: read that first.
 *
 * Times are nanoseconds of the monotonic clock: they do not pass while the machine sleeps, and setting the clock changes
 * nothing. Nothing happens early. A time beyond what the clock can count never comes.
 *
 * A thread of the library's own waits for all timers; it starts with the first one, and ends when there has been none
 * for a while. Without an executor, a timer's promise is settled on a thread for timers, and so are its callbacks run:
 * in the order of their times, one after the other. If one blocks for longer than about 10 ms, or computes for longer
 * than about 100 ms, the others go on beside it. */
#ifndef PROMISE_TIMER_H
#define PROMISE_TIMER_H

#include <stdint.h>

#include "executor.h"

PROMISE_BEGIN_DECLS

/* A promise that is fulfilled, with VOID, after `ns` nanoseconds, never before this returns. The timer holds it until
 * then. Settling it otherwise, promise_discard() included, stops the timer, and frees what it holds, at once.
 * NULL: PROMISE_EINVAL if `ns` is negative; PROMISE_ENOMEM, which stands for want of a thread too.
 * [any thread] */
PROMISE_API promise_t *PROMISE_NULLABLE promise_sleep(int64_t ns);

/* The same, settled on `executor`: an executor that drops the job rejects the promise with an ERROR of domain "promise"
 * and code PROMISE_ECLOSED. NULL: as promise_sleep().
 * NULL: as promise_sleep(), and PROMISE_ESTALE if `executor` is no executor.
 * [any thread] */
PROMISE_API promise_t *PROMISE_NULLABLE promise_sleep_on(promise_executor_t *PROMISE_NULLABLE executor, int64_t ns);

PROMISE_END_DECLS

#endif /* PROMISE_TIMER_H */
