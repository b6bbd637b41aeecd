/* stream.h: demand, events beyond the demand, and the notification of producers about capacity. */
#include "streams.h"

static promise_subscriber_t *slow(promise_publisher_t *publisher, listener_t *listener, promise_overflow_t overflow,
                                  uint64_t capacity) {
  promise_subscription_t wish = everything(listener);
  wish.overflow = overflow, wish.capacity = capacity, wish.demand = 0;
  return subscribe(publisher, wish);
}

static void publish_all(promise_publisher_t *publisher, int64_t first, int64_t last) {
  for (int64_t number = first; number <= last; number++)
    promise_publisher_publish(publisher, I64(number));
}

/* The sum of demands is limited to the maximum: it does not overflow. */
TEST(demand_does_not_wrap_around) {
  static const uint64_t first[] = {3, PROMISE_DEMAND_UNLIMITED - 1};
  for (int i = 0; i < 2; i++) {
    promise_publisher_t *publisher = publisher_new(0);
    listener_t listener = {0};
    promise_subscriber_t *subscriber = slow(publisher, &listener, PROMISE_OVERFLOW_BUFFER, 0);
    CHECK_STATUS(promise_subscriber_request(subscriber, first[i]), PROMISE_OK);
    CHECK_STATUS(promise_subscriber_request(subscriber, PROMISE_DEMAND_UNLIMITED - 1), PROMISE_OK);
    publish_all(publisher, 1, 5);
    CHECK_TEXT(listener.log, "1 2 3 4 5 ");
    release_both(subscriber, publisher);
  }
}

static void asks_for_one_more(listener_t *listener, int64_t number) {
  if (number < 3)
    CHECK_STATUS(promise_subscriber_request(listener->subscriber, 1), PROMISE_OK);
}

TEST(a_callback_may_ask_for_more) {
  promise_publisher_t *publisher = publisher_new(0);
  listener_t listener = {.then = asks_for_one_more};
  listener.subscriber = slow(publisher, &listener, PROMISE_OVERFLOW_BUFFER, 0);
  publish_all(publisher, 1, 5);
  promise_subscriber_request(listener.subscriber, 1);
  CHECK_TEXT(listener.log, "1 2 3 ");
  release_both(listener.subscriber, publisher);
}

TEST(a_cancelled_subscriber_drops_queued_events) {
  promise_publisher_t *publisher = publisher_new(0);
  listener_t listener = {0};
  promise_subscriber_t *subscriber = slow(publisher, &listener, PROMISE_OVERFLOW_BUFFER, 0);
  promise_value_t word = text("never delivered");
  promise_publisher_publish(publisher, &word);
  promise_publisher_fail(publisher, VOID());
  promise_t *end = end_of(subscriber);
  CHECK_INT(promise_state(end), PROMISE_PENDING);
  CHECK_STATUS(promise_subscriber_cancel(subscriber), PROMISE_OK);
  CHECK(was_discarded(end));
  CHECK_TEXT(listener.log, ".");
  CHECK_STATUS(promise_subscriber_request(subscriber, 1), PROMISE_OK);
  promise_release(end);
  release_both(subscriber, publisher);
}

