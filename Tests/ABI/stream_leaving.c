/* stream.h: subscribers and publishers that are cancelled or released while events are in flight. */
#include "streams.h"

static promise_loop_t *loop;

static void runs_the_loop(void *ctx, const promise_value_t *reason) {
  (void)reason;
  atomic_fetch_add((atomic_int *)ctx, 1);
  promise_loop_run_once(loop);
}

/* The token cancels its promises before its subscriber. A handler of a promise finds that the waiting events of the
 * subscriber are dropped. */
TEST(events_that_wait_are_dropped_once_the_token_is_invalidated) {
  listener_t listener = {0};
  atomic_int asked = 0;
  loop = promise_loop_new();
  promise_executor_t *executor = promise_loop_executor(loop);
  promise_publisher_t *publisher = publisher_new(0);
  promise_token_t *token = promise_token_new(0);
  promise_t *first = promise_new();
  CHECK_STATUS(promise_on_cancel_request(first, runs_the_loop, &asked, NULL), PROMISE_OK);
  CHECK_STATUS(promise_token_add(token, first), PROMISE_OK);
  promise_subscription_t wish = everything(&listener);
  wish.executor = executor, wish.token = token;
  promise_subscriber_t *subscriber = subscribe(publisher, wish);
  promise_t *end = end_of(subscriber);
  publish(publisher, 1);
  CHECK_INT(atomic_load(&listener.calls), 0);
  CHECK_STATUS(promise_token_invalidate(token, NULL), PROMISE_OK);
  CHECK_INT(atomic_load(&asked), 1);
  promise_loop_run_once(loop);
  CHECK_INT(atomic_load(&listener.calls), 0);
  CHECK_INT(atomic_load(&listener.frees), 1);
  CHECK(was_discarded(end));
  promise_release(end), promise_release(first);
  promise_token_release(token), promise_executor_release(executor), promise_loop_release(loop);
  release_both(subscriber, publisher);
}

static void leaves(listener_t *listener, int64_t number) {
  CHECK_INT(number, 1);
  CHECK_STATUS(promise_subscriber_release(listener->subscriber), PROMISE_OK);
  CHECK_STATUS(promise_publisher_release(listener->publisher), PROMISE_OK);
}

/* The event fills the subscriber, so the publisher has to update its capacity after the callback has released both. */
TEST(publishing_outlives_the_last_handle) {
  listener_t listener = {.then = leaves, .publisher = publisher_new(0)};
  promise_subscription_t wish = everything(&listener);
  wish.capacity = 1;
  listener.subscriber = subscribe(listener.publisher, wish);
  promise_publisher_t *publisher = listener.publisher;
  CHECK_STATUS(promise_publisher_publish(publisher, I64(1)), PROMISE_OK);
  CHECK_INT(atomic_load(&listener.frees), 1);
  CHECK_STATUS(promise_publisher_count(publisher), PROMISE_ESTALE);
}

enum { REUSED = 8 };
static promise_t *reused[REUSED];

/* Makes promises, which reuse the cells that were freed. */
static void reuse_cells(void) {
  for (int i = 0; i < REUSED; i++)
    reused[i] = fulfilled(1);
}

static void reused_are_whole(void) {
  for (int i = 0; i < REUSED; i++) {
    CHECK_ENDED(reused[i], PROMISE_FULFILLED, 1);
    CHECK_STATUS(promise_release(reused[i]), PROMISE_OK);
  }
}

static void gives_up(void *ctx, const promise_value_t *reason) {
  listener_t *listener = ctx;
  (void)reason;
  leaves(listener, 1);
  reuse_cells();
}

/* The end cancels the ready promise, whose callback releases subscriber and publisher. */
TEST(ending_outlives_the_last_handle) {
  listener_t listener = {.publisher = publisher_new(0)};
  promise_subscription_t wish = everything(&listener);
  wish.capacity = 1, wish.demand = 0;
  listener.subscriber = subscribe(listener.publisher, wish);
  promise_publisher_t *publisher = listener.publisher;
  CHECK_STATUS(promise_publisher_publish(publisher, I64(1)), PROMISE_EFULL);
  promise_t *ready = promise_publisher_ready(publisher);
  promise_observe(ready, NULL, gives_up, &listener, NULL);
  CHECK_STATUS(promise_publisher_finish(publisher), PROMISE_OK);
  CHECK_STATUS(promise_publisher_count(publisher), PROMISE_ESTALE);
  CHECK_TEXT(listener.log, ".");
  reused_are_whole();
  promise_release(ready);
}

