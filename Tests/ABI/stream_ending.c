/* stream.h: subscribers that end between their events, and events published while values are destroyed. */
#include "streams.h"

/* ---- Turns on an executor ---- */

typedef struct turns {
  promise_loop_t *loop;
  promise_executor_t *executor;
  promise_publisher_t *publisher;
  promise_subscriber_t *subscriber;
  promise_t *end;
} turns_t;

/* Publishes more events than one turn delivers to a subscriber on a loop, and runs a turn. */
static turns_t have_one_turn(listener_t *listener) {
  turns_t turns = {.loop = promise_loop_new(), .publisher = publisher_new(0)};
  turns.executor = promise_loop_executor(turns.loop);
  promise_subscription_t wish = everything(listener);
  wish.executor = turns.executor;
  turns.subscriber = subscribe(turns.publisher, wish);
  turns.end = end_of(turns.subscriber);
  for (int64_t i = 0; i < 100; i++)
    publish(turns.publisher, i % 10);
  promise_loop_run_once(turns.loop);
  CHECK(atomic_load(&listener->calls) > 0 && atomic_load(&listener->calls) < 100);
  CHECK_INT(promise_state(turns.end), PROMISE_PENDING);
  return turns;
}

static void release_turns(turns_t *turns) {
  promise_release(turns->end), promise_executor_release(turns->executor);
  release_both(turns->subscriber, turns->publisher);
}

TEST(a_later_turn_that_is_dropped_ends_the_subscriber) {
  listener_t listener = {0};
  turns_t turns = have_one_turn(&listener);
  int calls = atomic_load(&listener.calls);
  promise_loop_release(turns.loop);
  CHECK(failed_with(turns.end, PROMISE_ECLOSED));
  CHECK_INT(atomic_load(&listener.frees), 1);
  CHECK_INT(promise_publisher_count(turns.publisher), 0);
  CHECK_STATUS(promise_subscriber_cancel(turns.subscriber), PROMISE_ESETTLED);
  publish(turns.publisher, 1);
  CHECK_INT(atomic_load(&listener.calls), calls);
  release_turns(&turns);
}

TEST(a_subscriber_that_waits_for_a_turn_is_cancelled_at_once) {
  listener_t listener = {0};
  turns_t turns = have_one_turn(&listener);
  int calls = atomic_load(&listener.calls);
  CHECK_STATUS(promise_subscriber_cancel(turns.subscriber), PROMISE_OK);
  CHECK(was_discarded(turns.end));
  CHECK_INT(atomic_load(&listener.frees), 1);
  CHECK_INT(promise_publisher_count(turns.publisher), 0);
  promise_loop_run_once(turns.loop);
  CHECK_INT(atomic_load(&listener.calls), calls);
  promise_loop_release(turns.loop);
  release_turns(&turns);
}

/* ---- Between two events of the subscriber ---- */

static promise_t *other_end;
static listener_t other;

static void cancels_the_other(listener_t *listener, int64_t number) {
  if (number != 1)
    return;
  CHECK_STATUS(promise_subscriber_cancel(listener->subscriber), PROMISE_OK);
  CHECK(was_discarded(other_end));
  CHECK_INT(atomic_load(&other.frees), 1);
}

static void publishes_another(listener_t *listener, int64_t number) {
  if (number == 1)
    publish(listener->publisher, 2);
}

TEST(a_subscriber_that_has_received_its_event_is_cancelled_at_once) {
  for (int has_another = 0; has_another < 2; has_another++) {
    promise_publisher_t *publisher = publisher_new(0);
    listener_t listener = {.then = cancels_the_other};
    memset(&other, 0, sizeof other);
    other.publisher = publisher, other.then = has_another ? publishes_another : NULL;
    listener.subscriber = listen(publisher, &other);
    other_end = end_of(listener.subscriber);
    promise_subscriber_t *subscriber = listen(publisher, &listener);
    publish(publisher, 1);
    CHECK_TEXT(other.log, "1 .");
    CHECK_TEXT(listener.log, has_another ? "1 2 " : "1 ");
    CHECK_INT(promise_publisher_count(publisher), 1);
    promise_release(other_end), promise_subscriber_release(listener.subscriber);
    release_both(subscriber, publisher);
  }
}

static void cancels_itself(listener_t *listener, int64_t number) {
  (void)number;
  CHECK_STATUS(promise_subscriber_cancel(listener->subscriber), PROMISE_OK);
  CHECK_INT(atomic_load(&listener->frees), 0);
  CHECK_STATUS(promise_subscriber_cancel(listener->subscriber), PROMISE_ESETTLED);
  CHECK_INT(promise_publisher_count(listener->publisher), 1); /* the other subscriber */
}

TEST(a_subscriber_that_cancels_itself_ends_when_its_callback_returns) {
  promise_publisher_t *publisher = publisher_new(0);
  listener_t first = {.then = cancels_itself, .publisher = publisher}, second = {0};
  first.subscriber = listen(publisher, &first);
  promise_t *end = end_of(first.subscriber);
  promise_subscriber_t *subscriber = listen(publisher, &second);
  publish(publisher, 1);
  CHECK_TEXT(first.log, "1 .");
  CHECK_TEXT(second.log, "1 ");
  CHECK(was_discarded(end));
  promise_release(end), promise_subscriber_release(first.subscriber);
  release_both(subscriber, publisher);
}

