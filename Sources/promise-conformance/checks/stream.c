/* promise/stream.h */
#include "../streams.h"

/* Writes a value to the journal as a small letter. */
static void note_value(void *ctx, const promise_value_t *value) {
  (void)ctx;
  note((char)('a' + value->as.i64));
}

static promise_subscription_t wish(promise_overflow_t overflow, uint64_t capacity, uint64_t demand) {
  return (promise_subscription_t){.size = sizeof(promise_subscription_t),
                                  .overflow = overflow,
                                  .capacity = capacity,
                                  .demand = demand,
                                  .on_value = note_value,
                                  .on_error = note_error,
                                  .free_ctx = note_end};
}

static promise_subscriber_t *subscriber_of(promise_publisher_t *publisher, promise_subscription_t subscription) {
  promise_subscriber_t *subscriber = promise_publisher_subscribe(publisher, &subscription);
  CHECK(subscriber != NULL);
  return subscriber;
}

static promise_subscriber_t *listener_of(promise_publisher_t *publisher) {
  return subscriber_of(publisher, wish(PROMISE_OVERFLOW_BUFFER, 0, PROMISE_DEMAND_UNLIMITED));
}

static promise_t *end_of(promise_subscriber_t *subscriber) {
  promise_t *end = promise_subscriber_end(subscriber);
  CHECK(end != NULL);
  return end;
}

static void publish(promise_publisher_t *publisher, int64_t number, promise_status_t status) {
  promise_value_t value = i64(number);
  CHECK_STATUS(promise_publisher_publish(publisher, &value), status);
}

static void let_go(promise_subscriber_t *subscriber, promise_publisher_t *publisher) {
  CHECK_STATUS(promise_subscriber_release(subscriber), PROMISE_OK);
  CHECK_STATUS(promise_publisher_release(publisher), PROMISE_OK);
}

static void subscribers_get_what_comes_after_them(void) {
  promise_publisher_t *publisher = publisher_with(0);
  publish(publisher, 0, PROMISE_OK);
  promise_subscriber_t *subscriber = listener_of(publisher);
  CHECK_INT(promise_publisher_count(publisher), 1);
  publish(publisher, 1, PROMISE_OK);
  publish_error(publisher, 2);
  publish(publisher, 3, PROMISE_OK);
  CHECK_TEXT(journal, "bCd");
  CHECK_STATUS(promise_subscriber_release(subscriber), PROMISE_OK);
  publish(publisher, 4, PROMISE_OK);
  CHECK_TEXT(journal, "bCd.");
  CHECK_STATUS(promise_subscriber_cancel(subscriber), PROMISE_ESTALE);
  CHECK_STATUS(promise_publisher_release(publisher), PROMISE_OK);
  CHECK_STATUS(promise_publisher_finish(publisher), PROMISE_ESTALE);
}

static void stateful_ones_replay_the_latest(void) {
  promise_publisher_t *publisher = publisher_with(PROMISE_PUBLISHER_STATEFUL);
  promise_value_t latest;
  CHECK_INT(promise_publisher_latest(publisher, &latest), PROMISE_PENDING);
  publish(publisher, 0, PROMISE_OK);
  publish(publisher, 1, PROMISE_OK);
  promise_subscriber_t *subscriber = listener_of(publisher);
  CHECK_TEXT(journal, "b");
  CHECK_INT(promise_publisher_latest(publisher, &latest), PROMISE_FULFILLED);
  CHECK_INT(latest.as.i64, 1);
  let_go(subscriber, publisher);
}

static void the_end_is_a_promise(void) {
  for (int how = 0; how < 3; how++) {
    promise_publisher_t *publisher = publisher_with(0);
    promise_subscriber_t *subscriber = listener_of(publisher);
    promise_t *end = end_of(subscriber);
    promise_value_t reason = i64(7);
    CHECK_INT(promise_state(end), PROMISE_PENDING);
    CHECK_INT(promise_publisher_state(publisher), PROMISE_PENDING);
    CHECK_STATUS(how == 0   ? promise_publisher_finish(publisher)
                 : how == 1 ? promise_publisher_fail(publisher, &reason)
                            : promise_publisher_cancel(publisher),
                 PROMISE_OK);
    CHECK_INT(promise_state(end), how == 0 ? PROMISE_FULFILLED : PROMISE_REJECTED);
    CHECK_INT(promise_publisher_state(publisher), promise_state(end));
    if (how == 1)
      CHECK_ENDED(end, PROMISE_REJECTED, 7);
    if (how == 2)
      CHECK_DISCARDED(end);
    publish(publisher, 1, PROMISE_ESETTLED);
    CHECK_STATUS(promise_publisher_finish(publisher), PROMISE_ESETTLED);
    release(end);
    let_go(subscriber, publisher);
  }
  CHECK_TEXT(journal, "...");
}

