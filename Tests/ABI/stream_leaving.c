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
