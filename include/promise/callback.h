/* promise/callback.h - what happens when a promise is settled. Part of promise.h: read that first. */
#ifndef PROMISE_CALLBACK_H
#define PROMISE_CALLBACK_H

#include <stdint.h>

#include "cancel.h"
#include "core.h"
#include "type.h"

PROMISE_BEGIN_DECLS

/* The decision of a handler: the outcome of the promise that promise_then(), promise_rescue() or promise_react()
 * returned, or of an event of a stream (operator.h). No state and no status has the number of a verdict. */
typedef int32_t promise_verdict_t;

enum {
  PROMISE_VERDICT_FULFILL = 16, /* fulfil the promise with *out; publish *out as a value */
  PROMISE_VERDICT_REJECT = 17,  /* reject the promise with *out; publish *out as an error */
  PROMISE_VERDICT_ADOPT = 18,   /* *out is a PROMISE: follow it, and settle as it does (clause 2.2). Promises only */

  /* Streams only. */
  PROMISE_VERDICT_PASS = 19,   /* publish the event unchanged; an end of the source ends the new stream too */
  PROMISE_VERDICT_SKIP = 20,   /* drop the event; an end of the source leaves the new stream open */
  PROMISE_VERDICT_FINISH = 21, /* finish the new stream */
  PROMISE_VERDICT_FAIL = 22,   /* fail the new stream with *out */
  PROMISE_VERDICT_CANCEL = 23, /* cancel the new stream */

  /* Short names of the same numbers. */
  PROMISE_FULFILL = PROMISE_VERDICT_FULFILL,
  PROMISE_REJECT = PROMISE_VERDICT_REJECT,
  PROMISE_ADOPT = PROMISE_VERDICT_ADOPT
};

/* A handler receives the value or reason `*in`, borrowed until it returns, and leaves a value in `*out`, which is VOID
 * when it is called, and whose reference is taken over. To pass `*in` on, copy it to `*out` and retain it.
 * Any other number than PROMISE_FULFILL, PROMISE_REJECT and PROMISE_ADOPT (a state, say), or a value that is not
 * well-formed, rejects the promise with an ERROR of domain "promise" and code PROMISE_EINVAL; to adopt a promise that
 * waits for this very one rejects it with code PROMISE_EDEADLK, and to leave a PROMISE of this very one with code
 * PROMISE_EINVAL.
 *
 * A handler runs for as long as somebody may want what it leaves. It is detached, which means that it never runs and
 * free_ctx runs at once, when the returned promise, before the source is settled,
 *   - is settled by other means: promise_resolve(), promise_reject(), promise_discard(), or
 *   - was asked to cancel (cancel.h), and then its last reference is released while nothing waits for it.
 * Releasing alone detaches no handler: release the returned promise at once, and the handler runs all the same. What has
 * no handler is detached when its last reference is released: promise_follow(), promise_timeout(), promise_delay() once
 * its source is settled, promise_sleep(), and the inputs of a combination (combine.h). The handler of promise_finally() is
 * detached by settling alone. If the source is settled at the same time on another thread, the handler may run; then what
 * it leaves is released. Detaching takes constant time on average, wherever the handler stands among others.
 *
 * So a language's `await` should derive: promise_then() or promise_react(), and when the wait is given up,
 * promise_request_cancel() and promise_release(); or promise_discard() and promise_release(), if the source is not to hear
 * of it. promise_observe() has nothing to release: it waits, and is interested in the promise, for good. */
typedef promise_verdict_t (*promise_handler_t)(void *PROMISE_NULLABLE ctx, const promise_value_t *PROMISE_NONNULL in,
                                               promise_value_t *PROMISE_NONNULL out);

/* Attaches a handler for fulfilment (clauses 3.1.2 and 3.1.3), and returns the promise that it settles; a rejection
 * passes through to that promise unchanged. The returned reference is yours to release, at once if you do not need it:
 * the handler runs all the same.
 * NULL: PROMISE_EINVAL if `promise` or `on_fulfilled` is NULL, PROMISE_ESTALE, PROMISE_ENOMEM; free_ctx has run then.
 * [any thread] */
PROMISE_NODISCARD PROMISE_API promise_t *PROMISE_NULLABLE promise_then(promise_t *PROMISE_NULLABLE promise,
                                                                       promise_handler_t PROMISE_NULLABLE on_fulfilled,
                                                                       void *PROMISE_NULLABLE ctx,
                                                                       promise_free_t PROMISE_NULLABLE free_ctx);

/* Attaches a handler for rejection with a reason of `type` or of a type that descends from it; NULL: with any reason
 * (clauses 2.3, 3.2.2 and 3.2.3). Returns the promise that the handler settles; a fulfilment, and a reason of another
 * type, pass through to it unchanged.
 * NULL: as promise_then(), and PROMISE_ESTALE if `type` is no type.
 * [any thread] */
