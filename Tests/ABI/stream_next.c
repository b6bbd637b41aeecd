/* stream.h: events as promises, for languages with await. */
#include "streams.h"

TEST(the_ways_to_end_are_distinguished) {
  for (int how = 0; how <= ENDINGS; how++) {
    promise_publisher_t *publisher = publisher_new(0);
    promise_subscriber_t *subscriber = pull(publisher, PROMISE_OVERFLOW_BUFFER, 0);
    promise_t *before = next_of(subscriber), *first = next_of(subscriber), *end = end_of(subscriber);
    publish(publisher, 1);
    publish(publisher, 2);
    publish(publisher, 3);
    if (how < ENDINGS)
      end_by(publisher, how, 9);
    else
      promise_subscriber_cancel(subscriber);
    CHECK(ended(before, PROMISE_FULFILLED, 1) && ended(first, PROMISE_FULFILLED, 2));
    CHECK_INT(promise_state(end), how == 3 ? PROMISE_REJECTED : PROMISE_PENDING);
    promise_t *last = next_of(subscriber), *after = next_of(subscriber);
    if (how == 3)
      CHECK(was_discarded(last));
    else
      CHECK(ended(last, PROMISE_FULFILLED, 3)); /* events published before the end remain */
    if (how == 0)
      CHECK(failed_with(after, PROMISE_EFINISHED) && is_done(end));
    if (how == 1)
      CHECK(ended(after, PROMISE_REJECTED, 9) && ended(end, PROMISE_REJECTED, 9));
    if (how >= 2)
      CHECK(was_discarded(after) && was_discarded(end));
    RELEASE(before, first, last, after, end);
    release_both(subscriber, publisher);
  }
}

TEST(a_discarded_promise_loses_no_event) {
  promise_publisher_t *publisher = publisher_new(0);
  promise_subscriber_t *subscriber = pull(publisher, PROMISE_OVERFLOW_BUFFER, 0);
  promise_t *asked = next_of(subscriber), *settled = next_of(subscriber), *dropped = next_of(subscriber);
  promise_t *watched = next_of(subscriber), *kept = next_of(subscriber);
  spy_t spy = {0};
  CHECK_STATUS(promise_request_cancel(asked, NULL), PROMISE_OK);
  CHECK(was_discarded(asked));
  promise_resolve(settled, I64(4));
  promise_release(dropped);
  promise_t *derived = promise_then(watched, spy_handler, &spy, spy_free);
  promise_release(watched);
  publish(publisher, 1);
  CHECK(ended(derived, PROMISE_FULFILLED, 2)); /* a promise with a waiter takes the event */
  publish(publisher, 2);
  CHECK(ended(kept, PROMISE_FULFILLED, 2));
  publish(publisher, 3);
  promise_t *next = next_of(subscriber);
  CHECK(ended(next, PROMISE_FULFILLED, 3));
  RELEASE(asked, settled, derived, kept, next);
  release_both(subscriber, publisher);
}

TEST(a_token_has_no_interest_in_an_event) {
  promise_publisher_t *publisher = publisher_new(0);
  promise_subscriber_t *subscriber = pull(publisher, PROMISE_OVERFLOW_BUFFER, 0);
  promise_token_t *token = promise_token_new(0);
  promise_t *dropped = next_of(subscriber), *kept = next_of(subscriber);
  CHECK_STATUS(promise_token_add(token, dropped), PROMISE_OK);
  promise_release(dropped);
  publish(publisher, 1);
  CHECK(ended(kept, PROMISE_FULFILLED, 1));
  promise_token_cancel(token, NULL);
  promise_release(kept), promise_token_release(token);
  release_both(subscriber, publisher);
}

/* Requests `times` events, and abandons the promise of each. */
static void give_up(promise_subscriber_t *subscriber, long times, bool asks) {
  for (long i = 0; i < times; i++) {
    promise_t *promise = next_of(subscriber);
    if (asks)
      promise_request_cancel(promise, NULL);
    promise_release(promise);
  }
}

TEST(abandoned_promises_do_not_pile_up) {
  promise_publisher_t *publisher = publisher_new(0);
  promise_subscriber_t *subscriber = pull(publisher, PROMISE_OVERFLOW_BUFFER, 0);
  promise_t *first = next_of(subscriber);
  for (int asks = 0; asks < 2; asks++) {
    give_up(subscriber, 1000, asks);
    long before = resident_kilobytes(), times = check_scale(100000);
    give_up(subscriber, times, asks);
    CHECK(resident_kilobytes() - before < 4000); /* would be 12 MB if the promises were kept */
  }
  promise_t *wanted[1000];
  for (int i = 0; i < 1000; i++) {
    wanted[i] = next_of(subscriber);
    give_up(subscriber, 1, i % 2 == 0);
  }
  for (int i = 0; i <= 1000; i++)
    publish(publisher, i);
  CHECK(ended(first, PROMISE_FULFILLED, 0));
  for (int i = 0; i < 1000; i++) {
    CHECK(ended(wanted[i], PROMISE_FULFILLED, i + 1));
    promise_release(wanted[i]);
  }
  promise_release(first);
  release_both(subscriber, publisher);
}

