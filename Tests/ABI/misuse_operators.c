/* Misuse of operators. */
#include "misuse.h"

/* ---- Operators over one source ---- */

static void misuse(promise_publisher_t *(*function)(promise_publisher_t *)) {
  refused(function(NULL), PROMISE_EINVAL, NULL);
  EACH_BAD_HANDLE(PUBLISHERS, handle)
    refused(function(handle), PROMISE_ESTALE, NULL);
}

MISUSE_BY(misuse, promise_publisher_stateful)

DERIVES(promise_publisher_t, distinct_of, promise_publisher_distinct(source, 0))
MISUSE(promise_publisher_distinct) {
  misuse(distinct_of);
  promise_publisher_t *source = promise_publisher_new(0);
  refused(promise_publisher_distinct(source, PROMISE_FORWARD_END), PROMISE_EINVAL, NULL);
  refused(promise_publisher_distinct(source, UINT32_MAX), PROMISE_EINVAL, NULL);
  CHECK_INT(promise_publisher_count(source), 0);
  promise_publisher_release(source);
}

static promise_verdict_t never_folds(void *ctx, const promise_value_t *accumulated, const promise_value_t *value,
                                     promise_value_t *out) {
  (void)accumulated, (void)value, (void)out;
  spy_discard(ctx);
  return PROMISE_FULFILL;
}
static __typeof__(&promise_publisher_scan) fold_of;
static promise_publisher_t *folded(promise_publisher_t *source) {
  promise_value_t initial = object(&payload);
  promise_publisher_t *derived = fold_of(source, &initial, never_folds, &spy, spy_free);
  destroyed();
  freed_uncalled();
  return derived;
}
static void misuse_fold(__typeof__(&promise_publisher_scan) function) {
  fold_of = function;
  misuse(folded);
  EACH_BAD_VALUE(initial) {
    promise_publisher_t *source = promise_publisher_new(0);
    refused(fold_of(source, &initial, never_folds, &spy, spy_free), PROMISE_EINVAL, &spy);
    promise_publisher_release(source);
  }
  promise_publisher_t *source = promise_publisher_new(0);
  refused(fold_of(source, NULL, never_folds, &spy, spy_free), PROMISE_EINVAL, &spy);
  promise_value_t initial = object(&payload);
  refused(fold_of(source, &initial, NULL, &spy, spy_free), PROMISE_EINVAL, &spy);
  destroyed();
  promise_publisher_release(source);
}
MISUSE_BY(misuse_fold, promise_publisher_scan)
MISUSE_BY(misuse_fold, promise_publisher_reduce)

DERIVES(promise_publisher_t, window_of, promise_publisher_window(source, 1))
MISUSE(promise_publisher_window) {
  misuse(window_of);
  promise_publisher_t *source = promise_publisher_new(0);
  refused(promise_publisher_window(source, 0), PROMISE_EINVAL, NULL);
  refused(promise_publisher_window(source, SIZE_MAX), PROMISE_EINVAL, NULL);
  refused(promise_publisher_window(source, TOO_MANY(promise_value_t)), PROMISE_EINVAL, NULL);
  refused(promise_publisher_window(source, TOO_MANY(promise_value_t) - 1), PROMISE_ENOMEM, NULL);
  promise_publisher_release(source);
}

DERIVES(promise_publisher_t, buffer_of, promise_publisher_buffer(source, 1))
DERIVES(promise_publisher_t, replay_of, promise_publisher_replay(source, 1))
static void sized(promise_publisher_t *(*function)(promise_publisher_t *, size_t)) {
  promise_publisher_t *source = promise_publisher_new(0);
  refused(function(source, 0), PROMISE_EINVAL, NULL);
  refused(function(source, SIZE_MAX), PROMISE_EINVAL, NULL);
  refused(function(source, TOO_MANY(promise_value_t)), PROMISE_EINVAL, NULL);
  CHECK_INT(promise_publisher_count(source), 0);
  promise_publisher_release(source);
}
MISUSE(promise_publisher_buffer) {
  misuse(buffer_of);
  sized(promise_publisher_buffer);
}
MISUSE(promise_publisher_replay) {
  misuse(replay_of);
  sized(promise_publisher_replay);
}

DERIVES(promise_publisher_t, take_of, promise_publisher_take(source, 1))
MISUSE(promise_publisher_take) {
  misuse(take_of);
  promise_publisher_t *source = promise_publisher_new(0);
  refused(promise_publisher_take(source, 0), PROMISE_EINVAL, NULL);
  promise_publisher_release(source);
}

