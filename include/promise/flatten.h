/* promise/flatten.h - streams of streams: operators whose function makes a publisher. Part of promise.h: read that
 * first. */
#ifndef PROMISE_FLATTEN_H
#define PROMISE_FLATTEN_H

#include <stdint.h>

#include "operator.h"

PROMISE_BEGIN_DECLS

/* Makes an inner stream. `*value` is borrowed until the function returns.
 * Returns a new reference to a publisher, or NULL for no inner stream. A stale handle is published as an ERROR of
 * domain "promise" and code PROMISE_EINVAL.
 * The reference is taken over, and released after the subscription. The subscription keeps an operator; a publisher of
 * another kind is cancelled, unless its producer keeps a reference.
 * The operator's own publisher, or one made from it, would be a circle: such a stream waits for itself, never ends, and
 * is never destroyed. Circles are not found.
 * Called with no lock held, one call at a time, never recursively. */
typedef promise_publisher_t *PROMISE_NULLABLE (*promise_inner_t)(void *PROMISE_NULLABLE ctx,
                                                                 const promise_value_t *PROMISE_NONNULL value);

/* The inner streams that promise_publisher_flat_map() publishes. 0 is not a strategy. */
typedef uint32_t promise_flatten_t;

enum {
  PROMISE_FLATTEN_MERGE = 1,  /* all at once */
  PROMISE_FLATTEN_CONCAT = 2, /* one after the other: a value is pending until the inner stream before has ended */
  PROMISE_FLATTEN_LATEST = 3  /* the latest one: a new value unsubscribes from the inner stream before */
};

/* Makes an inner stream of each value, and publishes the events of the inner streams. Errors of `source` pass at once.
 * The publisher fails with the first stream that fails. Otherwise it ends as `source` does, once the inner streams have
 * ended, too. A full subscriber makes `source` and the inner streams full; values that are pending for
 * PROMISE_FLATTEN_CONCAT exert no back-pressure.
 * Returns a new reference.
 * NULL: PROMISE_EINVAL if `source` or `inner` is NULL, or if `strategy` does not exist; PROMISE_ESTALE;
 * PROMISE_ENOMEM.
 * free_ctx(ctx) is called once: when the publisher is destroyed, or before this returns if it fails.
 * [any thread] */
PROMISE_NODISCARD PROMISE_API promise_publisher_t *PROMISE_NULLABLE promise_publisher_flat_map(
    promise_publisher_t *PROMISE_NULLABLE source, promise_flatten_t strategy, promise_inner_t PROMISE_NULLABLE inner,
    void *PROMISE_NULLABLE ctx, promise_free_t PROMISE_NULLABLE free_ctx);

/* Publishes the events of the stream that `attempt` makes of VOID, before this returns. After an error, or when that
 * stream fails, it unsubscribes from that stream, and publishes the events of the stream that `attempt` makes of the
 * reason, at most `count` times; UINT64_MAX: any number of times. An error that causes another attempt is not
 * published; the errors of the last attempt are. The publisher fails as the last attempt does, and finishes when an
 * attempt finishes, is cancelled, or is NULL. It is stateful.
 * Returns a new reference.
 * NULL: PROMISE_EINVAL if `attempt` is NULL; PROMISE_ENOMEM.
 * free_ctx(ctx) is called once: when the publisher is destroyed, or before this returns if it fails.
 * [any thread] */
PROMISE_NODISCARD PROMISE_API promise_publisher_t *PROMISE_NULLABLE
promise_publisher_retry(uint64_t count, promise_inner_t PROMISE_NULLABLE attempt, void *PROMISE_NULLABLE ctx,
                        promise_free_t PROMISE_NULLABLE free_ctx);

PROMISE_END_DECLS

#endif /* PROMISE_FLATTEN_H */