TEST(each_policy_keeps_its_events) {
  static const struct {
    promise_overflow_t overflow;
    uint64_t capacity;
    const char *heard;
    int64_t dropped;
  } cases[] = {
      {PROMISE_OVERFLOW_BUFFER, 0, "1 2 3 4 5 ", 0},      {PROMISE_OVERFLOW_BUFFER, 2, "1 2 3 4 5 ", 0},
      {PROMISE_OVERFLOW_DROP_OLDEST, 1, "5 ", 4},         {PROMISE_OVERFLOW_DROP_OLDEST, 3, "3 4 5 ", 2},
      {PROMISE_OVERFLOW_DROP_NEWEST, 1, "1 ", 4},         {PROMISE_OVERFLOW_DROP_NEWEST, 3, "1 2 3 ", 2},
      {PROMISE_OVERFLOW_DROP_NEWEST, 9, "1 2 3 4 5 ", 0}, {PROMISE_OVERFLOW_FAIL, 5, "1 2 3 4 5 ", 0},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    promise_publisher_t *publisher = publisher_new(0);
    listener_t listener = {0}, other = {0};
    promise_subscriber_t *subscriber = slow(publisher, &listener, cases[i].overflow, cases[i].capacity);
    promise_subscriber_t *fast = listen(publisher, &other);
    publish_all(publisher, 1, 5);
    CHECK_TEXT(other.log, "1 2 3 4 5 ");
    promise_subscriber_request(subscriber, PROMISE_DEMAND_UNLIMITED);
    CHECK_TEXT(listener.log, cases[i].heard);
    CHECK_INT(promise_subscriber_dropped(subscriber), cases[i].dropped);
    publish(publisher, 6); /* there is room again */
    CHECK(strstr(listener.log, "6 ") != NULL);
    promise_subscriber_release(fast);
    release_both(subscriber, publisher);
  }
}

TEST(a_capacity_beyond_the_signed_range_is_accepted) {
  static const uint64_t capacities[] = {INT64_MAX, (uint64_t)INT64_MAX + 1, UINT64_MAX};
  for (int i = 0; i < 3; i++) {
    for (promise_overflow_t overflow = PROMISE_OVERFLOW_BUFFER; overflow <= PROMISE_OVERFLOW_FAIL; overflow++) {
      promise_publisher_t *publisher = publisher_new(0);
      listener_t listener = {0};
      promise_subscriber_t *subscriber = slow(publisher, &listener, overflow, capacities[i]);
      publish_all(publisher, 1, 3);
      promise_subscriber_request(subscriber, PROMISE_DEMAND_UNLIMITED);
      CHECK_TEXT(listener.log, "1 2 3 ");
      release_both(subscriber, publisher);
    }
  }
}

TEST(a_failing_subscriber_gets_queued_events_first) {
  promise_publisher_t *publisher = publisher_new(0);
  listener_t listener = {0}, other = {0};
  promise_subscriber_t *subscriber = slow(publisher, &listener, PROMISE_OVERFLOW_FAIL, 2),
                       *fast = listen(publisher, &other);
  promise_t *end = end_of(subscriber);
  publish_all(publisher, 1, 2);
  CHECK_INT(promise_publisher_count(publisher), 2);
  publish_all(publisher, 3, 4);
  CHECK_INT(promise_publisher_count(publisher), 1); /* the cancelled subscriber receives no more */
  CHECK_INT(promise_state(end), PROMISE_PENDING);
  promise_subscriber_request(subscriber, 1);
  CHECK_INT(promise_state(end), PROMISE_PENDING);
  promise_subscriber_request(subscriber, 1);
  CHECK_TEXT(listener.log, "1 2 .");
  CHECK(failed_with(end, PROMISE_EFULL));
  publish(publisher, 5);
  CHECK_TEXT(other.log, "1 2 3 4 5 ");
  CHECK_INT(promise_publisher_count(publisher), 1);
  promise_release(end), promise_subscriber_release(fast);
  release_both(subscriber, publisher);
}

/* ---- Capacity ---- */

TEST(an_error_fills_a_subscriber_too) {
  promise_publisher_t *publisher = publisher_new(0);
  promise_subscription_t options = {.size = sizeof options, .overflow = PROMISE_OVERFLOW_BUFFER, .capacity = 1};
  promise_subscriber_t *subscriber = promise_publisher_subscribe(publisher, &options);
  CHECK_STATUS(promise_publisher_publish_error(publisher, I64(1)), PROMISE_EFULL);
  promise_t *next = promise_subscriber_next(subscriber);
  CHECK_INT(promise_state(next), PROMISE_REJECTED);
  CHECK_STATUS(promise_publisher_publish_error(publisher, I64(2)), PROMISE_EFULL);
  promise_release(next);
  release_both(subscriber, publisher);
}

