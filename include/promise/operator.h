/* promise/operator.h - streams made of streams. Part of promise.h: read that first. */
#ifndef PROMISE_OPERATOR_H
#define PROMISE_OPERATOR_H

#include <stddef.h>
#include <stdint.h>

#include "stream.h"

PROMISE_BEGIN_DECLS

/* Each function here returns a new publisher, a reference of yours, that publishes what becomes of the events of its
 * sources, from this very moment on. It keeps its sources, and a subscriber keeps it: release what you do not need. When
 * nobody has it any more, it leaves its sources; it also does so when it ends. When its source ends, it ends in the same
 * way. It is stateful if its sources are, and then what they replay is its first event.
 *
 * An operator keeps no events: it does its work on the publishing thread, and they wait at the end, by the policy of the
 * subscriber who wants them. While such a one is full, so is the source (promise_publisher_ready()). A chain of operators
 * takes no stack, whatever its length. Only the operator publishes to what it returned: PROMISE_EINVAL for others.
 *
 * NULL: PROMISE_EINVAL if a handle is missing or an argument says nothing that there is, PROMISE_ESTALE, PROMISE_ENOMEM;
 * free_ctx has run then. */

/* Functions for events. Each returns a verdict of callback.h, PROMISE_ADOPT excepted. Zero the struct, set `size` to
 * sizeof(promise_transform_t), and fill what you need. */
typedef struct promise_transform {
  uint32_t size;
  uint32_t reserved;                           /* 0 */
  promise_handler_t PROMISE_NULLABLE on_value; /* NULL: values pass */
  promise_handler_t PROMISE_NULLABLE on_error; /* NULL: errors pass */
  promise_handler_t PROMISE_NULLABLE on_end;   /* gets VOID, the reason, or a DISCARDED; NULL: the end passes */
  void *PROMISE_NULLABLE ctx;
  promise_free_t PROMISE_NULLABLE free_ctx;
} promise_transform_t;

/* What the functions make of each event: map, filter and more. They are called as a promise's handlers are, one event at
 * a time; a value that is not well-formed, and a verdict that there is not, are published as an error, an ERROR of domain
 * "promise" and code PROMISE_EINVAL. free_ctx(ctx) is called when the source has been left.
 * PROMISE_EINVAL also if `size` is less than that of version 1, or `reserved` or a field that this library does not know is
 * not 0.
 * [any thread] */
PROMISE_API promise_publisher_t *PROMISE_NULLABLE promise_publisher_transform(
    promise_publisher_t *PROMISE_NULLABLE source, const promise_transform_t *PROMISE_NULLABLE transform);

enum {
  /* An error that equals the error before it is passed over too. */
  PROMISE_DISTINCT_ERRORS = 1 << 10
};

/* Passes over a value that equals the event before it (promise_value_equal()). It is stateful. `flags` is 0 or
 * PROMISE_DISTINCT_ERRORS.
 * [any thread] */
PROMISE_API promise_publisher_t *PROMISE_NULLABLE
promise_publisher_distinct(promise_publisher_t *PROMISE_NULLABLE source, uint32_t flags);

/* From the `count`th value on, an ARRAY of the last `count` values, for each. Errors pass. `count` is at least 1.
 * [any thread] */
PROMISE_API promise_publisher_t *PROMISE_NULLABLE promise_publisher_window(promise_publisher_t *PROMISE_NULLABLE source,
                                                                           size_t count);

/* Makes the next accumulated value of a running fold. `*accumulated` and `*value` are borrowed until it returns. `*out` is
 * VOID when it is called, and its reference is taken over; to leave one of the borrowed values, copy and retain it.
 * Verdicts: PROMISE_VERDICT_FULFILL accumulates *out and publishes it; _REJECT publishes *out as an error, _SKIP publishes
 * nothing, and both keep the accumulated value; _FINISH, _FAIL (with *out) and _CANCEL end the new stream. */
