/* promise/queue.h - a completion queue, for languages whose runtime must not be called from foreign threads. Part of
 * promise.h: read that first. docs/queue.md shows how a binding is written on it.
 *
 *     promise_queue_t *queue = promise_queue_new();
 *     promise_queue_watch(queue, promise, 7);                 // tag 7: the coroutine that awaits it
 *     ...
 *     promise_event_t events[64];
 *     int64_t count = promise_queue_take(queue, events, 64, -1);
 *     // events[0]: PROMISE_EVENT_SETTLED, tag 7, PROMISE_FULFILLED, the value
 *
 * Nothing calls into the program: a thread of its own takes batches of events when it likes, in structs without callbacks,
 * which ctypes, cffi, LuaJIT, PHP FFI and Fiddle can read. Events come in the order in which they occurred.
 *
 * A `tag` is the program's: a number or an address that says what to do. Each call that asks for an event gives at most
 * one, whatever happens.
 *
 * In a child of fork() the queue has its events, and a new file under the number of its descriptor: add that to an epoll of
 * the child's own. Where no descriptor could be had the number is closed, and promise_queue_fd() gives another one. */
#ifndef PROMISE_QUEUE_H
#define PROMISE_QUEUE_H

#include <stddef.h>
#include <stdint.h>

#include "core.h"
#include "type.h"

PROMISE_BEGIN_DECLS

/* A completion queue: an opaque token. */
typedef struct promise_queue promise_queue_t;

/* What an event is about. Later versions may add kinds, with functions that ask for them: a program that does not call
 * these never sees them. */
enum {
  PROMISE_EVENT_SETTLED = 32, /* promise_queue_watch, _tap: the promise is settled; `state`, `value` */
  PROMISE_EVENT_CALL = 33,   /* promise_queue_then: the source is settled; `state`, `value`, and `promise`, to answer */
  PROMISE_EVENT_CANCEL = 34, /* promise_queue_on_cancel: stop working; `value` is the reason, or VOID */
  PROMISE_EVENT_FREED = 35,  /* promise_queue_object: the object is destroyed */
  PROMISE_EVENT_DROPPED = 36 /* in place of SETTLED or CALL: the promise was destroyed while pending; `state` says so */
};

/* An event: 48 bytes, in this and every later version, so arrays of them have one stride for ever. Fields that a kind does
 * not mention are 0, NULL or VOID. */
typedef struct promise_event {
  uint32_t kind;                       /* PROMISE_EVENT_... */
  promise_state_t state;               /* PROMISE_FULFILLED, PROMISE_REJECTED; PROMISE_PENDING in a DROPPED; else 0 */
  uint64_t tag;                        /* of the call that asked for the event */
  promise_t *PROMISE_NULLABLE promise; /* of a CALL: a reference, the taker's */
  promise_value_t value;               /* a reference, the taker's */
  uint64_t reserved;                   /* 0 */
} promise_event_t;

/* Makes a queue. It takes no descriptor before promise_queue_fd().
 * Returns the queue, a reference of the caller's; NULL: PROMISE_ENOMEM.
 * [any thread] */
PROMISE_NODISCARD PROMISE_API promise_queue_t *PROMISE_NULLABLE promise_queue_new(void);

/* Adds a reference to the queue, or gives one back. The last release closes the queue, as promise_queue_free() does.
 * Returns PROMISE_OK, PROMISE_EINVAL if `queue` is NULL, PROMISE_ESTALE; promise_queue_retain() also PROMISE_ENOMEM.
 * [any thread] */
PROMISE_API promise_status_t promise_queue_retain(promise_queue_t *PROMISE_NULLABLE queue);
PROMISE_API promise_status_t promise_queue_release(promise_queue_t *PROMISE_NULLABLE queue);

/* Closes the queue, and gives back the caller's reference. From then on no event comes, and nothing happens on the
 * descriptor, which is closed: remove it from pollers before. Events that were not taken are released. Derived promises of
 * promise_queue_then() whose event was not taken are rejected with an ERROR of domain "promise" and code PROMISE_ECLOSED,
 * on this thread, before this returns. A promise_queue_take() that sleeps on another thread returns PROMISE_ECLOSED, and so
 * does every later call with a reference that is left.
 * Returns PROMISE_OK, also if the queue was closed before; PROMISE_EINVAL if `queue` is NULL, PROMISE_ESTALE.
 * [any thread] */
PROMISE_API promise_status_t promise_queue_free(promise_queue_t *PROMISE_NULLABLE queue);

/* A descriptor (an eventfd) for poll, epoll and what stands on them: readable exactly while events wait. Edge-triggered
 * pollers get a new edge when a take leaves events behind. The queue keeps it: never read from it nor close it.
 * Returns the descriptor; PROMISE_EINVAL if `queue` is NULL, PROMISE_ESTALE, PROMISE_ECLOSED, PROMISE_ENOMEM if there is no
 * descriptor to be had.
 * [any thread] */
PROMISE_API int32_t promise_queue_fd(promise_queue_t *PROMISE_NULLABLE queue);

