/* promise/stream.h: publishing, subscribing, and the end of streams. */
#include "../checked.h"

#include "../streams.h"

CHECKS(stream)

RULE(events_come_in_order_and_errors_do_not_end_them,
     "a subscriber gets the events published after it was attached, errors too") {
  promise_publisher_t *publisher = publisher_new(0);
  listener_t one = {0}, two = {0};
  promise_subscriber_t *first = listen(publisher, &one);
  publish(publisher, 1);
  promise_subscriber_t *second = listen(publisher, &two);
  CHECK_INT(promise_publisher_count(publisher), 2);
  publish(publisher, 2);
  publish_error(publisher, 7);
  publish(publisher, 3);
  CHECK_TEXT(one.log, "1 2 !7 3 ");
  CHECK_TEXT(two.log, "2 !7 3 ");
  CHECK(pthread_equal(one.thread, pthread_self()));
  CHECK_INT(promise_publisher_state(publisher), PROMISE_PENDING);
  CHECK_STATUS(promise_subscriber_release(second), PROMISE_OK);
  CHECK_INT(promise_publisher_count(publisher), 1);
  CHECK_TEXT(two.log, "2 !7 3 .");
  publish(publisher, 4);
  CHECK_TEXT(one.log, "1 2 !7 3 4 ");
  release_both(first, publisher);
  CHECK_INT(atomic_load(&one.frees), 1);
  CHECK_INT(atomic_load(&two.frees), 1);
}

RULE(a_stream_ends_once_as_a_promise, "the end of a stream is a promise") {
  enum { FINISHED, FAILED, CANCELLED, RELEASED };
  for (int how = FINISHED; how <= RELEASED; how++) {
    promise_publisher_t *publisher = publisher_new(0);
    listener_t listener = {0};
    promise_subscriber_t *subscriber = listen(publisher, &listener);
    promise_t *end = end_of(subscriber);
    publish(publisher, 1);
    CHECK_INT(promise_state(end), PROMISE_PENDING);
    if (how == FINISHED)
      CHECK_STATUS(promise_publisher_finish(publisher), PROMISE_OK);
    if (how == FAILED)
      CHECK_STATUS(promise_publisher_fail(publisher, I64(9)), PROMISE_OK);
    if (how == CANCELLED)
      CHECK_STATUS(promise_publisher_cancel(publisher), PROMISE_OK);
    if (how == RELEASED)
      CHECK_STATUS(promise_publisher_release(publisher), PROMISE_OK);
    CHECK(how == FINISHED ? is_done(end) : how == FAILED ? ended(end, PROMISE_REJECTED, 9) : was_discarded(end));
    CHECK_TEXT(listener.log, "1 .");
    CHECK_STATUS(promise_subscriber_cancel(subscriber), PROMISE_ESETTLED);
    if (how != RELEASED) {
      CHECK_INT(promise_publisher_state(publisher), how == FINISHED ? PROMISE_FULFILLED : PROMISE_REJECTED);
      CHECK_INT(promise_publisher_count(publisher), 0);
      CHECK_STATUS(promise_publisher_publish(publisher, I64(2)), PROMISE_ESETTLED);
      CHECK_STATUS(promise_publisher_publish_error(publisher, I64(2)), PROMISE_ESETTLED);
      CHECK_STATUS(promise_publisher_finish(publisher), PROMISE_ESETTLED);
      CHECK_STATUS(promise_publisher_fail(publisher, I64(3)), PROMISE_ESETTLED);
      CHECK_STATUS(promise_publisher_cancel(publisher), PROMISE_ESETTLED);
      promise_subscriber_t *late = listen(publisher, &listener);
      promise_t *late_end = end_of(late);
      CHECK_INT(promise_state(late_end), promise_state(end));
      promise_release(late_end), promise_subscriber_release(late);
      CHECK_TEXT(listener.log, "1 ..");
      promise_publisher_release(publisher);
    }
    promise_release(end), promise_subscriber_release(subscriber);
  }
}

