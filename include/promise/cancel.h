/* promise/cancel.h - asking promises to cancel, one by one or many at once. Part of promise.h: read that first. */
#ifndef PROMISE_CANCEL_H
#define PROMISE_CANCEL_H

#include <stdint.h>

#include "core.h"

PROMISE_BEGIN_DECLS

/* Cancelling is advice. A promise that is asked to cancel stays pending; whoever is to settle it may give up, and reject
 * it with a DISCARDED (promise_discard() does, or promise_value_discarded()), or go on as if nothing had happened.
 *
 * A request climbs to the promise that the asked one was derived from, follows or gathers, once nobody else is
 * interested in that one:
 *   - every promise derived from it was asked to cancel too, or is settled (promise_observe() is interest for good,
 *     promise_tap() is none), and
 *   - one reference to it is left: that of whoever will settle it. So a producer should hold one reference, and a
 *     consumer should release the promise when it has attached what it wants.
 * Either may come last: the request looks at once, and so does the release that leaves one reference, or the discard of
 * the last promise that was derived. A handler of the request may settle its promise: what that one was derived from is
 * asked all the same. To ask a promise and then to release it is to give it up: its own handler is detached, and its
 * context freed, at once (callback.h). */

/* Asks the promise to cancel, once, if it is pending, and then those that it depends on, as above. Its handlers of the
 * request run before this returns, in the order in which they were attached. `*reason` says why, for them: it is lent,
 * and may be any value; NULL: for no reason.
 * Returns PROMISE_OK, also if the promise was asked before; PROMISE_ESETTLED; PROMISE_EINVAL if `promise` is NULL or
 * `*reason` of no known kind or forged; PROMISE_ESTALE.
 * [any thread] */
PROMISE_API promise_status_t promise_request_cancel(promise_t *PROMISE_NULLABLE promise,
                                                    const promise_value_t *PROMISE_NULLABLE reason);

/* Whether the pending promise was asked to cancel, or it is settled and was cancelled: 1; otherwise 0. A worker that
 * has nothing to be interrupted in looks here from time to time.
 * PROMISE_EINVAL if `promise` is NULL, PROMISE_ESTALE.
 * [any thread] */
PROMISE_API int32_t promise_cancel_requested(promise_t *PROMISE_NULLABLE promise);

/* Calls `handler`, with the reason, lent, or a VOID, when the promise is asked to cancel: within that call, on its thread;
 * now, if that has happened already, or if the promise was cancelled. A promise that is settled before drops it uncalled.
 * The handler may settle the promise, for which it needs a reference of its own or the producer's; it runs at most once.
 * Returns PROMISE_OK, PROMISE_EINVAL if `promise` or `handler` is NULL, PROMISE_ESTALE, PROMISE_ENOMEM; on failure
 * free_ctx has run.
 * [any thread] */
PROMISE_API promise_status_t promise_on_cancel_request(promise_t *PROMISE_NULLABLE promise,
                                                       promise_observer_t PROMISE_NULLABLE handler,
                                                       void *PROMISE_NULLABLE ctx,
                                                       promise_free_t PROMISE_NULLABLE free_ctx);

/* From now on holding the promise is no interest in it: the promises derived from it alone decide whether it is asked to
 * cancel. It is asked within this call if a request has waited for nothing but its holders. For a promise that is kept
 * where several callers share it, and for what a collector owns: a wrapper in a language with one holds its promise for as
 * long as the collector likes, and would keep requests back until then. Seal the promise when you wrap it.
 * Returns PROMISE_OK, also if it is settled; PROMISE_EINVAL if `promise` is NULL, PROMISE_ESTALE.
 * [any thread] */
PROMISE_API promise_status_t promise_seal(promise_t *PROMISE_NULLABLE promise);

/* Makes a DISCARDED, the reason of a cancelled promise, with a cause: mostly the ERROR elsewhere that led to it. The
 * cause's reference is taken over, on every path; promise_value_cause() lends it. `*out` as in promise_value_string().
 * Returns PROMISE_OK; PROMISE_EINVAL if `out` or `cause` is NULL or `*cause` of no known kind, forged, or a stale PROMISE;
 * PROMISE_ENOMEM.
 * [any thread] */
PROMISE_API promise_status_t promise_value_discarded(promise_value_t *PROMISE_NULLABLE out,
                                                     const promise_value_t *PROMISE_NULLABLE cause);

/* TOKENS
 *
 * A token asks many promises to cancel at once, and silences handlers: a reaction (promise_react()) that was attached
 * with a token runs its handlers only if the token was not invalidated since; a promise whose handler is silenced is
 * cancelled. A token can be invalidated again and again: what is attached later is not silenced by what was before.
 * Neither a promise nor a handler keeps a token, and a token keeps no promise. */
typedef struct promise_token promise_token_t;

enum {
  /* The last promise_token_release() invalidates the token: one that is kept in an object ends what was started for the
   * object. */
  PROMISE_TOKEN_INVALIDATE_ON_RELEASE = 1 << 12,

  /* promise_token_chain(): cancelling the parent cancels the token too. */
  PROMISE_CHAIN_CANCEL = 1 << 13
};

/* Makes a token. `flags` is 0 or PROMISE_TOKEN_INVALIDATE_ON_RELEASE.
 * Returns a new reference. NULL: PROMISE_EINVAL if a flag is not known; PROMISE_ENOMEM.
 * [any thread] */
