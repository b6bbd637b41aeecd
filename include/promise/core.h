/* promise/core.h - promises: create, settle, discard, read, wait. Part of promise.h: read that first. */
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

/* Creates a pending promise (clause 3.3.1).
 * Returns a new reference.
 * NULL: PROMISE_ENOMEM.
 * [any thread] */
PROMISE_NODISCARD PROMISE_API promise_t *PROMISE_NULLABLE promise_new(void);

/* Create a settled promise: promise_new() and promise_resolve() or promise_reject() in one call.
 * Returns a new reference.
 * NULL: PROMISE_EINVAL if `value` or `reason` is NULL or not well-formed; PROMISE_ENOMEM.
 * Takes over the value's reference on every path.
 * [any thread] */
PROMISE_NODISCARD PROMISE_API promise_t *PROMISE_NULLABLE
promise_new_resolved(const promise_value_t *PROMISE_NULLABLE value);
PROMISE_NODISCARD PROMISE_API promise_t *PROMISE_NULLABLE
promise_new_rejected(const promise_value_t *PROMISE_NULLABLE reason);

/* Creates a pending promise with a discard block (clause 3.3.3). promise_discard() calls on_discard(ctx), which should
 * cancel the work that would have settled the promise. `on_discard` may be NULL.
 * Returns a new reference.
 * NULL: PROMISE_ENOMEM; free_ctx has been called then.
 * free_ctx(ctx) is called after the block, or at the settlement or last release that makes the block obsolete. The
 * block runs at most once, on the discarding thread, after the promise is rejected and before its callbacks run.
 * [any thread] */
PROMISE_NODISCARD PROMISE_API promise_t *PROMISE_NULLABLE
promise_new_discardable(promise_callback_t PROMISE_NULLABLE on_discard, void *PROMISE_NULLABLE ctx,
                        promise_free_t PROMISE_NULLABLE free_ctx);

/* Adds a reference.
 * Returns PROMISE_OK; PROMISE_EINVAL if `promise` is NULL; PROMISE_ESTALE; PROMISE_ENOMEM if there are 2^26 already.
 * [any thread] */
PROMISE_API promise_status_t promise_retain(promise_t *PROMISE_NULLABLE promise);

/* Releases one reference. The last one destroys the promise and its value. A promise destroyed while pending frees the
 * contexts of its callbacks without calling them; its discard block is not called, and the promises derived from it
 * stay pending. Chains of any length are destroyed without recursion. A derived promise stays until its source settles
 * it, unless it has no callbacks, and either has no handler or was asked to cancel: then it is detached (callback.h). A
 * request to cancel that this reference held back propagates: handlers for it may run before this returns (cancel.h).
 * Returns PROMISE_OK; PROMISE_EINVAL if `promise` is NULL; PROMISE_ESTALE, also if it is pending and only its settler
 * in the library has a reference.
 * [any thread] */
PROMISE_API promise_status_t promise_release(promise_t *PROMISE_NULLABLE promise);

/* Fulfils a pending promise with `*value` and runs its callbacks (clause 3.4.1). A PROMISE is stored as it is, not
 * followed. Promises that hold each other are never destroyed.
 * Returns PROMISE_OK; PROMISE_ESETTLED if the promise is settled already, on return at the latest; PROMISE_EINVAL if
 * `promise` or `value` is NULL, or if the value is not well-formed or is the promise itself; PROMISE_ESTALE.
 * Takes over the value's reference on every path, failing ones included.
 * [any thread] */
PROMISE_API promise_status_t promise_resolve(promise_t *PROMISE_NULLABLE promise,
                                             const promise_value_t *PROMISE_NULLABLE value);

/* Fulfils `count` promises in one call, `promises[i]` with `values[i]`, for languages with expensive calls. Each is
 * fulfilled as by promise_resolve(), in order: the callbacks of one have run before the next is fulfilled. A failure
 * does not stop the others. The arrays must stay until this returns, and may be NULL if `count` is 0.
 *   statuses   NULL, or `statuses[i]` becomes the status of promise_resolve() for `promises[i]`
 * Returns PROMISE_OK if all were fulfilled, otherwise the first other status, as promise_resolve(). PROMISE_EINVAL also
 * if `promises` or `values` is NULL although `count` is not 0, or if `count` is larger than any array.
 * Takes over a reference to each value on every path.
 * [any thread] */
PROMISE_API promise_status_t promise_resolve_many(promise_t *PROMISE_NULLABLE const *PROMISE_NULLABLE promises,
                                                  const promise_value_t *PROMISE_NULLABLE values, size_t count,
                                                  promise_status_t *PROMISE_NULLABLE statuses);

/* Rejects a pending promise with `*reason`, of any kind, and runs its callbacks (clause 3.4.2).
 * Returns as promise_resolve().
 * Takes over the reason's reference on every path, failing ones included.
 * [any thread] */
PROMISE_API promise_status_t promise_reject(promise_t *PROMISE_NULLABLE promise,
                                            const promise_value_t *PROMISE_NULLABLE reason);

