/* promise/operator.h - operators: publishers derived from publishers. Part of promise.h: read that first. */
#ifndef PROMISE_OPERATOR_H
#define PROMISE_OPERATOR_H

#include <stddef.h>
#include <stdint.h>

#include "stream.h"

PROMISE_BEGIN_DECLS

/* Each function here creates a publisher that publishes the transformed events of its sources, from the time of the
 * call.
 *
 * Lifetime: an operator keeps sources that are operators, ticks or publishers of promises, and a subscriber keeps the
 * operator: release the references that you do not need. A publisher of promise_publisher_new() is cancelled when its
 * producer releases it. An operator unsubscribes from its sources when it has no references, and when it ends. It ends
 * as its source ends. It is stateful if its sources are; the event that a source replays is the first one that it
 * receives.
 *
 * Back-pressure: operators do not buffer. They run on the publishing thread, and events are pending at the final
 * subscriber, by its policy. While that subscriber is full, so is the source (promise_publisher_ready()). A chain of
 * operators takes no recursion. Only the operator publishes to its publisher: other calls get PROMISE_EINVAL. */

/* Functions for events. Each returns a verdict of callback.h, PROMISE_ADOPT excepted. Zero the struct, set `size` to
 * sizeof(promise_transform_t), then set the fields that you need. */
typedef struct promise_transform {
  uint32_t size;
  uint32_t reserved;                           /* 0 */
  promise_handler_t PROMISE_NULLABLE on_value; /* NULL: values pass */
  promise_handler_t PROMISE_NULLABLE on_error; /* NULL: errors pass */
  promise_handler_t PROMISE_NULLABLE on_end;   /* receives VOID, the reason, or a DISCARDED; NULL: the end passes;
                                                * not called when the operator is released before */
  void *PROMISE_NULLABLE ctx;
  promise_free_t PROMISE_NULLABLE free_ctx;
} promise_transform_t;

/* Transforms each event by a function: map, filter and more. The functions are called as a promise's handlers are, one
 * event at a time. A verdict of `on_end` stands for the end: after PROMISE_FULFILL or PROMISE_REJECT, which publish one
 * more event, and after PROMISE_VERDICT_SKIP, the stream stays open until the operator has no references. An unknown
 * verdict, and a value that is not well-formed, are published as an error: an ERROR of domain "promise" and code
 * PROMISE_EINVAL.
 * Returns a new reference.
 * NULL: PROMISE_EINVAL if an argument is NULL, if `size` is less than that of version 1 or more than 4096, or if
 * `reserved` or a field unknown to this library is not 0; PROMISE_ESTALE; PROMISE_ENOMEM.
 * free_ctx(ctx) is called once, after the operator unsubscribed from its source. On failure it has been called, unless
 * `transform` is NULL or `size` too small to hold it.
 * [any thread] */
PROMISE_NODISCARD PROMISE_API promise_publisher_t *PROMISE_NULLABLE promise_publisher_transform(
    promise_publisher_t *PROMISE_NULLABLE source, const promise_transform_t *PROMISE_NULLABLE transform);

enum {
  /* Skip an error that equals the previous error, too. */
  PROMISE_DISTINCT_ERRORS = 1 << 10
};

/* Skips a value that equals the previous event (promise_value_equal()). The publisher is stateful. `flags` is 0 or
 * PROMISE_DISTINCT_ERRORS.
 * Returns a new reference.
 * NULL: PROMISE_EINVAL if `source` is NULL or a flag not known; PROMISE_ESTALE; PROMISE_ENOMEM.
 * [any thread] */
PROMISE_NODISCARD PROMISE_API promise_publisher_t *PROMISE_NULLABLE
promise_publisher_distinct(promise_publisher_t *PROMISE_NULLABLE source, uint32_t flags);

/* Publishes a sliding window: for each value from the `count`th on, an ARRAY of the latest `count` values. Errors pass.
 * Returns a new reference.
 * NULL: PROMISE_EINVAL if `source` is NULL, or if `count` is 0 or larger than any array; PROMISE_ESTALE;
 * PROMISE_ENOMEM.
 * [any thread] */
PROMISE_NODISCARD PROMISE_API promise_publisher_t *PROMISE_NULLABLE
promise_publisher_window(promise_publisher_t *PROMISE_NULLABLE source, size_t count);

/* Publishes groups: an ARRAY for each `count` values, one after the other. The end of the source publishes the values
 * of the last group first, if there are any. Errors pass.
 * Returns a new reference.
 * NULL: as promise_publisher_window().
 * [any thread] */
