/* promise_publisher_buffer(), _zip() and _replay(): groups of events. */
#include "growth.h"
#include "operators.h"

TEST(groups_follow_each_other) {
  promise_publisher_t *source = publisher_new(0);
  promise_publisher_t *groups = promise_publisher_buffer(source, 2);
  promise_subscriber_t *subscriber = listen_to_arrays(groups);
  promise_t *end = end_of(subscriber);
  for (int64_t number = 1; number <= 4; number++)
    publish(source, number);
  CHECK_TEXT(arrays, "12 34 ");
  publish(source, 5);
  publish_error(source, 0); /* passes, and does not end the group */
  CHECK_TEXT(arrays, "12 34 ! ");
  publish(source, 6);
  CHECK_TEXT(arrays, "12 34 ! 56 ");
  promise_publisher_finish(source);
  CHECK_TEXT(arrays, "12 34 ! 56 "); /* no empty group follows */
  CHECK(is_done(end));
  promise_release(end), promise_publisher_release(groups);
  release_both(subscriber, source);
}

TEST(each_end_publishes_the_rest_of_a_group_first) {
  for (int how = 0; how < ENDINGS; how++) {
    promise_publisher_t *source = publisher_new(0);
    promise_publisher_t *groups = promise_publisher_buffer(source, PTRDIFF_MAX / sizeof(promise_value_t));
    promise_subscriber_t *subscriber = listen_to_arrays(groups);
    promise_t *end = end_of(subscriber);
    for (int64_t number = 1; number <= 5; number++)
      publish(source, number);
    CHECK_TEXT(arrays, "");
    end_by(source, how, 7);
    CHECK_TEXT(arrays, "12345 ");
    CHECK(ended_by(end, how, 7));
    promise_release(end), promise_publisher_release(groups);
    release_both(subscriber, source);
  }
}

TEST(an_unfinished_group_is_freed) {
  static payload_t payload;
  atomic_store(&payload.destroyed, 0);
  promise_publisher_t *source = publisher_new(0);
  listener_t listener = {0};
  promise_subscriber_t *subscriber = listen_only(promise_publisher_buffer(source, 2), &listener);
  promise_value_t value = object(&payload);
  CHECK_STATUS(promise_publisher_publish(source, &value), PROMISE_OK);
  CHECK_INT(atomic_load(&payload.destroyed), 0);
  CHECK_STATUS(promise_subscriber_release(subscriber), PROMISE_OK);
  CHECK_INT(atomic_load(&payload.destroyed), 1);
  CHECK_TEXT(listener.log, ".");
  CHECK_INT(promise_publisher_count(source), 0);
  promise_publisher_release(source);
}

/* ---- Zip ---- */

static promise_subscriber_t *zipped(size_t count) {
  for (size_t i = 0; i < count; i++)
    sources[i] = publisher_new(0);
  promise_publisher_t *zip = made(promise_publisher_zip(sources, count));
  promise_subscriber_t *subscriber = listen_to_arrays(zip);
  CHECK_STATUS(promise_publisher_release(zip), PROMISE_OK);
  return subscriber;
}

static void release_zip(promise_subscriber_t *subscriber, size_t count) {
  CHECK_STATUS(promise_subscriber_release(subscriber), PROMISE_OK);
  for (size_t i = 0; i < count; i++) {
    CHECK_INT(promise_publisher_count(sources[i]), 0);
    CHECK_STATUS(promise_publisher_release(sources[i]), PROMISE_OK);
  }
}

TEST(values_are_zipped_by_their_numbers) {
  promise_subscriber_t *subscriber = zipped(3);
  publish(sources[0], 1);
  publish(sources[0], 4);
  publish(sources[2], 3);
  publish_error(sources[1], 0);
  CHECK_TEXT(arrays, "! ");
  publish(sources[1], 2);
  CHECK_TEXT(arrays, "! 123 ");
  publish(sources[1], 5);
  publish(sources[2], 6);
  CHECK_TEXT(arrays, "! 123 456 ");
  release_zip(subscriber, 3);
}

static void count_row(void *rows, const promise_value_t *row) {
  CHECK_INT(row->kind, PROMISE_KIND_ARRAY);
  ++*(long *)rows;
}

