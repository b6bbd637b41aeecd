/* promise/combine.h - combinators: one promise for many. Part of promise.h: read that first. */
#ifndef PROMISE_COMBINE_H
#define PROMISE_COMBINE_H

#include <stddef.h>
#include <stdint.h>

#include "core.h"

PROMISE_BEGIN_DECLS

/* Each function here combines an array of promises. Time and memory are linear in its length.
 *   promises   read before any callback runs; a promise may be in the array more than once; may be NULL if `count` is 0
 *   count      the number of promises, less than 2^26: more are refused with PROMISE_ENOMEM
 *   flags      0 or PROMISE_COMBINE_CANCEL_OTHERS
 *
 * Cancelling: a request to cancel the returned promise (cancel.h) withdraws its interest in every input; the inputs'
 * outcomes still settle it.
 *
 * Detaching: when the returned promise is settled, or its last reference is released while it has no callbacks, it
 * detaches from its pending inputs and withdraws its interest in them. So a promise that lasts as long as the process
 * may be raced against many short ones.
 *
 * Cycles: the outcome of the returned promise may not depend on each input, so an input that waits for it is not
 * refused. If nothing else settles the input or the returned promise, both stay pending, with their contexts. For the
 * same reason promise_wait() does not return PROMISE_EDEADLK because the calling thread would have to settle an
 * input. */
enum {
  /* After one input decides the outcome, request cancellation of all others, also if they have other interest. */
  PROMISE_COMBINE_CANCEL_OTHERS = 1 << 9
};

/* Creates a promise of the values of all inputs: fulfilled with an ARRAY in the order of the inputs, at once without
 * inputs. Rejected as the first input that is rejected, without waiting for the others.
 * Returns a new reference, to a settled promise if the outcome is known.
 * NULL: PROMISE_EINVAL if the array or one of the promises is NULL, if `count` is larger than any array, or for an
 * unknown flag; PROMISE_ESTALE if one of the promises is stale; PROMISE_ENOMEM.
 * [any thread] */
PROMISE_NODISCARD PROMISE_API promise_t *PROMISE_NULLABLE
promise_all(promise_t *PROMISE_NULLABLE const *PROMISE_NULLABLE promises, size_t count, uint32_t flags);

/* Creates a promise of the outcomes of all inputs: fulfilled, once all inputs are settled, with an ARRAY of MAPs in the
 * order of the inputs. Each MAP has "state", the number of promise_state(), and "value" or "reason".
 * Returns a new reference, to a settled promise if the outcome is known.
 * NULL: as promise_all().
 * [any thread] */
PROMISE_NODISCARD PROMISE_API promise_t *PROMISE_NULLABLE
promise_all_settled(promise_t *PROMISE_NULLABLE const *PROMISE_NULLABLE promises, size_t count, uint32_t flags);

/* Creates a promise of the first value: fulfilled as the first input that is fulfilled. If all inputs are rejected, at
 * once without inputs, it is rejected with an ARRAY of all reasons in the order of the inputs.
 * Returns a new reference, to a settled promise if the outcome is known.
 * NULL: as promise_all().
 * [any thread] */
PROMISE_NODISCARD PROMISE_API promise_t *PROMISE_NULLABLE
promise_any(promise_t *PROMISE_NULLABLE const *PROMISE_NULLABLE promises, size_t count, uint32_t flags);

/* Creates a promise that is settled as the first input that is settled, fulfilled or rejected; without inputs,
 * cancelled at once.
 * Returns a new reference, to a settled promise if the outcome is known.
 * NULL: as promise_all().
 * [any thread] */
PROMISE_NODISCARD PROMISE_API promise_t *PROMISE_NULLABLE
promise_race(promise_t *PROMISE_NULLABLE const *PROMISE_NULLABLE promises, size_t count, uint32_t flags);

PROMISE_END_DECLS

#endif /* PROMISE_COMBINE_H */
