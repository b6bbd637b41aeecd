/* operator.h: a publisher of a promise is derived from the promise, and detached when nobody holds the publisher. */
#include "memory.h"
#include "operators.h"

TEST(released_publishers_leave_the_promise) {
  long rounds = check_scale(200 * 1000);
  promise_t *promise = promise_new();
  promise_statistics_t before = {0};
  for (long i = 0; i < rounds; i++) {
    if (i == rounds / 10)
      before = statistics();
    listener_t listener = {0};
    promise_publisher_t *publisher = made(promise_publisher_of(promise));
    promise_subscriber_t *subscriber = i % 2 ? listen(publisher, &listener) : NULL;
    if (i % 4 == 1)
      promise_subscriber_release(subscriber);
    promise_publisher_release(publisher);
    if (i % 4 == 3)
      promise_subscriber_release(subscriber);
  }
  promise_statistics_t after = statistics();
  CHECK_INT((long)(after.publishers - before.publishers), 0);
  CHECK((long)(after.promises_pending - before.promises_pending) < 10);
  CHECK((long)(after.callbacks - before.callbacks) < 10);
  CHECK((long)(after.bytes_resident - before.bytes_resident) < 1024 * 1024);
  CHECK_STATUS(promise_resolve(promise, I64(1)), PROMISE_OK);
  promise_release(promise);
}

/* A request for another derived promise propagates only when the publisher has neither a handle nor a subscriber. */
TEST(a_publisher_keeps_requests_back_while_it_is_used) {
  for (int subscribed = 0; subscribed < 2; subscribed++) {
    spy_t asked = {0};
    listener_t listener = {0};
    promise_t *promise = promise_new();
    promise_on_cancel_request(promise, spy_observer, &asked, spy_free);
    promise_t *other = promise_then(promise, adds_one, NULL, NULL);
    promise_publisher_t *publisher = made(promise_publisher_of(promise));
    promise_subscriber_t *subscriber = subscribed ? listen(publisher, &listener) : NULL;
    CHECK_STATUS(promise_request_cancel(other, I64(7)), PROMISE_OK);
    CHECK_SPY(&asked, 0, 0);
    promise_publisher_release(publisher);
    if (subscribed) {
      CHECK_SPY(&asked, 0, 0);
      CHECK_STATUS(promise_subscriber_cancel(subscriber), PROMISE_OK);
      CHECK_TEXT(listener.log, ".");
    }
    CHECK_SPY(&asked, 1, 1);
    CHECK_INT(asked.seen, 7);
    promise_subscriber_release(subscriber);
    promise_release(other), promise_release(promise);
  }
}

/* A publisher that is released makes no request of its own. */
TEST(leaving_requests_nothing) {
  promise_t *promise = promise_new();
  promise_publisher_release(made(promise_publisher_of(promise)));
  CHECK_INT(promise_cancel_requested(promise), 0);
  CHECK_STATUS(promise_resolve(promise, I64(1)), PROMISE_OK);
  promise_release(promise);
}

/* The handler of the request runs while an operator that held the publisher ends. Events that the handler publishes
 * elsewhere are delivered before publish() returns, as in any callback. */
static promise_publisher_t *others;
static listener_t others_listener;
static void settles_it(void *promise, const promise_value_t *reason) {
  (void)reason;
  publish(others, 5);
  CHECK_TEXT(others_listener.log, "5 ");
  CHECK_STATUS(promise_discard(promise), PROMISE_OK);
}

TEST(an_operator_that_ends_leaves_the_promise) {
  listener_t listener = {0};
  others = publisher_new(0), others_listener = (listener_t){0};
  promise_subscriber_t *reader = listen(others, &others_listener);
  promise_t *promise = promise_new();
  promise_on_cancel_request(promise, settles_it, promise, NULL);
  promise_t *other = promise_then(promise, adds_one, NULL, NULL);
  promise_publisher_t *both[] = {made(promise_publisher_of(promise)), publisher_new(0)};
  promise_publisher_t *merged = made(promise_publisher_merge(both, 2));
  promise_subscriber_t *subscriber = listen_only(promise_publisher_take(merged, 1), &listener);
  promise_publisher_release(merged), promise_publisher_release(both[0]);
  promise_request_cancel(other, NULL);
  CHECK_TEXT(others_listener.log, "");
  publish(both[1], 1);
  CHECK_TEXT(listener.log, "1 .");
  CHECK_TEXT(others_listener.log, "5 ");
  CHECK(was_discarded(other));
  release_both(subscriber, both[1]);
  release_both(reader, others);
  promise_release(other), promise_release(promise);
}

/* One thread settles the promise while another releases the last handle. */
static promise_t *contested;
static gate_t settling;
static void *settles(void *unused) {
  (void)unused;
  gate_open(&settling);
  CHECK_STATUS(promise_resolve(contested, I64(3)), PROMISE_OK);
  return NULL;
}

TEST(leaving_races_with_the_settlement) {
  for (long i = 0, times = check_scale(2000); i < times; i++) {
    listener_t listener = {0};
    contested = promise_new(), settling = (gate_t)GATE_CLOSED;
    promise_publisher_t *publisher = made(promise_publisher_of(contested));
    promise_subscriber_t *subscriber = listen(publisher, &listener);
    pthread_t thread = start(settles, NULL);
    gate_wait(&settling);
    release_both(subscriber, publisher);
    finish(thread);
    promise_release(contested);
    CHECK_INT(atomic_load(&listener.frees), 1);
  }
}
