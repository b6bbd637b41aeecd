/* promise/core.h - promises: making, settling, discarding, looking, waiting. Part of promise.h: read that first. */
#ifndef PROMISE_CORE_H
#define PROMISE_CORE_H

#include <stddef.h>
#include <stdint.h>

#include "value.h"

PROMISE_BEGIN_DECLS

/* The state of a promise, or a negative promise_status_t. */
typedef int32_t promise_state_t;

enum {
  PROMISE_STATE_PENDING = 1,
  PROMISE_STATE_FULFILLED = 2,
  PROMISE_STATE_REJECTED = 3, /* also of a discarded promise: its reason is a DISCARDED */

  /* Short names of the same numbers. */
  PROMISE_PENDING = PROMISE_STATE_PENDING,
  PROMISE_FULFILLED = PROMISE_STATE_FULFILLED,
  PROMISE_REJECTED = PROMISE_STATE_REJECTED
};

/* Makes a pending promise (clause 3.3.1), with one reference, yours. NULL: PROMISE_ENOMEM.
 * [any thread] */
PROMISE_NODISCARD PROMISE_API promise_t *PROMISE_NULLABLE promise_new(void);

/* Makes a promise that is fulfilled with `*value`, or rejected with `*reason`, already: promise_new() and
 * promise_resolve() or promise_reject() in one call.
 * Returns a new reference. NULL: PROMISE_EINVAL if `value` or `reason` is NULL or not well-formed; PROMISE_ENOMEM.
 * Takes over the value's reference, on every path.
 * [any thread] */
PROMISE_NODISCARD PROMISE_API promise_t *PROMISE_NULLABLE
promise_new_resolved(const promise_value_t *PROMISE_NULLABLE value);
PROMISE_NODISCARD PROMISE_API promise_t *PROMISE_NULLABLE
promise_new_rejected(const promise_value_t *PROMISE_NULLABLE reason);

/* Makes a pending promise with a discard block (clause 3.3.3): `on_discard(ctx)` is called when promise_discard() ends
 * it, and should cancel the work that would have settled it. `on_discard` may be NULL.
 * It is called at most once, on the discarding thread, after the promise is rejected and before its callbacks run;
 * free_ctx(ctx) follows it, or the settlement or last release that made it superfluous.
 * NULL: PROMISE_ENOMEM; free_ctx has run then.
 * [any thread] */
PROMISE_NODISCARD PROMISE_API promise_t *PROMISE_NULLABLE
promise_new_discardable(promise_callback_t PROMISE_NULLABLE on_discard, void *PROMISE_NULLABLE ctx,
                        promise_free_t PROMISE_NULLABLE free_ctx);

/* Adds a reference.
 * Returns PROMISE_OK, PROMISE_EINVAL, PROMISE_ESTALE; PROMISE_ENOMEM if there are 2^26 already.
 * [any thread] */
PROMISE_API promise_status_t promise_retain(promise_t *PROMISE_NULLABLE promise);

/* Gives back one reference. With the last one the promise and its value go. A promise that goes while pending leaves
 * its callbacks uncalled: their contexts are freed, its discard block is not called, and the promises derived from it
 * stay pending. It takes no stack, however long the chain behind it is.
 * The last release of a promise that somebody else is to settle leaves it to that one. If nothing waits for it and it has
 * no handler, or was asked to cancel before, it leaves what it was derived from (callback.h).
 * Returns PROMISE_OK, PROMISE_EINVAL, PROMISE_ESTALE.
 * [any thread] */
PROMISE_API promise_status_t promise_release(promise_t *PROMISE_NULLABLE promise);

/* Fulfils a pending promise with `*value` and runs its callbacks (clause 3.4.1). Takes over the value's reference, on
 * every path, failing ones included. A PROMISE is stored as it is, not followed; a promise cannot hold itself
 * (PROMISE_EINVAL), and promises that hold each other never go.
 * Returns PROMISE_OK; PROMISE_ESETTLED if it was settled already: then it is when this returns; PROMISE_EINVAL if
 * `promise` or `value` is NULL, or if the value is of no known kind, forged, or a stale PROMISE; PROMISE_ESTALE.
 * [any thread] */
PROMISE_API promise_status_t promise_resolve(promise_t *PROMISE_NULLABLE promise,
                                             const promise_value_t *PROMISE_NULLABLE value);

/* Fulfils `count` promises in one call, `promises[i]` with `values[i]`: for languages in which each call is dear. Each is
 * fulfilled exactly as by promise_resolve(), in order: the callbacks of one have run before the next is looked at. A
 * reference to each value is taken over, on every path. If `statuses` is not NULL, `statuses[i]` becomes what
 * promise_resolve() would have returned; one that fails stops no other. The arrays, which may be NULL if `count` is 0, must
 * stay until this returns, whatever the callbacks do.
 * Returns PROMISE_OK if all were fulfilled, otherwise the first status that was not PROMISE_OK. PROMISE_EINVAL if
 * `promises` is NULL, for the values are released then, if `values` is, or if `count` is more than an array can have.
 * [any thread] */
PROMISE_API promise_status_t promise_resolve_many(promise_t *PROMISE_NULLABLE const *PROMISE_NULLABLE promises,
                                                  const promise_value_t *PROMISE_NULLABLE values, size_t count,
                                                  promise_status_t *PROMISE_NULLABLE statuses);

