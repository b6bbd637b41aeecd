/* flatten.h: streams of streams. */
#include "operators.h"

/* A source of numbers: the number i selects inner[i] as the inner stream. */
enum { INNER = 4 };
static promise_publisher_t *source, *inner[INNER];
static listener_t listener;
static spy_t spy;
static promise_subscriber_t *subscriber;
static promise_t *end;

static promise_publisher_t *finds(void *ctx, const promise_value_t *value) {
  spy_see(ctx, value);
  promise_publisher_t *found = inner[value->as.i64];
  if (found != NULL)
    promise_publisher_retain(found);
  return found;
}

static void listen_to(promise_publisher_t *derived) {
  memset(&listener, 0, sizeof listener);
  subscriber = listen_only(made(derived), &listener);
  end = end_of(subscriber);
}

static void begin(promise_flatten_t strategy, uint32_t flags) {
  memset(&spy, 0, sizeof spy);
  source = publisher_new(0);
  for (int i = 0; i < INNER; i++)
    inner[i] = publisher_new(flags);
  listen_to(promise_publisher_flat_map(source, strategy, finds, &spy, spy_free));
}

static void finish_all(void) {
  promise_release(end), promise_subscriber_release(subscriber);
  CHECK_INT(atomic_load(&spy.frees), 1);
  for (int i = 0; i < INNER; i++) {
    CHECK_INT(promise_publisher_count(inner[i]), 0);
    promise_publisher_release(inner[i]);
  }
  CHECK_INT(promise_publisher_count(source), 0);
  promise_publisher_release(source);
}

TEST(merged_inner_streams_publish_all_at_once) {
  begin(PROMISE_FLATTEN_MERGE, 0);
  publish(source, 0);
  publish(source, 1);
  publish(inner[0], 10);
  publish(inner[1], 11);
  publish_error(inner[0], 12);
  publish_error(source, 13);
  CHECK_TEXT(listener.log, "10 11 !12 !13 ");
  promise_publisher_finish(source);
  promise_publisher_cancel(inner[0]); /* for the operator, a cancelled inner stream has only ended */
  CHECK_INT(promise_state(end), PROMISE_PENDING);
  publish(inner[1], 14);
  promise_publisher_finish(inner[1]);
  CHECK_TEXT(listener.log, "10 11 !12 !13 14 .");
  CHECK(is_done(end));
  finish_all();
}

TEST(concatenated_inner_streams_wait_for_each_other) {
  begin(PROMISE_FLATTEN_CONCAT, 0);
  for (int64_t number = 0; number < 3; number++)
    publish(source, number);
  CHECK_INT(atomic_load(&spy.calls), 1);
  publish(inner[1], 11); /* the operator has not subscribed yet */
  publish(inner[0], 10);
  promise_publisher_finish(source);
  promise_publisher_finish(inner[0]);
  CHECK_INT(atomic_load(&spy.calls), 2);
  publish(inner[1], 12);
  promise_publisher_cancel(inner[1]);
  publish(inner[2], 13);
  CHECK_TEXT(listener.log, "10 12 13 ");
  CHECK_INT(promise_state(end), PROMISE_PENDING);
  promise_publisher_finish(inner[2]);
  CHECK(is_done(end));
  finish_all();
}

TEST(the_latest_inner_stream_replaces_the_one_before) {
  begin(PROMISE_FLATTEN_LATEST, 0);
  publish(source, 0);
  publish(inner[0], 10);
  publish(source, 1);
  CHECK_INT(promise_publisher_count(inner[0]), 0);
  publish(inner[0], 11);
  publish(inner[1], 12);
  promise_publisher_finish(source);
  CHECK_INT(promise_state(end), PROMISE_PENDING);
  promise_publisher_finish(inner[1]);
  CHECK_TEXT(listener.log, "10 12 .");
  finish_all();
}