static void leaving_cancels(void) {
  promise_publisher_t *publisher = publisher_with(0);
  promise_subscriber_t *one = listener_of(publisher), *two = listener_of(publisher), *three = listener_of(publisher);
  promise_t *ends[] = {end_of(one), end_of(two), end_of(three)};
  CHECK_STATUS(promise_subscriber_cancel(one), PROMISE_OK);
  CHECK_DISCARDED(ends[0]);
  CHECK_STATUS(promise_subscriber_cancel(one), PROMISE_ESETTLED);
  CHECK_STATUS(promise_request_cancel(ends[1], NULL), PROMISE_OK);
  CHECK_DISCARDED(ends[1]);
  CHECK_STATUS(promise_publisher_release(publisher), PROMISE_OK);
  CHECK_DISCARDED(ends[2]);
  CHECK_TEXT(journal, "...");
  promise_subscriber_t *all[] = {one, two, three};
  for (int i = 0; i < 3; i++) {
    CHECK_STATUS(promise_subscriber_release(all[i]), PROMISE_OK);
    release(ends[i]);
  }
}

static void events_wait_for_demand(void) {
  promise_publisher_t *publisher = publisher_with(0);
  promise_subscriber_t *subscriber = subscriber_of(publisher, wish(PROMISE_OVERFLOW_BUFFER, 0, 1));
  for (int i = 0; i < 4; i++)
    publish(publisher, i, PROMISE_OK);
  CHECK_TEXT(journal, "a");
  CHECK_STATUS(promise_subscriber_request(subscriber, 2), PROMISE_OK);
  CHECK_TEXT(journal, "abc");
  CHECK_STATUS(promise_publisher_finish(publisher), PROMISE_OK);
  CHECK_TEXT(journal, "abc");
  CHECK_STATUS(promise_subscriber_request(subscriber, PROMISE_DEMAND_UNLIMITED), PROMISE_OK);
  CHECK_TEXT(journal, "abcd.");
  let_go(subscriber, publisher);
}

static void what_overflows_is_dropped_by_the_policy(void) {
  promise_publisher_t *publisher = publisher_with(0);
  promise_subscriber_t *oldest = subscriber_of(publisher, wish(PROMISE_OVERFLOW_DROP_OLDEST, 2, 0));
  promise_subscriber_t *newest = subscriber_of(publisher, wish(PROMISE_OVERFLOW_DROP_NEWEST, 2, 0));
  promise_subscriber_t *fails = subscriber_of(publisher, wish(PROMISE_OVERFLOW_FAIL, 2, 0));
  promise_t *end = end_of(fails);
  for (int i = 0; i < 4; i++)
    publish(publisher, i, i == 0 ? PROMISE_OK : PROMISE_EFULL);
  promise_t *ready = promise_publisher_ready(publisher);
  CHECK_INT(promise_state(ready), PROMISE_PENDING);
  CHECK_STATUS(promise_subscriber_request(oldest, PROMISE_DEMAND_UNLIMITED), PROMISE_OK);
  CHECK_TEXT(journal, "cd");
  CHECK_STATUS(promise_subscriber_request(newest, PROMISE_DEMAND_UNLIMITED), PROMISE_OK);
  CHECK_TEXT(journal, "cdab");
  CHECK_INT(promise_state(ready), PROMISE_FULFILLED);
  CHECK_STATUS(promise_subscriber_request(fails, PROMISE_DEMAND_UNLIMITED), PROMISE_OK);
  CHECK_TEXT(journal, "cdabab.");
  CHECK_LIBRARY_ERROR(end, PROMISE_EFULL);
  CHECK_INT(promise_subscriber_dropped(oldest), 2);
  CHECK_INT(promise_subscriber_dropped(newest), 2);
  release(ready);
  release(end);
  CHECK_STATUS(promise_subscriber_release(oldest), PROMISE_OK);
  CHECK_STATUS(promise_subscriber_release(newest), PROMISE_OK);
  let_go(fails, publisher);
}

