/* promise/stream.h - streams: publishers, subscribers, demand and back-pressure. Part of promise.h: read that first. */
#ifndef PROMISE_STREAM_H
#define PROMISE_STREAM_H

#include <stdint.h>

#include "executor.h"

PROMISE_BEGIN_DECLS

/* A publisher sends a stream of events to its subscribers: values, errors that do not end the stream, then at most one
 * end. A subscriber receives events one at a time, in callbacks or as promises that it asks for. All subscribers see
 * the same order: that of publication. The end of a stream is a promise.
 *
 *     promise_publisher_t *numbers = promise_publisher_new(0);
 *     promise_subscription_t options = {.size = sizeof options, .overflow = PROMISE_OVERFLOW_BUFFER,
 *                                       .demand = PROMISE_DEMAND_UNLIMITED, .on_value = print};
 *     promise_subscriber_t *printer = promise_publisher_subscribe(numbers, &options);
 *     promise_publisher_publish(numbers, &seven);       // print has run when this returns
 *     promise_publisher_finish(numbers);                // promise_subscriber_end(printer) is fulfilled
 *     promise_subscriber_release(printer);
 *     promise_publisher_release(numbers);
 *
 * Lifetime: publishers and subscribers are counted tokens, as promises are. Neither holds a reference to the other.
 * Releasing the last reference to a publisher cancels its stream. Releasing the last reference to a subscriber cancels
 * the subscriber, and its callbacks run no more.
 *
 * Delivery: without an executor, callbacks run on the publishing thread, inside the publishing call, with no lock held.
 * A publishing call returns when its event has been delivered, with two exceptions: a subscriber whose callback is
 * running, and a subscriber with earlier events pending. Such a subscriber receives the event afterwards, in order.
 *
 * Re-entrancy: a subscriber's callback is never entered twice at once. It may call any function, on its own subscriber
 * and publisher too. Callbacks that publish to one another's publishers recurse on the stack; operators (operator.h) do
 * not. A delivering thread also delivers the events that other threads publish in the meantime, before its call
 * returns.
 *
 * Isolation: a slow or failing subscriber does not affect the others. If a subscriber blocks, give it an executor. */
typedef struct promise_publisher promise_publisher_t;
typedef struct promise_subscriber promise_subscriber_t;

/* ---- Publishing ---- */

enum {
  /* A new subscriber receives the latest published event first, if there is one. */
  PROMISE_PUBLISHER_STATEFUL = 1 << 8
};

/* Creates a publisher. `flags` is 0 or PROMISE_PUBLISHER_STATEFUL.
 * Returns a new reference.
 * NULL: PROMISE_EINVAL for an unknown flag; PROMISE_ENOMEM.
 * [any thread] */
PROMISE_NODISCARD PROMISE_API promise_publisher_t *PROMISE_NULLABLE promise_publisher_new(uint32_t flags);

/* Creates a publisher of ticks: every `interval_ns` nanoseconds it publishes the number of intervals that have passed
 * since this call, a U64. Ticks that are missed while the executor or a callback is busy are published as one, whose
 * number counts them.
 *   executor      publishes the ticks; NULL: a thread for timers, as for promise_sleep(). A loop's executor keeps the
 *                 timer itself, without another thread.
 *   interval_ns   nanoseconds of the monotonic clock, at least 1. Ticks are never early, and do not drift.
 * Only the timer publishes: calls that publish or end the stream return PROMISE_EINVAL. The timer stops at once when
 * the publisher has no reference and no subscriber left; a subscriber alone keeps it running. If the executor drops the
 * timer, the stream fails with an ERROR of domain "promise" and code PROMISE_ECLOSED. A subscriber gets each tick that
 * is published. With PROMISE_OVERFLOW_DROP_OLDEST and a capacity of 1, a slow one gets the latest.
 * Returns a new reference.
 * NULL: PROMISE_EINVAL if `interval_ns` is less than 1; PROMISE_ESTALE if `executor` is not an executor;
 * PROMISE_ENOMEM, also if no thread can be started.
 * [any thread] */