TEST(a_failure_ends_the_stream_at_once) {
  for (promise_flatten_t strategy = PROMISE_FLATTEN_MERGE; strategy <= PROMISE_FLATTEN_LATEST; strategy++)
    for (int of_source = 0; of_source < 2; of_source++) {
      begin(strategy, 0);
      publish(source, 0);
      publish(source, 1);
      promise_publisher_t *failing = of_source ? source : inner[strategy == PROMISE_FLATTEN_LATEST];
      promise_publisher_fail(failing, I64(9));
      CHECK(ended(end, PROMISE_REJECTED, 9));
      CHECK_INT(promise_publisher_count(inner[0]) + promise_publisher_count(inner[1]), 0);
      finish_all();
    }
}

TEST(a_cancelled_source_cancels_the_stream_after_the_inner_streams) {
  begin(PROMISE_FLATTEN_MERGE, 0);
  publish(source, 0);
  promise_publisher_cancel(source);
  publish(inner[0], 10);
  CHECK_INT(promise_state(end), PROMISE_PENDING);
  promise_publisher_finish(inner[0]);
  CHECK_TEXT(listener.log, "10 .");
  CHECK(was_discarded(end));
  finish_all();
}

TEST(an_inner_stream_may_be_none) {
  begin(PROMISE_FLATTEN_CONCAT, 0);
  promise_publisher_t *kept = inner[0];
  inner[0] = NULL;
  publish(source, 0);
  publish(source, 1);
  inner[0] = kept;
  publish(inner[1], 10);
  CHECK_TEXT(listener.log, "10 ");
  finish_all();
}

static promise_publisher_t *gives_stale(void *ctx, const promise_value_t *value) {
  (void)value;
  return ctx;
}

TEST(a_stale_handle_is_an_error_event) {
  promise_publisher_t *stale = publisher_new(0), *numbers = publisher_new(0);
  promise_publisher_release(stale);
  promise_publisher_t *derived =
      made(promise_publisher_flat_map(numbers, PROMISE_FLATTEN_MERGE, gives_stale, stale, NULL));
  promise_subscriber_t *puller = pull(derived, PROMISE_OVERFLOW_BUFFER, 0);
  publish(numbers, 1);
  promise_t *next = next_of(puller);
  promise_value_t reason;
  CHECK_INT(promise_state(next), PROMISE_REJECTED);
  CHECK_STATUS(promise_result(next, &reason), PROMISE_OK);
  CHECK_INT(promise_value_code(&reason), PROMISE_EINVAL);
  promise_value_release(&reason), promise_release(next), promise_publisher_release(derived);
  release_both(puller, numbers);
}

/* The inner streams are stateful and finished: each delivers its events and its end in the call that subscribes. */
TEST(inner_streams_may_end_while_they_subscribe) {
  begin(PROMISE_FLATTEN_CONCAT, PROMISE_PUBLISHER_STATEFUL);
  for (int i = 0; i < INNER; i++) {
    publish(inner[i], 10 + i);
    promise_publisher_finish(inner[i]);
  }
  for (int64_t number = 0; number < INNER; number++)
    publish(source, number);
  CHECK_TEXT(listener.log, "10 11 12 13 ");
  promise_publisher_finish(source);
  CHECK(is_done(end));
  finish_all();
}

static void *publishes_three(void *publisher) {
  return publish(publisher, 3), NULL;
}

/* While the stream of the value 1 is sought, another thread publishes a value. */
static promise_publisher_t *finds_slowly(void *ctx, const promise_value_t *value) {
  static _Atomic int searches;
  CHECK_INT(atomic_fetch_add(&searches, 1), 0);
  if (value->as.i64 == 1) {
    pthread_t thread;
    REQUIRE(pthread_create(&thread, NULL, publishes_three, source) == 0);
    pthread_join(thread, NULL);
  }
  atomic_fetch_sub(&searches, 1);
  return finds(ctx, value);
}