PROMISE_NODISCARD PROMISE_API promise_publisher_t *PROMISE_NULLABLE
promise_publisher_buffer(promise_publisher_t *PROMISE_NULLABLE source, size_t count);

/* Computes the next accumulated value of a running fold. `*accumulated` and `*value` are borrowed until it returns.
 * `*out` is VOID at the call, and its reference is taken over; to pass on a borrowed value, copy and retain it.
 * Verdicts: PROMISE_VERDICT_FULFILL accumulates *out and publishes it; _REJECT publishes *out as an error, _SKIP
 * publishes nothing, and both keep the accumulated value; _FINISH, _FAIL (with *out) and _CANCEL end the new stream. */
typedef promise_verdict_t (*promise_fold_t)(void *PROMISE_NULLABLE ctx,
                                            const promise_value_t *PROMISE_NONNULL accumulated,
                                            const promise_value_t *PROMISE_NONNULL value,
                                            promise_value_t *PROMISE_NONNULL out);

/* Publishes the running fold of the values: each value produces a new accumulated value, beginning with `*initial`,
 * which itself is not published. Errors pass. `fold` is called as the functions of promise_publisher_transform() are.
 * Verdicts that promise_fold_t does not name, and values that are not well-formed, are published as an ERROR and keep
 * the accumulated value.
 * Returns a new reference.
 * NULL: PROMISE_EINVAL if `source`, `initial` or `fold` is NULL or `*initial` not well-formed; PROMISE_ESTALE;
 * PROMISE_ENOMEM.
 * Takes over the reference of `*initial` on every path. free_ctx(ctx) is called once: after the operator unsubscribed
 * from its source, or before this returns if it fails.
 * [any thread] */
PROMISE_NODISCARD PROMISE_API promise_publisher_t *PROMISE_NULLABLE promise_publisher_scan(
    promise_publisher_t *PROMISE_NULLABLE source, const promise_value_t *PROMISE_NULLABLE initial,
    promise_fold_t PROMISE_NULLABLE fold, void *PROMISE_NULLABLE ctx, promise_free_t PROMISE_NULLABLE free_ctx);

/* Publishes the fold of all values when `source` finishes, then finishes: `*initial` if there was no value. Errors pass
 * at once. If `source` fails or is cancelled, so does the publisher, without a value. `fold` is called, and `*initial`,
 * ctx and free_ctx are taken over, as by promise_publisher_scan(), with two differences: PROMISE_VERDICT_FULFILL
 * publishes nothing yet, and _FINISH publishes the accumulated value, without *out, before it finishes.
 * Returns a new reference.
 * NULL: as promise_publisher_scan().
 * [any thread] */
PROMISE_NODISCARD PROMISE_API promise_publisher_t *PROMISE_NULLABLE promise_publisher_reduce(
    promise_publisher_t *PROMISE_NULLABLE source, const promise_value_t *PROMISE_NULLABLE initial,
    promise_fold_t PROMISE_NULLABLE fold, void *PROMISE_NULLABLE ctx, promise_free_t PROMISE_NULLABLE free_ctx);

/* Publishes the first `count` values, and the errors published before the last of them, then finishes.
 * Returns a new reference.
 * NULL: PROMISE_EINVAL if `source` is NULL or `count` is 0; PROMISE_ESTALE; PROMISE_ENOMEM.
 * [any thread] */
PROMISE_NODISCARD PROMISE_API promise_publisher_t *PROMISE_NULLABLE
promise_publisher_take(promise_publisher_t *PROMISE_NULLABLE source, uint64_t count);

/* Publishes the same events as a stateful publisher: new subscribers receive the latest one first.
 * Returns a new reference.
 * NULL: PROMISE_EINVAL if `source` is NULL; PROMISE_ESTALE; PROMISE_ENOMEM.
 * [any thread] */
PROMISE_NODISCARD PROMISE_API promise_publisher_t *PROMISE_NULLABLE
promise_publisher_stateful(promise_publisher_t *PROMISE_NULLABLE source);

/* Publishes the same events as a stateful publisher that remembers the latest `count` of them: new subscribers receive
 * these first, the oldest of them first. An event for which there is no memory is not remembered.
 * promise_publisher_latest() has the latest one. Operators on the publisher remember one event.
 * Returns a new reference.
 * NULL: PROMISE_EINVAL if `source` is NULL, or if `count` is 0 or larger than any array; PROMISE_ESTALE;
 * PROMISE_ENOMEM.
 * [any thread] */
PROMISE_NODISCARD PROMISE_API promise_publisher_t *PROMISE_NULLABLE
promise_publisher_replay(promise_publisher_t *PROMISE_NULLABLE source, size_t count);