TEST(ready_is_settled_when_a_subscriber_has_capacity) {
  promise_publisher_t *publisher = publisher_new(0);
  listener_t one = {0}, two = {0};
  promise_subscriber_t *first = slow(publisher, &one, PROMISE_OVERFLOW_BUFFER, 2);
  promise_subscriber_t *second = slow(publisher, &two, PROMISE_OVERFLOW_DROP_NEWEST, 1);
  promise_t *now = promise_publisher_ready(publisher);
  CHECK(is_done(now));
  CHECK_STATUS(promise_publisher_publish(publisher, I64(1)), PROMISE_EFULL); /* the second subscriber is full */
  CHECK_STATUS(promise_publisher_publish(publisher, I64(2)), PROMISE_EFULL); /* both are full */
  promise_t *ready = promise_publisher_ready(publisher), *same = promise_publisher_ready(publisher);
  promise_subscriber_request(second, 1);
  CHECK_INT(promise_state(ready), PROMISE_PENDING);
  promise_subscriber_request(first, 1);
  CHECK(is_done(ready) && is_done(same));
  CHECK_STATUS(promise_publisher_publish(publisher, I64(3)), PROMISE_EFULL);
  promise_release(ready), promise_release(same), promise_release(now);
  ready = promise_publisher_ready(publisher);
  promise_subscriber_release(first); /* the released subscriber does not count */
  CHECK_INT(promise_state(ready), PROMISE_PENDING);
  promise_subscriber_cancel(second);
  CHECK(is_done(ready));
  promise_release(ready);
  release_both(second, publisher);
}

TEST(discarding_a_shared_promise_of_ready_leaves_the_others_pending) {
  promise_publisher_t *publisher = publisher_new(0);
  listener_t listener = {0};
  promise_subscriber_t *subscriber = slow(publisher, &listener, PROMISE_OVERFLOW_BUFFER, 1);
  publish_all(publisher, 1, 1);
  promise_t *first = promise_publisher_ready(publisher);
  CHECK_STATUS(promise_discard(first), PROMISE_OK);
  promise_t *second = promise_publisher_ready(publisher);
  CHECK_INT(promise_state(second), PROMISE_PENDING);
  promise_subscriber_request(subscriber, 1);
  CHECK(is_done(second));
  CHECK(was_discarded(first));
  promise_release(first), promise_release(second);
  release_both(subscriber, publisher);
}

TEST(ready_is_settled_when_the_full_subscriber_fails_or_the_stream_ends) {
  for (int how = 0; how < 3; how++) {
    promise_publisher_t *publisher = publisher_new(0);
    listener_t listener = {0};
    promise_subscriber_t *subscriber = slow(publisher, &listener, PROMISE_OVERFLOW_FAIL, 1);
    CHECK_STATUS(promise_publisher_publish(publisher, I64(1)), PROMISE_EFULL);
    promise_t *ready = promise_publisher_ready(publisher);
    CHECK_INT(promise_state(ready), PROMISE_PENDING);
    if (how == 0)
      CHECK_STATUS(promise_publisher_publish(publisher, I64(2)),
                   PROMISE_OK); /* the subscriber fails, so it takes no event */
    if (how == 1)
      promise_publisher_cancel(publisher);
    if (how == 2)
      promise_publisher_release(publisher);
    CHECK(how == 0 ? is_done(ready) : was_discarded(ready));
    promise_release(ready);
    if (how == 1) {
      ready = promise_publisher_ready(publisher);
      CHECK(was_discarded(ready));
      promise_release(ready);
    }
    if (how != 2)
      promise_publisher_release(publisher);
    promise_subscriber_release(subscriber);
  }
}

static void publishes_when_there_is_room(void *ctx, const promise_value_t *value) {
  (void)value;
  listener_t *listener = ctx;
  CHECK_STATUS(promise_publisher_publish(listener->publisher, I64(8)), PROMISE_EFULL);
}

