/* promise/callback.h - reactions: handlers and observers of a promise. Part of promise.h: read that first. */
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

  /* Streams, and events of a queue (promise_queue_answer()). */
  PROMISE_VERDICT_SKIP = 20, /* drop the event; an end of the source leaves the new stream open */

  /* Streams only. */
  PROMISE_VERDICT_PASS = 19,   /* publish the event unchanged; an end of the source ends the new stream too */
  PROMISE_VERDICT_FINISH = 21, /* finish the new stream */
  PROMISE_VERDICT_FAIL = 22,   /* fail the new stream with *out */
  PROMISE_VERDICT_CANCEL = 23, /* cancel the new stream */

  /* Short names of the same numbers. */
  PROMISE_FULFILL = PROMISE_VERDICT_FULFILL,
  PROMISE_REJECT = PROMISE_VERDICT_REJECT,
  PROMISE_ADOPT = PROMISE_VERDICT_ADOPT
};

/* Handles the outcome of a promise. `*in` is the value or reason, borrowed until the handler returns. `*out` is VOID at
 * the call; the handler stores its result there, and its reference is taken over. To pass `*in` on, copy it to `*out`
 * and retain it.
 * Errors: a number other than PROMISE_FULFILL, PROMISE_REJECT and PROMISE_ADOPT (a state, say), or a value that is not
 * well-formed, rejects the promise with an ERROR of domain "promise" and code PROMISE_EINVAL. So does a PROMISE that
 * refers to the promise itself, unless it is adopted. Adopting the promise itself, or a promise that waits for it,
 * rejects it with code PROMISE_EDEADLK. A cycle through a combination (combine.h) or a stream is not found: its
 * promises stay pending.
 *
 * Detaching: a handler whose result is no longer wanted is detached: it never runs, and free_ctx is called at once, or
 * as promise_free_t says. That happens when the returned promise, before its source is settled,
 *   - is settled by other means: promise_resolve(), promise_reject(), promise_discard(), or
 *   - was asked to cancel (cancel.h), and then its last reference is released while it has no callbacks.
 * Releasing alone detaches no handler: you may release the returned promise at once, and the handler runs. Reactions
 * without a handler are detached when the last reference is released: those of promise_follow(), promise_timeout(),
 * promise_delay() after its source is settled, promise_sleep(), and the inputs of a combination (combine.h). The
 * handler of promise_finally() is detached by settling only. If another thread settles the source at the same time, the
 * handler may run, and its result is released. Detaching takes amortised constant time, wherever the handler stands in
 * the list.
 *
 * A language's `await` should derive: promise_then() or promise_react(). To give the wait up, call
 * promise_request_cancel() and promise_release(); or promise_discard() and promise_release(), if the source is not to
 * be asked. promise_observe() cannot be given up: it waits, and counts as interest in the promise, until the promise is
 * settled. */
typedef promise_verdict_t (*promise_handler_t)(void *PROMISE_NULLABLE ctx, const promise_value_t *PROMISE_NONNULL in,
                                               promise_value_t *PROMISE_NONNULL out);

/* Attaches a handler for fulfilment (clauses 3.1.2 and 3.1.3), and returns the promise that it settles; a rejection
 * passes through to that promise unchanged.
 * Returns a new reference; you may release it at once, and the handler still runs.
 * NULL: PROMISE_EINVAL if `promise` or `on_fulfilled` is NULL, PROMISE_ESTALE, PROMISE_ENOMEM; free_ctx has been called
 * then.
 * [any thread] */
PROMISE_NODISCARD PROMISE_API promise_t *PROMISE_NULLABLE promise_then(promise_t *PROMISE_NULLABLE promise,
                                                                       promise_handler_t PROMISE_NULLABLE on_fulfilled,
                                                                       void *PROMISE_NULLABLE ctx,
                                                                       promise_free_t PROMISE_NULLABLE free_ctx);

/* Attaches a handler for rejection with a reason of `type` or of its descendants; NULL: with any reason (clauses 2.3,
 * 3.2.2 and 3.2.3).
 * Returns a new reference to the promise that the handler settles; a fulfilment, and a reason of another type, pass
 * through to it unchanged.
 * NULL: as promise_then(); PROMISE_ESTALE also if `type` is not a type.
 * [any thread] */
PROMISE_NODISCARD PROMISE_API promise_t *PROMISE_NULLABLE promise_rescue(promise_t *PROMISE_NULLABLE promise,
                                                                         const promise_type_t *PROMISE_NULLABLE type,
                                                                         promise_handler_t PROMISE_NULLABLE on_rejected,
                                                                         void *PROMISE_NULLABLE ctx,
                                                                         promise_free_t PROMISE_NULLABLE free_ctx);

/* Attaches callbacks that settle nothing (clause 3.1.1). Either may be NULL. Each receives a borrowed value. They stay
 * until the promise is settled or destroyed, and count as interest in it until then (cancel.h): for a wait that may be
 * given up, use promise_then().
 * Returns PROMISE_OK; PROMISE_EINVAL if `promise` is NULL; PROMISE_ESTALE; PROMISE_ENOMEM. On failure free_ctx has been
 * called.
 * [any thread] */