/* Zips `*rows` rows of `count` sources. */
static void zip_rows(void *rows, long count) {
  promise_publisher_t **many = calloc((size_t)count, sizeof *many);
  for (long i = 0; i < count; i++)
    many[i] = publisher_new(0);
  promise_publisher_t *zip = made(promise_publisher_zip(many, (size_t)count));
  long received = 0;
  promise_subscription_t options = {.size = sizeof options,
                                    .overflow = PROMISE_OVERFLOW_BUFFER,
                                    .demand = PROMISE_DEMAND_UNLIMITED,
                                    .on_value = count_row,
                                    .ctx = &received};
  promise_subscriber_t *subscriber = promise_publisher_subscribe(zip, &options);
  for (long row = 0; row < *(long *)rows; row++)
    for (long i = 0; i < count; i++)
      publish(many[i], row);
  CHECK_INT(received, *(long *)rows);
  for (long i = 0; i < count; i++)
    promise_publisher_release(many[i]);
  promise_subscriber_release(subscriber), promise_publisher_release(zip);
  free(many);
}

TEST(a_zip_of_many_sources_takes_linear_time) {
  long rows = 2;
  CHECK_LINEAR(zip_rows, &rows, check_scale(16 * 1000) / 8 * 8);
}

TEST(a_zip_ends_when_an_ended_source_is_used_up) {
  for (int how = 0; how < ENDINGS; how++) {
    promise_subscriber_t *subscriber = zipped(2);
    promise_t *end = end_of(subscriber);
    publish(sources[0], 1);
    end_by(sources[0], how, 8);
    CHECK_INT(promise_state(end), PROMISE_PENDING); /* the stream has not ended: a value is left */
    CHECK_TEXT(arrays, "");
    publish(sources[1], 2);
    CHECK_TEXT(arrays, "12 ");
    CHECK(ended_by(end, how, 8));
    promise_release(end);
    release_zip(subscriber, 2);
  }
}

TEST(a_zip_without_a_partner_ends_at_once) {
  promise_subscriber_t *subscriber = zipped(2);
  promise_t *end = end_of(subscriber);
  publish(sources[0], 1);
  promise_publisher_finish(sources[1]);
  CHECK(is_done(end));
  CHECK_TEXT(arrays, "");
  promise_release(end);
  release_zip(subscriber, 2);
}

TEST(pending_values_of_a_zip_are_freed) {
  static payload_t payload;
  atomic_store(&payload.destroyed, 0);
  promise_subscriber_t *subscriber = zipped(2);
  promise_value_t value = object(&payload);
  CHECK_STATUS(promise_publisher_publish(sources[0], &value), PROMISE_OK);
  CHECK_INT(atomic_load(&payload.destroyed), 0);
  release_zip(subscriber, 2);
  CHECK_INT(atomic_load(&payload.destroyed), 1);
}

TEST(a_zip_of_stateful_streams_is_stateful) {
  promise_publisher_t *source = publisher_new(PROMISE_PUBLISHER_STATEFUL), *twice[] = {source, source};
  publish(source, 1);
  promise_publisher_t *zip = made(promise_publisher_zip(twice, 2));
  publish(source, 2);
  promise_subscriber_t *subscriber = listen_to_arrays(zip);
  CHECK_TEXT(arrays, "22 ");
  promise_publisher_release(zip);
  release_both(subscriber, source);
}

/* Two threads publish numbers from 0 on: each array must have two equal numbers, and none may be lost. */
enum { ROUNDS = 20000 };
static int64_t next_pair;

static void hears_pair(void *ctx, const promise_value_t *value) {
  (void)ctx;
  CHECK_INT(promise_value_count(value), 2);
  CHECK_INT(promise_value_at(value, 0)->as.i64, next_pair);
  CHECK_INT(promise_value_at(value, 1)->as.i64, next_pair);
  next_pair++;
}

static void *publishes(void *source) {
  for (int64_t number = 0; number < ROUNDS; number++)
    promise_publisher_publish(source, I64(number));
  promise_publisher_finish(source);
  return NULL;
}