PROMISE_NODISCARD PROMISE_API promise_publisher_t *PROMISE_NULLABLE
promise_publisher_every(promise_executor_t *PROMISE_NULLABLE executor, int64_t interval_ns);

/* Adds or releases a reference. Releasing the last one cancels a stream that has not ended, as by
 * promise_publisher_cancel(). If it held a request to cancel a promise back, handlers for the request may run before
 * this returns (cancel.h).
 * Returns PROMISE_OK; PROMISE_EINVAL if `publisher` is NULL, PROMISE_ESTALE; promise_publisher_retain() also
 * PROMISE_ENOMEM.
 * [any thread] */
PROMISE_API promise_status_t promise_publisher_retain(promise_publisher_t *PROMISE_NULLABLE publisher);
PROMISE_API promise_status_t promise_publisher_release(promise_publisher_t *PROMISE_NULLABLE publisher);

/* Publishes a value to the subscribers at the time of the call.
 * Returns PROMISE_OK; PROMISE_EFULL if the value was published and a subscriber has reached its capacity: the next
 * event may be dropped or use more memory, so wait for promise_publisher_ready() if you can; PROMISE_ESETTLED if the
 * stream has ended, and the value was not published; PROMISE_EINVAL if an argument is NULL, if `*value` is not
 * well-formed, or if the publisher belongs to an operator (operator.h); PROMISE_ESTALE.
 * Takes over the value's reference on every path.
 * [any thread] */
PROMISE_API promise_status_t promise_publisher_publish(promise_publisher_t *PROMISE_NULLABLE publisher,
                                                       const promise_value_t *PROMISE_NULLABLE value);

/* Publishes an error that does not end the stream.
 * Returns as promise_publisher_publish().
 * Takes over the reason's reference on every path.
 * [any thread] */
PROMISE_API promise_status_t promise_publisher_publish_error(promise_publisher_t *PROMISE_NULLABLE publisher,
                                                             const promise_value_t *PROMISE_NULLABLE reason);

/* End the stream: it finishes, fails with `*reason`, or is cancelled. Each subscriber receives the end after the events
 * published before it. Later subscribers receive the end at once, after the latest event of a stateful publisher.
 * Returns PROMISE_OK; PROMISE_ESETTLED if the stream had already ended; PROMISE_EINVAL as promise_publisher_publish();
 * PROMISE_ESTALE.
 * Takes over the reason's reference on every path.
 * [any thread] */
PROMISE_API promise_status_t promise_publisher_finish(promise_publisher_t *PROMISE_NULLABLE publisher);
PROMISE_API promise_status_t promise_publisher_fail(promise_publisher_t *PROMISE_NULLABLE publisher,
                                                    const promise_value_t *PROMISE_NULLABLE reason);
PROMISE_API promise_status_t promise_publisher_cancel(promise_publisher_t *PROMISE_NULLABLE publisher);

/* Returns PROMISE_PENDING before the stream ends, PROMISE_FULFILLED after it finished, PROMISE_REJECTED after it failed
 * or was cancelled.
 * Errors: PROMISE_EINVAL if `publisher` is NULL; PROMISE_ESTALE.
 * [any thread] */
PROMISE_API promise_state_t promise_publisher_state(promise_publisher_t *PROMISE_NULLABLE publisher);

/* Copies the latest event of a stateful publisher to `*out`. The end of the stream does not count as an event here.
 * Returns PROMISE_FULFILLED for a value, PROMISE_REJECTED for an error; PROMISE_PENDING if no event was published or
 * the publisher is not stateful.
 * Errors: PROMISE_EINVAL if an argument is NULL; PROMISE_ESTALE; PROMISE_ENOMEM if the value has 2^26 references.
 * `*out` is a new reference; VOID if there is no event, and on failure.
 * [any thread] */
PROMISE_API promise_state_t promise_publisher_latest(promise_publisher_t *PROMISE_NULLABLE publisher,
                                                     promise_value_t *PROMISE_NULLABLE out);

/* Returns the number of subscribers that would receive an event published now. Takes time linear in it.
 * Errors: PROMISE_EINVAL if `publisher` is NULL; PROMISE_ESTALE.
 * [any thread] */
