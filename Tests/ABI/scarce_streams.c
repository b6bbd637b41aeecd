/* Publishers, subscribers and operators when memory runs out: at each allocation in turn. */
#include "scarce.h"

static void takes(void *ctx, const promise_value_t *value) {
  (void)value;
  atomic_fetch_add(&((spy_t *)ctx)->calls, 1);
}

static promise_subscription_t subscription(spy_t *spy) {
  promise_subscription_t wish = {
      .size = sizeof wish, .overflow = PROMISE_OVERFLOW_BUFFER, .demand = PROMISE_DEMAND_UNLIMITED};
  wish.on_value = takes, wish.ctx = spy, wish.free_ctx = spy_free;
  return wish;
}

OUT_OF_MEMORY(publisher_new) {
  scarce();
  promise_publisher_t *publisher = promise_publisher_new(0);
  promise_status_t status = plenty(of(publisher));
  promise_publisher_release(publisher);
  return status;
}

static promise_executor_t *executor;
OUT_OF_MEMORY(publisher_every) {
  promise_loop_t *loop = promise_loop_new();
  promise_executor_t *on_loop = promise_loop_executor(loop);
  scarce();
  promise_publisher_t *publisher = promise_publisher_every(on_loop, 3600 * 1000 * MILLISECONDS);
  promise_status_t status = plenty(of(publisher));
  promise_publisher_release(publisher);
  promise_executor_release(on_loop);
  promise_loop_release(loop);
  return status;
}

static promise_token_t *token;
static promise_status_t subscribed(void) {
  promise_publisher_t *publisher = promise_publisher_new(0);
  spy_t spy = {0};
  promise_subscription_t wish = subscription(&spy);
  wish.executor = executor, wish.token = token;
  scarce();
  promise_subscriber_t *subscriber = promise_publisher_subscribe(publisher, &wish);
  promise_status_t status = plenty(of(subscriber));
  CHECK_SPY(&spy, 0, subscriber == NULL);
  CHECK_INT(promise_publisher_count(publisher), subscriber != NULL);
  promise_subscriber_release(subscriber);
  promise_publisher_release(publisher);
  return status;
}
OUT_OF_MEMORY_BY(subscribe, subscribed())
OUT_OF_MEMORY(subscribe_with_a_token) {
  token = promise_token_new(0);
  promise_status_t status = subscribed();
  promise_token_release(token);
  token = NULL;
  return status;
}
OUT_OF_MEMORY(subscribe_on_a_loop) {
  promise_loop_t *loop = promise_loop_new();
  executor = promise_loop_executor(loop);
  promise_status_t status = subscribed();
  promise_loop_run_once(loop);
  promise_executor_release(executor);
  executor = NULL;
  promise_loop_release(loop);
  return status;
}

/* Makes a publisher with a subscriber that takes all events, or only those that are requested. */
static promise_publisher_t *publisher;
static promise_subscriber_t *subscriber;
static spy_t spy;
static void make_stream(bool is_asked, uint64_t demand) {
  memset(&spy, 0, sizeof spy);
  publisher = promise_publisher_new(0);
  promise_subscription_t wish = subscription(&spy);
  wish.demand = demand;
  if (is_asked)
    wish.on_value = NULL, wish.demand = 0;
  subscriber = promise_publisher_subscribe(publisher, &wish);
}
static void free_stream(void) {
  promise_subscriber_release(subscriber);
  promise_publisher_release(publisher);
  CHECK_INT(atomic_load(&spy.frees), 1);
}

OUT_OF_MEMORY(next) {
  make_stream(true, 0);
  scarce();
  promise_t *event = promise_subscriber_next(subscriber);
  promise_status_t status = plenty(of(event));
  CHECK_STATUS(promise_publisher_publish(publisher, I64(7)), PROMISE_OK);
  if (event != NULL)
    CHECK(ended(event, PROMISE_FULFILLED, 7));
  promise_release(event);
  free_stream();
  return status;
}

OUT_OF_MEMORY(ready) {
  make_stream(false, 0);
  scarce();
  promise_t *promise = promise_publisher_ready(publisher);
  promise_status_t status = plenty(of(promise));
  promise_release(promise);
  free_stream();
  return status;
}

/* A subscriber ends with PROMISE_ENOMEM if there is no memory for an event; it does not skip the event. */
TEST(publish) {
  scarce_attempt.cells = scarce_attempt.blocks = 0;
  make_stream(false, PROMISE_DEMAND_UNLIMITED);
  promise_t *ending = promise_subscriber_end(subscriber);
  scarce();
  CHECK_STATUS(plenty(promise_publisher_publish(publisher, I64(1))), PROMISE_OK);
  CHECK_SPY(&spy, 0, 1);
  CHECK_INT(promise_state(ending), PROMISE_REJECTED); /* with a VOID, because there was no memory for an ERROR either */
  CHECK_INT(promise_publisher_count(publisher), 0);
  promise_release(ending);
  free_stream();
  scarce_end();
}