TEST(threads_zip_without_loss) {
  for (int i = 0; i < 2; i++)
    sources[i] = publisher_new(0);
  promise_publisher_t *zip = made(promise_publisher_zip(sources, 2));
  promise_subscription_t wish = everything(NULL);
  wish.on_value = hears_pair, wish.on_error = NULL, wish.free_ctx = NULL;
  promise_subscriber_t *subscriber = subscribe(zip, wish);
  promise_t *end = end_of(subscriber);
  next_pair = 0;
  pthread_t threads[2];
  for (int i = 0; i < 2; i++)
    REQUIRE(pthread_create(&threads[i], NULL, publishes, sources[i]) == 0);
  for (int i = 0; i < 2; i++)
    pthread_join(threads[i], NULL);
  CHECK_INT(next_pair, ROUNDS);
  CHECK(is_done(end));
  promise_release(end), promise_publisher_release(zip);
  release_zip(subscriber, 2);
}

/* ---- Replay ---- */

TEST(new_subscribers_get_the_latest_events) {
  promise_publisher_t *source = publisher_new(0);
  promise_publisher_t *replay = made(promise_publisher_replay(source, 3));
  listener_t first = {0}, second = {0}, third = {0};
  promise_subscriber_t *subscribers[3];
  subscribers[0] = listen(replay, &first);
  publish(source, 1);
  publish_error(source, 2);
  subscribers[1] = listen(replay, &second);
  CHECK_TEXT(second.log, "1 !2 ");
  publish(source, 3);
  publish(source, 4);
  promise_publisher_finish(source);
  subscribers[2] = listen(replay, &third);
  CHECK_TEXT(first.log, "1 !2 3 4 .");
  CHECK_TEXT(second.log, "1 !2 3 4 .");
  CHECK_TEXT(third.log, "!2 3 4 .");
  promise_value_t latest;
  CHECK_INT(promise_publisher_latest(replay, &latest), PROMISE_FULFILLED);
  CHECK_INT(latest.as.i64, 4);
  listener_t derived = {0};
  promise_subscriber_t *of_derived = listen_only(promise_publisher_take(replay, 9), &derived);
  CHECK_TEXT(derived.log, "4 ."); /* the replaying stream remembers one event */
  promise_subscriber_release(of_derived);
  for (int i = 0; i < 3; i++)
    promise_subscriber_release(subscribers[i]);
  promise_publisher_release(replay), promise_publisher_release(source);
}

TEST(forgotten_events_are_freed) {
  static payload_t payload;
  atomic_store(&payload.destroyed, 0);
  promise_publisher_t *source = publisher_new(0);
  promise_publisher_t *replay = made(promise_publisher_replay(source, 2));
  promise_value_t value = object(&payload);
  CHECK_STATUS(promise_publisher_publish(source, &value), PROMISE_OK);
  publish(source, 1);
  CHECK_INT(atomic_load(&payload.destroyed), 0);
  publish(source, 2);
  CHECK_INT(atomic_load(&payload.destroyed), 1);
  promise_publisher_release(replay), promise_publisher_release(source);
}

/* ---- Back-pressure ---- */

TEST(groups_apply_back_pressure) {
  promise_publisher_t *source = publisher_new(0), *twice[] = {source, source};
  promise_publisher_t *derived[] = {promise_publisher_buffer(source, 1), promise_publisher_replay(source, 1),
                                    promise_publisher_zip(twice, 2)};
  for (int i = 0; i < 3; i++) {
    promise_subscriber_t *subscriber = pull(made(derived[i]), PROMISE_OVERFLOW_BUFFER, 1);
    CHECK_STATUS(promise_publisher_publish(source, I64(i)), PROMISE_EFULL);
    promise_t *ready = promise_publisher_ready(source), *next = next_of(subscriber);
    if (i == 1) /* the first promise got the replayed event */
      promise_release(next), next = next_of(subscriber);
    CHECK_INT(promise_state(ready), PROMISE_FULFILLED);
    promise_release(ready), promise_release(next);
    CHECK_STATUS(promise_subscriber_release(subscriber), PROMISE_OK);
    publish(source, i);
  }
  for (int i = 0; i < 3; i++)
    CHECK_STATUS(promise_publisher_release(derived[i]), PROMISE_OK);
  promise_publisher_release(source);
}