PROMISE_API int64_t promise_publisher_count(promise_publisher_t *PROMISE_NULLABLE publisher);

/* Creates a promise for back-pressure: it is fulfilled once every subscriber is below its capacity, at once if all are.
 * It is cancelled if the stream ends first. A producer waits on it before it publishes more.
 * Returns a new reference.
 * NULL: PROMISE_EINVAL if `publisher` is NULL; PROMISE_ESTALE; PROMISE_ENOMEM.
 * [any thread] */
PROMISE_NODISCARD PROMISE_API promise_t *PROMISE_NULLABLE
promise_publisher_ready(promise_publisher_t *PROMISE_NULLABLE publisher);

/* ---- Subscribing ---- */

/* The policy for an event that arrives while `capacity` earlier events are pending: events that wait for demand, for
 * the executor, or for the running callback. One extra event may be pending after a promise of
 * promise_subscriber_next() was abandoned while its event was being delivered. 0 is not a policy. */
typedef uint32_t promise_overflow_t;

enum {
  PROMISE_OVERFLOW_BUFFER = 1,      /* keep it; the subscriber is full from `capacity` events on, never if 0 */
  PROMISE_OVERFLOW_DROP_OLDEST = 2, /* drop the oldest pending event; a capacity of 1 keeps the latest */
  PROMISE_OVERFLOW_DROP_NEWEST = 3, /* drop the new event */
  PROMISE_OVERFLOW_FAIL = 4         /* end the subscriber: it gets the pending events, then fails with PROMISE_EFULL */
};

/* Unlimited demand. */
#define PROMISE_DEMAND_UNLIMITED UINT64_MAX

/* Options of a subscription. Zero the struct, set `size` to sizeof(promise_subscription_t), then set the fields that
 * you need. */
typedef struct promise_subscription {
  uint32_t size;
  promise_overflow_t overflow;
  uint64_t capacity;                             /* pending events at most; 0 is for PROMISE_OVERFLOW_BUFFER alone */
  uint64_t demand;                               /* events to deliver before promise_subscriber_request() adds demand */
  promise_executor_t *PROMISE_NULLABLE executor; /* runs the callbacks, one at a time; retained */
  promise_token_t *PROMISE_NULLABLE token;       /* cancels the subscriber when cancelled or invalidated from now on */
  /* Callbacks for events; the value is borrowed until they return. If one is NULL, its events are skipped and use no
   * demand. If both are NULL, promise_subscriber_next() asks for the events. */
  promise_observer_t PROMISE_NULLABLE on_value;
  promise_observer_t PROMISE_NULLABLE on_error;
  void *PROMISE_NULLABLE ctx;
  promise_free_t PROMISE_NULLABLE free_ctx;
} promise_subscription_t;

/* Subscribes to the events that are published from this call on. Pending ones, the latest event of a stateful publisher
 * or the end, are delivered before this returns, unless there is an executor. `*subscription` is read during the call
 * only.
 * Returns a new reference, to keep as long as events are wanted.
 * NULL: PROMISE_EINVAL if an argument is NULL, if `size` is less than that of version 1 or more than 4096, if a field
 * unknown to this library is not 0, if the policy does not exist or needs a capacity; PROMISE_ESTALE if a handle is
 * stale; PROMISE_ENOMEM.
 * free_ctx(ctx) is called once, after the promise of the end was settled, on the thread that settled it. On failure it
 * has been called, unless `subscription` is NULL or `size` too small to hold it.
 * [any thread] */
PROMISE_NODISCARD PROMISE_API promise_subscriber_t *PROMISE_NULLABLE promise_publisher_subscribe(
    promise_publisher_t *PROMISE_NULLABLE publisher, const promise_subscription_t *PROMISE_NULLABLE subscription);

/* Adds or releases a reference. Releasing the last one cancels the subscriber.
 * Returns PROMISE_OK; PROMISE_EINVAL if `subscriber` is NULL, PROMISE_ESTALE; promise_subscriber_retain() also
 * PROMISE_ENOMEM.
 * [any thread] */