RULE(a_cancelled_subscriber_is_detached_once,
     "a subscriber that is cancelled gets no more events, and is cancelled once") {
  promise_publisher_t *publisher = publisher_new(0);
  for (int how = 0; how < 4; how++) {
    listener_t listener = {0}, other = {0};
    promise_token_t *token = promise_token_new(0);
    promise_subscription_t wish = everything(&listener);
    wish.token = token;
    promise_subscriber_t *subscriber = subscribe(publisher, wish), *rest = listen(publisher, &other);
    promise_t *end = end_of(subscriber);
    publish(publisher, 1);
    if (how == 0)
      CHECK_STATUS(promise_subscriber_cancel(subscriber), PROMISE_OK);
    if (how == 1)
      CHECK_STATUS(promise_request_cancel(end, NULL), PROMISE_OK);
    if (how == 2)
      CHECK_STATUS(promise_token_cancel(token, NULL), PROMISE_OK);
    if (how == 3)
      CHECK_STATUS(promise_token_invalidate(token, NULL), PROMISE_OK);
    CHECK(was_discarded(end));
    CHECK_TEXT(listener.log, "1 .");
    CHECK_INT(promise_publisher_count(publisher), 1);
    CHECK_STATUS(promise_subscriber_cancel(subscriber), PROMISE_ESETTLED);
    publish(publisher, 2);
    CHECK_TEXT(listener.log, "1 .");
    CHECK_TEXT(other.log, "1 2 ");
    promise_release(end), promise_token_release(token);
    promise_subscriber_release(subscriber), promise_subscriber_release(rest);
  }
  promise_publisher_release(publisher);
}

RULE(a_stateful_publisher_replays_its_latest_event, "a stateful publisher replays the latest event") {
  promise_publisher_t *publisher = publisher_new(PROMISE_PUBLISHER_STATEFUL);
  promise_value_t latest = garbage();
  CHECK_INT(promise_publisher_latest(publisher, &latest), PROMISE_PENDING);
  CHECK_INT(latest.kind, PROMISE_KIND_VOID);
  listener_t none = {0}, value = {0}, error_only = {0}, late = {0};
  promise_subscriber_t *first = listen(publisher, &none);
  promise_value_t word = text("replaced");
  promise_subscriber_release(first);
  CHECK_STATUS(promise_publisher_publish(publisher, &word), PROMISE_OK);
  CHECK_INT(promise_publisher_latest(publisher, &latest), PROMISE_FULFILLED);
  CHECK_TEXT(promise_value_data(&latest, NULL), "replaced");
  promise_value_release(&latest);
  publish(publisher, 5);
  promise_subscriber_t *second = listen(publisher, &value);
  CHECK_TEXT(value.log, "5 ");
  publish_error(publisher, 6);
  CHECK_TEXT(value.log, "5 !6 ");
  promise_subscriber_t *third = listen(publisher, &error_only);
  CHECK_TEXT(error_only.log, "!6 ");
  CHECK_INT(promise_publisher_latest(publisher, &latest), PROMISE_REJECTED);
  CHECK_INT(latest.as.i64, 6);
  publish(publisher, 7);
  promise_publisher_finish(publisher);
  promise_subscriber_t *fourth = listen(publisher, &late);
  CHECK_TEXT(late.log, "7 .");
  promise_t *end = end_of(fourth);
  CHECK(is_done(end));
  promise_release(end);
  promise_subscriber_release(second), promise_subscriber_release(third), promise_subscriber_release(fourth);
  promise_publisher_release(publisher);
}

RULE(events_without_a_callback_are_passed_over, "events without a callback are passed over, and take no demand") {
  promise_publisher_t *publisher = publisher_new(0);
  listener_t values = {0}, errors = {0};
  promise_subscription_t wish = everything(&values);
  wish.on_error = NULL, wish.demand = 2;
  promise_subscriber_t *first = subscribe(publisher, wish);
  wish = everything(&errors);
  wish.on_value = NULL;
  promise_subscriber_t *second = subscribe(publisher, wish);
  publish_error(publisher, 1);
  publish(publisher, 2);
  publish_error(publisher, 3);
  publish(publisher, 4);
  CHECK_TEXT(values.log, "2 4 ");
  CHECK_TEXT(errors.log, "!1 !3 ");
  promise_subscriber_release(first);
  release_both(second, publisher);
}

/* ---- From within callbacks ---- */

static void publishes_down(listener_t *listener, int64_t number) {
  if (number > 0)
    CHECK_STATUS(promise_publisher_publish(listener->publisher, I64(number - 1)), PROMISE_OK);
}

RULE(events_of_a_callback_come_after_earlier_ones,
     "an event that a callback publishes comes after those published before") {
  promise_publisher_t *publisher = publisher_new(0);
  listener_t one = {.publisher = publisher, .then = publishes_down}, two = {0};
  promise_subscriber_t *first = listen(publisher, &one), *second = listen(publisher, &two);
  publish(publisher, 3);
  CHECK_TEXT(one.log, "3 2 1 0 ");
  CHECK_TEXT(two.log, "3 2 1 0 ");
  promise_subscriber_release(first);
  release_both(second, publisher);
}

