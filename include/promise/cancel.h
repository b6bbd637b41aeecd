/* promise/cancel.h - cancellation: requests to one promise, tokens for many. Part of promise.h: read that first. */
#ifndef PROMISE_CANCEL_H
#define PROMISE_CANCEL_H

#include <stdint.h>

#include "core.h"

PROMISE_BEGIN_DECLS

/* Cancellation is advisory. A promise that is asked to cancel stays pending. Its producer may give up, by
 * promise_discard() or by promise_reject() with a promise_value_discarded(), or ignore the request.
 *
 * A request propagates upstream, to each promise that the promise was derived from, follows or combines, once nothing
 * else is interested in that source:
 *   - every promise derived from the source was asked to cancel too, or is settled. A promise_observe() is interest
 *     until the promise is settled; a promise_tap() is none.
 *   - one reference to the source is left, the producer's. So a producer should hold one reference, and a consumer
 *     should release the promise after it has attached its handlers.
 * The conditions may become true in either order: a request checks them at once, and so does the release that leaves
 * one reference, and the settlement of the last derived promise. If a handler of the request settles its promise, the
 * request propagates all the same.
 *
 * To give a promise up, request cancellation and release it: its own handler is detached, and its context freed, at
 * once (callback.h). */

/* Requests cancellation of a pending promise, once, and propagates the request upstream as above. The promise's
 * handlers for cancel requests run before this returns, in the order of attachment. `*reason` is for them: any value,
 * borrowed, which must stay until this returns; NULL: none.
 * Returns PROMISE_OK, also if the promise was asked before; PROMISE_ESETTLED; PROMISE_EINVAL if `promise` is NULL or
 * `*reason` not well-formed; PROMISE_ESTALE.
 * [any thread] */
PROMISE_API promise_status_t promise_request_cancel(promise_t *PROMISE_NULLABLE promise,
                                                    const promise_value_t *PROMISE_NULLABLE reason);

/* Returns 1 if the pending promise was asked to cancel, or if it was settled by cancellation; otherwise 0. For workers
 * that poll.
 * Errors: PROMISE_EINVAL if `promise` is NULL, PROMISE_ESTALE.
 * [any thread] */
PROMISE_API int32_t promise_cancel_requested(promise_t *PROMISE_NULLABLE promise);

/* Attaches a handler for a request to cancel the promise. handler(ctx, reason) runs within the request, on its thread,
 * at most once; before this returns if the promise was asked or cancelled before. The reason is borrowed; without one
 * it is VOID. A promise that is settled first frees the handler's context without a call. The handler may settle the
 * promise, by a reference of its own or the producer's.
 * Returns PROMISE_OK, PROMISE_EINVAL if `promise` or `handler` is NULL, PROMISE_ESTALE, PROMISE_ENOMEM; on failure
 * free_ctx has been called.
 * [any thread] */
PROMISE_API promise_status_t promise_on_cancel_request(promise_t *PROMISE_NULLABLE promise,
                                                       promise_observer_t PROMISE_NULLABLE handler,
                                                       void *PROMISE_NULLABLE ctx,
                                                       promise_free_t PROMISE_NULLABLE free_ctx);

/* Seals the promise: after this call a reference no longer counts as interest in it, and only the derived promises keep
 * requests back. If only references held a request back, it propagates before this returns.
 * Use it for promises in a shared cache, and for promises that a garbage collector owns: a collected wrapper would hold
 * requests back until its finalization. Seal the promise when you wrap it.
 * Returns PROMISE_OK, also if it is settled; PROMISE_EINVAL if `promise` is NULL, PROMISE_ESTALE.
 * [any thread] */
PROMISE_API promise_status_t promise_seal(promise_t *PROMISE_NULLABLE promise);

/* Makes a DISCARDED, the reason of a cancelled promise, with a cause: usually the ERROR that led to the cancellation.
 * promise_value_cause() returns it. A VOID is a cause too, unlike in promise_value_error_from().
 * Returns PROMISE_OK; PROMISE_EINVAL if `out` or `cause` is NULL or `*cause` not well-formed; PROMISE_ENOMEM.
 * Takes over the cause's reference on every path. `*out` is a new reference; VOID on failure.
 * [any thread] */
PROMISE_API promise_status_t promise_value_discarded(promise_value_t *PROMISE_NULLABLE out,
                                                     const promise_value_t *PROMISE_NULLABLE cause);

/* TOKENS
 *
 * A token requests cancellation of many promises at once, and silences handlers. A reaction attached with a token
 * (promise_react()) runs its handlers only if the token was not invalidated since; the promise of a silenced handler is
 * cancelled when its source settles. Invalidation does not detach: for that, request cancellation of the derived
 * promise too (promise_token_add()), and keep a reference until then. A token can be invalidated repeatedly; later
 * attachments are not affected by earlier invalidations. Tokens, promises and handlers hold no references to each
 * other. */
typedef struct promise_token promise_token_t;

enum {
  /* The last promise_token_release() invalidates the token: a token owned by an object ends the work started for it. */
  PROMISE_TOKEN_INVALIDATE_ON_RELEASE = 1 << 12,

  /* promise_token_chain(): cancelling the parent cancels the token too. */
  PROMISE_CHAIN_CANCEL = 1 << 13
};

/* Makes a token. `flags` is 0 or PROMISE_TOKEN_INVALIDATE_ON_RELEASE.
 * Returns a new reference.
 * NULL: PROMISE_EINVAL if a flag is not known; PROMISE_ENOMEM.
 * [any thread] */
PROMISE_NODISCARD PROMISE_API promise_token_t *PROMISE_NULLABLE promise_token_new(uint32_t flags);