PROMISE_API promise_status_t promise_subscriber_retain(promise_subscriber_t *PROMISE_NULLABLE subscriber);
PROMISE_API promise_status_t promise_subscriber_release(promise_subscriber_t *PROMISE_NULLABLE subscriber);

/* Adds demand for `count` events, or PROMISE_DEMAND_UNLIMITED. Pending events are delivered before this returns, unless
 * the subscriber has an executor, its callback is running, or a delivery to it is in progress: then they are delivered
 * afterwards.
 * Returns PROMISE_OK; PROMISE_EINVAL if `subscriber` is NULL, if `count` is 0, or if the subscriber has no callbacks,
 * unless it is that of promise_publisher_forward(); PROMISE_ESTALE.
 * [any thread] */
PROMISE_API promise_status_t promise_subscriber_request(promise_subscriber_t *PROMISE_NULLABLE subscriber,
                                                        uint64_t count);

/* Cancels the subscriber: drops its pending events and starts no further callback. The promise of its end is rejected
 * with a DISCARDED, then free_ctx is called, before this returns. If a callback is running, on another thread or around
 * this call, both happen when it returns.
 * Returns PROMISE_OK; PROMISE_ESETTLED if the subscriber had already ended; PROMISE_EINVAL if `subscriber` is NULL,
 * PROMISE_ESTALE.
 * [any thread] */
PROMISE_API promise_status_t promise_subscriber_cancel(promise_subscriber_t *PROMISE_NULLABLE subscriber);

/* Creates a promise of the next event: fulfilled with a value, rejected with an error. Several may be pending; they
 * take the events in the order in which they were made. After the end of the stream it is rejected: with an ERROR of
 * domain "promise" and code PROMISE_EFINISHED if the stream finished; with the reason if it failed; with a DISCARDED if
 * the stream or the subscriber was cancelled. promise_subscriber_end() distinguishes an error from the end. A request
 * to cancel (cancel.h) cancels the promise. If the promise is settled by other means, or its last reference is
 * released, the event passes to the next consumer.
 * Returns a new reference.
 * NULL: PROMISE_EINVAL if `subscriber` is NULL, has callbacks, or is that of promise_publisher_forward();
 * PROMISE_ESTALE; PROMISE_ENOMEM.
 * [any thread] */
PROMISE_NODISCARD PROMISE_API promise_t *PROMISE_NULLABLE
promise_subscriber_next(promise_subscriber_t *PROMISE_NULLABLE subscriber);

/* Creates a reference to the promise of the subscriber's end. It is fulfilled with VOID when the stream finished and
 * every event was delivered. It is rejected with the reason if the stream failed; with a DISCARDED if the stream or the
 * subscriber was cancelled; with an ERROR of domain "promise" and code PROMISE_EFULL by PROMISE_OVERFLOW_FAIL,
 * PROMISE_ECLOSED if the executor dropped a job of the subscriber, or PROMISE_ENOMEM. It is settled on the thread of
 * the last callback.
 * A request to cancel it (cancel.h) cancels the subscriber. The program may settle or discard it: the subscriber goes
 * on, and its end is not reported.
 * Returns a new reference.
 * NULL: PROMISE_EINVAL if `subscriber` is NULL; PROMISE_ESTALE; PROMISE_ENOMEM.
 * [any thread] */
PROMISE_NODISCARD PROMISE_API promise_t *PROMISE_NULLABLE
promise_subscriber_end(promise_subscriber_t *PROMISE_NULLABLE subscriber);

/* Returns the number of events that PROMISE_OVERFLOW_DROP_OLDEST or PROMISE_OVERFLOW_DROP_NEWEST has dropped, also
 * after the end. Events that were pending when the subscriber was cancelled, and the event that PROMISE_OVERFLOW_FAIL
 * failed at, do not count.
 * Errors: PROMISE_EINVAL if `subscriber` is NULL; PROMISE_ESTALE.
 * [any thread] */
PROMISE_API int64_t promise_subscriber_dropped(promise_subscriber_t *PROMISE_NULLABLE subscriber);

PROMISE_END_DECLS

#endif /* PROMISE_STREAM_H */