MISUSE(promise_publisher_start_with) {
  promise_value_t value;
  REQUIRE(promise_value_object(&value, payload_type(), &payload) == PROMISE_OK);
  refused(promise_publisher_start_with(NULL, &value), PROMISE_EINVAL, NULL);
  destroyed();
  promise_publisher_t *starting = promise_publisher_new(0);
  refused(promise_publisher_start_with(starting, NULL), PROMISE_EINVAL, NULL);
  EACH_BAD_VALUE(value)
    refused(promise_publisher_start_with(starting, &value), PROMISE_EINVAL, NULL);
  promise_publisher_release(starting);
  EACH_BAD_HANDLE(PUBLISHERS, handle) {
    promise_value_t value;
    REQUIRE(promise_value_object(&value, payload_type(), &payload) == PROMISE_OK);
    refused(promise_publisher_start_with(handle, &value), PROMISE_ESTALE, NULL);
    destroyed();
    refused(promise_publisher_start_with(handle, NULL), PROMISE_ESTALE, NULL);
  }
}

MISUSE_OF_HANDLE_GIVING_NULL(promise_publisher_of, PROMISES)

static promise_transform_t functions(void) {
  return (promise_transform_t){.size = sizeof(promise_transform_t), .ctx = &spy, .free_ctx = spy_free};
}
MISUSE(promise_publisher_transform) {
  promise_transform_t transform = functions();
  refused(promise_publisher_transform(NULL, &transform), PROMISE_EINVAL, &spy);
  promise_publisher_t *source = promise_publisher_new(0);
  refused(promise_publisher_transform(source, NULL), PROMISE_EINVAL, NULL);
  for (uint32_t size = 0; size < sizeof transform; size++) {
    transform.size = size;
    refused(promise_publisher_transform(source, &transform), PROMISE_EINVAL, NULL);
    CHECK_SPY(&spy, 0, 0);
  }
  transform.size = UINT32_MAX;
  refused(promise_publisher_transform(source, &transform), PROMISE_EINVAL, &spy);
  transform = functions();
  transform.reserved = 1;
  refused(promise_publisher_transform(source, &transform), PROMISE_EINVAL, &spy);
  struct {
    promise_transform_t known;
    uint64_t unknown;
  } newer = {.known = functions(), .unknown = 1};
  newer.known.size = sizeof newer;
  refused(promise_publisher_transform(source, &newer.known), PROMISE_EINVAL, &spy);
  CHECK_INT(promise_publisher_count(source), 0);
  promise_publisher_release(source);
  EACH_BAD_HANDLE(PUBLISHERS, handle) {
    promise_transform_t transform = functions();
    refused(promise_publisher_transform(handle, &transform), PROMISE_ESTALE, &spy);
  }
}

/* ---- Streams of streams ---- */

static promise_publisher_t *never_made(void *ctx, const promise_value_t *value) {
  (void)value;
  spy_discard(ctx);
  return NULL;
}
MISUSE(promise_publisher_flat_map) {
  promise_publisher_t *source = promise_publisher_new(0);
  refused(promise_publisher_flat_map(NULL, PROMISE_FLATTEN_MERGE, never_made, &spy, spy_free), PROMISE_EINVAL, &spy);
  refused(promise_publisher_flat_map(source, 0, never_made, &spy, spy_free), PROMISE_EINVAL, &spy);
  refused(promise_publisher_flat_map(source, 4, never_made, &spy, spy_free), PROMISE_EINVAL, &spy);
  refused(promise_publisher_flat_map(source, UINT32_MAX, never_made, &spy, spy_free), PROMISE_EINVAL, &spy);
  refused(promise_publisher_flat_map(source, PROMISE_FLATTEN_MERGE, NULL, &spy, spy_free), PROMISE_EINVAL, &spy);
  CHECK_INT(promise_publisher_count(source), 0);
  promise_publisher_release(source);
  EACH_BAD_HANDLE(PUBLISHERS, handle)
    refused(promise_publisher_flat_map(handle, PROMISE_FLATTEN_MERGE, never_made, &spy, spy_free), PROMISE_ESTALE,
            &spy);
}
MISUSE(promise_publisher_retry) {
  refused(promise_publisher_retry(1, NULL, &spy, spy_free), PROMISE_EINVAL, &spy);
}

/* ---- Operators on times ---- */