TEST(a_callback_of_ready_may_publish) {
  promise_publisher_t *publisher = publisher_new(0);
  listener_t listener = {.publisher = publisher};
  promise_subscriber_t *subscriber = slow(publisher, &listener, PROMISE_OVERFLOW_BUFFER, 1);
  CHECK_STATUS(promise_publisher_publish(publisher, I64(7)), PROMISE_EFULL);
  promise_t *ready = promise_publisher_ready(publisher);
  promise_observe(ready, publishes_when_there_is_room, NULL, &listener, NULL);
  promise_subscriber_request(subscriber, 1);
  CHECK_TEXT(listener.log, "7 ");
  promise_subscriber_request(subscriber, 1);
  CHECK_TEXT(listener.log, "7 8 ");
  promise_release(ready);
  release_both(subscriber, publisher);
}

/* ---- Costs ---- */

static void takes_note(void *ctx, const promise_value_t *value) {
  *(int64_t *)ctx += value->as.i64;
}

TEST(a_million_events_leave_nothing_behind) {
  promise_publisher_t *publisher = publisher_new(PROMISE_PUBLISHER_STATEFUL);
  int64_t sum = 0;
  promise_subscription_t wish = {
      .size = sizeof wish, .overflow = PROMISE_OVERFLOW_BUFFER, .demand = PROMISE_DEMAND_UNLIMITED};
  wish.on_value = takes_note, wish.ctx = &sum;
  promise_subscriber_t *subscriber = subscribe(publisher, wish);
  wish.on_value = takes_note, wish.demand = 0, wish.overflow = PROMISE_OVERFLOW_DROP_OLDEST, wish.capacity = 10;
  int64_t rest = 0;
  wish.ctx = &rest;
  promise_subscriber_t *lazy = subscribe(publisher, wish);
  int64_t times = check_scale(1000000);
  promise_publisher_publish(publisher, I64(1));
  long before = resident_kilobytes();
  for (int64_t i = 1; i < times; i++)
    promise_publisher_publish(publisher, I64(1));
  CHECK(resident_kilobytes() - before < 2048);
  CHECK_INT(sum, times);
  CHECK_INT(promise_subscriber_dropped(lazy), times - 10);
  promise_subscriber_request(lazy, PROMISE_DEMAND_UNLIMITED);
  CHECK_INT(rest, 10);
  promise_subscriber_release(lazy);
  release_both(subscriber, publisher);
}

TEST(a_million_events_wait) {
  promise_publisher_t *publisher = publisher_new(0);
  int64_t sum = 0, times = check_scale(1000000);
  promise_subscription_t wish = {
      .size = sizeof wish, .overflow = PROMISE_OVERFLOW_BUFFER, .on_value = takes_note, .ctx = &sum};
  promise_subscriber_t *subscriber = subscribe(publisher, wish);
  for (int64_t i = 0; i < times; i++)
    promise_publisher_publish(publisher, I64(1));
  CHECK_INT(sum, 0);
  promise_subscriber_request(subscriber, (uint64_t)times / 2);
  CHECK_INT(sum, times / 2);
  promise_subscriber_request(subscriber, PROMISE_DEMAND_UNLIMITED);
  CHECK_INT(sum, times);
  release_both(subscriber, publisher);
}

/* An executor that runs each job within submit, nested at most twice: more would be recursion. */
static int running;

static void runs_at_once(void *ctx, promise_job_t *job) {
  (void)ctx;
  CHECK(++running <= 2);
  CHECK_STATUS(promise_job_run(job), PROMISE_OK);
  running--;
}

TEST(waiting_events_do_not_recurse_through_submit) {
  promise_publisher_t *publisher = publisher_new(0);
  promise_executor_t *executor = promise_executor_new(runs_at_once, NULL, NULL);
  int64_t sum = 0, times = 10000;
  promise_subscription_t wish = {.size = sizeof wish,
                                 .overflow = PROMISE_OVERFLOW_BUFFER,
                                 .executor = executor,
                                 .on_value = takes_note,
                                 .ctx = &sum};
  promise_subscriber_t *subscriber = subscribe(publisher, wish);
  promise_executor_release(executor);
  for (int64_t i = 0; i < times; i++)
    promise_publisher_publish(publisher, I64(1));
  promise_subscriber_request(subscriber, PROMISE_DEMAND_UNLIMITED);
  CHECK_INT(sum, times);
  release_both(subscriber, publisher);
}
