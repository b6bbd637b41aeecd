/* Faults of streams and operators. */
#include "faulty.h"

/* ---- Streams: demand counts as unlimited; a subscriber may be cancelled again ---- */

promise_subscriber_t *promise_publisher_subscribe(promise_publisher_t *publisher,
                                                  const promise_subscription_t *subscription) {
  if (!(is("demand-ignored") || is("subscriber-elsewhere")) || subscription == NULL)
    return REAL(promise_publisher_subscribe)(publisher, subscription);
  promise_subscription_t all = *subscription;
  if (is("demand-ignored"))
    all.demand = PROMISE_DEMAND_UNLIMITED;
  else
    all.executor = NULL;
  return REAL(promise_publisher_subscribe)(publisher, &all);
}

promise_status_t promise_publisher_retain(promise_publisher_t *publisher) {
  return is("publisher-not-retained") ? PROMISE_OK : REAL(promise_publisher_retain)(publisher);
}

promise_status_t promise_subscriber_retain(promise_subscriber_t *subscriber) {
  return is("subscriber-not-retained") ? PROMISE_OK : REAL(promise_subscriber_retain)(subscriber);
}

promise_status_t promise_subscriber_cancel(promise_subscriber_t *subscriber) {
  promise_status_t status = REAL(promise_subscriber_cancel)(subscriber);
  return is("cancelled-twice") && status == PROMISE_ESETTLED ? PROMISE_OK : status;
}

/* ---- Operators: sources of a combination are swapped; groups and memories are too small; times do not count ---- */

promise_publisher_t *promise_publisher_buffer(promise_publisher_t *source, size_t count) {
  return REAL(promise_publisher_buffer)(source, is("groups-too-small") ? 1 : count);
}

promise_publisher_t *promise_publisher_replay(promise_publisher_t *source, size_t count) {
  return REAL(promise_publisher_replay)(source, is("replay-forgets") ? 1 : count);
}

promise_publisher_t *promise_publisher_reduce(promise_publisher_t *source, const promise_value_t *initial,
                                              promise_fold_t fold, void *ctx, promise_free_t free_ctx) {
  return (is("reduce-scans") ? promise_publisher_scan : REAL(promise_publisher_reduce))(source, initial, fold, ctx,
                                                                                        free_ctx);
}

promise_publisher_t *promise_publisher_zip(promise_publisher_t *const *sources, size_t count) {
  return is("zip-combines") ? promise_publisher_combine_latest(sources, count)
                            : REAL(promise_publisher_zip)(sources, count);
}

/* Faults of operators on times: half the interval, and the timer thread in place of the executor. */
static int64_t interval_of(int64_t interval_ns) {
  return interval_ns > 1 && is("intervals-halved") ? interval_ns / 2 : interval_ns;
}

static promise_executor_t *executor_of(promise_executor_t *executor) {
  return is("timers-elsewhere") ? NULL : executor;
}

promise_publisher_t *promise_publisher_every(promise_executor_t *executor, int64_t interval_ns) {
  return REAL(promise_publisher_every)(executor, interval_of(interval_ns));
}

promise_publisher_t *promise_publisher_debounce(promise_executor_t *executor, promise_publisher_t *source,
                                                int64_t interval_ns) {
  return is("debounce-passes")
             ? promise_publisher_stateful(source)
             : REAL(promise_publisher_debounce)(executor_of(executor), source, interval_of(interval_ns));
}

promise_publisher_t *promise_publisher_throttle(promise_executor_t *executor, promise_publisher_t *source,
                                                int64_t interval_ns, uint32_t flags) {
  return REAL(promise_publisher_throttle)(executor_of(executor), source, interval_of(interval_ns),
                                          is("throttle-ignores-flags") ? 0 : flags);
}

promise_publisher_t *promise_publisher_timeout(promise_executor_t *executor, promise_publisher_t *source,
                                               int64_t interval_ns) {
  return is("timeout-drops") ? promise_publisher_throttle(executor, source, interval_ns, PROMISE_THROTTLE_FIRST)
                             : REAL(promise_publisher_timeout)(executor_of(executor), source, interval_of(interval_ns));
}

promise_publisher_t *promise_publisher_flat_map(promise_publisher_t *source, promise_flatten_t strategy,
                                                promise_inner_t inner, void *ctx, promise_free_t free_ctx) {
  if (is("strategy-ignored") && strategy == PROMISE_FLATTEN_LATEST)
    strategy = PROMISE_FLATTEN_MERGE;
  return REAL(promise_publisher_flat_map)(source, strategy, inner, ctx, free_ctx);
}

promise_publisher_t *promise_publisher_retry(uint64_t count, promise_inner_t attempt, void *ctx,
                                             promise_free_t free_ctx) {
  return REAL(promise_publisher_retry)(is("retry-gives-up") ? 0 : count, attempt, ctx, free_ctx);
}

promise_publisher_t *promise_publisher_combine_latest(promise_publisher_t *const *sources, size_t count) {
  promise_publisher_t *reversed[8];
  if (!is("sources-reversed") || count == 0 || count > 8)
    return REAL(promise_publisher_combine_latest)(sources, count);
  for (size_t i = 0; i < count; i++)
    reversed[i] = sources[count - 1 - i];
  return REAL(promise_publisher_combine_latest)(reversed, count);
}

promise_subscriber_t *promise_publisher_forward(promise_publisher_t *source, promise_publisher_t *target,
                                                uint32_t flags) {
  return REAL(promise_publisher_forward)(source, target, flags | (is("link-always-ends") ? PROMISE_FORWARD_END : 0));
}

/* Attaches an observer, whose interest nobody can withdraw. */
promise_publisher_t *promise_publisher_of(promise_t *promise) {
  if (promise != NULL && is("stream-keeps-interest"))
    REAL(promise_observe)(promise, NULL, NULL, NULL, NULL);
  return REAL(promise_publisher_of)(promise);
}

promise_t *promise_publisher_ready(promise_publisher_t *publisher) {
  promise_value_t nothing = {.kind = PROMISE_KIND_VOID};
  promise_t *ready = REAL(promise_publisher_ready)(publisher);
  if (ready == NULL || !is("room-at-once"))
    return ready;
  REAL(promise_release)(ready);
  return REAL(promise_new_resolved)(&nothing);
}