/* Publishes the same events as a stateful publisher that begins with `*value`: new subscribers receive it first until
 * another event is published.
 * Returns a new reference.
 * NULL: PROMISE_EINVAL if `source` or `value` is NULL or `*value` not well-formed; PROMISE_ESTALE; PROMISE_ENOMEM.
 * Takes over the value's reference on every path.
 * [any thread] */
PROMISE_NODISCARD PROMISE_API promise_publisher_t *PROMISE_NULLABLE promise_publisher_start_with(
    promise_publisher_t *PROMISE_NULLABLE source, const promise_value_t *PROMISE_NULLABLE value);

/* Merges the events of `count` streams, in the order of their publication. The publisher fails with the first source
 * that fails, and ends when all sources have ended: it is cancelled if all were, at once without sources, and finishes
 * otherwise. `sources` may be NULL if `count` is 0, and must stay unchanged until this returns.
 * Returns a new reference.
 * NULL: PROMISE_EINVAL if `sources` or one of the sources is NULL, or if `count` is larger than any array;
 * PROMISE_ESTALE; PROMISE_ENOMEM.
 * [any thread] */
PROMISE_NODISCARD PROMISE_API promise_publisher_t *PROMISE_NULLABLE
promise_publisher_merge(promise_publisher_t *PROMISE_NULLABLE const *PROMISE_NULLABLE sources, size_t count);

/* Combines the latest values of `count` streams. Once each source has published a value, each further value of any
 * source publishes an ARRAY of the latest values, in the order of the sources. Errors pass. The publisher fails with
 * the first source that fails, is cancelled with the first that is cancelled, and finishes when all have finished, or
 * one has finished without a value. Without sources it is cancelled at once.
 * Returns a new reference.
 * NULL: as promise_publisher_merge().
 * [any thread] */
PROMISE_NODISCARD PROMISE_API promise_publisher_t *PROMISE_NULLABLE
promise_publisher_combine_latest(promise_publisher_t *PROMISE_NULLABLE const *PROMISE_NULLABLE sources, size_t count);

/* Zips the values of `count` streams: publishes an ARRAY of the first value of each, in the order of the sources, then
 * of the second ones, and so on. Errors pass at once. Once a source has ended and its values are used, the publisher
 * ends in the same way. Without sources it is cancelled at once. The values of a source that is ahead are pending here,
 * without back-pressure.
 * Returns a new reference.
 * NULL: as promise_publisher_merge().
 * [any thread] */
PROMISE_NODISCARD PROMISE_API promise_publisher_t *PROMISE_NULLABLE
promise_publisher_zip(promise_publisher_t *PROMISE_NULLABLE const *PROMISE_NULLABLE sources, size_t count);

/* Publishes the value of the promise, then finishes; fails if the promise is rejected. If the promise is destroyed
 * while pending, the stream stays open, as a derived promise stays pending. The publisher is stateful.
 * The publisher counts as interest in the promise, like a derived promise, while it has a reference or a subscriber.
 * After that it is detached: it uses no memory, and does not block requests to cancel the promise (cancel.h). It makes
 * no request itself.
 * Returns a new reference.
 * NULL: PROMISE_EINVAL if `promise` is NULL; PROMISE_ESTALE; PROMISE_ENOMEM.
 * [any thread] */
PROMISE_NODISCARD PROMISE_API promise_publisher_t *PROMISE_NULLABLE
promise_publisher_of(promise_t *PROMISE_NULLABLE promise);

enum {
  /* The end of the source ends the target, too. */
  PROMISE_FORWARD_END = 1 << 11
};

/* Forwards the events of `source` to `target`, which may receive events from elsewhere too. `flags` is 0 or
 * PROMISE_FORWARD_END. The link exerts no back-pressure: it never counts as full. An event of streams that are
 * forwarded in a circle is published again without end.
 * Returns a subscriber, a new reference that keeps `target`: releasing it ends the link.
 * NULL: PROMISE_EINVAL if `source` or `target` is NULL, if `target` is `source` or belongs to an operator, or if a flag
 * is not known; PROMISE_ESTALE; PROMISE_ENOMEM.
 * [any thread] */
PROMISE_NODISCARD PROMISE_API promise_subscriber_t *PROMISE_NULLABLE promise_publisher_forward(
    promise_publisher_t *PROMISE_NULLABLE source, promise_publisher_t *PROMISE_NULLABLE target, uint32_t flags);

PROMISE_END_DECLS

#endif /* PROMISE_OPERATOR_H */
