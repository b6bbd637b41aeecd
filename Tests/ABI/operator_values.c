/* operator.h: operators free the values that they take, keep or replace. A leaked value fails the test. */
#include "operators.h"

static void ignores(void *ctx, const promise_value_t *value) {
  (void)value;
  atomic_fetch_add((atomic_int *)ctx, 1);
}

/* Subscribes to `publisher` with a callback that counts the events in `*count`. Takes over the reference. */
static promise_subscriber_t *count_events(promise_publisher_t *publisher, atomic_int *count) {
  promise_subscription_t wish = {.size = sizeof wish,
                                 .overflow = PROMISE_OVERFLOW_BUFFER,
                                 .demand = PROMISE_DEMAND_UNLIMITED,
                                 .on_value = ignores,
                                 .on_error = ignores,
                                 .ctx = count};
  promise_subscriber_t *subscriber = subscribe(publisher, wish);
  promise_publisher_release(publisher);
  return subscriber;
}

static void publish_text(promise_publisher_t *publisher, const char *utf8) {
  promise_value_t value = text(utf8);
  CHECK_STATUS(promise_publisher_publish(publisher, &value), PROMISE_OK);
}

/* Returns the verdict in `*ctx`, and leaves a text beside it. */
static promise_verdict_t decides(void *ctx, const promise_value_t *in, promise_value_t *out) {
  (void)in;
  *out = text("a value that the handler left");
  return *(promise_verdict_t *)ctx;
}

TEST(a_transform_frees_values_with_every_verdict) {
  static const promise_verdict_t verdicts[] = {PROMISE_FULFILL,       PROMISE_REJECT,         PROMISE_VERDICT_PASS,
                                               PROMISE_VERDICT_SKIP,  PROMISE_VERDICT_FINISH, PROMISE_VERDICT_FAIL,
                                               PROMISE_VERDICT_CANCEL};
  for (size_t i = 0; i < sizeof verdicts / sizeof *verdicts; i++) {
    promise_verdict_t verdict = verdicts[i];
    atomic_int count = 0;
    promise_publisher_t *source = publisher_new(0);
    promise_transform_t transform = {.size = sizeof transform, .on_value = decides, .ctx = &verdict};
    promise_subscriber_t *subscriber = count_events(made(promise_publisher_transform(source, &transform)), &count);
    publish_text(source, "a value that the handler takes");
    CHECK_INT(atomic_load(&count), i < 3);
    promise_t *end = end_of(subscriber);
    CHECK_INT(promise_state(end) == PROMISE_PENDING, i < 4);
    promise_release(end);
    release_both(subscriber, source);
  }
}

TEST(a_window_frees_values_that_leave_it) {
  atomic_int count = 0;
  promise_publisher_t *source = publisher_new(0);
  promise_subscriber_t *subscriber = count_events(made(promise_publisher_window(source, 3)), &count);
  for (int i = 0; i < 8; i++)
    publish_text(source, "a value of a window");
  CHECK_INT(atomic_load(&count), 6);
  release_both(subscriber, source);
}

TEST(combined_streams_free_values_that_are_replaced) {
  atomic_int count = 0;
  promise_publisher_t *sources[] = {publisher_new(0), publisher_new(0)};
  promise_subscriber_t *subscriber = count_events(made(promise_publisher_combine_latest(sources, 2)), &count);
  for (int i = 0; i < 4; i++) {
    publish_text(sources[0], "a value of one");
    publish_text(sources[1], "a value of the other");
  }
  CHECK_INT(atomic_load(&count), 7);
  promise_publisher_release(sources[0]);
  release_both(subscriber, sources[1]);
}

TEST(a_publisher_frees_the_reason_of_its_end) {
  atomic_int count = 0;
  promise_publisher_t *publisher = publisher_new(PROMISE_PUBLISHER_STATEFUL);
  CHECK_STATUS(promise_publisher_retain(publisher), PROMISE_OK);
  promise_subscriber_t *subscriber = count_events(publisher, &count);
  publish_text(publisher, "the latest value");
  promise_value_t reason = text("the reason of the end");
  CHECK_STATUS(promise_publisher_fail(publisher, &reason), PROMISE_OK);
  promise_t *end = end_of(subscriber);
  CHECK_INT(promise_state(end), PROMISE_REJECTED);
  promise_release(end);
  release_both(subscriber, publisher);
}