/* Adds or releases a reference.
 * Returns PROMISE_OK, PROMISE_EINVAL if `token` is NULL, PROMISE_ESTALE; promise_token_retain() also PROMISE_ENOMEM.
 * [any thread] */
PROMISE_API promise_status_t promise_token_retain(promise_token_t *PROMISE_NULLABLE token);
PROMISE_API promise_status_t promise_token_release(promise_token_t *PROMISE_NULLABLE token);

/* Invalidates the token: silences the handlers attached with it so far, then requests cancellation of the promises
 * added to it, in the order of addition, each once, with `*reason` as in promise_request_cancel(). Then it invalidates
 * the chained tokens, the latest chained first, each once, also if several chains lead to it. When this returns, every
 * handler of these requests has run. A promise that such a handler adds to the token, and a token that it chains to it,
 * wait for the next invalidation.
 * Returns PROMISE_OK; PROMISE_EINVAL if `token` is NULL or `*reason` not well-formed; PROMISE_ESTALE; PROMISE_ENOMEM if
 * chained tokens were left out because memory has run out, never the token itself.
 * [any thread] */
PROMISE_API promise_status_t promise_token_invalidate(promise_token_t *PROMISE_NULLABLE token,
                                                      const promise_value_t *PROMISE_NULLABLE reason);

/* Cancels the token: requests cancellation as promise_token_invalidate() does, without silencing handlers.
 * Returns as promise_token_invalidate().
 * [any thread] */
PROMISE_API promise_status_t promise_token_cancel(promise_token_t *PROMISE_NULLABLE token,
                                                  const promise_value_t *PROMISE_NULLABLE reason);

/* Adds a promise to the token: it is asked to cancel at the next invalidation or cancellation. A token cancelled
 * earlier does not ask it; a token whose deadline has passed does, at once. Neither holds a reference to the other.
 * Returns PROMISE_OK, PROMISE_EINVAL if an argument is NULL, PROMISE_ESTALE, PROMISE_ENOMEM.
 * [any thread] */
PROMISE_API promise_status_t promise_token_add(promise_token_t *PROMISE_NULLABLE token,
                                               promise_t *PROMISE_NULLABLE promise);

/* Chains `token` to `parent`: invalidating the parent invalidates the token, each time. `flags` is 0, or
 * PROMISE_CHAIN_CANCEL: then cancelling the parent cancels the token as well. Neither holds a reference to the other.
 * Returns PROMISE_OK; PROMISE_EINVAL if an argument is NULL or a flag not known; PROMISE_ESTALE; PROMISE_ENOMEM, and
 * the token may be chained, without the parent's deadline; PROMISE_EDEADLK if `parent` is `token` or is chained to it,
 * directly or through others: a cycle.
 * [any thread] */
PROMISE_API promise_status_t promise_token_chain(promise_token_t *PROMISE_NULLABLE token,
                                                 promise_token_t *PROMISE_NULLABLE parent, uint32_t flags);

/* An executor's type is declared in callback.h, and its functions in executor.h. */
struct promise_executor;

/* Sets a deadline, a time of the monotonic clock (promise_now()). When it passes, the token is cancelled, not
 * invalidated, with an ERROR of domain "promise" and code PROMISE_ETIMEDOUT. Promises added later are asked at once.
 * INT64_MAX: no deadline.
 *   executor   runs the handlers of the requests, and is retained; NULL: a timer thread (timer.h). If it drops the job,
 *              the token is not cancelled. A deadline that has passed already cancels there too, never within this
 *              call; another thread may do it before this returns.
 * An earlier deadline stays, so a caller can rely on a deadline that it has read. Tokens that are cancelled with this
 * one, chained before or after, get no later deadline than this one's, and keep it after this one is released. The last
 * promise_token_release() of a token ends its own deadline.
 * Returns PROMISE_OK, also if an earlier deadline stays; PROMISE_EINVAL if `token` is NULL or `deadline_ns` negative;
 * PROMISE_ESTALE, for both handles; PROMISE_ENOMEM, also if no thread can be started: some of the tokens may have the
 * deadline then.
 * [any thread] */
PROMISE_API promise_status_t promise_token_set_deadline(promise_token_t *PROMISE_NULLABLE token,
                                                        struct promise_executor *PROMISE_NULLABLE executor,
                                                        int64_t deadline_ns);

/* Returns the token's deadline, its own or one of a parent; INT64_MAX without one. The deadline does not change after
 * it has passed. Work started on behalf of the token has `deadline - promise_now()` nanoseconds left.
 * Errors: PROMISE_EINVAL if `token` is NULL, PROMISE_ESTALE.
 * [any thread] */
PROMISE_API int64_t promise_token_deadline(promise_token_t *PROMISE_NULLABLE token);

/* Returns 1 if the token was cancelled or invalidated, or its deadline has passed, at least once; otherwise 0. The
 * result never becomes 0 again; later attachments with the token do not reset it.
 * Errors: PROMISE_EINVAL if `token` is NULL; PROMISE_ESTALE.
 * [any thread] */
PROMISE_API int32_t promise_token_is_cancelled(promise_token_t *PROMISE_NULLABLE token);

/* Returns the number of invalidations, modulo 2^32: a worker that remembers the number sees whether its result is still
 * wanted.
 * Errors: PROMISE_EINVAL if `token` is NULL, PROMISE_ESTALE.
 * [any thread] */
PROMISE_API int64_t promise_token_generation(promise_token_t *PROMISE_NULLABLE token);

PROMISE_END_DECLS

#endif /* PROMISE_CANCEL_H */
