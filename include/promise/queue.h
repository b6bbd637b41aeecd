/* promise/queue.h - a completion queue, for languages whose runtime must not be called on foreign threads. Part of
 * promise.h: read that first. docs/queue.md shows how to write a binding on it.
 *
 *     promise_queue_t *queue = promise_queue_new();
 *     promise_queue_watch(queue, promise, 7);                 // tag 7: the coroutine that awaits it
 *     ...
 *     promise_event_t events[64];
 *     int64_t count = promise_queue_take(queue, events, 64, -1);
 *     // events[0]: PROMISE_EVENT_SETTLED, tag 7, PROMISE_FULFILLED, the value
 *
 * The library calls no function of the program. A thread of the program takes batches of events when it is ready for
 * them, in structs without callbacks that ctypes, cffi, LuaJIT, PHP FFI and Fiddle can read. Events are taken in the
 * order in which they occurred.
 *
 * A `tag` is a number or an address of the program's choice, returned in the event. Each call that asks for an event
 * produces exactly one, unless promise_queue_unwatch() ends the watch, or the queue is closed. So an entry for the tag
 * in a table of the program can be removed when the event is taken.
 *
 * In a child of fork() the queue keeps its events, and its descriptor's number refers to a new file: add it to a poller
 * of the child. If no descriptor could be made, the number is closed, and promise_queue_fd() returns another one. */
#ifndef PROMISE_QUEUE_H
#define PROMISE_QUEUE_H

#include <stddef.h>
#include <stdint.h>

#include "callback.h"
#include "core.h"
#include "type.h"

PROMISE_BEGIN_DECLS

/* A completion queue: an opaque token. */
typedef struct promise_queue promise_queue_t;

/* The kind of an event. Later versions may add kinds, together with functions that ask for them: a program that does
 * not call those functions never receives such events. */
enum {
  PROMISE_EVENT_SETTLED = 32, /* promise_queue_watch, _tap: the promise is settled; `state`, `value` */
  PROMISE_EVENT_CALL = 33,    /* promise_queue_then: the source is settled; `state`, `value`; answer `promise` */
  PROMISE_EVENT_CANCEL = 34,  /* promise_queue_on_cancel: stop working; `value` is the reason, or VOID */
  PROMISE_EVENT_FREED = 35,   /* promise_queue_object: the object is destroyed */
  PROMISE_EVENT_DROPPED = 36, /* in place of SETTLED or CALL: the promise was destroyed while pending; see `state` */
  PROMISE_EVENT_OBSOLETE = 37 /* in place of CALL or CANCEL, which is not needed any more; only the tag is left */
};

/* An event: 48 bytes, in this and every later version, so the stride of an array of events never changes. Fields that a
 * kind does not mention are 0, NULL or VOID. */
typedef struct promise_event {
  uint32_t kind;                       /* PROMISE_EVENT_... */
  promise_state_t state;               /* PROMISE_FULFILLED, PROMISE_REJECTED; PROMISE_PENDING in a DROPPED; else 0 */
  uint64_t tag;                        /* of the call that asked for the event */
  promise_t *PROMISE_NULLABLE promise; /* of a CALL: a new reference */
  promise_value_t value;               /* a new reference */
  uint64_t reserved;                   /* 0 */
} promise_event_t;

/* Creates a queue, without a descriptor until promise_queue_fd() is called.
 * Returns a new reference.
 * NULL: PROMISE_ENOMEM.
 * [any thread] */
PROMISE_NODISCARD PROMISE_API promise_queue_t *PROMISE_NULLABLE promise_queue_new(void);

/* Adds or releases a reference. The last release closes the queue, as promise_queue_free() does.
 * Returns PROMISE_OK, PROMISE_EINVAL if `queue` is NULL, PROMISE_ESTALE; promise_queue_retain() also PROMISE_ENOMEM.
 * [any thread] */
PROMISE_API promise_status_t promise_queue_retain(promise_queue_t *PROMISE_NULLABLE queue);
PROMISE_API promise_status_t promise_queue_release(promise_queue_t *PROMISE_NULLABLE queue);