/* An error differs from any value before it. Without PROMISE_DISTINCT_ERRORS, errors differ from each other too. */
TEST(distinct_compares_errors_and_values_apart) {
  static const uint32_t flags[] = {0, PROMISE_DISTINCT_ERRORS};
  for (int i = 0; i < 2; i++) {
    listener_t listener = {0};
    promise_publisher_t *source = publisher_new(0);
    promise_subscriber_t *subscriber = listen_only(promise_publisher_distinct(source, flags[i]), &listener);
    publish(source, 1), publish(source, 1);
    publish_error(source, 1), publish_error(source, 1);
    publish(source, 1);
    CHECK_TEXT(listener.log, i == 0 ? "1 !1 !1 1 " : "1 !1 1 ");
    release_both(subscriber, source);
  }
}

/* A replayed event counts against the capacity of its subscriber. */
TEST(a_replayed_event_applies_back_pressure) {
  promise_publisher_t *source = publisher_new(0), *stateful = made(promise_publisher_stateful(source));
  publish(source, 1);
  promise_subscriber_t *subscriber = pull(stateful, PROMISE_OVERFLOW_BUFFER, 1);
  promise_t *ready = promise_publisher_ready(source);
  CHECK_INT(promise_state(ready), PROMISE_PENDING);
  CHECK_STATUS(promise_subscriber_release(subscriber), PROMISE_OK);
  CHECK_INT(promise_state(ready), PROMISE_FULFILLED);
  promise_release(ready), promise_publisher_release(stateful), promise_publisher_release(source);
}

static promise_publisher_t *notices;
static atomic_int noticed;
static long late;

/* A destructor that publishes. */
static void notifies(void *payload) {
  int before = atomic_load(&noticed);
  (void)payload;
  publish(notices, 1);
  late += atomic_load(&noticed) == before;
}

static promise_verdict_t skips(void *ctx, const promise_value_t *in, promise_value_t *out) {
  (void)ctx, (void)in, (void)out;
  return PROMISE_VERDICT_SKIP;
}

static promise_publisher_t *skipping(promise_publisher_t *source) {
  promise_transform_t transform = {.size = sizeof transform, .on_value = skips};
  return promise_publisher_transform(source, &transform);
}

DERIVES(promise_publisher_t, without_repetitions, promise_publisher_distinct(source, 0))
DERIVES(promise_publisher_t, in_windows, promise_publisher_window(source, 2))
DERIVES(promise_publisher_t, alone, promise_publisher_combine_latest(&source, 1))

/* Values that an operator frees between two events of one delivery. */
TEST(destructors_within_operators_publish_at_once) {
  static promise_publisher_t *(*const operators[])(promise_publisher_t *) = {skipping, without_repetitions, in_windows,
                                                                             alone};
  const promise_type_t *type = promise_type_register("test.notifies", NULL, notifies);
  notices = publisher_new(0);
  CHECK_STATUS(promise_publisher_retain(notices), PROMISE_OK);
  promise_subscriber_t *reader = count_events(notices, &noticed);
  for (int i = 0; i < 4; i++) {
    char payloads[4];
    atomic_int count = 0;
    promise_publisher_t *source = publisher_new(0);
    promise_subscriber_t *subscriber = count_events(made(operators[i](source)), &count);
    for (int n = 0; n < 4; n++) {
      promise_value_t value;
      CHECK_STATUS(promise_value_object(&value, type, &payloads[n]), PROMISE_OK);
      CHECK_STATUS(promise_publisher_publish(source, &value), PROMISE_OK);
    }
    release_both(subscriber, source);
    CHECK_INT(atomic_load(&noticed), 4 * (i + 1));
  }
  CHECK_INT(late, 0);
  release_both(reader, notices);
}