typedef promise_publisher_t *timed_t(promise_executor_t *, promise_publisher_t *, int64_t);

static void misuse_timed(timed_t *function) {
  promise_publisher_t *source = promise_publisher_new(0);
  refused(function(NULL, NULL, 1), PROMISE_EINVAL, NULL);
  refused(function(NULL, source, 0), PROMISE_EINVAL, NULL);
  refused(function(NULL, source, -1), PROMISE_EINVAL, NULL);
  refused(function(NULL, source, INT64_MIN), PROMISE_EINVAL, NULL);
  CHECK_INT(promise_publisher_count(source), 0);
  promise_publisher_release(source);
  EACH_BAD_HANDLE(PUBLISHERS, handle)
    refused(function(NULL, handle, 1), PROMISE_ESTALE, NULL);
  EACH_BAD_HANDLE(EXECUTORS, handle)
    refused(function(handle, live_publisher, 1), PROMISE_ESTALE, NULL);
}

MISUSE_BY(misuse_timed, promise_publisher_debounce)
static promise_publisher_t *throttled(promise_executor_t *executor, promise_publisher_t *source, int64_t interval) {
  return promise_publisher_throttle(executor, source, interval, 0);
}
MISUSE(promise_publisher_throttle) {
  misuse_timed(throttled);
  promise_publisher_t *source = promise_publisher_new(0);
  refused(promise_publisher_throttle(NULL, source, 1, PROMISE_FORWARD_END), PROMISE_EINVAL, NULL);
  refused(promise_publisher_throttle(NULL, source, 1, PROMISE_TOKEN_INVALIDATE_ON_RELEASE), PROMISE_EINVAL, NULL);
  refused(promise_publisher_throttle(NULL, source, 1, UINT32_MAX), PROMISE_EINVAL, NULL);
  promise_publisher_release(source);
}
MISUSE_BY(misuse_timed, promise_publisher_timeout)

/* ---- Operators over many sources ---- */

typedef promise_publisher_t *join_t(promise_publisher_t *const *, size_t);

static void misuse_join(join_t *function) {
  promise_publisher_t *source = promise_publisher_new(0), *sources[] = {source, NULL};
  refused(function(NULL, 1), PROMISE_EINVAL, NULL);
  refused(function(sources, 2), PROMISE_EINVAL, NULL);
  refused(function(sources, SIZE_MAX), PROMISE_EINVAL, NULL);
  /* The count is checked before the sources, of which the second is stale. */
  sources[1] = promise_publisher_new(0);
  promise_publisher_release(sources[1]);
  refused(function(sources, TOO_MANY(promise_publisher_t *)), PROMISE_EINVAL, NULL);
  CHECK_INT(promise_publisher_count(source), 0);
  promise_publisher_release(source);
  EACH_BAD_HANDLE(PUBLISHERS, handle) {
    promise_publisher_t *sources[] = {live_publisher, handle, live_publisher};
    refused(function(sources, 3), PROMISE_ESTALE, NULL);
  }
}

MISUSE_BY(misuse_join, promise_publisher_merge)
MISUSE_BY(misuse_join, promise_publisher_combine_latest)
MISUSE_BY(misuse_join, promise_publisher_zip)

MISUSE(promise_publisher_forward) {
  promise_publisher_t *source = promise_publisher_new(0), *target = promise_publisher_new(0);
  promise_publisher_t *derived = promise_publisher_stateful(source);
  refused(promise_publisher_forward(NULL, target, 0), PROMISE_EINVAL, NULL);
  refused(promise_publisher_forward(source, NULL, 0), PROMISE_EINVAL, NULL);
  refused(promise_publisher_forward(source, source, 0), PROMISE_EINVAL, NULL);
  refused(promise_publisher_forward(target, derived, 0), PROMISE_EINVAL, NULL);
  refused(promise_publisher_forward(source, target, PROMISE_DISTINCT_ERRORS), PROMISE_EINVAL, NULL);
  CHECK_INT(promise_publisher_count(source), 1);
  promise_publisher_release(derived), promise_publisher_release(source), promise_publisher_release(target);
  EACH_BAD_HANDLE(PUBLISHERS, handle)
    refused(promise_publisher_forward(handle, live_publisher, 0), PROMISE_ESTALE, NULL);
  EACH_BAD_HANDLE(PUBLISHERS, handle)
    refused(promise_publisher_forward(live_publisher, handle, 0), PROMISE_ESTALE, NULL);
}