/* Rejects a pending promise with `*reason`, of any kind, and runs its callbacks (clause 3.4.2). Otherwise as
 * promise_resolve().
 * [any thread] */
PROMISE_API promise_status_t promise_reject(promise_t *PROMISE_NULLABLE promise,
                                            const promise_value_t *PROMISE_NULLABLE reason);

/* Discards a pending promise (clause 3.5): it is rejected with a DISCARDED, then its discard block is called, then its
 * callbacks. Promises that it was derived from go on; its own handler is detached from them (callback.h), its context
 * freed before the block is called.
 * Returns PROMISE_OK; PROMISE_ESETTLED if it was settled already; PROMISE_EINVAL, PROMISE_ESTALE.
 * [any thread] */
PROMISE_API promise_status_t promise_discard(promise_t *PROMISE_NULLABLE promise);

/* Discards a pending promise as promise_discard() does, with a cause in the DISCARDED: `*cause` is mostly the ERROR that
 * made its result useless. promise_value_cause() lends it to the callbacks. NULL: without a cause.
 * Returns PROMISE_OK; PROMISE_ESETTLED if it was settled already; PROMISE_EINVAL if `promise` is NULL or `*cause` not
 * well-formed; PROMISE_ESTALE; PROMISE_ENOMEM, and the promise stays pending.
 * Takes over the cause's reference, on every path.
 * [any thread] */
PROMISE_API promise_status_t promise_discard_with(promise_t *PROMISE_NULLABLE promise,
                                                  const promise_value_t *PROMISE_NULLABLE cause);

/* The state: PROMISE_PENDING, PROMISE_FULFILLED, PROMISE_REJECTED, or PROMISE_EINVAL, PROMISE_ESTALE.
 * While callbacks run it is final already.
 * [any thread] */
PROMISE_API promise_state_t promise_state(promise_t *PROMISE_NULLABLE promise);

/* The value of a fulfilled promise or the reason of a rejected one: `*out` becomes a new reference, yours; on failure
 * it is VOID. promise_state() tells which of the two it is.
 * Returns PROMISE_OK, PROMISE_EPENDING, PROMISE_EINVAL, PROMISE_ESTALE; PROMISE_ENOMEM if the value has 2^26
 * references.
 * [any thread] */
PROMISE_API promise_status_t promise_result(promise_t *PROMISE_NULLABLE promise, promise_value_t *PROMISE_NULLABLE out);

/* Blocks the calling thread until the promise is settled, for at most `timeout_ns` nanoseconds; for ever if it is
 * negative; 0 only looks, and never gives PROMISE_EDEADLK. Callbacks may still be running on the settling thread when
 * it returns. Returns PROMISE_OK; PROMISE_ETIMEDOUT; PROMISE_EINVAL, PROMISE_ESTALE; PROMISE_EDEADLK if the calling
 * thread is itself the one that would settle it, at once, or within a second of when that comes to be so:
 *   from within a callback, for the promise that this callback is to settle, one derived from it, or one whose callback
 *   stands behind it in the queue;
 *   from within a handler of a request to cancel, for the promise that was asked and those derived from it, whoever
 *   is to settle them;
 *   from within a job of a serial executor, for what a job behind it would settle;
 *   on the thread that runs a loop, or ran it last (the main thread, for the main loop), for what a job or a timer of
 *   that loop would settle: promise_loop_wait() is for that;
 *   in a child of fork(), for anything, while it has no thread besides but idle ones of the library's.
 * [any thread; not where blocking is forbidden] */
PROMISE_API promise_status_t promise_wait(promise_t *PROMISE_NULLABLE promise, int64_t timeout_ns);

/* Blocks as promise_wait() does, until a signal handler has run on the calling thread too, whatever flags it was installed
 * with: for a language whose interrupts (Ctrl-C) are handled when the call returns.
 * A handler that runs before the thread sleeps, or after the promise is settled, is not noticed: call again after a
 * PROMISE_EINTR, and check what the handler left before.
 * Returns PROMISE_OK if the promise is settled; PROMISE_EINTR if a signal handler ran; otherwise as promise_wait().
 * [any thread; not where blocking is forbidden] */
PROMISE_API promise_status_t promise_wait_interruptible(promise_t *PROMISE_NULLABLE promise, int64_t timeout_ns);

/* The same as promise_wait() for whichever of `count` promises is settled first: `*index`, if `index` is not NULL, says which, the first
 * of them in the array if there are several. PROMISE_EDEADLK if it holds for all of them. A wait leaves nothing behind,
 * so the same promises can be waited for again and again.
 * Returns as promise_wait(), and PROMISE_EINVAL if `promises` is NULL or `count` 0; PROMISE_ENOMEM. If one of the handles
 * is NULL or stale, `*index` says which.
 * [any thread; not where blocking is forbidden] */
PROMISE_API promise_status_t promise_wait_any(promise_t *PROMISE_NULLABLE const *PROMISE_NULLABLE promises,
                                              size_t count, int64_t timeout_ns, size_t *PROMISE_NULLABLE index);

PROMISE_END_DECLS

#endif /* PROMISE_CORE_H */