/* Asks for a SETTLED with the outcome of `promise`; at once if it is settled. It counts as interest in the promise, like a
 * derived promise, until promise_queue_unwatch(): await with it.
 * Returns PROMISE_OK, PROMISE_EINVAL if an argument is NULL, PROMISE_ESTALE, PROMISE_ECLOSED, PROMISE_ENOMEM.
 * [any thread] */
PROMISE_API promise_status_t promise_queue_watch(promise_queue_t *PROMISE_NULLABLE queue,
                                                 promise_t *PROMISE_NULLABLE promise, uint64_t tag);

/* The same without interest: it keeps nobody's cancellation back. For a producer that looks after its own promise, for
 * logs, and for a derived promise that somebody else may settle.
 * Returns as promise_queue_watch().
 * [any thread] */
PROMISE_API promise_status_t promise_queue_tap(promise_queue_t *PROMISE_NULLABLE queue,
                                               promise_t *PROMISE_NULLABLE promise, uint64_t tag);

/* Ends every promise_queue_watch() and promise_queue_tap() with the tag: no event of theirs is taken any more, those that
 * wait are released. In constant time for each.
 * Returns the number of those that it ended, 0 if their events were taken already; PROMISE_EINVAL if `queue` is NULL,
 * PROMISE_ESTALE, PROMISE_ECLOSED.
 * [any thread] */
PROMISE_API int64_t promise_queue_unwatch(promise_queue_t *PROMISE_NULLABLE queue, uint64_t tag);

/* Derives a promise that the taker settles: asks for a CALL with the outcome of `source`, fulfilled or rejected, and with
 * the derived promise in it. The taker answers with promise_resolve(), promise_reject() or promise_follow() on that
 * promise, then releases it. As long as it does not answer, the derived promise is pending; if it releases the last
 * reference unanswered, the promise is destroyed while pending.
 * No CALL comes if the derived promise is settled or discarded before the event is taken: the event is released then. Tell
 * the tag's owner by promise_queue_tap() on the derived promise where somebody else may do that.
 * Returns the derived promise, a reference of the caller's, which it may release at once; NULL: PROMISE_EINVAL if an
 * argument is NULL, PROMISE_ESTALE, PROMISE_ECLOSED, PROMISE_ENOMEM.
 * [any thread] */
PROMISE_NODISCARD PROMISE_API promise_t *PROMISE_NULLABLE promise_queue_then(promise_queue_t *PROMISE_NULLABLE queue,
                                                                             promise_t *PROMISE_NULLABLE source,
                                                                             uint64_t tag);

/* Asks for a CANCEL when `promise`, which the program is to settle, is asked to cancel (promise_request_cancel()) or is
 * discarded; at once if it was. A promise that ends otherwise gives no event: forget the tag when you settle it.
 * Returns PROMISE_OK, PROMISE_EINVAL if an argument is NULL, PROMISE_ESTALE, PROMISE_ECLOSED, PROMISE_ENOMEM.
 * [any thread] */
PROMISE_API promise_status_t promise_queue_on_cancel(promise_queue_t *PROMISE_NULLABLE queue,
                                                     promise_t *PROMISE_NULLABLE promise, uint64_t tag);

/* Makes an OBJECT of the type that stands for something of the program's: its payload (`out->as`) is the tag. When its last
 * reference is released, wherever that is, a FREED with the tag comes; the type's `destroy` is not called. `*out` as in
 * promise_value_string().
 * Returns PROMISE_OK; PROMISE_EINVAL if an argument is NULL; PROMISE_ESTALE, also for a built-in type; PROMISE_ECLOSED,
 * PROMISE_ENOMEM. On failure no event comes.
 * [any thread] */
PROMISE_API promise_status_t promise_queue_object(promise_queue_t *PROMISE_NULLABLE queue,
                                                  promise_value_t *PROMISE_NULLABLE out,
                                                  const promise_type_t *PROMISE_NULLABLE type, uint64_t tag);

/* Takes up to `room` events into `events`, the oldest first. While there is none it sleeps, for at most `timeout_ns`
 * nanoseconds; for ever if that is negative, not at all if it is 0. Several threads may take; each event is taken once.
 * Returns the number of events, 0 if the time ran out; PROMISE_EINVAL if `queue` or `events` is NULL or `room` is 0;
 * PROMISE_ESTALE; PROMISE_ECLOSED; PROMISE_EINTR if a signal handler ran on this thread while it slept; PROMISE_EDEADLK in a
 * child of fork() where nobody is left who could bring an event.
 * The references in an event, `value` and `promise`, are the taker's to release.
 * [any thread; not where blocking is forbidden, unless `timeout_ns` is 0] */
PROMISE_API int64_t promise_queue_take(promise_queue_t *PROMISE_NULLABLE queue,
                                       promise_event_t *PROMISE_NULLABLE events, size_t room, int64_t timeout_ns);

PROMISE_END_DECLS

#endif /* PROMISE_QUEUE_H */