PROMISE_NODISCARD PROMISE_API promise_token_t *PROMISE_NULLABLE promise_token_new(uint32_t flags);

/* Adds a reference to the token, or gives one back; see promise_retain(), promise_release().
 * Returns PROMISE_OK, PROMISE_EINVAL if `token` is NULL, PROMISE_ESTALE; promise_token_retain() also PROMISE_ENOMEM.
 * [any thread] */
PROMISE_API promise_status_t promise_token_retain(promise_token_t *PROMISE_NULLABLE token);
PROMISE_API promise_status_t promise_token_release(promise_token_t *PROMISE_NULLABLE token);

/* Silences the handlers attached with the token so far, then asks the promises added to it to cancel, in the order in
 * which they were added, each once, for `*reason` as in promise_request_cancel(); then the tokens chained to it go the
 * same way, the latest chained first, each once, however many ways lead to it. When this returns, every handler of these
 * requests has run.
 * Returns PROMISE_OK, PROMISE_EINVAL if `token` is NULL or `*reason` of no known kind or forged, PROMISE_ESTALE;
 * PROMISE_ENOMEM when tokens chained to it were left out for want of memory, never the token itself.
 * [any thread] */
PROMISE_API promise_status_t promise_token_invalidate(promise_token_t *PROMISE_NULLABLE token,
                                                      const promise_value_t *PROMISE_NULLABLE reason);

/* The same without silencing handlers: they hear of the cancellation.
 * Returns as promise_token_invalidate().
 * [any thread] */
PROMISE_API promise_status_t promise_token_cancel(promise_token_t *PROMISE_NULLABLE token,
                                                  const promise_value_t *PROMISE_NULLABLE reason);

/* The promise is asked to cancel when the token is invalidated or cancelled next. Neither keeps the other.
 * Returns PROMISE_OK, PROMISE_EINVAL if an argument is NULL, PROMISE_ESTALE, PROMISE_ENOMEM.
 * [any thread] */
PROMISE_API promise_status_t promise_token_add(promise_token_t *PROMISE_NULLABLE token,
                                               promise_t *PROMISE_NULLABLE promise);

/* Chains `token` to `parent`: invalidating the parent invalidates the token, each time. `flags` is 0, or
 * PROMISE_CHAIN_CANCEL: then cancelling the parent cancels the token as well. Neither keeps the other.
 * Returns PROMISE_OK, PROMISE_EINVAL if an argument is NULL or a flag not known, PROMISE_ESTALE, PROMISE_ENOMEM;
 * PROMISE_EDEADLK if `parent`
 * is `token` or goes with it, directly or by way of others: such a circle would never end. With PROMISE_ENOMEM it may be
 * chained, without the deadline of `parent`.
 * [any thread] */
PROMISE_API promise_status_t promise_token_chain(promise_token_t *PROMISE_NULLABLE token,
                                                 promise_token_t *PROMISE_NULLABLE parent, uint32_t flags);

/* An executor's type is declared in callback.h, and its functions in executor.h. */
struct promise_executor;

/* Gives the token a deadline, a time of the monotonic clock (promise_now()): when it has come, the token is cancelled, for
 * an ERROR of domain "promise" and code PROMISE_ETIMEDOUT, and what is added to it later is asked at once. It is not
 * invalidated: handlers hear of it. INT64_MAX is no deadline.
 * An earlier deadline stays, so whoever has read one can count on it. Tokens that are cancelled with this one, chained
 * before or after, have no later deadline than this one's, and keep it though this one is released; the last
 * promise_token_release() of a token ends its own.
 * The handlers of the requests run on `executor`, which is retained; NULL: on a thread for timers (timer.h). A deadline that
 * has come already does so there too, not before this returns. An executor that drops the job leaves the token as it is.
 * Returns PROMISE_OK, also if an earlier deadline stays; PROMISE_EINVAL if `token` is NULL or `deadline_ns` negative;
 * PROMISE_ESTALE, for both handles; PROMISE_ENOMEM, which stands for want of a thread too: some of the tokens may have the
 * deadline then.
 * [any thread] */
PROMISE_API promise_status_t promise_token_set_deadline(promise_token_t *PROMISE_NULLABLE token,
                                                        struct promise_executor *PROMISE_NULLABLE executor,
                                                        int64_t deadline_ns);

/* The token's deadline, its own or one that it got by chaining; INT64_MAX if it has none. It stays what it was when it has
 * come. What is left of it, deadline - promise_now(), is what work that is started for the token has.
 * PROMISE_EINVAL if `token` is NULL, PROMISE_ESTALE.
 * [any thread] */
PROMISE_API int64_t promise_token_deadline(promise_token_t *PROMISE_NULLABLE token);

/* Returns 1 if the token was cancelled or invalidated, or its deadline has passed, at least once; otherwise 0. It never
 * becomes 0 again, whatever is attached with the token later.
 * Errors: PROMISE_EINVAL if `token` is NULL; PROMISE_ESTALE.
 * [any thread] */
PROMISE_API int32_t promise_token_is_cancelled(promise_token_t *PROMISE_NULLABLE token);

/* How many times the token was invalidated, modulo 2^32; a worker that remembers the number sees whether it is still
 * wanted. PROMISE_EINVAL if `token` is NULL, PROMISE_ESTALE.
 * [any thread] */
PROMISE_API int64_t promise_token_generation(promise_token_t *PROMISE_NULLABLE token);

PROMISE_END_DECLS

#endif /* PROMISE_CANCEL_H */
