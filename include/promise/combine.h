/* promise/combine.h - many promises made into one. Part of promise.h: read that first. */
#ifndef PROMISE_COMBINE_H
#define PROMISE_COMBINE_H

#include <stddef.h>
#include <stdint.h>

#include "core.h"

PROMISE_BEGIN_DECLS

/* Each function here reads an array of `count` promises during the call and returns a promise, a reference of yours,
 * which is settled on return if the outcome is known. A promise may be in the array more than once. `promises` may be
 * NULL if `count` is 0. Time and memory are linear in `count`.
 *
 * Asking the returned promise to cancel (cancel.h) withdraws its interest in every input; it is settled by what becomes
 * of them. `flags` is 0 or PROMISE_COMBINE_CANCEL_OTHERS.
 *
 * When the returned promise is settled, by an input or otherwise, or its last reference is released while nothing waits for
 * it, the inputs that are pending keep nothing of it and lose its interest. So something that lasts as long as the process
 * may be raced against each of many that do not.
 *
 * NULL: PROMISE_EINVAL if an array or one of the promises is missing, or a flag is not known; PROMISE_ESTALE if one of
 * the promises is; PROMISE_ENOMEM. */
enum {
  /* When one input has decided, all others are asked to cancel, whoever else is interested in them. */
  PROMISE_COMBINE_CANCEL_OTHERS = 1 << 9
};

/* Fulfilled with an ARRAY of all values in the order of the inputs, at once if there is none; rejected as the first that
 * is rejected, without waiting for the others.
 * [any thread] */
PROMISE_NODISCARD PROMISE_API promise_t *PROMISE_NULLABLE
promise_all(promise_t *PROMISE_NULLABLE const *PROMISE_NULLABLE promises, size_t count, uint32_t flags);

/* Fulfilled when all are settled, whichever way, with an ARRAY of MAPs in the order of the inputs: each has "state", the
 * number of promise_state(), and "value" or "reason".
 * [any thread] */
PROMISE_NODISCARD PROMISE_API promise_t *PROMISE_NULLABLE
promise_all_settled(promise_t *PROMISE_NULLABLE const *PROMISE_NULLABLE promises, size_t count, uint32_t flags);

/* Fulfilled as the first that is fulfilled; if all are rejected, at once if there is none, rejected with an ARRAY of all
 * reasons in the order of the inputs.
 * [any thread] */
PROMISE_NODISCARD PROMISE_API promise_t *PROMISE_NULLABLE
promise_any(promise_t *PROMISE_NULLABLE const *PROMISE_NULLABLE promises, size_t count, uint32_t flags);

/* Settled as the first that is settled, whichever way; if there is none, cancelled at once.
 * [any thread] */
PROMISE_NODISCARD PROMISE_API promise_t *PROMISE_NULLABLE
promise_race(promise_t *PROMISE_NULLABLE const *PROMISE_NULLABLE promises, size_t count, uint32_t flags);

PROMISE_END_DECLS

#endif /* PROMISE_COMBINE_H */
