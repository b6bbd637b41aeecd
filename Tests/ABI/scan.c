/* promise_publisher_scan(): a running fold; promise_publisher_reduce(): the fold of all values. */
#include "operators.h"

/* A fold that computes sums. The number selects its verdict. */
static promise_verdict_t sums(void *ctx, const promise_value_t *accumulated, const promise_value_t *value,
                              promise_value_t *out) {
  spy_t *spy = ctx;
  CHECK_INT(out->kind, PROMISE_KIND_VOID);
  spy_see(spy, value);
  CHECK_INT(accumulated->kind, PROMISE_KIND_I64);
  *out = *I64(accumulated->as.i64 + value->as.i64);
  switch (value->as.i64) {
  case 102:
    return PROMISE_VERDICT_FINISH;
  case 103:
    return PROMISE_VERDICT_FAIL;
  case 104:
    return PROMISE_VERDICT_CANCEL;
  case 105:
    return PROMISE_VERDICT_PASS;
  case 106:
    return PROMISE_ADOPT;
  case 107:
    return PROMISE_FULFILLED;
  case 108:
    *out = (promise_value_t){.kind = 77};
    return PROMISE_FULFILL;
  default:
    return PROMISE_FULFILL;
  }
}

static promise_publisher_t *summed(promise_publisher_t *source, spy_t *spy) {
  return made(promise_publisher_scan(source, I64(0), sums, spy, spy_free));
}

TEST(each_new_accumulated_value_is_published) {
  spy_t spy = {0};
  listener_t listener = {0};
  promise_publisher_t *source = publisher_new(0);
  promise_subscriber_t *subscriber = listen_only(summed(source, &spy), &listener);
  CHECK_TEXT(listener.log, "");
  publish(source, 1);
  publish(source, 2);
  publish_error(source, 50);
  publish(source, 3);
  CHECK_TEXT(listener.log, "1 3 !50 6 ");
  promise_publisher_finish(source);
  CHECK_TEXT(listener.log, "1 3 !50 6 .");
  CHECK_SPY(&spy, 3, 1);
  release_both(subscriber, source);
  CHECK_SPY(&spy, 3, 1);
}

TEST(verdicts_end_the_stream) {
  for (int64_t number = 102; number <= 104; number++) {
    spy_t spy = {0};
    listener_t listener = {0};
    promise_publisher_t *source = publisher_new(0);
    promise_subscriber_t *subscriber = listen_only(summed(source, &spy), &listener);
    promise_t *end = end_of(subscriber);
    publish(source, 1);
    publish(source, number);
    CHECK_SPY(&spy, 2, 1);
    CHECK_INT(promise_publisher_count(source), 0);
    publish(source, 2);
    CHECK_TEXT(listener.log, "1 .");
    promise_value_t reason;
    CHECK_STATUS(promise_result(end, &reason), PROMISE_OK);
    CHECK_INT(promise_state(end), number == 102 ? PROMISE_FULFILLED : PROMISE_REJECTED);
    CHECK_INT(reason.kind, number == 102   ? PROMISE_KIND_VOID
                           : number == 103 ? PROMISE_KIND_I64
                                           : PROMISE_KIND_DISCARDED);
    promise_value_release(&reason);
    promise_release(end);
    release_both(subscriber, source);
  }
}

static int faults;
static void count_fault(void *ctx, const promise_value_t *reason) {
  (void)ctx;
  faults += reason->kind == PROMISE_KIND_ERROR && promise_value_code(reason) == PROMISE_EINVAL;
}

TEST(an_unknown_verdict_is_an_error) {
  spy_t spy = {0};
  listener_t listener = {0};
  promise_publisher_t *source = publisher_new(0), *derived = summed(source, &spy);
  promise_subscription_t wish = everything(&listener);
  wish.on_error = count_fault;
  promise_subscriber_t *subscriber = subscribe(derived, wish);
  publish(source, 1);
  for (int64_t number = 105; number <= 108; number++)
    publish(source, number);
  publish(source, 2);
  CHECK_INT(faults, 4);
  CHECK_TEXT(listener.log, "1 3 ");
  promise_publisher_release(derived);
  release_both(subscriber, source);
  CHECK_SPY(&spy, 6, 1);
}

/* A fold that keeps the value of the event, so that the previous accumulated value is freed at once. */
static promise_verdict_t latest(void *ctx, const promise_value_t *accumulated, const promise_value_t *value,
                                promise_value_t *out) {
  (void)ctx, (void)accumulated;
  *out = *value;
  CHECK_STATUS(promise_value_retain(out), PROMISE_OK);
  return PROMISE_FULFILL;
}

TEST(values_are_released_in_time) {
  payload_t payloads[3] = {{0}};
  promise_value_t initial = object(&payloads[0]);
  promise_publisher_t *source = publisher_new(0);
  promise_publisher_t *derived = made(promise_publisher_scan(source, &initial, latest, NULL, NULL));
  CHECK_INT(atomic_load(&payloads[0].destroyed), 0);
  for (int i = 1; i < 3; i++) {
    promise_value_t value = object(&payloads[i]);
    CHECK_STATUS(promise_publisher_publish(source, &value), PROMISE_OK);
    CHECK_INT(atomic_load(&payloads[i - 1].destroyed), 1);
    CHECK_INT(atomic_load(&payloads[i].destroyed), 0);
  }
  promise_publisher_release(derived);
  CHECK_INT(atomic_load(&payloads[2].destroyed), 1);
  promise_publisher_release(source);
}