TEST(the_event_of_a_discarded_promise_is_queued_and_may_be_dropped) {
  promise_publisher_t *publisher = publisher_new(0);
  promise_subscriber_t *subscriber = pull(publisher, PROMISE_OVERFLOW_DROP_OLDEST, 1);
  promise_t *settled = next_of(subscriber);
  promise_discard(settled);
  promise_value_t first = text("first"), second = text("second");
  CHECK_STATUS(promise_publisher_publish(publisher, &first), PROMISE_EFULL);
  CHECK_STATUS(promise_publisher_publish(publisher, &second), PROMISE_EFULL);
  CHECK_INT(promise_subscriber_dropped(subscriber), 1);
  promise_t *next = next_of(subscriber);
  promise_value_t value;
  CHECK_STATUS(promise_result(next, &value), PROMISE_OK);
  CHECK_TEXT(promise_value_data(&value, NULL), "second");
  promise_value_release(&value);
  promise_release(settled), promise_release(next);
  release_both(subscriber, publisher);
}

static void publishes_the_second(void *publisher) {
  promise_value_t second = text("second");
  CHECK_STATUS(promise_publisher_publish(publisher, &second), PROMISE_EFULL);
}

/* An event of an abandoned promise is offered again, before the later events. */
TEST(an_event_that_is_offered_again_keeps_its_place) {
  for (int follows_at_once = 0; follows_at_once < 2; follows_at_once++) {
    promise_publisher_t *publisher = publisher_new(0);
    promise_subscriber_t *subscriber = pull(publisher, PROMISE_OVERFLOW_BUFFER, 1);
    promise_t *given_up = next_of(subscriber);
    if (follows_at_once)
      CHECK_STATUS(promise_on_cancel_request(given_up, spy_observer, publisher, publishes_the_second), PROMISE_OK);
    promise_release(given_up);
    promise_value_t first = text("first");
    CHECK_STATUS(promise_publisher_publish(publisher, &first), PROMISE_EFULL);
    if (!follows_at_once)
      publishes_the_second(publisher);
    static const char *const expected[] = {"first", "second"};
    for (int i = 0; i < 2; i++) {
      promise_value_t value = {.kind = PROMISE_KIND_VOID};
      promise_t *next = next_of(subscriber);
      CHECK_STATUS(promise_result(next, &value), PROMISE_OK);
      CHECK_TEXT(promise_value_data(&value, NULL), expected[i]);
      promise_value_release(&value);
      promise_release(next);
    }
    release_both(subscriber, publisher);
  }
}

/* An event of an abandoned promise is offered again; if another event has its place, it is dropped and counted. */
TEST(an_event_that_lost_its_place_is_counted) {
  promise_publisher_t *publisher = publisher_new(0);
  promise_subscriber_t *subscriber = pull(publisher, PROMISE_OVERFLOW_DROP_OLDEST, 1);
  promise_t *given_up = next_of(subscriber);
  CHECK_STATUS(promise_on_cancel_request(given_up, spy_observer, publisher, publishes_the_second), PROMISE_OK);
  promise_release(given_up);
  promise_value_t first = text("first"), value;
  CHECK_STATUS(promise_publisher_publish(publisher, &first), PROMISE_EFULL);
  CHECK_INT(promise_subscriber_dropped(subscriber), 1);
  promise_t *next = next_of(subscriber);
  CHECK_STATUS(promise_result(next, &value), PROMISE_OK);
  CHECK_TEXT(promise_value_data(&value, NULL), "second");
  promise_value_release(&value);
  promise_release(next);
  release_both(subscriber, publisher);
}

typedef struct loop {
  promise_subscriber_t *subscriber;
  long count;
  bool is_over;
} loop_t;

static promise_verdict_t goes_on(void *ctx, const promise_value_t *value, promise_value_t *out) {
  loop_t *loop = ctx;
  CHECK_INT(value->as.i64, loop->count);
  (void)out;
  loop->count++;
  return PROMISE_FULFILL;
}

static void ask(loop_t *loop);
static void asks_again(void *ctx, const promise_value_t *value) {
  (void)value;
  ask(ctx);
}
static void is_over(void *ctx, const promise_value_t *reason) {
  CHECK_INT(promise_value_code(reason), PROMISE_EFINISHED);
  ((loop_t *)ctx)->is_over = true;
}
static void ask(loop_t *loop) {
  promise_t *next = next_of(loop->subscriber), *done = promise_then(next, goes_on, loop, NULL);
  promise_observe(done, asks_again, is_over, loop, NULL);
  promise_release(next), promise_release(done);
}

static void *awaits_in_a_loop(void *unused) {
  (void)unused;
  promise_publisher_t *publisher = publisher_new(0);
  loop_t loop = {.subscriber = pull(publisher, PROMISE_OVERFLOW_BUFFER, 0)};
  long times = check_scale(200000);
  ask(&loop);
  for (long i = 0; i < times; i++)
    publish(publisher, i);
  promise_publisher_finish(publisher);
  CHECK_INT(loop.count, times);
  CHECK(loop.is_over);
  release_both(loop.subscriber, publisher);
  return NULL;
}

TEST_BY(a_loop_of_awaits_takes_no_stack_while_it_waits, on_small_stack(awaits_in_a_loop, NULL))