typedef promise_verdict_t (*promise_fold_t)(void *PROMISE_NULLABLE ctx,
                                            const promise_value_t *PROMISE_NONNULL accumulated,
                                            const promise_value_t *PROMISE_NONNULL value,
                                            promise_value_t *PROMISE_NONNULL out);

/* Publishes the running fold of the values: each value makes a new accumulated value, from `*initial` on, which itself is
 * not published. Errors pass. `fold` is called as the functions of promise_publisher_transform() are: one event at a time;
 * any other verdict, and a value that is not well-formed, are published as an ERROR, and keep the accumulated value.
 * PROMISE_EINVAL also if `initial` is NULL or not well-formed, or `fold` NULL.
 * Takes over the reference of `*initial`, on every path. free_ctx(ctx) is called when the source has been left.
 * [any thread] */
PROMISE_API promise_publisher_t *PROMISE_NULLABLE promise_publisher_scan(
    promise_publisher_t *PROMISE_NULLABLE source, const promise_value_t *PROMISE_NULLABLE initial,
    promise_fold_t PROMISE_NULLABLE fold, void *PROMISE_NULLABLE ctx, promise_free_t PROMISE_NULLABLE free_ctx);

/* The first `count` values, at least 1, and the errors among them; then it finishes.
 * [any thread] */
PROMISE_API promise_publisher_t *PROMISE_NULLABLE promise_publisher_take(promise_publisher_t *PROMISE_NULLABLE source,
                                                                         uint64_t count);

/* The same events, replayed to new subscribers: it is stateful.
 * [any thread] */
PROMISE_API promise_publisher_t *PROMISE_NULLABLE
promise_publisher_stateful(promise_publisher_t *PROMISE_NULLABLE source);

/* The same, with a value that new subscribers get as long as nothing else has come. `*value` is taken over, on every path.
 * PROMISE_EINVAL also if it is missing or not well-formed.
 * [any thread] */
PROMISE_API promise_publisher_t *PROMISE_NULLABLE promise_publisher_start_with(
    promise_publisher_t *PROMISE_NULLABLE source, const promise_value_t *PROMISE_NULLABLE value);

/* The events of `count` streams, as they come. It fails with the first that fails, and ends when all have: it is cancelled
 * if all were, at once if there is none, and has finished otherwise. `sources` may be NULL if `count` is 0.
 * [any thread] */
PROMISE_API promise_publisher_t *PROMISE_NULLABLE
promise_publisher_merge(promise_publisher_t *PROMISE_NULLABLE const *PROMISE_NULLABLE sources, size_t count);

/* Once each of `count` streams has had a value: an ARRAY of the latest values, in the order of the sources, for each value
 * of any. Errors pass. It fails with the first that fails, is cancelled with the first that is, and finishes when all
 * have, or one without a value. Of none it is cancelled at once.
 * [any thread] */
PROMISE_API promise_publisher_t *PROMISE_NULLABLE
promise_publisher_combine_latest(promise_publisher_t *PROMISE_NULLABLE const *PROMISE_NULLABLE sources, size_t count);

/* A stream of one value, that of the promise, after which it finishes; it fails if the promise is rejected. It is
 * stateful.
 * [any thread] */
PROMISE_API promise_publisher_t *PROMISE_NULLABLE promise_publisher_of(promise_t *PROMISE_NULLABLE promise);

enum {
  /* The end of the source ends the target. */
  PROMISE_FORWARD_END = 1 << 11
};

/* Publishes what `source` publishes to `target` too, which may get events from elsewhere and is kept by the subscriber
 * that is returned, a reference of yours: with it the link goes. It counts as full for nobody. `flags` is 0 or
 * PROMISE_FORWARD_END. Streams that are forwarded in a circle go on for ever.
 * NULL: as above, also if `target` is `source` or belongs to an operator.
 * [any thread] */
PROMISE_API promise_subscriber_t *PROMISE_NULLABLE promise_publisher_forward(
    promise_publisher_t *PROMISE_NULLABLE source, promise_publisher_t *PROMISE_NULLABLE target, uint32_t flags);

PROMISE_END_DECLS

#endif /* PROMISE_OPERATOR_H */
