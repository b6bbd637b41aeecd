/* promise/operator.h */
#include "../streams.h"

/* Writes a value to the journal as a small letter, and an array as its numbers' letters in brackets. */
static void note_number(const promise_value_t *value) {
  note((char)('a' + value->as.i64));
}

static void note_value(void *ctx, const promise_value_t *value) {
  (void)ctx;
  if (value->kind != PROMISE_KIND_ARRAY) {
    note_number(value);
    return;
  }
  note('[');
  for (size_t i = 0; i < promise_value_count(value); i++)
    note_number(promise_value_at(value, i));
  note(']');
}

/* Returns a subscriber, which holds the only reference to the publisher. */
static promise_subscriber_t *listener_of(promise_publisher_t *derived) {
  promise_subscription_t subscription = {.size = sizeof subscription,
                                         .overflow = PROMISE_OVERFLOW_BUFFER,
                                         .demand = PROMISE_DEMAND_UNLIMITED,
                                         .on_value = note_value,
                                         .on_error = note_error,
                                         .free_ctx = note_end};
  CHECK(derived != NULL);
  promise_subscriber_t *subscriber = promise_publisher_subscribe(derived, &subscription);
  CHECK(subscriber != NULL);
  CHECK_STATUS(promise_publisher_release(derived), PROMISE_OK);
  return subscriber;
}

static void publish(promise_publisher_t *publisher, int64_t number) {
  promise_value_t value = i64(number);
  CHECK_STATUS(promise_publisher_publish(publisher, &value), PROMISE_OK);
}

static void let_go(promise_subscriber_t *subscriber, promise_publisher_t *publisher) {
  CHECK_STATUS(promise_subscriber_release(subscriber), PROMISE_OK);
  CHECK_INT(promise_publisher_count(publisher), 0);
  CHECK_STATUS(promise_publisher_release(publisher), PROMISE_OK);
}

static promise_verdict_t halves(void *ctx, const promise_value_t *in, promise_value_t *out) {
  (void)ctx;
  *out = i64(in->as.i64 / 2);
  return in->as.i64 % 2 == 0 ? PROMISE_FULFILL : PROMISE_VERDICT_SKIP;
}

static promise_verdict_t finishes(void *ctx, const promise_value_t *in, promise_value_t *out) {
  (void)ctx, (void)in, (void)out;
  return PROMISE_VERDICT_FINISH;
}

static void transforms_say_what_becomes_of_events(void) {
  promise_publisher_t *publisher = publisher_with(0);
  promise_transform_t transform = {.size = sizeof transform, .on_value = halves, .on_error = finishes};
  promise_publisher_t *derived = promise_publisher_transform(publisher, &transform);
  promise_value_t value = i64(1);
  CHECK_STATUS(promise_publisher_publish(derived, &value), PROMISE_EINVAL);
  promise_subscriber_t *subscriber = listener_of(derived);
  promise_t *end = promise_subscriber_end(subscriber);
  for (int i = 0; i < 5; i++)
    publish(publisher, i);
  CHECK_TEXT(journal, "abc");
  publish_error(publisher, 0);
  CHECK_TEXT(journal, "abc.");
  CHECK_INT(promise_state(end), PROMISE_FULFILLED);
  release(end);
  let_go(subscriber, publisher);
}

static void equal_values_are_passed_over(void) {
  promise_publisher_t *publisher = publisher_with(0);
  promise_subscriber_t *subscriber = listener_of(promise_publisher_distinct(publisher, 0));
  publish(publisher, 1);
  publish(publisher, 1);
  publish_error(publisher, 1);
  publish(publisher, 1);
  publish(publisher, 2);
  CHECK_TEXT(journal, "bBbc");
  let_go(subscriber, publisher);
}

static void the_last_values_come_together(void) {
  promise_publisher_t *publisher = publisher_with(0);
  promise_publisher_t *scan = promise_publisher_window(publisher, 2);
  promise_subscriber_t *subscriber = listener_of(promise_publisher_take(scan, 2));
  CHECK_STATUS(promise_publisher_release(scan), PROMISE_OK);
  for (int i = 0; i < 5; i++)
    publish(publisher, i);
  CHECK_TEXT(journal, "[ab][bc].");
  let_go(subscriber, publisher);
}

static promise_verdict_t adds(void *ctx, const promise_value_t *accumulated, const promise_value_t *value,
                              promise_value_t *out) {
  (void)ctx;
  *out = i64(accumulated->as.i64 + value->as.i64);
  return value->as.i64 == 9 ? PROMISE_VERDICT_FINISH : PROMISE_FULFILL;
}