TEST(values_wait_while_an_inner_stream_is_sought) {
  memset(&spy, 0, sizeof spy), source = publisher_new(0);
  for (int i = 0; i < INNER; i++)
    inner[i] = publisher_new(0);
  listen_to(promise_publisher_flat_map(source, PROMISE_FLATTEN_CONCAT, finds_slowly, &spy, spy_free));
  for (int64_t number = 0; number < 3; number++)
    publish(source, number);
  for (int i = 0; i < INNER; i++)
    publish(inner[i], 10 + i), promise_publisher_finish(inner[i]);
  CHECK_TEXT(listener.log, "10 11 12 13 ");
  promise_publisher_finish(source);
  CHECK(is_done(end));
  finish_all();
}

/* Returns `ctx` for the value 0, and a stream that has ended for any other. */
static promise_publisher_t *first_is_open(void *ctx, const promise_value_t *value) {
  if (value->as.i64 == 0) {
    promise_publisher_retain(ctx);
    return ctx;
  }
  promise_t *promise = promise_new_resolved(value);
  promise_publisher_t *publisher = promise_publisher_of(promise);
  promise_release(promise);
  return publisher;
}

static int64_t heard;
static void counts_up(void *ctx, const promise_value_t *value) {
  (void)ctx;
  CHECK_INT(value->as.i64, ++heard);
}

/* Many values wait for the first inner stream. Its end starts the next stream, which ends at once, and so on. */
TEST(many_inner_streams_end_without_recursion) {
  enum { MANY = 20000 };
  promise_publisher_t *first = publisher_new(0), *numbers = publisher_new(0);
  promise_publisher_t *derived =
      made(promise_publisher_flat_map(numbers, PROMISE_FLATTEN_CONCAT, first_is_open, first, NULL));
  promise_subscription_t wish = everything(NULL);
  wish.on_value = counts_up, wish.on_error = NULL, wish.free_ctx = NULL;
  subscriber = subscribe(derived, wish);
  heard = 0;
  for (int64_t number = 0; number <= MANY; number++)
    publish(numbers, number);
  CHECK_INT(heard, 0);
  promise_publisher_finish(first);
  CHECK_INT(heard, MANY);
  promise_publisher_release(derived), promise_publisher_release(first);
  release_both(subscriber, numbers);
}

TEST(inner_streams_feel_back_pressure) {
  source = publisher_new(0);
  for (int i = 0; i < INNER; i++)
    inner[i] = publisher_new(0);
  memset(&spy, 0, sizeof spy);
  promise_publisher_t *derived = made(promise_publisher_flat_map(source, PROMISE_FLATTEN_MERGE, finds, &spy, spy_free));
  subscriber = pull(derived, PROMISE_OVERFLOW_BUFFER, 1);
  end = end_of(subscriber);
  promise_publisher_release(derived);
  publish(source, 0);
  CHECK_STATUS(promise_publisher_publish(inner[0], I64(1)), PROMISE_EFULL);
  CHECK_STATUS(promise_publisher_publish(source, I64(1)), PROMISE_EFULL);
  promise_t *ready[] = {promise_publisher_ready(source), promise_publisher_ready(inner[0]),
                        promise_publisher_ready(inner[1])};
  for (int i = 0; i < 3; i++)
    CHECK_INT(promise_state(ready[i]), PROMISE_PENDING);
  promise_t *next = next_of(subscriber);
  for (int i = 0; i < 3; i++) {
    CHECK_INT(promise_state(ready[i]), PROMISE_FULFILLED);
    promise_release(ready[i]);
  }
  promise_release(next);
  finish_all();
}

/* Threads publish to inner streams while the source replaces them. */
enum { ROUNDS = 2000 };
static _Atomic int is_over;
static void *publishes(void *publisher) {
  while (!atomic_load(&is_over))
    promise_publisher_publish(publisher, I64(1));
  return NULL;
}