static void events_are_promises_that_are_asked_for(void) {
  promise_publisher_t *publisher = publisher_with(0);
  promise_subscription_t subscription = {.size = sizeof subscription, .overflow = PROMISE_OVERFLOW_BUFFER};
  promise_subscriber_t *subscriber = subscriber_of(publisher, subscription);
  publish(publisher, 1, PROMISE_OK);
  publish_error(publisher, 2);
  promise_t *nexts[4];
  for (int i = 0; i < 4; i++)
    nexts[i] = promise_subscriber_next(subscriber);
  CHECK_ENDED(nexts[0], PROMISE_FULFILLED, 1);
  CHECK_ENDED(nexts[1], PROMISE_REJECTED, 2);
  CHECK_INT(promise_state(nexts[2]), PROMISE_PENDING);
  CHECK_STATUS(promise_request_cancel(nexts[2], NULL), PROMISE_OK);
  CHECK_DISCARDED(nexts[2]);
  publish(publisher, 3, PROMISE_OK);
  CHECK_ENDED(nexts[3], PROMISE_FULFILLED, 3);
  CHECK_STATUS(promise_publisher_finish(publisher), PROMISE_OK);
  promise_t *last = promise_subscriber_next(subscriber);
  CHECK_LIBRARY_ERROR(last, PROMISE_EFINISHED);
  release(last);
  for (int i = 0; i < 4; i++)
    release(nexts[i]);
  let_go(subscriber, publisher);
}

static void publishes_less(void *ctx, const promise_value_t *value) {
  note((char)('a' + value->as.i64));
  if (value->as.i64 > 0)
    publish(ctx, value->as.i64 - 1, PROMISE_OK);
}

static void a_callback_may_publish(void) {
  promise_publisher_t *publisher = publisher_with(0);
  promise_subscription_t subscription = wish(PROMISE_OVERFLOW_BUFFER, 0, PROMISE_DEMAND_UNLIMITED);
  subscription.on_value = publishes_less, subscription.ctx = publisher, subscription.free_ctx = NULL;
  promise_subscriber_t *first = subscriber_of(publisher, subscription), *second = listener_of(publisher);
  publish(publisher, 2, PROMISE_OK);
  CHECK_TEXT(journal, "ccbbaa");
  CHECK_STATUS(promise_subscriber_release(first), PROMISE_OK);
  let_go(second, publisher);
}

static void references_are_counted(void) {
  promise_publisher_t *publisher = publisher_with(0);
  promise_subscriber_t *subscriber = listener_of(publisher);
  CHECK_STATUS(promise_publisher_retain(publisher), PROMISE_OK);
  CHECK_STATUS(promise_subscriber_retain(subscriber), PROMISE_OK);
  let_go(subscriber, publisher);
  publish(publisher, 1, PROMISE_OK);
  CHECK_TEXT(journal, "b");
  let_go(subscriber, publisher);
  CHECK_TEXT(journal, "b.");
  CHECK_STATUS(promise_publisher_retain(publisher), PROMISE_ESTALE);
  CHECK_STATUS(promise_subscriber_retain(subscriber), PROMISE_ESTALE);
  CHECK_STATUS(promise_publisher_retain(NULL), PROMISE_EINVAL);
  CHECK_STATUS(promise_subscriber_retain(NULL), PROMISE_EINVAL);
}

CHECKS(stream) = {
    RULE("a subscriber gets what is published after it came", subscribers_get_what_comes_after_them),
    RULE("a stateful publisher replays the latest event", stateful_ones_replay_the_latest),
    RULE("the end of a stream is a promise", the_end_is_a_promise),
    RULE("who leaves is cancelled, once", leaving_cancels),
    RULE("events wait for demand, and the end for them", events_wait_for_demand),
    RULE("what overflows goes by the policy, and room is a promise", what_overflows_is_dropped_by_the_policy),
    RULE("promise_subscriber_next() has the next event, or the end", events_are_promises_that_are_asked_for),
    RULE("what a callback publishes comes to all in the same order", a_callback_may_publish),
    RULE("publishers and subscribers live until their last reference is released", references_are_counted),
    CHECKS_END,
};
