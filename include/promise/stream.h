/* promise/stream.h - many values, one after the other: publishers and subscribers. Part of promise.h: read that first. */
#ifndef PROMISE_STREAM_H
#define PROMISE_STREAM_H

#include <stdint.h>

#include "executor.h"

PROMISE_BEGIN_DECLS

/* A publisher sends events to those who have subscribed: values, errors that do not end the stream, then at most one
 * end. A subscriber has them one at a time, in the order in which they were published, which is the same for all: in
 * callbacks, or as promises that it asks for. The end of a stream is a promise.
 *
 *     promise_publisher_t *numbers = promise_publisher_new(0);
 *     promise_subscription_t wish = {.size = sizeof wish, .overflow = PROMISE_OVERFLOW_BUFFER,
 *                                    .demand = PROMISE_DEMAND_UNLIMITED, .on_value = print};
 *     promise_subscriber_t *printer = promise_publisher_subscribe(numbers, &wish);
 *     promise_publisher_publish(numbers, &seven);       // print has run when this returns
 *     promise_publisher_finish(numbers);                // promise_subscriber_end(printer) is fulfilled
 *     promise_subscriber_release(printer);
 *     promise_publisher_release(numbers);
 *
 * Both are tokens that are counted, as promises are. The publisher does not keep its subscribers, nor they it: when the
 * last reference to a publisher goes, its stream is cancelled; when the last one to a subscriber goes, it is cancelled and
 * its callbacks hear nothing any more.
 *
 * Callbacks run in the call that publishes, on that thread, unless there is an executor; nothing is called with a lock
 * held. What a callback publishes is delivered before that call returns, but for what goes to a subscriber whose callback
 * runs, here or on another thread, or that has an earlier event still to come: that has it afterwards, in its turn. So no
 * callback is entered again, and it may call anything, on its own subscriber and publisher too. (Callbacks that publish to
 * one another's publishers in a row take stack for each; operators, operator.h, do not.) A thread that delivers has what
 * others publish meanwhile to deliver too, before its call returns. A subscriber that is slow or fails concerns no other;
 * one that blocks the publishing thread should have an executor. */
typedef struct promise_publisher promise_publisher_t;
typedef struct promise_subscriber promise_subscriber_t;

/* ---- Publishing ---- */

enum {
  /* A new subscriber first gets the latest event that was published, if there is one. */
  PROMISE_PUBLISHER_STATEFUL = 1 << 8
};

/* A new publisher, a reference of yours. `flags` is 0 or PROMISE_PUBLISHER_STATEFUL.
 * NULL: PROMISE_EINVAL if a flag is not known, PROMISE_ENOMEM.
 * [any thread] */
PROMISE_API promise_publisher_t *PROMISE_NULLABLE promise_publisher_new(uint32_t flags);

/* Makes a publisher of ticks: every `interval_ns` nanoseconds it publishes the number of intervals that have passed since
 * this call, an U64. Ticks that come late, because the executor or a callback was busy, are one: its number counts those
 * that were missed.
 *   executor      publishes the ticks; NULL: a thread for timers, as for promise_sleep(). A loop's executor keeps the timer
 *                 itself, without another thread.
 *   interval_ns   nanoseconds of the monotonic clock, at least 1. Ticks are never early, and do not drift.
 * Only the timer publishes: publishing, finishing, failing and cancelling are PROMISE_EINVAL. The timer stops at once when
 * the publisher has no reference and no subscriber left; a subscriber alone keeps it. An executor that drops the timer
 * ends the stream with an ERROR of domain "promise" and code PROMISE_ECLOSED.
 * A subscriber gets each tick that is published. With PROMISE_OVERFLOW_DROP_OLDEST and a capacity of 1, a slow one gets the
 * latest.
 * Returns a new reference, yours. NULL: PROMISE_EINVAL if `interval_ns` is less than 1; PROMISE_ESTALE if `executor` is no
 * executor; PROMISE_ENOMEM, for want of a thread too.
 * [any thread] */
PROMISE_API promise_publisher_t *PROMISE_NULLABLE promise_publisher_every(promise_executor_t *PROMISE_NULLABLE executor,
                                                                          int64_t interval_ns);

/* Adds a reference, or gives one back; with the last one, a stream that has not ended is cancelled, as by
 * promise_publisher_cancel().
 * Returns PROMISE_OK, PROMISE_EINVAL if `publisher` is NULL, PROMISE_ESTALE; promise_publisher_retain() also
 * PROMISE_ENOMEM.
 * [any thread] */
PROMISE_API promise_status_t promise_publisher_retain(promise_publisher_t *PROMISE_NULLABLE publisher);
PROMISE_API promise_status_t promise_publisher_release(promise_publisher_t *PROMISE_NULLABLE publisher);

