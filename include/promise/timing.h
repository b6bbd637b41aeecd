/* promise/timing.h - operators on the times of events. Part of promise.h: read that first. */
#ifndef PROMISE_TIMING_H
#define PROMISE_TIMING_H

#include <stdint.h>

#include "operator.h"

PROMISE_BEGIN_DECLS

/* These are operators as those of operator.h, with a timer each:
 *   executor      runs the timer, and the callbacks for events that it publishes; NULL: a thread for timers, as for
 *                 promise_sleep(). Other events are published on the publishing thread of `source`.
 *   source        values and errors count alike: an error that another event follows within the interval is dropped by
 *                 a debounce or a throttle, as a value is.
 *   interval_ns   nanoseconds of the monotonic clock, at least 1. Timers are never early.
 * The end of the source publishes the pending event at once, then ends the publisher. If the executor drops the timer,
 * the pending event is published as well, and the publisher fails with an ERROR of domain "promise" and code
 * PROMISE_ECLOSED. Without a timer, as in an idle throttle, it fails at the next event that needs one. The timer stops
 * when the publisher has no reference and no subscriber left. A burst of events uses one timer. */

/* Publishes an event when no other event followed it for the interval.
 * Returns a new reference.
 * NULL: PROMISE_EINVAL if `source` is NULL, or if `interval_ns` is less than 1; PROMISE_ESTALE if a handle is stale;
 * PROMISE_ENOMEM.
 * [any thread] */
PROMISE_NODISCARD PROMISE_API promise_publisher_t *PROMISE_NULLABLE promise_publisher_debounce(
    promise_executor_t *PROMISE_NULLABLE executor, promise_publisher_t *PROMISE_NULLABLE source, int64_t interval_ns);

enum {
  /* Drop the events that follow the first one in an interval. */
  PROMISE_THROTTLE_FIRST = 1 << 14
};

/* Publishes at most one event in each interval: the first event at once, which begins the interval; at its end, which
 * begins the next one, the latest event that followed. `flags` is 0 or PROMISE_THROTTLE_FIRST.
 * Returns a new reference.
 * NULL: PROMISE_EINVAL if `source` is NULL, if `interval_ns` is less than 1, or if a flag is not known; PROMISE_ESTALE
 * if a handle is stale; PROMISE_ENOMEM.
 * [any thread] */
PROMISE_NODISCARD PROMISE_API promise_publisher_t *PROMISE_NULLABLE
promise_publisher_throttle(promise_executor_t *PROMISE_NULLABLE executor, promise_publisher_t *PROMISE_NULLABLE source,
                           int64_t interval_ns, uint32_t flags);

/* Publishes the same events, and fails when no event has arrived for the interval, from this call on: with an ERROR of
 * domain "promise" and code PROMISE_ETIMEDOUT.
 * Returns a new reference.
 * NULL: PROMISE_EINVAL if `source` is NULL, or if `interval_ns` is less than 1; PROMISE_ESTALE if a handle is stale;
 * PROMISE_ENOMEM, also if no thread can be started.
 * [any thread] */
PROMISE_NODISCARD PROMISE_API promise_publisher_t *PROMISE_NULLABLE promise_publisher_timeout(
    promise_executor_t *PROMISE_NULLABLE executor, promise_publisher_t *PROMISE_NULLABLE source, int64_t interval_ns);

PROMISE_END_DECLS

#endif /* PROMISE_TIMING_H */