static void leaves(listener_t *listener, int64_t number) {
  switch (number) {
  case 1:
    CHECK_STATUS(promise_subscriber_cancel(listener->subscriber), PROMISE_OK);
    break;
  case 2:
    CHECK_STATUS(promise_subscriber_release(listener->subscriber), PROMISE_OK);
    break;
  case 3:
    CHECK_STATUS(promise_publisher_release(listener->publisher), PROMISE_OK);
    break;
  case 4:
    CHECK_STATUS(promise_publisher_finish(listener->publisher), PROMISE_OK);
    break;
  default:
    break;
  }
}

RULE(everybody_may_leave_from_a_callback,
     "a callback may cancel or release its subscriber, and end or release its publisher") {
  for (int how = 1; how <= 4; how++) {
    promise_publisher_t *publisher = publisher_new(0);
    listener_t one = {.publisher = publisher, .then = leaves}, two = {0};
    promise_subscriber_t *first = one.subscriber = listen(publisher, &one), *second = listen(publisher, &two);
    promise_t *end = end_of(first), *other = end_of(second);
    publish(publisher, how);
    CHECK_INT(promise_state(end), how == 4 ? PROMISE_FULFILLED : PROMISE_REJECTED);
    CHECK_INT(promise_state(other), how < 3 ? PROMISE_PENDING : promise_state(end));
    char expected[8];
    snprintf(expected, sizeof expected, "%d .", how);
    CHECK_TEXT(one.log, expected);
    if (how != 2)
      promise_subscriber_release(first);
    if (how != 3)
      promise_publisher_release(publisher);
    promise_subscriber_release(second);
    promise_release(end), promise_release(other);
    CHECK_INT(atomic_load(&two.frees), 1);
  }
}

static listener_t newcomer;

static void subscribes_a_newcomer(listener_t *listener, int64_t number) {
  if (number == 1)
    listener->subscriber = listen(listener->publisher, &newcomer);
}

RULE(a_subscriber_attached_in_a_callback_gets_later_events,
     "a subscriber attached in a callback gets the events published after it") {
  promise_publisher_t *publisher = publisher_new(0);
  listener_t one = {.publisher = publisher, .then = subscribes_a_newcomer};
  promise_subscriber_t *first = listen(publisher, &one);
  publish(publisher, 1);
  publish(publisher, 2);
  CHECK_TEXT(newcomer.log, "2 ");
  promise_subscriber_release(one.subscriber);
  release_both(first, publisher);
}

static void waits_for_its_own_end(listener_t *listener, int64_t number) {
  (void)number;
  promise_t *end = end_of(listener->subscriber);
  CHECK_STATUS(promise_wait(end, FOR_EVER), PROMISE_EDEADLK);
  promise_release(end);
}

RULE(a_callback_cannot_wait_for_its_own_end, "a callback cannot wait for the end of its own subscription") {
  promise_publisher_t *publisher = publisher_new(0);
  listener_t one = {.then = waits_for_its_own_end};
  one.subscriber = listen(publisher, &one);
  publish(publisher, 1);
  release_both(one.subscriber, publisher);
}

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

static promise_subscriber_t *listener_of(promise_publisher_t *publisher) {
  return subscribe(publisher, wish(PROMISE_OVERFLOW_BUFFER, 0, PROMISE_DEMAND_UNLIMITED));
}

RULE(events_wait_for_demand, "events wait for demand, and the end for them") {
  promise_publisher_t *publisher = publisher_new(0);
  listener_t listener = {0};
  promise_subscription_t wish = everything(&listener);
  wish.demand = 1;
  promise_subscriber_t *subscriber = subscribe(publisher, wish);
  publish(publisher, 1);
  publish_error(publisher, 2); /* an error takes demand too */
  publish(publisher, 3);
  publish(publisher, 4);
  CHECK_TEXT(listener.log, "1 ");
  CHECK_STATUS(promise_subscriber_request(subscriber, 2), PROMISE_OK);
  CHECK_TEXT(listener.log, "1 !2 3 ");
  promise_publisher_finish(publisher);
  promise_t *end = end_of(subscriber);
  CHECK_INT(promise_state(end), PROMISE_PENDING);
  CHECK_INT(promise_publisher_count(publisher), 0);
  CHECK_STATUS(promise_subscriber_request(subscriber, PROMISE_DEMAND_UNLIMITED), PROMISE_OK);
  CHECK_TEXT(listener.log, "1 !2 3 4 .");
  CHECK(is_done(end));
  CHECK_INT(promise_subscriber_dropped(subscriber), 0);
  promise_release(end);
  release_both(subscriber, publisher);
}