PROMISE_NODISCARD PROMISE_API promise_t *PROMISE_NULLABLE promise_rescue(promise_t *PROMISE_NULLABLE promise,
                                                                         const promise_type_t *PROMISE_NULLABLE type,
                                                                         promise_handler_t PROMISE_NULLABLE on_rejected,
                                                                         void *PROMISE_NULLABLE ctx,
                                                                         promise_free_t PROMISE_NULLABLE free_ctx);

/* Attaches callbacks that settle nothing (clause 3.1.1). Either may be NULL. Each receives a borrowed value. They stay
 * until the promise is settled or goes, and are interest in it for good (cancel.h): to wait for a while, use promise_then().
 * Returns PROMISE_OK, PROMISE_EINVAL, PROMISE_ESTALE, PROMISE_ENOMEM; on failure free_ctx has run.
 * [any thread] */
PROMISE_API promise_status_t promise_observe(promise_t *PROMISE_NULLABLE promise,
                                             promise_observer_t PROMISE_NULLABLE on_fulfilled,
                                             promise_observer_t PROMISE_NULLABLE on_rejected,
                                             void *PROMISE_NULLABLE ctx, promise_free_t PROMISE_NULLABLE free_ctx);

/* Where a callback runs: an opaque token. NULL stands for the settling thread, at once. */
typedef struct promise_executor promise_executor_t;

/* A reaction with everything. Zero it, set `size` to sizeof(promise_reaction_t), and fill what you need. */
typedef struct promise_reaction {
  uint32_t size;
  uint32_t reserved;                               /* 0 */
  promise_executor_t *PROMISE_NULLABLE executor;   /* where the handlers run; retained until then */
  promise_token_t *PROMISE_NULLABLE token;         /* silences the handlers, if it is invalidated first; see cancel.h */
  promise_handler_t PROMISE_NULLABLE on_fulfilled; /* NULL: a fulfilment passes through */
  promise_handler_t PROMISE_NULLABLE on_rejected;  /* NULL: a rejection passes through */
  const promise_type_t *PROMISE_NULLABLE type;     /* what on_rejected is for, as in promise_rescue() */
  void *PROMISE_NULLABLE ctx;
  promise_free_t PROMISE_NULLABLE free_ctx;
} promise_reaction_t;

/* promise_then() and promise_rescue() in one, with an executor and a token. `*reaction` is read during the call only.
 * A handler that runs is freed where it ran; what passes through does so at once, on the settling thread.
 * NULL: PROMISE_EINVAL if an argument is NULL, if `size` is less than that of version 1, if `reserved` or a
 * field that this library does not know is not 0, or if there is no handler; PROMISE_ESTALE if a handle is stale;
 * PROMISE_ENOMEM. A `size` beyond 4096 was never set: PROMISE_EINVAL. free_ctx has run then, unless `reaction` is NULL
 * or too small to tell.
 * [any thread] */
PROMISE_NODISCARD PROMISE_API promise_t *PROMISE_NULLABLE
promise_react(promise_t *PROMISE_NULLABLE promise, const promise_reaction_t *PROMISE_NULLABLE reaction);

/* Calls `handler` once the promise is settled, whichever way, and returns a promise that is settled as this one is, after
 * that. The reference is yours.
 * NULL: PROMISE_EINVAL if `promise` or `handler` is NULL, PROMISE_ESTALE, PROMISE_ENOMEM; free_ctx has run then.
 * [any thread] */
PROMISE_NODISCARD PROMISE_API promise_t *PROMISE_NULLABLE promise_finally(promise_t *PROMISE_NULLABLE promise,
                                                                          promise_callback_t PROMISE_NULLABLE handler,
                                                                          void *PROMISE_NULLABLE ctx,
                                                                          promise_free_t PROMISE_NULLABLE free_ctx);

/* Calls one of the callbacks once the promise is settled, as promise_observe() does, but shows no interest in it
 * (cancel.h): it keeps nobody's request to cancel back. For logs and measurements.
 * Returns as promise_observe().
 * [any thread] */
PROMISE_API promise_status_t promise_tap(promise_t *PROMISE_NULLABLE promise,
                                         promise_observer_t PROMISE_NULLABLE on_fulfilled,
                                         promise_observer_t PROMISE_NULLABLE on_rejected, void *PROMISE_NULLABLE ctx,
                                         promise_free_t PROMISE_NULLABLE free_ctx);

/* Makes a promise of yours, made by promise_new() or promise_new_discardable(), follow another: it is settled as `source`
 * is, at once if that is settled (clause 2.2), unless somebody settles it before. It is interested in `source` until it
 * is asked to cancel.
 * Returns PROMISE_OK; PROMISE_ESETTLED if `promise` is settled already; PROMISE_EINVAL if an argument is NULL, or if
 * `promise` is derived from another or follows one already; PROMISE_EDEADLK if `source` is `promise` or waits for it, so
 * that neither would ever be settled; PROMISE_ESTALE, PROMISE_ENOMEM.
 * [any thread] */
PROMISE_API promise_status_t promise_follow(promise_t *PROMISE_NULLABLE promise, promise_t *PROMISE_NULLABLE source);

PROMISE_END_DECLS

#endif /* PROMISE_CALLBACK_H */