/* ---- Tokens ---- */

static promise_token_t *shared_token;
static gate_t cancelling;

static void *cancels_the_token(void *unused) {
  (void)unused;
  gate_open(&cancelling);
  promise_token_cancel(shared_token, NULL);
  return NULL;
}

TEST(a_token_may_be_cancelled_while_somebody_subscribes) {
  promise_publisher_t *publisher = publisher_new(0);
  for (long i = 0, times = check_scale(2000); i < times; i++) {
    shared_token = promise_token_new(0);
    cancelling = (gate_t)GATE_CLOSED;
    pthread_t thread = start(cancels_the_token, NULL);
    gate_wait(&cancelling);
    listener_t listener = {0};
    promise_subscription_t wish = everything(&listener);
    wish.token = shared_token;
    promise_subscriber_t *subscriber = subscribe(publisher, wish);
    finish(thread);
    promise_t *end = end_of(subscriber);
    if (promise_state(end) == PROMISE_REJECTED)
      CHECK_INT(promise_publisher_count(publisher), 0);
    promise_release(end), promise_subscriber_release(subscriber), promise_token_release(shared_token);
    CHECK_INT(promise_publisher_count(publisher), 0);
    CHECK_INT(atomic_load(&listener.frees), 1);
  }
  promise_publisher_release(publisher);
}

/* ---- Destruction of values ---- */

static promise_publisher_t *told;
static listener_t hears_of_values;

static void tells(void *pointer) {
  int before = atomic_load(&hears_of_values.calls);
  publish(told, (int64_t)(intptr_t)pointer);
  CHECK_INT(atomic_load(&hears_of_values.calls), before + 1);
}

static promise_value_t telling(int64_t number) {
  const promise_type_t *type = promise_type_register("test.telling", NULL, tells);
  promise_value_t value;
  REQUIRE(type != NULL && promise_value_object(&value, type, (void *)(intptr_t)number) == PROMISE_OK);
  return value;
}

/* Publishes two values that record their destruction. */
static void publish_two(promise_publisher_t *publisher, promise_subscription_t wish) {
  promise_subscriber_t *subscriber = subscribe(publisher, wish);
  for (int64_t i = 1; i <= 2; i++) {
    promise_value_t value = telling(i);
    promise_publisher_publish(publisher, &value);
  }
  release_both(subscriber, publisher);
}

TEST(an_event_that_a_destructor_publishes_is_delivered_at_once) {
  told = publisher_new(0);
  promise_subscriber_t *subscriber = listen(told, &hears_of_values);
  promise_subscription_t wish = everything(NULL);
  wish.on_value = ignore_value, wish.free_ctx = NULL;
  publish_two(publisher_new(0), wish);
  CHECK_TEXT(hears_of_values.log, "1 2 ");
  publish_two(publisher_new(PROMISE_PUBLISHER_STATEFUL), wish);
  CHECK_TEXT(hears_of_values.log, "1 2 1 2 ");
  wish.demand = 0, wish.overflow = PROMISE_OVERFLOW_DROP_OLDEST, wish.capacity = 1;
  publish_two(publisher_new(0), wish);
  CHECK_TEXT(hears_of_values.log, "1 2 1 2 1 2 ");
  release_both(subscriber, told);
}

/* Unlike one whose deadline has passed (promise_token_add()). */
TEST(a_token_that_was_cancelled_before_cancels_no_subscriber) {
  promise_publisher_t *publisher = publisher_new(0);
  promise_token_t *token = promise_token_new(0);
  promise_token_cancel(token, NULL);
  listener_t listener = {0};
  promise_subscription_t wish = everything(&listener);
  wish.token = token;
  promise_subscriber_t *subscriber = subscribe(publisher, wish);
  publish(publisher, 1);
  CHECK_TEXT(listener.log, "1 ");
  promise_token_cancel(token, NULL);
  publish(publisher, 2);
  CHECK_TEXT(listener.log, "1 .");
  release_both(subscriber, publisher);
  promise_token_release(token);
}

/* ---- The promise of the end ---- */

TEST(an_end_that_the_program_settles_does_not_end_the_subscriber) {
  for (int is_discarded = 0; is_discarded < 2; is_discarded++) {
    promise_publisher_t *publisher = publisher_new(0);
    listener_t listener = {0};
    promise_subscriber_t *subscriber = subscribe(publisher, everything(&listener));
    promise_t *end = end_of(subscriber);
    CHECK_STATUS(is_discarded ? promise_discard(end) : promise_resolve(end, I64(1)), PROMISE_OK);
    publish(publisher, 1);
    CHECK_TEXT(listener.log, "1 ");
    promise_publisher_finish(publisher);
    CHECK_TEXT(listener.log, "1 .");
    CHECK_INT(promise_state(end), is_discarded ? PROMISE_REJECTED : PROMISE_FULFILLED);
    promise_release(end);
    release_both(subscriber, publisher);
  }
}