/* ---- Operators ---- */

static spy_t transform_spy;
static promise_publisher_t *derive_transform(promise_publisher_t *source) {
  promise_transform_t transform = {.size = sizeof transform, .on_value = spy_handler, .free_ctx = spy_free};
  transform.ctx = &transform_spy;
  return promise_publisher_transform(source, &transform);
}
static promise_verdict_t counts(void *ctx, const promise_value_t *accumulated, const promise_value_t *value,
                                promise_value_t *out) {
  (void)value;
  spy_see(ctx, accumulated);
  *out = *I64(1);
  return PROMISE_FULFILL;
}
static payload_t scan_payload;
static promise_value_t scan_initial;
static promise_publisher_t *derive_scan(promise_publisher_t *source) {
  return promise_publisher_scan(source, &scan_initial, counts, &transform_spy, spy_free);
}
static promise_publisher_t *derive_reduce(promise_publisher_t *source) {
  return promise_publisher_reduce(source, &scan_initial, counts, &transform_spy, spy_free);
}

static promise_status_t operated(promise_publisher_t *(*derive)(promise_publisher_t *source)) {
  memset(&transform_spy, 0, sizeof transform_spy);
  atomic_store(&scan_payload.destroyed, 0);
  if (derive == derive_scan || derive == derive_reduce)
    scan_initial = object(&scan_payload);
  promise_publisher_t *source = promise_publisher_new(0);
  scarce();
  promise_publisher_t *derived = derive(source);
  promise_status_t status = plenty(of(derived));
  if (derive == derive_transform || derive == derive_scan || derive == derive_reduce)
    CHECK_INT(atomic_load(&transform_spy.frees), derived == NULL);
  CHECK_STATUS(promise_publisher_publish(source, I64(1)), PROMISE_OK);
  promise_publisher_release(derived);
  CHECK_INT(promise_publisher_count(source), 0);
  CHECK_INT(atomic_load(&scan_payload.destroyed), derive == derive_scan || derive == derive_reduce);
  promise_publisher_release(source);
  return status;
}