TEST(a_scan_is_stateful_if_its_source_is) {
  spy_t spy = {0};
  listener_t listener = {0};
  promise_publisher_t *source = publisher_new(PROMISE_PUBLISHER_STATEFUL);
  publish(source, 4);
  promise_publisher_t *derived = summed(source, &spy);
  publish(source, 5);
  promise_subscriber_t *subscriber = listen_only(derived, &listener);
  CHECK_TEXT(listener.log, "9 ");
  release_both(subscriber, source);
  CHECK_SPY(&spy, 2, 1);
}

static promise_publisher_t *reduced(promise_publisher_t *source, spy_t *spy) {
  return made(promise_publisher_reduce(source, I64(100), sums, spy, spy_free));
}

TEST(a_reduce_publishes_the_last_accumulated_value_at_the_finish) {
  spy_t spies[2] = {{0}};
  listener_t listeners[2];
  memset(listeners, 0, sizeof listeners);
  promise_publisher_t *sources[] = {publisher_new(0), publisher_new(0)};
  promise_subscriber_t *subscribers[2];
  for (int i = 0; i < 2; i++)
    subscribers[i] = listen_only(reduced(sources[i], &spies[i]), &listeners[i]);
  for (int64_t number = 1; number < 4; number++)
    publish(sources[0], number);
  publish_error(sources[0], 50);
  CHECK_TEXT(listeners[0].log, "!50 ");
  for (int i = 0; i < 2; i++) {
    promise_publisher_finish(sources[i]);
    CHECK_SPY(&spies[i], i == 0 ? 3 : 0, 1);
    release_both(subscribers[i], sources[i]);
  }
  CHECK_TEXT(listeners[0].log, "!50 106 .");
  CHECK_TEXT(listeners[1].log, "100 .");
}

TEST(a_reduce_of_a_stream_that_fails_or_is_cancelled_has_no_value) {
  for (int way = 0; way < 2; way++) {
    spy_t spy = {0};
    listener_t listener = {0};
    promise_publisher_t *source = publisher_new(0);
    promise_subscriber_t *subscriber = listen_only(reduced(source, &spy), &listener);
    promise_t *end = end_of(subscriber);
    publish(source, 1);
    CHECK_STATUS(way == 0 ? promise_publisher_fail(source, I64(7)) : promise_publisher_cancel(source), PROMISE_OK);
    CHECK_TEXT(listener.log, ".");
    promise_value_t reason;
    CHECK_STATUS(promise_result(end, &reason), PROMISE_OK);
    CHECK_INT(reason.kind, way == 0 ? PROMISE_KIND_I64 : PROMISE_KIND_DISCARDED);
    promise_value_release(&reason);
    promise_release(end);
    release_both(subscriber, source);
    CHECK_SPY(&spy, 1, 1);
  }
}

TEST(verdicts_end_a_reduce) {
  for (int64_t number = 102; number <= 104; number++) {
    spy_t spy = {0};
    listener_t listener = {0};
    promise_publisher_t *source = publisher_new(0);
    promise_subscriber_t *subscriber = listen_only(reduced(source, &spy), &listener);
    publish(source, 1);
    publish(source, number);
    CHECK_TEXT(listener.log, number == 102 ? "101 ." : ".");
    CHECK_INT(promise_publisher_count(source), 0);
    release_both(subscriber, source);
    CHECK_SPY(&spy, 2, 1);
  }
}

TEST(a_reduce_releases_values_in_time) {
  payload_t payloads[3] = {{0}};
  promise_value_t initial = object(&payloads[0]);
  promise_publisher_t *source = publisher_new(PROMISE_PUBLISHER_STATEFUL);
  promise_publisher_t *derived = made(promise_publisher_reduce(source, &initial, latest, NULL, NULL));
  for (int i = 1; i < 3; i++) {
    promise_value_t value = object(&payloads[i]);
    CHECK_STATUS(promise_publisher_publish(source, &value), PROMISE_OK);
    CHECK_INT(atomic_load(&payloads[i - 1].destroyed), 1);
  }
  promise_publisher_finish(source);
  promise_publisher_release(source);
  /* The reduce is stateful, as its source: it has the value until it is released. */
  CHECK_INT(atomic_load(&payloads[2].destroyed), 0);
  promise_publisher_release(derived);
  CHECK_INT(atomic_load(&payloads[2].destroyed), 1);
}

TEST(the_function_of_a_reduce_may_reject_and_skip) {
  spy_t spy = {0};
  listener_t listener = {0};
  promise_publisher_t *source = publisher_new(0), *derived = reduced(source, &spy);
  promise_subscription_t wish = everything(&listener);
  faults = 0;
  wish.on_error = count_fault;
  promise_subscriber_t *subscriber = subscribe(derived, wish);
  publish(source, 1);
  for (int64_t number = 105; number <= 108; number++)
    publish(source, number);
  promise_publisher_finish(source);
  CHECK_INT(faults, 4);
  CHECK_TEXT(listener.log, "101 .");
  promise_publisher_release(derived);
  release_both(subscriber, source);
  CHECK_SPY(&spy, 5, 1);
}