PROMISE_API promise_status_t promise_observe(promise_t *PROMISE_NULLABLE promise,
                                             promise_observer_t PROMISE_NULLABLE on_fulfilled,
                                             promise_observer_t PROMISE_NULLABLE on_rejected,
                                             void *PROMISE_NULLABLE ctx, promise_free_t PROMISE_NULLABLE free_ctx);

/* An executor runs callbacks elsewhere: an opaque token. NULL stands for the settling thread, inline. */
typedef struct promise_executor promise_executor_t;

/* A reaction with every option. Zero the struct, set `size` to sizeof(promise_reaction_t), then set the fields that you
 * need. */
typedef struct promise_reaction {
  uint32_t size;
  uint32_t reserved;                               /* 0 */
  promise_executor_t *PROMISE_NULLABLE executor;   /* runs the handlers; retained until then */
  promise_token_t *PROMISE_NULLABLE token;         /* silences the handlers, if it is invalidated first; see cancel.h */
  promise_handler_t PROMISE_NULLABLE on_fulfilled; /* NULL: a fulfilment passes through */
  promise_handler_t PROMISE_NULLABLE on_rejected;  /* NULL: a rejection passes through */
  const promise_type_t *PROMISE_NULLABLE type;     /* the reasons for on_rejected, as in promise_rescue() */
  void *PROMISE_NULLABLE ctx;
  promise_free_t PROMISE_NULLABLE free_ctx;
} promise_reaction_t;

/* Attaches handlers for both outcomes, with an executor and a token: promise_then() and promise_rescue() in one. An
 * outcome without a handler passes through at once, on the settling thread. If the executor drops the job, the promise
 * is rejected with an ERROR of domain "promise" and code PROMISE_ECLOSED. `*reaction` is read during the call only.
 * Returns a new reference.
 * NULL: PROMISE_EINVAL if an argument is NULL, if `size` is less than that of version 1 or more than 4096, if
 * `reserved` or a field unknown to this library is not 0, or if there is no handler; PROMISE_ESTALE if a handle is
 * stale; PROMISE_ENOMEM. free_ctx has been called then, unless `reaction` is NULL or `size` too small to hold it.
 * free_ctx is called on the thread of the handler that ran; if none ran, on the thread that settles or releases the
 * source, drops the job, or detaches the handler.
 * [any thread] */
PROMISE_NODISCARD PROMISE_API promise_t *PROMISE_NULLABLE
promise_react(promise_t *PROMISE_NULLABLE promise, const promise_reaction_t *PROMISE_NULLABLE reaction);

/* Calls handler(ctx) once the promise is settled, fulfilled or rejected. The returned promise is settled as this one,
 * after the handler.
 * Returns a new reference.
 * NULL: PROMISE_EINVAL if `promise` or `handler` is NULL, PROMISE_ESTALE, PROMISE_ENOMEM; free_ctx has been called
 * then.
 * [any thread] */
PROMISE_NODISCARD PROMISE_API promise_t *PROMISE_NULLABLE promise_finally(promise_t *PROMISE_NULLABLE promise,
                                                                          promise_callback_t PROMISE_NULLABLE handler,
                                                                          void *PROMISE_NULLABLE ctx,
                                                                          promise_free_t PROMISE_NULLABLE free_ctx);

/* Attaches callbacks as promise_observe() does, but without interest in the promise (cancel.h): they do not keep the
 * promise from being cancelled. For logs and measurements.
 * Returns as promise_observe().
 * [any thread] */
PROMISE_API promise_status_t promise_tap(promise_t *PROMISE_NULLABLE promise,
                                         promise_observer_t PROMISE_NULLABLE on_fulfilled,
                                         promise_observer_t PROMISE_NULLABLE on_rejected, void *PROMISE_NULLABLE ctx,
                                         promise_free_t PROMISE_NULLABLE free_ctx);

/* Makes `promise`, created by promise_new(), promise_new_discardable() or promise_queue_then(), once its CALL is ready,
 * follow `source`: it is settled as `source` is, at once if that is settled (clause 2.2), unless it is settled
 * otherwise before. `promise` counts as interest in `source` until it is asked to cancel.
 * Returns PROMISE_OK; PROMISE_ESETTLED if `promise` is settled already; PROMISE_EINVAL if an argument is NULL, if
 * `promise` is derived from another or follows one already, or if the library is to settle it: the result of a
 * combination, a timer or a stream; PROMISE_EDEADLK if `source` is `promise` or waits for it, so that neither could
 * ever be settled: cycles through a combination (combine.h) or a stream are not found; PROMISE_ESTALE, PROMISE_ENOMEM.
 * Takes constant time, unless a promise derived from `promise` has callbacks itself, `promise` has 16 callbacks or
 * more, or a promise with a discard block follows it. Then the chain of promises that `source` waits for is searched
 * for `promise`.
 * [any thread] */
PROMISE_API promise_status_t promise_follow(promise_t *PROMISE_NULLABLE promise, promise_t *PROMISE_NULLABLE source);

PROMISE_END_DECLS

#endif /* PROMISE_CALLBACK_H */