/* Publishes a value, whose reference is taken over, on every path. Those who have subscribed by now get it, and nobody
 * else.
 * Returns PROMISE_OK; PROMISE_EFULL if it was published and a subscriber is full now: one more event may be dropped, or
 * cost memory, so wait for promise_publisher_ready() if you can; PROMISE_ESETTLED if the stream has ended, and nothing was
 * published; PROMISE_EINVAL if an argument is NULL or `*value` of no known kind, forged, or a stale PROMISE, or
 * the publisher is an operator's (operator.h); PROMISE_ESTALE.
 * [any thread] */
PROMISE_API promise_status_t promise_publisher_publish(promise_publisher_t *PROMISE_NULLABLE publisher,
                                                       const promise_value_t *PROMISE_NULLABLE value);

/* The same with an error, which does not end the stream.
 * [any thread] */
PROMISE_API promise_status_t promise_publisher_publish_error(promise_publisher_t *PROMISE_NULLABLE publisher,
                                                             const promise_value_t *PROMISE_NULLABLE reason);

/* Ends the stream: it has finished, it has failed for `*reason`, whose reference is taken over on every path, or it is
 * cancelled. Each subscriber hears of that when it has had what was published before. Whoever subscribes later hears of
 * it at once, after the latest event if the publisher is stateful.
 * Returns PROMISE_OK; PROMISE_ESETTLED if the stream had ended; PROMISE_EINVAL, PROMISE_ESTALE as
 * promise_publisher_publish().
 * [any thread] */
PROMISE_API promise_status_t promise_publisher_finish(promise_publisher_t *PROMISE_NULLABLE publisher);
PROMISE_API promise_status_t promise_publisher_fail(promise_publisher_t *PROMISE_NULLABLE publisher,
                                                    const promise_value_t *PROMISE_NULLABLE reason);
PROMISE_API promise_status_t promise_publisher_cancel(promise_publisher_t *PROMISE_NULLABLE publisher);

/* PROMISE_PENDING before the stream has ended, PROMISE_FULFILLED when it has finished, PROMISE_REJECTED when it has failed
 * or was cancelled; PROMISE_EINVAL if `publisher` is NULL, PROMISE_ESTALE.
 * [any thread] */
PROMISE_API promise_state_t promise_publisher_state(promise_publisher_t *PROMISE_NULLABLE publisher);

/* The latest event of a stateful publisher, the end not counted. `*out` is overwritten without being released, and is a
 * reference of yours.
 * Returns PROMISE_FULFILLED if it was a value, PROMISE_REJECTED if it was an error; PROMISE_PENDING if there was none or
 * the publisher is not stateful, and `*out` is VOID, as it is on failure: PROMISE_EINVAL if an argument is NULL,
 * PROMISE_ESTALE.
 * [any thread] */
PROMISE_API promise_state_t promise_publisher_latest(promise_publisher_t *PROMISE_NULLABLE publisher,
                                                     promise_value_t *PROMISE_NULLABLE out);

/* How many subscribers get what is published now; PROMISE_EINVAL if `publisher` is NULL, PROMISE_ESTALE.
 * [any thread] */
PROMISE_API int64_t promise_publisher_count(promise_publisher_t *PROMISE_NULLABLE publisher);

/* A promise that is fulfilled when no subscriber is full, at once if none is, and cancelled when the stream ends before:
 * what a producer waits for that would otherwise be too fast. The reference is yours.
 * NULL: PROMISE_EINVAL if `publisher` is NULL, PROMISE_ESTALE, PROMISE_ENOMEM.
 * [any thread] */
PROMISE_API promise_t *PROMISE_NULLABLE promise_publisher_ready(promise_publisher_t *PROMISE_NULLABLE publisher);

/* ---- Subscribing ---- */

/* What becomes of an event that finds `capacity` others waiting: for demand, for the executor, or for the callback that
 * runs. One more may wait when promise_subscriber_next() was given up while its event was on the way. 0 is no policy. */
typedef uint32_t promise_overflow_t;

enum {
  PROMISE_OVERFLOW_BUFFER =
      1, /* it waits too; the subscriber counts as full from `capacity` on, or, if that is 0, never */
  PROMISE_OVERFLOW_DROP_OLDEST =
      2, /* the one that has waited longest is dropped; with a capacity of 1 the latest is kept */
  PROMISE_OVERFLOW_DROP_NEWEST = 3, /* it is dropped itself */
  PROMISE_OVERFLOW_FAIL = 4 /* what waits is still delivered, then the subscriber fails, with code PROMISE_EFULL */
};

/* Demand that never ends. */
#define PROMISE_DEMAND_UNLIMITED UINT64_MAX

/* How to subscribe. Zero it, set `size` to sizeof(promise_subscription_t), and fill what you need. */
typedef struct promise_subscription {
  uint32_t size;
  promise_overflow_t overflow;
  uint64_t capacity; /* how many events may wait; 0 for PROMISE_OVERFLOW_BUFFER alone */
  uint64_t demand;   /* how many events to deliver before promise_subscriber_request() asks for more */
  promise_executor_t *PROMISE_NULLABLE executor; /* where callbacks run, one at a time; retained */
  promise_token_t *PROMISE_NULLABLE token;       /* cancels the subscriber when it is cancelled or invalidated */
  /* Either may be NULL: then such events are passed over, without using up demand. Both: the events are asked for by
   * promise_subscriber_next(). The value is borrowed. */
  promise_observer_t PROMISE_NULLABLE on_value;
  promise_observer_t PROMISE_NULLABLE on_error;
  void *PROMISE_NULLABLE ctx;
  promise_free_t PROMISE_NULLABLE free_ctx;
} promise_subscription_t;