#define OPERATED(name) OUT_OF_MEMORY_BY(name, operated(derive_##name))
#define OPERATOR(name, ...)                                                                                            \
  DERIVES(promise_publisher_t, derive_##name, __VA_ARGS__)                                                             \
  OPERATED(name)

OPERATED(transform)
OPERATOR(distinct, promise_publisher_distinct(source, 0))
OPERATOR(window, promise_publisher_window(source, 3))
OPERATED(scan)
OPERATED(reduce)
OPERATOR(take, promise_publisher_take(source, 3))
OPERATOR(start_with, promise_publisher_start_with(source, I64(1)))
OPERATOR(merge, promise_publisher_merge((promise_publisher_t *[]){source, source, source}, 3))
OPERATOR(combine, promise_publisher_combine_latest((promise_publisher_t *[]){source, source, source}, 3))
OPERATOR(buffer, promise_publisher_buffer(source, 3))
OPERATOR(replay, promise_publisher_replay(source, 3))
OPERATOR(zip, promise_publisher_zip((promise_publisher_t *[]){source, source, source}, 3))
OPERATOR(debounce, promise_publisher_debounce(NULL, source, HOUR))
OPERATOR(throttle, promise_publisher_throttle(NULL, source, HOUR, 0))
OPERATOR(stateful, promise_publisher_stateful(source))

OUT_OF_MEMORY(timeout) {
  promise_loop_t *loop = promise_loop_new();
  promise_executor_t *on_loop = promise_loop_executor(loop);
  promise_publisher_t *source = promise_publisher_new(0);
  scarce();
  promise_publisher_t *derived = promise_publisher_timeout(on_loop, source, 3600 * 1000 * MILLISECONDS);
  promise_status_t status = plenty(of(derived));
  promise_publisher_release(derived);
  CHECK_INT(promise_publisher_count(source), 0);
  promise_publisher_release(source), promise_executor_release(on_loop), promise_loop_release(loop);
  return status;
}

static void counts_events(void *ctx, const promise_value_t *value) {
  (void)value;
  atomic_fetch_add((atomic_int *)ctx, 1);
}

static promise_publisher_t *makes_inner(void *ctx, const promise_value_t *value) {
  (void)value;
  if (ctx == NULL)
    return NULL;
  promise_publisher_retain(ctx);
  return ctx;
}
OUT_OF_MEMORY(flat_map) {
  promise_publisher_t *source = promise_publisher_new(0), *inner = promise_publisher_new(0);
  atomic_int errors = 0;
  scarce();
  promise_publisher_t *derived = promise_publisher_flat_map(source, PROMISE_FLATTEN_CONCAT, makes_inner, inner, NULL);
  promise_subscriber_t *subscriber = NULL;
  if (derived != NULL) {
    promise_subscription_t wish = {
        .size = sizeof wish, .overflow = PROMISE_OVERFLOW_BUFFER, .demand = PROMISE_DEMAND_UNLIMITED};
    wish.on_error = counts_events, wish.ctx = &errors;
    subscriber = promise_publisher_subscribe(derived, &wish);
  }
  if (subscriber != NULL)
    promise_publisher_publish(source, I64(1));
  promise_status_t status = plenty(PROMISE_OK);
  if (subscriber == NULL || atomic_load(&errors) > 0 || promise_publisher_count(inner) == 0)
    status = PROMISE_ENOMEM;
  promise_publisher_release(derived), promise_subscriber_release(subscriber);
  CHECK_INT(promise_publisher_count(source) + promise_publisher_count(inner), 0);
  promise_publisher_release(source), promise_publisher_release(inner);
  return status;
}
OUT_OF_MEMORY(retry) {
  promise_publisher_t *inner = promise_publisher_new(0);
  scarce();
  promise_publisher_t *derived = promise_publisher_retry(2, makes_inner, inner, NULL);
  promise_status_t status =
      plenty(derived == NULL || promise_publisher_count(inner) == 0 ? PROMISE_ENOMEM : PROMISE_OK);
  promise_publisher_release(derived);
  CHECK_INT(promise_publisher_count(inner), 0);
  promise_publisher_release(inner);
  return status;
}

/* A published event for which there is no memory becomes an error, and no other event is lost. */
static promise_status_t grouped(promise_publisher_t *(*derive)(promise_publisher_t *source)) {
  promise_publisher_t *source = promise_publisher_new(0), *derived = derive(source);
  atomic_int values = 0, errors = 0;
  promise_subscription_t wish = {
      .size = sizeof wish, .overflow = PROMISE_OVERFLOW_BUFFER, .demand = PROMISE_DEMAND_UNLIMITED};
  wish.on_value = counts_events, wish.ctx = &values;
  promise_subscriber_t *on_values = promise_publisher_subscribe(derived, &wish);
  wish.on_value = NULL, wish.on_error = counts_events, wish.ctx = &errors;
  promise_subscriber_t *on_errors = promise_publisher_subscribe(derived, &wish);
  promise_value_t text_value = text("a text of more than a few bytes, in memory of its own");
  scarce();
  promise_publisher_publish(source, &text_value);
  promise_status_t status = plenty(PROMISE_OK);
  bool has_ended = promise_publisher_count(derived) < 2 || promise_publisher_count(source) == 0;
  if (atomic_load(&errors) > 0 || has_ended || atomic_load(&values) == 0)
    status = PROMISE_ENOMEM;
  promise_subscriber_release(on_values), promise_subscriber_release(on_errors);
  promise_publisher_release(derived), promise_publisher_release(source);
  return status;
}
static promise_publisher_t *each_alone(promise_publisher_t *source) {
  return promise_publisher_buffer(source, 1);
}
static promise_publisher_t *with_itself(promise_publisher_t *source) {
  promise_publisher_t *sources[] = {source, source};
  return promise_publisher_zip(sources, 2);
}
OUT_OF_MEMORY_BY(publish_to_buffer, grouped(each_alone))
OUT_OF_MEMORY_BY(publish_to_zip, grouped(with_itself))

OUT_OF_MEMORY(of_a_promise) {
  promise_t *promise = promise_new();
  scarce();
  promise_publisher_t *made = promise_publisher_of(promise);
  promise_status_t status = plenty(of(made));
  promise_resolve(promise, I64(1));
  promise_release(promise);
  promise_publisher_release(made);
  return status;
}

OUT_OF_MEMORY(forward) {
  promise_publisher_t *source = promise_publisher_new(0), *target = promise_publisher_new(0);
  scarce();
  promise_subscriber_t *link = promise_publisher_forward(source, target, PROMISE_FORWARD_END);
  promise_status_t status = plenty(of(link));
  promise_subscriber_release(link);
  promise_publisher_release(source);
  promise_publisher_release(target);
  return status;
}