/* Closes the queue, and releases the caller's reference. After this call no event is produced. The descriptor is
 * closed: remove it from pollers before. Untaken events are released. Derived promises of promise_queue_then() whose
 * event was not taken are rejected with an ERROR of domain "promise" and code PROMISE_ECLOSED, on this thread, before
 * this returns; but not those whose source was destroyed while pending: discard them. A promise_queue_take() that
 * sleeps on another thread returns PROMISE_ECLOSED, and so does every later call with a reference that is left.
 * Returns PROMISE_OK, also if the queue was closed before; PROMISE_EINVAL if `queue` is NULL, PROMISE_ESTALE.
 * [any thread] */
PROMISE_API promise_status_t promise_queue_free(promise_queue_t *PROMISE_NULLABLE queue);

/* Returns a descriptor (an eventfd) for poll(), epoll and event loops, created by the first call. It is readable while
 * events are ready, and only then. A take that leaves events ready makes a new edge, for edge-triggered pollers.
 * Errors: PROMISE_EINVAL if `queue` is NULL, PROMISE_ESTALE, PROMISE_ECLOSED, PROMISE_ENOMEM if no descriptor could be
 * made.
 * The queue owns the descriptor: never read from it, write to it or close it.
 * [any thread] */
PROMISE_API int32_t promise_queue_fd(promise_queue_t *PROMISE_NULLABLE queue);

/* Asks for a SETTLED with the outcome of `promise`; at once if it is settled. The watch counts as interest in the
 * promise, like a derived promise, until promise_queue_unwatch(). Use it to await.
 * Returns PROMISE_OK, PROMISE_EINVAL if an argument is NULL, PROMISE_ESTALE, PROMISE_ECLOSED, PROMISE_ENOMEM.
 * [any thread] */
PROMISE_API promise_status_t promise_queue_watch(promise_queue_t *PROMISE_NULLABLE queue,
                                                 promise_t *PROMISE_NULLABLE promise, uint64_t tag);

/* Asks for a SETTLED as promise_queue_watch() does, without interest: the tap does not keep the promise from being
 * cancelled. For producers that observe their own promise, for logs, and for derived promises that other parties may
 * settle.
 * Returns as promise_queue_watch().
 * [any thread] */
PROMISE_API promise_status_t promise_queue_tap(promise_queue_t *PROMISE_NULLABLE queue,
                                               promise_t *PROMISE_NULLABLE promise, uint64_t tag);

/* Ends every promise_queue_watch() and promise_queue_tap() with the tag, each in constant time. Their ready events are
 * released; no event of theirs is taken after this call. A request to cancel that a watch held back propagates:
 * handlers for it may run before this returns (cancel.h).
 * Returns the number of watches and taps ended; 0 if their events were taken before. Errors: PROMISE_EINVAL if `queue`
 * is NULL, PROMISE_ESTALE, PROMISE_ECLOSED.
 * [any thread] */
PROMISE_API int64_t promise_queue_unwatch(promise_queue_t *PROMISE_NULLABLE queue, uint64_t tag);

/* Derives a promise that the taker settles: asks for a CALL with the outcome of `source`, fulfilled or rejected, and
 * with the derived promise. The taker settles that promise, now or later, then releases it: promise_queue_answer() does
 * both; promise_resolve(), promise_reject() and promise_follow() do the first. If the taker releases the last reference
 * without settling the promise, it is destroyed while pending.
 * If the derived promise is settled, discarded or abandoned before the CALL is taken, by whichever party, an OBSOLETE
 * is taken in place of the CALL, whose value is released at once. If the source is destroyed while pending, a DROPPED
 * is taken, and the derived promise stays pending.
 * Returns a new reference to the derived promise; you may release it at once, and the event is produced all the same.
 * NULL: PROMISE_EINVAL if an argument is NULL, PROMISE_ESTALE, PROMISE_ECLOSED, PROMISE_ENOMEM.
 * [any thread] */
PROMISE_NODISCARD PROMISE_API promise_t *PROMISE_NULLABLE promise_queue_then(promise_queue_t *PROMISE_NULLABLE queue,
                                                                             promise_t *PROMISE_NULLABLE source,
                                                                             uint64_t tag);

/* Asks for a CANCEL when `promise`, which the program is to settle, is asked to cancel (promise_request_cancel()) or is
 * cancelled; at once if it was. If the promise is settled otherwise, or destroyed, an OBSOLETE is taken in place of the
 * CANCEL.
 * Returns PROMISE_OK, PROMISE_EINVAL if an argument is NULL, PROMISE_ESTALE, PROMISE_ECLOSED, PROMISE_ENOMEM.
 * [any thread] */