TEST(inner_streams_race_with_their_source) {
  for (promise_flatten_t strategy = PROMISE_FLATTEN_MERGE; strategy <= PROMISE_FLATTEN_LATEST; strategy++) {
    memset(&spy, 0, sizeof spy);
    source = publisher_new(0);
    for (int i = 0; i < INNER; i++)
      inner[i] = publisher_new(0);
    promise_publisher_t *flat = made(promise_publisher_flat_map(source, strategy, finds, &spy, spy_free));
    promise_publisher_t *derived = made(promise_publisher_take(flat, 1000));
    promise_publisher_release(flat);
    promise_subscription_t wish = {.size = sizeof wish, .overflow = PROMISE_OVERFLOW_DROP_OLDEST, .capacity = 1};
    subscriber = subscribe(derived, wish);
    end = end_of(subscriber);
    atomic_store(&is_over, 0);
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
      REQUIRE(pthread_create(&threads[i], NULL, publishes, inner[i]) == 0);
    for (int64_t round = 0; round < ROUNDS; round++)
      promise_publisher_publish(source, I64(round % 2));
    atomic_store(&is_over, 1);
    for (int i = 0; i < 2; i++)
      pthread_join(threads[i], NULL);
    promise_publisher_release(derived);
    finish_all();
  }
}

/* ---- Retry ---- */

/* Returns the stream of the next attempt, inner[attempts], whose values and errors the test publishes. */
static int64_t attempts;
static promise_publisher_t *tries(void *ctx, const promise_value_t *value) {
  CHECK(attempts > 0 || value->kind == PROMISE_KIND_VOID);
  if (attempts > 0)
    spy_see(ctx, value);
  promise_publisher_t *next = inner[attempts++];
  if (next != NULL)
    promise_publisher_retain(next);
  return next;
}

static void begin_tries(uint64_t count) {
  memset(&spy, 0, sizeof spy);
  attempts = 0;
  source = publisher_new(0);
  for (int i = 0; i < INNER; i++)
    inner[i] = publisher_new(0);
  listen_to(promise_publisher_retry(count, tries, &spy, spy_free));
}

TEST(errors_and_failures_are_retried) {
  begin_tries(2);
  CHECK_INT(attempts, 1);
  publish(inner[0], 10);
  publish_error(inner[0], 5);
  CHECK_INT(attempts, 2);
  CHECK_INT(promise_publisher_count(inner[0]), 0);
  publish(inner[1], 11);
  promise_publisher_fail(inner[1], I64(6));
  CHECK_INT(attempts, 3);
  CHECK_INT(spy.seen, 6);
  publish(inner[2], 12);
  publish_error(inner[2], 7); /* no attempt is left */
  publish(inner[2], 13);
  CHECK_TEXT(listener.log, "10 11 12 !7 13 ");
  CHECK_INT(attempts, 3);
  promise_publisher_finish(inner[2]);
  CHECK_TEXT(listener.log, "10 11 12 !7 13 .");
  CHECK(is_done(end));
  finish_all();
}

TEST(the_last_failure_fails_the_stream) {
  for (uint64_t count = 0; count < 2; count++) {
    begin_tries(count);
    for (uint64_t i = 0; i <= count; i++)
      promise_publisher_fail(inner[i], I64((int64_t)i));
    CHECK(ended(end, PROMISE_REJECTED, (int64_t)count));
    CHECK_INT(attempts, (int64_t)count + 1);
    finish_all();
  }
}

TEST(an_attempt_may_be_none) {
  begin_tries(UINT64_MAX);
  promise_publisher_t *kept = inner[1];
  inner[1] = NULL;
  publish_error(inner[0], 1);
  CHECK(is_done(end));
  inner[1] = kept;
  finish_all();
}

TEST(a_retry_is_stateful) {
  memset(&spy, 0, sizeof spy);
  attempts = 0;
  inner[0] = publisher_new(0);
  promise_publisher_t *retry = made(promise_publisher_retry(1, tries, &spy, spy_free));
  publish(inner[0], 10);
  listener_t late = {0};
  subscriber = listen(retry, &late);
  CHECK_TEXT(late.log, "10 ");
  promise_publisher_release(retry);
  release_both(subscriber, inner[0]);
  CHECK_INT(atomic_load(&spy.frees), 1);
}