RULE(events_beyond_the_capacity_are_dropped_by_the_policy,
     "the policy decides about events beyond the capacity, and room is a promise") {
  promise_publisher_t *publisher = publisher_new(0);
  promise_subscriber_t *oldest = subscribe(publisher, wish(PROMISE_OVERFLOW_DROP_OLDEST, 2, 0));
  promise_subscriber_t *newest = subscribe(publisher, wish(PROMISE_OVERFLOW_DROP_NEWEST, 2, 0));
  promise_subscriber_t *fails = subscribe(publisher, wish(PROMISE_OVERFLOW_FAIL, 2, 0));
  promise_t *end = end_of(fails);
  for (int i = 0; i < 4; i++)
    CHECK_STATUS(promise_publisher_publish(publisher, I64(i)), i == 0 ? PROMISE_OK : PROMISE_EFULL);
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
  CHECK_INT(promise_subscriber_dropped(fails), 0);
  RELEASE(ready, end);
  CHECK_STATUS(promise_subscriber_release(oldest), PROMISE_OK);
  CHECK_STATUS(promise_subscriber_release(newest), PROMISE_OK);
  release_both(fails, publisher);
}

RULE(events_are_promises_that_are_asked_for, "promise_subscriber_next() has the next event, or the end") {
  promise_publisher_t *publisher = publisher_new(0);
  promise_subscription_t subscription = {.size = sizeof subscription, .overflow = PROMISE_OVERFLOW_BUFFER};
  promise_subscriber_t *subscriber = subscribe(publisher, subscription);
  publish(publisher, 1);
  publish_error(publisher, 2);
  promise_t *nexts[6];
  for (int i = 0; i < 6; i++)
    nexts[i] = promise_subscriber_next(subscriber);
  CHECK_ENDED(nexts[0], PROMISE_FULFILLED, 1);
  CHECK_ENDED(nexts[1], PROMISE_REJECTED, 2);
  CHECK_INT(promise_state(nexts[2]), PROMISE_PENDING);
  CHECK_STATUS(promise_request_cancel(nexts[2], NULL), PROMISE_OK);
  CHECK_DISCARDED(nexts[2]);
  publish(publisher, 3);
  CHECK_ENDED(nexts[3], PROMISE_FULFILLED, 3);
  CHECK_STATUS(promise_publisher_finish(publisher), PROMISE_OK);
  promise_t *last = promise_subscriber_next(subscriber);
  CHECK_LIBRARY_ERROR(last, PROMISE_EFINISHED);
  release(last);
  CHECK_LIBRARY_ERROR(nexts[4], PROMISE_EFINISHED);
  CHECK_LIBRARY_ERROR(nexts[5], PROMISE_EFINISHED);
  for (int i = 0; i < 6; i++)
    release(nexts[i]);
  release_both(subscriber, publisher);
}

static void publishes_less(void *ctx, const promise_value_t *value) {
  note((char)('a' + value->as.i64));
  if (value->as.i64 > 0)
    publish(ctx, value->as.i64 - 1);
}

RULE(a_callback_may_publish, "events that a callback publishes reach all subscribers in the same order") {
  promise_publisher_t *publisher = publisher_new(0);
  promise_subscription_t subscription = wish(PROMISE_OVERFLOW_BUFFER, 0, PROMISE_DEMAND_UNLIMITED);
  subscription.on_value = publishes_less, subscription.ctx = publisher, subscription.free_ctx = NULL;
  promise_subscriber_t *first = subscribe(publisher, subscription), *second = listener_of(publisher);
  publish(publisher, 2);
  CHECK_TEXT(journal, "ccbbaa");
  CHECK_STATUS(promise_subscriber_release(first), PROMISE_OK);
  release_both(second, publisher);
}

RULE(references_are_counted, "publishers and subscribers live until their last reference is released") {
  promise_publisher_t *publisher = publisher_new(0);
  promise_subscriber_t *subscriber = listener_of(publisher);
  CHECK_STATUS(promise_publisher_retain(publisher), PROMISE_OK);
  CHECK_STATUS(promise_subscriber_retain(subscriber), PROMISE_OK);
  release_both(subscriber, publisher);
  publish(publisher, 1);
  CHECK_TEXT(journal, "b");
  release_both(subscriber, publisher);
  CHECK_TEXT(journal, "b.");
  CHECK_STATUS(promise_publisher_retain(publisher), PROMISE_ESTALE);
  CHECK_STATUS(promise_subscriber_retain(subscriber), PROMISE_ESTALE);
  CHECK_STATUS(promise_subscriber_cancel(subscriber), PROMISE_ESTALE);
  CHECK_STATUS(promise_publisher_finish(publisher), PROMISE_ESTALE);
  CHECK_STATUS(promise_publisher_retain(NULL), PROMISE_EINVAL);
  CHECK_STATUS(promise_subscriber_retain(NULL), PROMISE_EINVAL);
}