static void releases_the_publisher(listener_t *listener, int64_t number) {
  (void)number;
  CHECK_STATUS(promise_publisher_release(listener->publisher), PROMISE_OK);
  reuse_cells();
}

/* The replayed event fills the subscriber, and its callback releases the publisher. */
TEST(subscribing_outlives_the_last_handle) {
  listener_t listener = {.then = releases_the_publisher, .publisher = publisher_new(PROMISE_PUBLISHER_STATEFUL)};
  publish(listener.publisher, 1);
  promise_subscription_t wish = everything(&listener);
  wish.overflow = PROMISE_OVERFLOW_DROP_OLDEST, wish.capacity = 1;
  promise_subscriber_t *subscriber = subscribe(listener.publisher, wish);
  CHECK_TEXT(listener.log, "1 .");
  reused_are_whole();
  CHECK_STATUS(promise_publisher_count(listener.publisher), PROMISE_ESTALE);
  promise_subscriber_release(subscriber);
}

static void free_releases_the_publisher(void *ctx) {
  listener_t *listener = ctx;
  record_end(ctx);
  releases_the_publisher(listener, 0);
}

/* A token whose deadline has passed cancels the subscriber before it gets an event. */
TEST(a_subscriber_that_is_late_may_release_the_publisher) {
  listener_t listener = {.publisher = publisher_new(PROMISE_PUBLISHER_STATEFUL)};
  promise_token_t *token = promise_token_new(0);
  CHECK_STATUS(promise_token_set_deadline(token, NULL, 1), PROMISE_OK);
  publish(listener.publisher, 1);
  promise_subscription_t wish = everything(&listener);
  wish.token = token, wish.free_ctx = free_releases_the_publisher;
  promise_subscriber_t *subscriber = subscribe(listener.publisher, wish);
  CHECK_TEXT(listener.log, ".");
  reused_are_whole();
  CHECK_STATUS(promise_publisher_count(listener.publisher), PROMISE_ESTALE);
  promise_subscriber_release(subscriber);
  promise_token_release(token);
}

static promise_verdict_t finishes(void *ctx, const promise_value_t *in, promise_value_t *out) {
  (void)in, (void)out;
  CHECK_STATUS(promise_publisher_release(ctx), PROMISE_OK);
  return PROMISE_VERDICT_FINISH;
}

/* The replayed events fill the operator, whose handler releases its source. */
TEST(deriving_outlives_the_last_handle) {
  promise_publisher_t *publisher = publisher_new(0), *replay = promise_publisher_replay(publisher, 64);
  for (int i = 0; i < 64; i++)
    publish(publisher, i);
  promise_transform_t transform = {.size = sizeof transform, .on_value = finishes, .ctx = replay};
  promise_publisher_t *derived = promise_publisher_transform(replay, &transform);
  CHECK_INT(promise_publisher_state(derived), PROMISE_FULFILLED);
  CHECK_STATUS(promise_publisher_count(replay), PROMISE_ESTALE);
  promise_publisher_release(derived), promise_publisher_release(publisher);
}

static promise_subscriber_t *owned;

static void destroy_releases_the_subscriber(void *payload) {
  payload_destroy(payload);
  CHECK_STATUS(promise_subscriber_release(owned), PROMISE_OK);
}

/* An undelivered event owns the last handle of its subscriber. */
TEST(cancelling_outlives_the_last_handle) {
  listener_t listener = {0};
  payload_t payload = {0};
  promise_publisher_t *publisher = publisher_new(0);
  promise_subscription_t wish = everything(&listener);
  wish.demand = 0;
  owned = subscribe(publisher, wish);
  const promise_type_t *type = promise_type_register("test.leaving.owner", NULL, destroy_releases_the_subscriber);
  promise_value_t value;
  CHECK_STATUS(promise_value_object(&value, type, &payload), PROMISE_OK);
  CHECK_STATUS(promise_publisher_publish(publisher, &value), PROMISE_OK);
  CHECK_STATUS(promise_subscriber_cancel(owned), PROMISE_OK);
  CHECK_INT(atomic_load(&payload.destroyed), 1);
  CHECK_TEXT(listener.log, ".");
  CHECK_INT(promise_publisher_count(publisher), 0);
  CHECK_STATUS(promise_publisher_release(publisher), PROMISE_OK);
}