/* A new subscriber, a reference of yours: keep it for as long as you want the events. It gets what is published from the
 * very moment of this call on; what there is to deliver already, a latest event or an end, is delivered before this
 * returns if there is no executor. `*subscription` is read during the call only. free_ctx(ctx) is called when the
 * subscriber has ended, where that was, after its promise was settled.
 * NULL: PROMISE_EINVAL if an argument is NULL, if `size` is less than that of version 1, if a field that this library
 * does not know is not 0, if there is no such policy, or it needs a capacity; PROMISE_ESTALE if a handle is stale;
 * PROMISE_ENOMEM. free_ctx has run then, unless `subscription` was NULL or `size` too small to tell.
 * [any thread] */
PROMISE_API promise_subscriber_t *PROMISE_NULLABLE promise_publisher_subscribe(
    promise_publisher_t *PROMISE_NULLABLE publisher, const promise_subscription_t *PROMISE_NULLABLE subscription);

/* Adds a reference, or gives one back; with the last one, the subscriber is cancelled.
 * Returns PROMISE_OK, PROMISE_EINVAL if `subscriber` is NULL, PROMISE_ESTALE; promise_subscriber_retain() also
 * PROMISE_ENOMEM.
 * [any thread] */
PROMISE_API promise_status_t promise_subscriber_retain(promise_subscriber_t *PROMISE_NULLABLE subscriber);
PROMISE_API promise_status_t promise_subscriber_release(promise_subscriber_t *PROMISE_NULLABLE subscriber);

/* Asks for `count` events more, or PROMISE_DEMAND_UNLIMITED. Those that wait are delivered before this returns, unless
 * there is an executor, a callback of this subscriber runs, or an event is on its way to it already: then they follow
 * that.
 * Returns PROMISE_OK; PROMISE_EINVAL if `subscriber` is NULL, `count` is 0, or the subscriber has no callbacks;
 * PROMISE_ESTALE.
 * [any thread] */
PROMISE_API promise_status_t promise_subscriber_request(promise_subscriber_t *PROMISE_NULLABLE subscriber,
                                                        uint64_t count);

/* Cancels the subscriber: what waits is dropped, and no callback begins from now on. If one runs on another thread, or
 * around this call, what follows from the end happens when it has returned; otherwise before this returns.
 * Returns PROMISE_OK; PROMISE_ESETTLED if it had ended; PROMISE_EINVAL if `subscriber` is NULL, PROMISE_ESTALE.
 * [any thread] */
PROMISE_API promise_status_t promise_subscriber_cancel(promise_subscriber_t *PROMISE_NULLABLE subscriber);

/* A promise of the next event, a reference of yours: fulfilled with a value, rejected with an error. It may be asked for
 * before the one before it is settled; they have the events in order. When the stream has ended it is rejected: with an
 * ERROR of domain "promise" and code PROMISE_EFINISHED if it finished, with the reason if it failed, with a DISCARDED if it
 * or the subscriber was cancelled. Whether an error was the end, promise_subscriber_end() tells.
 * If the promise is asked to cancel (cancel.h), it is cancelled; if it is settled by other means, or let go of by all,
 * the event goes to the next.
 * NULL: PROMISE_EINVAL if `subscriber` is NULL or has callbacks, PROMISE_ESTALE, PROMISE_ENOMEM.
 * [any thread] */
PROMISE_API promise_t *PROMISE_NULLABLE promise_subscriber_next(promise_subscriber_t *PROMISE_NULLABLE subscriber);

/* The promise of the end, a reference of yours: fulfilled with VOID when the subscriber has had everything and the stream
 * finished; rejected with the reason if it failed, with a DISCARDED if it was cancelled, or the subscriber was; with an
 * ERROR of domain "promise" and code PROMISE_EFULL by PROMISE_OVERFLOW_FAIL, PROMISE_ECLOSED if the executor dropped a turn,
 * PROMISE_ENOMEM. It is settled where the last callback ran. Asking it to cancel (cancel.h) cancels the subscriber.
 * NULL: PROMISE_EINVAL if `subscriber` is NULL, PROMISE_ESTALE, PROMISE_ENOMEM.
 * [any thread] */
PROMISE_API promise_t *PROMISE_NULLABLE promise_subscriber_end(promise_subscriber_t *PROMISE_NULLABLE subscriber);

/* How many events were dropped for want of room; PROMISE_EINVAL if `subscriber` is NULL, PROMISE_ESTALE.
 * [any thread] */
PROMISE_API int64_t promise_subscriber_dropped(promise_subscriber_t *PROMISE_NULLABLE subscriber);

PROMISE_END_DECLS

#endif /* PROMISE_STREAM_H */