PROMISE_API promise_status_t promise_queue_on_cancel(promise_queue_t *PROMISE_NULLABLE queue,
                                                     promise_t *PROMISE_NULLABLE promise, uint64_t tag);

/* Makes an OBJECT of the type that represents an object of the program: its payload (`out->as`) is the tag. When its
 * last reference is released, on any thread, a FREED with the tag is produced; the type's `destroy` is not called.
 * Returns PROMISE_OK; PROMISE_EINVAL if an argument is NULL; PROMISE_ESTALE, also for a built-in type; PROMISE_ECLOSED,
 * PROMISE_ENOMEM. On failure no event is produced.
 * `*out` is a new reference; VOID on failure.
 * [any thread] */
PROMISE_API promise_status_t promise_queue_object(promise_queue_t *PROMISE_NULLABLE queue,
                                                  promise_value_t *PROMISE_NULLABLE out,
                                                  const promise_type_t *PROMISE_NULLABLE type, uint64_t tag);

/* Takes up to `room` events into `events`, the oldest first. While none is ready it blocks, for at most `timeout_ns`
 * nanoseconds: a negative number waits forever, 0 polls. Several threads may take; each event is taken once.
 * Returns the number of events; 0 if the time ran out. Errors: PROMISE_EINVAL if `queue` or `events` is NULL or `room`
 * is 0; PROMISE_ESTALE; PROMISE_ECLOSED; PROMISE_EINTR if a signal handler ran on this thread while it blocked;
 * PROMISE_EDEADLK in a child of fork() where no other thread is left to produce an event.
 * A handler that runs before the thread sleeps is not noticed: check for interrupts before each call, and give a time
 * limit, or wait in one poll() for promise_queue_fd() and a descriptor to which the handler writes.
 * `value` and `promise` of each event are new references: release both.
 * [any thread; not where blocking is forbidden, unless `timeout_ns` is 0] */
PROMISE_API int64_t promise_queue_take(promise_queue_t *PROMISE_NULLABLE queue,
                                       promise_event_t *PROMISE_NULLABLE events, size_t room, int64_t timeout_ns);

/* Answers the events of a batch in one call, for languages with expensive calls. Before, the taker writes a verdict to
 * `state` of each event that it has handled:
 *   PROMISE_FULFILL,       CALL only: settles `promise` with `value`, a result that the taker wrote there after it
 *   PROMISE_REJECT         released or passed on the value of the event; then releases `promise`
 *   PROMISE_ADOPT          CALL only: makes `promise` follow the PROMISE in `value`; then releases `promise`
 *   PROMISE_VERDICT_SKIP   any kind: releases `promise` and `value`, and settles nothing
 * Promises are settled as a handler's promise is (callback.h). Events whose `state` is not a verdict are left as they
 * are, to be answered later; so are events of other kinds, or without a promise, if their verdict is for a CALL only.
 * The events are answered in order: the callbacks of one promise have run before the next is settled. They must not
 * change the array, as by a take into it.
 * The program may also write events of its own, with any promises and values to which it has references; their `tag` is
 * not read. So one call settles and releases many promises.
 *   events   NULL if `count` is 0. In an answered event `promise` becomes NULL, and `value` VOID.
 * Returns PROMISE_OK if all verdicts took effect, otherwise the first other status; a failure does not stop the others.
 * PROMISE_ESETTLED if the promise is settled already; PROMISE_ESTALE if a handle is stale. These reject the promise
 * that was to be settled with an ERROR of domain "promise" and the same code: PROMISE_EINVAL if a value is not
 * well-formed, or no PROMISE to adopt; PROMISE_EDEADLK if a promise would adopt one that waits for it; PROMISE_ENOMEM.
 * PROMISE_EINVAL also if `events` is NULL, or `count` is larger than any array.
 * Takes over `promise` and `value` of each event that is not left as it is, on every path.
 * [any thread] */
PROMISE_API promise_status_t promise_queue_answer(promise_event_t *PROMISE_NULLABLE events, size_t count);

PROMISE_END_DECLS

#endif /* PROMISE_QUEUE_H */