/* Discards a pending promise (clause 3.5): rejects it with a DISCARDED, calls its discard block, then its callbacks.
 * Cancel handlers are not called; one attached later is called at once. Its sources continue. Its own handler is
 * detached from them (callback.h), and the handler's context freed before the block is called, or as promise_free_t
 * says.
 * Returns PROMISE_OK; PROMISE_ESETTLED if it was settled already; PROMISE_EINVAL if `promise` is NULL; PROMISE_ESTALE.
 * [any thread] */
PROMISE_API promise_status_t promise_discard(promise_t *PROMISE_NULLABLE promise);

/* Discards a pending promise as promise_discard() does, with a cause in the DISCARDED: usually the ERROR that made the
 * result useless. Callbacks read it by promise_value_cause(). `cause` may be NULL.
 * Returns PROMISE_OK; PROMISE_ESETTLED if it was settled already; PROMISE_EINVAL if `promise` is NULL, or `*cause` is
 * not well-formed or is the promise itself; PROMISE_ESTALE; PROMISE_ENOMEM, and the promise stays pending.
 * Takes over the cause's reference on every path.
 * [any thread] */
PROMISE_API promise_status_t promise_discard_with(promise_t *PROMISE_NULLABLE promise,
                                                  const promise_value_t *PROMISE_NULLABLE cause);

/* Returns the state: PROMISE_PENDING, PROMISE_FULFILLED or PROMISE_REJECTED. While callbacks run the state is final
 * already.
 * Errors: PROMISE_EINVAL if `promise` is NULL; PROMISE_ESTALE.
 * [any thread] */
PROMISE_API promise_state_t promise_state(promise_t *PROMISE_NULLABLE promise);

/* Copies the value of a fulfilled promise or the reason of a rejected one to `*out`; promise_state() distinguishes
 * them.
 * Returns PROMISE_OK; PROMISE_EPENDING; PROMISE_EINVAL if `promise` or `out` is NULL; PROMISE_ESTALE; PROMISE_ENOMEM if
 * the value has 2^26 references.
 * `*out` is a new reference; VOID on failure.
 * [any thread] */
PROMISE_API promise_status_t promise_result(promise_t *PROMISE_NULLABLE promise, promise_value_t *PROMISE_NULLABLE out);

/* Blocks the calling thread until the promise is settled, for at most `timeout_ns` nanoseconds: a negative number waits
 * forever, as does a time beyond the range of the clock; 0 polls and never returns PROMISE_EDEADLK. Callbacks may still
 * be running on the settling thread on return.
 * Returns PROMISE_OK; PROMISE_ETIMEDOUT; PROMISE_EINVAL if `promise` is NULL; PROMISE_ESTALE; PROMISE_EDEADLK if the
 * calling thread itself would have to settle the promise. That is found at once, or within a second after it becomes
 * true:
 *   - within a callback, for the promise that the callback settles, for promises derived from it, and for promises of
 *     callbacks queued behind it;
 *   - within a handler of a request to cancel, for the promise that was asked and promises derived from it;
 *   - within a job of a serial executor, for a promise of a job queued behind it;
 *   - on the thread that runs a loop, or ran it last (the main thread, for the main loop), for a promise of a job or
 *     timer of that loop: use promise_loop_wait();
 *   - in a child of fork(), for any promise, while its only other threads are idle ones of the library.
 * It is not found if the calling thread would have to settle an input of a combination (combine.h), or to publish to a
 * stream; nor if all threads of the pool, 512 at most (executor.h), wait for promises of jobs that have not begun.
 * [any thread; not where blocking is forbidden] */
PROMISE_API promise_status_t promise_wait(promise_t *PROMISE_NULLABLE promise, int64_t timeout_ns);

/* Blocks as promise_wait() does, but also returns when a signal handler has run on the calling thread, with or without
 * SA_RESTART. For languages that handle interrupts (Ctrl-C) between calls.
 * A handler that runs before the thread sleeps, or after the promise is settled, is not noticed: check for interrupts
 * before each call, and call again after PROMISE_EINTR.
 * Returns PROMISE_OK if the promise is settled; PROMISE_EINTR if a signal handler ran; otherwise as promise_wait().
 * [any thread; not where blocking is forbidden] */
PROMISE_API promise_status_t promise_wait_interruptible(promise_t *PROMISE_NULLABLE promise, int64_t timeout_ns);

/* Blocks as promise_wait() does, until one of `count` promises is settled. The array must stay unchanged until this
 * returns. The wait leaves nothing attached, so the same promises can be waited for again and again.
 *   index   NULL, or `*index` becomes the place of the settled promise in the array, the first place if there are
 *           several; or the place of a handle that is NULL or stale
 * Returns as promise_wait(); PROMISE_EDEADLK only if it holds for all of the promises. PROMISE_EINVAL also if
 * `promises` is NULL, or if `count` is 0 or larger than any array. PROMISE_ENOMEM.
 * [any thread; not where blocking is forbidden] */
PROMISE_API promise_status_t promise_wait_any(promise_t *PROMISE_NULLABLE const *PROMISE_NULLABLE promises,
                                              size_t count, int64_t timeout_ns, size_t *PROMISE_NULLABLE index);

PROMISE_END_DECLS

#endif /* PROMISE_CORE_H */