static void values_are_folded(void) {
  spy_t spy = {0};
  promise_publisher_t *publisher = publisher_with(0);
  promise_value_t initial = i64(0);
  promise_subscriber_t *subscriber = listener_of(promise_publisher_scan(publisher, &initial, adds, &spy, spy_free));
  for (int i = 1; i < 4; i++)
    publish(publisher, i);
  publish(publisher, 9);
  CHECK_TEXT(journal, "bdg.");
  CHECK_SPY(&spy, 0, 1);
  let_go(subscriber, publisher);
}

static void what_is_stateful_replays(void) {
  promise_publisher_t *publisher = publisher_with(PROMISE_PUBLISHER_STATEFUL);
  publish(publisher, 1);
  promise_transform_t transform = {.size = sizeof transform};
  promise_subscriber_t *inherits = listener_of(promise_publisher_transform(publisher, &transform));
  CHECK_TEXT(journal, "b");
  CHECK_STATUS(promise_subscriber_release(inherits), PROMISE_OK);
  promise_publisher_t *plain = publisher_with(0);
  promise_value_t value = i64(4);
  promise_subscriber_t *started = listener_of(promise_publisher_start_with(plain, &value));
  CHECK_TEXT(journal, "b.e");
  let_go(started, plain);
  promise_publisher_t *stateful = promise_publisher_stateful(publisher);
  publish(publisher, 2);
  promise_subscriber_t *late = listener_of(stateful);
  CHECK_TEXT(journal, "b.e.c");
  let_go(late, publisher);
}

static void many_become_one(void) {
  promise_publisher_t *publishers[] = {publisher_with(0), publisher_with(0)};
  promise_subscriber_t *merged = listener_of(promise_publisher_merge(publishers, 2));
  promise_subscriber_t *combined = listener_of(promise_publisher_combine_latest(publishers, 2));
  promise_t *ends[] = {promise_subscriber_end(merged), promise_subscriber_end(combined)};
  publish(publishers[0], 0);
  publish(publishers[1], 1);
  publish(publishers[0], 2);
  CHECK_TEXT(journal, "ab[ab]c[cb]");
  CHECK_STATUS(promise_publisher_cancel(publishers[0]), PROMISE_OK);
  CHECK_INT(promise_state(ends[0]), PROMISE_PENDING);
  CHECK_DISCARDED(ends[1]);
  CHECK_STATUS(promise_publisher_finish(publishers[1]), PROMISE_OK);
  CHECK_INT(promise_state(ends[0]), PROMISE_FULFILLED);
  for (int i = 0; i < 2; i++) {
    release(ends[i]);
    CHECK_STATUS(promise_publisher_release(publishers[i]), PROMISE_OK);
  }
  CHECK_STATUS(promise_subscriber_release(merged), PROMISE_OK);
  CHECK_STATUS(promise_subscriber_release(combined), PROMISE_OK);
}

static void a_promise_is_a_stream(void) {
  promise_t *promise = fulfilled(3);
  promise_subscriber_t *subscriber = listener_of(promise_publisher_of(promise));
  CHECK_TEXT(journal, "d.");
  CHECK_STATUS(promise_subscriber_release(subscriber), PROMISE_OK);
  release(promise);
}

static void events_are_forwarded(void) {
  promise_publisher_t *publisher = publisher_with(0), *target = publisher_with(0);
  promise_subscriber_t *link = promise_publisher_forward(publisher, target, PROMISE_FORWARD_END);
  promise_subscriber_t *subscriber = listener_of(target);
  publish(publisher, 1);
  CHECK_TEXT(journal, "b");
  CHECK_STATUS(promise_publisher_finish(publisher), PROMISE_OK);
  CHECK_TEXT(journal, "b.");
  CHECK_STATUS(promise_subscriber_release(subscriber), PROMISE_OK);
  let_go(link, publisher);
}

CHECKS(operator) = {
    RULE("promise_publisher_transform() does as its functions say", transforms_say_what_becomes_of_events),
    RULE("promise_publisher_distinct() passes over what equals its predecessor", equal_values_are_passed_over),
    RULE("promise_publisher_scan() publishes a running fold", values_are_folded),
    RULE("promise_publisher_window() has the last values, promise_publisher_take() the first",
         the_last_values_come_together),
    RULE("a stateful stream replays, and what is made of it too", what_is_stateful_replays),
    RULE("promise_publisher_merge() and _combine() have the events of all, and end", many_become_one),
    RULE("promise_publisher_of() has the value of a promise", a_promise_is_a_stream),
    RULE("promise_publisher_forward() passes events and the end on", events_are_forwarded),
    CHECKS_END,
};