/* ---- From a callback of promise_publisher_ready(), which runs when an event leaves the queue ---- */

typedef struct {
  enum { BY_CANCEL, BY_RELEASE, BY_TOKEN, WAYS } way;
  promise_subscriber_t *subscriber;
  promise_token_t *token;
} leaving_t;

static void leaves_when_ready(void *ctx, const promise_value_t *value) {
  (void)value;
  leaving_t *leaving = ctx;
  if (leaving->way == BY_CANCEL)
    CHECK_STATUS(promise_subscriber_cancel(leaving->subscriber), PROMISE_OK);
  if (leaving->way == BY_RELEASE)
    CHECK_STATUS(promise_subscriber_release(leaving->subscriber), PROMISE_OK);
  if (leaving->way == BY_TOKEN)
    CHECK_STATUS(promise_token_invalidate(leaving->token, NULL), PROMISE_OK);
}

static void leave_when_ready(leaving_t leaving, bool pulls) {
  listener_t listener = {0};
  promise_publisher_t *publisher = publisher_new(0);
  leaving.token = promise_token_new(0);
  promise_subscription_t wish = everything(&listener);
  wish.demand = 0, wish.capacity = 1, wish.token = leaving.token;
  if (pulls)
    wish.on_value = wish.on_error = NULL;
  leaving.subscriber = subscribe(publisher, wish);
  promise_t *end = end_of(leaving.subscriber), *next = NULL;
  promise_value_t event = text("an event");
  CHECK_STATUS(promise_publisher_publish(publisher, &event), PROMISE_EFULL);
  promise_t *ready = promise_publisher_ready(publisher);
  promise_observe(ready, leaves_when_ready, NULL, &leaving, NULL);
  if (pulls)
    next = next_of(leaving.subscriber);
  else
    CHECK_STATUS(promise_subscriber_request(leaving.subscriber, 1), PROMISE_OK);
  CHECK_TEXT(listener.log, ".");
  CHECK(was_discarded(end));
  CHECK(next == NULL || was_discarded(next));
  if (leaving.way != BY_RELEASE)
    promise_subscriber_release(leaving.subscriber);
  promise_release(end), promise_release(ready), promise_release(next);
  promise_token_release(leaving.token), promise_publisher_release(publisher);
}

TEST(no_event_follows_when_a_callback_of_ready_cancels) {
  for (int way = 0; way < WAYS; way++)
    for (int pulls = 0; pulls < 2; pulls++)
      leave_when_ready((leaving_t){.way = way}, pulls);
}

/* Of five subscribers, those in `leaving` are cancelled; the others receive every event. */
static void others_stay(int leaving) {
  enum { COUNT = 5 };
  promise_publisher_t *publisher = publisher_new(0);
  listener_t listeners[COUNT] = {0};
  promise_subscriber_t *subscribers[COUNT];
  for (int i = 0; i < COUNT; i++)
    subscribers[i] = listen(publisher, &listeners[i]);
  for (int i = 0; i < COUNT; i++)
    if (leaving >> i & 1)
      CHECK_STATUS(promise_subscriber_cancel(subscribers[i]), PROMISE_OK);
  listener_t late = {0};
  promise_subscriber_t *last = listen(publisher, &late);
  publish(publisher, 1);
  for (int i = 0; i < COUNT; i++) {
    bool leaves = leaving >> i & 1;
    CHECK_TEXT(listeners[i].log, leaves ? "." : "1 ");
    promise_subscriber_release(subscribers[i]);
  }
  CHECK_TEXT(late.log, "1 ");
  CHECK_INT(promise_publisher_count(publisher), 1);
  release_both(last, publisher);
}

TEST(subscribers_may_be_cancelled_in_any_order) {
  for (int leaving = 0; leaving < 1 << 5; leaving++)
    others_stay(leaving);
}
