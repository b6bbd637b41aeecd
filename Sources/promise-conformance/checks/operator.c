/* promise/operator.h: the output of operators, and their references. */
#include "../checked.h"

#include "../operators.h"

CHECKS(operator)

static promise_verdict_t doubles_even(void *ctx, const promise_value_t *in, promise_value_t *out) {
  (void)ctx;
  CHECK_INT(out->kind, PROMISE_KIND_VOID);
  switch (in->as.i64) {
  case 100:
    return PROMISE_VERDICT_FINISH;
  case 101:
    *out = *I64(55);
    return PROMISE_VERDICT_FAIL;
  case 102:
    return PROMISE_VERDICT_CANCEL;
  case 103:
    return PROMISE_ADOPT; /* not a verdict of a transform */
  case 104:
    *out = garbage();
    return PROMISE_FULFILL;
  case 105:
    return PROMISE_VERDICT_PASS;
  case 106:
    *out = *I64(66);
    return PROMISE_REJECT;
  default:
    break;
  }
  *out = *I64(in->as.i64 * 2);
  return in->as.i64 % 2 == 0 ? PROMISE_FULFILL : PROMISE_VERDICT_SKIP;
}

static promise_verdict_t recovers(void *ctx, const promise_value_t *in, promise_value_t *out) {
  (void)ctx;
  *out = *I64(in->as.i64 + 1000);
  return PROMISE_FULFILL;
}

static promise_publisher_t *transformed(promise_publisher_t *source, spy_t *spy) {
  promise_transform_t transform = {
      .size = sizeof transform, .on_value = doubles_even, .ctx = spy, .free_ctx = spy_free};
  return made(promise_publisher_transform(source, &transform));
}

RULE(a_transform_maps_and_filters, "promise_publisher_transform() does as its functions say") {
  promise_publisher_t *source = publisher_new(0);
  listener_t listener = {0};
  spy_t spy = {0};
  promise_subscriber_t *subscriber = listen_only(transformed(source, &spy), &listener);
  for (int64_t number = 1; number <= 4; number++)
    publish(source, number);
  publish_error(source, 5);
  publish(source, 105);
  publish(source, 106);
  CHECK_TEXT(listener.log, "4 8 !5 105 !66 ");
  CHECK_INT(promise_publisher_count(source), 1);
  promise_publisher_finish(source);
  CHECK_TEXT(listener.log, "4 8 !5 105 !66 .");
  CHECK_INT(atomic_load(&spy.frees), 1);
  release_both(subscriber, source);
}

RULE(a_transform_makes_values_of_errors, "a transform makes values of errors") {
  promise_publisher_t *source = publisher_new(0);
  listener_t listener = {0};
  promise_transform_t transform = {.size = sizeof transform, .on_error = recovers};
  promise_subscriber_t *subscriber = listen_only(promise_publisher_transform(source, &transform), &listener);
  publish(source, 1);
  publish_error(source, 2);
  CHECK_TEXT(listener.log, "1 1002 ");
  release_both(subscriber, source);
}

RULE(a_transform_may_end_the_stream, "a transform may finish, fail or cancel the stream") {
  for (int64_t number = 100; number <= 102; number++) {
    promise_publisher_t *source = publisher_new(0), *derived;
    listener_t listener = {0};
    spy_t spy = {0};
    promise_subscriber_t *subscriber = listen(derived = transformed(source, &spy), &listener);
    promise_t *end = end_of(subscriber);
    CHECK_STATUS(promise_publisher_publish(derived, I64(1)), PROMISE_EINVAL);
    publish(source, number);
    CHECK(number == 100 ? is_done(end) : number == 101 ? ended(end, PROMISE_REJECTED, 55) : was_discarded(end));
    CHECK_INT(promise_publisher_count(source), 0); /* the transform has unsubscribed */
    CHECK_INT(atomic_load(&spy.frees), 1);
    CHECK_INT(promise_publisher_state(source), PROMISE_PENDING);
    publish(source, 2);
    CHECK_TEXT(listener.log, ".");
    promise_release(end), promise_publisher_release(derived);
    release_both(subscriber, source);
  }
}

static promise_value_t last_error;

static void keep_error(void *ctx, const promise_value_t *reason) {
  (void)ctx;
  promise_value_retain(reason);
  last_error = *reason;
}

RULE(a_misuse_by_a_transform_is_an_error, "an invalid verdict or value becomes an error event") {
  promise_publisher_t *source = publisher_new(0);
  spy_t spy = {0};
  promise_publisher_t *derived = transformed(source, &spy);
  promise_subscription_t wish = everything(NULL);
  wish.on_value = NULL, wish.on_error = keep_error, wish.free_ctx = NULL;
  promise_subscriber_t *subscriber = subscribe(derived, wish);
  for (int64_t number = 103; number <= 104; number++) {
    publish(source, number);
    CHECK_INT(last_error.kind, PROMISE_KIND_ERROR);
    CHECK_INT(promise_value_code(&last_error), PROMISE_EINVAL);
    promise_value_release(&last_error);
  }
  CHECK_INT(promise_publisher_state(derived), PROMISE_PENDING);
  promise_publisher_release(derived);
  release_both(subscriber, source);
}

static promise_verdict_t on_end(void *ctx, const promise_value_t *in, promise_value_t *out) {
  int how = *(int *)ctx;
  CHECK_INT(in->kind, how == 0 ? PROMISE_KIND_VOID : how == 1 ? PROMISE_KIND_I64 : PROMISE_KIND_DISCARDED);
  *out = *I64(7);
  return how == 0 ? PROMISE_VERDICT_FAIL : how == 1 ? PROMISE_FULFILL : PROMISE_VERDICT_PASS;
}

RULE(a_transform_may_change_the_end, "a transform may change the end of the stream") {
  for (int how = 0; how < 3; how++) {
    promise_publisher_t *source = publisher_new(0);
    listener_t listener = {0};
    promise_transform_t transform = {.size = sizeof transform, .on_end = on_end, .ctx = &how};
    promise_publisher_t *derived = made(promise_publisher_transform(source, &transform));
    promise_subscriber_t *subscriber = listen(derived, &listener);
    promise_t *end = end_of(subscriber);
    end_by(source, how, 1);
    CHECK(how == 0   ? ended(end, PROMISE_REJECTED, 7)
          : how == 1 ? promise_state(end) == PROMISE_PENDING
                     : was_discarded(end));
    CHECK_TEXT(listener.log, how == 1 ? "7 " : "."); /* still open, although its source has failed */
    promise_publisher_release(derived), promise_release(end);
    release_both(subscriber, source);
  }
}

RULE(a_value_that_equals_its_predecessor_is_passed_over,
     "promise_publisher_distinct() passes over a value that equals its predecessor") {
  for (uint32_t flags = 0; flags <= PROMISE_DISTINCT_ERRORS; flags += PROMISE_DISTINCT_ERRORS) {
    promise_publisher_t *source = publisher_new(0);
    listener_t listener = {0}, late = {0};
    promise_publisher_t *derived = made(promise_publisher_distinct(source, flags));
    promise_subscriber_t *subscriber = listen(derived, &listener);
    static const int64_t numbers[] = {1, 1, 2, 2, 1, -3, -3, 1, 1};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
      numbers[i] < 0 ? publish_error(source, -numbers[i]) : publish(source, numbers[i]);
    CHECK_TEXT(listener.log, flags == 0 ? "1 2 1 !3 !3 1 " : "1 2 1 !3 1 ");
    promise_subscriber_t *other = listen(derived, &late);
    CHECK_TEXT(late.log, "1 "); /* `derived` is stateful */
    promise_subscriber_release(other), promise_publisher_release(derived);
    release_both(subscriber, source);
  }
}

RULE(distinct_compares_in_depth, "promise_publisher_distinct() compares in depth") {
  promise_publisher_t *source = publisher_new(0), *derived = made(promise_publisher_distinct(source, 0));
  promise_subscriber_t *subscriber = pull(derived, PROMISE_OVERFLOW_BUFFER, 0);
  static const char *const texts[] = {"[1,\"a\"]", "[1,\"a\"]", "[1,\"b\"]"};
  for (int i = 0; i < 3; i++) {
    promise_value_t value = json(texts[i]);
    CHECK_STATUS(promise_publisher_publish(source, &value), PROMISE_OK);
  }
  promise_t *nexts[] = {next_of(subscriber), next_of(subscriber), next_of(subscriber)};
  CHECK_INT(promise_state(nexts[1]), PROMISE_FULFILLED);
  CHECK_INT(promise_state(nexts[2]), PROMISE_PENDING);
  RELEASE_EACH(nexts, 3);
  promise_publisher_release(derived);
  release_both(subscriber, source);
}

RULE(window_has_the_last_values, "promise_publisher_window() has the last values") {
  promise_publisher_t *source = publisher_new(0), *derived = promise_publisher_window(source, 3);
  promise_subscriber_t *subscriber = listen_to_arrays(derived);
  for (int64_t number = 1; number <= 6; number++) {
    publish(source, number);
    if (number == 2 || number == 4)
      publish_error(source, 0);
  }
  CHECK_TEXT(arrays, "! 123 234 ! 345 456 ");
  promise_publisher_release(derived);
  release_both(subscriber, source);
}

RULE(take_finishes, "promise_publisher_take() has the first values, and finishes") {
  promise_publisher_t *source = publisher_new(0);
  listener_t listener = {0};
  promise_subscriber_t *subscriber = listen_only(promise_publisher_take(source, 2), &listener);
  promise_t *end = end_of(subscriber);
  publish(source, 1);
  publish_error(source, 2);
  CHECK_INT(promise_publisher_count(source), 1);
  publish(source, 3);
  CHECK_TEXT(listener.log, "1 !2 3 .");
  CHECK(is_done(end));
  CHECK_INT(promise_publisher_count(source), 0);
  promise_release(end);
  release_both(subscriber, source);
}

RULE(stateful_ones_replay, "promise_publisher_stateful() and _start_with() replay the latest event") {
  promise_publisher_t *source = publisher_new(0);
  publish(source, 1);
  promise_publisher_t *stateful = made(promise_publisher_stateful(source));
  promise_publisher_t *started = made(promise_publisher_start_with(source, I64(5)));
  listener_t one = {0}, two = {0}, three = {0};
  promise_subscriber_t *first = listen(stateful, &one), *second = listen(started, &two);
  CHECK_TEXT(one.log, "");
  CHECK_TEXT(two.log, "5 ");
  publish(source, 2);
  promise_subscriber_t *third = listen(stateful, &three);
  CHECK_TEXT(three.log, "2 ");
  CHECK_TEXT(two.log, "5 2 ");
  promise_subscriber_release(third);
  memset(&three, 0, sizeof three);
  third = listen(started, &three);
  CHECK_TEXT(three.log, "2 ");
  promise_subscriber_release(first), promise_subscriber_release(second), promise_subscriber_release(third);
  promise_publisher_release(stateful), promise_publisher_release(started);
  promise_publisher_release(source);
}

RULE(an_operator_over_a_stateful_stream_is_stateful, "an operator over a stateful stream replays too") {
  promise_publisher_t *source = publisher_new(PROMISE_PUBLISHER_STATEFUL);
  spy_t spy = {0};
  listener_t listener = {0};
  publish(source, 4);
  promise_publisher_t *derived = transformed(source, &spy);
  promise_subscriber_t *subscriber = listen_only(derived, &listener);
  CHECK_TEXT(listener.log, "8 ");
  publish(source, 6);
  CHECK_TEXT(listener.log, "8 12 ");
  release_both(subscriber, source);
}

RULE(a_promise_is_a_stream_of_one_value, "promise_publisher_of() has the value of a promise") {
  for (int how = 0; how < 4; how++) {
    promise_t *promise = promise_new();
    if (how == 0)
      promise_resolve(promise, I64(3));
    promise_publisher_t *publisher = made(promise_publisher_of(promise));
    listener_t listener = {0}, late = {0};
    promise_subscriber_t *subscriber = listen(publisher, &listener);
    promise_t *end = end_of(subscriber);
    if (how == 1)
      promise_resolve(promise, I64(3));
    if (how == 2)
      promise_reject(promise, I64(4));
    if (how == 3) { /* no subscriber is left */
      promise_publisher_release(publisher), promise_subscriber_release(subscriber);
      promise_resolve(promise, I64(3));
      CHECK_TEXT(listener.log, ".");
    } else {
      CHECK_TEXT(listener.log, how == 2 ? "." : "3 .");
      CHECK(how == 2 ? ended(end, PROMISE_REJECTED, 4) : is_done(end));
      promise_subscriber_t *other = listen(publisher, &late);
      CHECK_TEXT(late.log, listener.log);
      promise_subscriber_release(other);
      release_both(subscriber, publisher);
    }
    promise_release(end), promise_release(promise);
  }
}

RULE(the_last_values_come_together, "operators may be chained: the first windows") {
  promise_publisher_t *publisher = publisher_new(0);
  promise_publisher_t *scan = promise_publisher_window(publisher, 2);
  promise_subscriber_t *subscriber = listener_of(promise_publisher_take(scan, 2));
  CHECK_STATUS(promise_publisher_release(scan), PROMISE_OK);
  for (int i = 0; i < 5; i++)
    publish(publisher, i);
  CHECK_TEXT(journal, "[ab][bc].");
  release_stream(subscriber, publisher);
}

static promise_verdict_t adds(void *ctx, const promise_value_t *accumulated, const promise_value_t *value,
                              promise_value_t *out) {
  (void)ctx;
  *out = i64(accumulated->as.i64 + value->as.i64);
  return value->as.i64 == 9 ? PROMISE_VERDICT_FINISH : PROMISE_FULFILL;
}

RULE(values_are_folded, "promise_publisher_scan() publishes a running fold") {
  spy_t spy = {0};
  promise_publisher_t *publisher = publisher_new(0);
  promise_value_t initial = i64(0);
  promise_subscriber_t *subscriber = listener_of(promise_publisher_scan(publisher, &initial, adds, &spy, spy_free));
  for (int i = 1; i < 4; i++)
    publish(publisher, i);
  publish(publisher, 9);
  CHECK_TEXT(journal, "bdg.");
  CHECK_SPY(&spy, 0, 1);
  release_stream(subscriber, publisher);
}

RULE(all_values_are_folded, "promise_publisher_reduce() publishes a fold when its source finishes") {
  spy_t spy = {0};
  promise_publisher_t *publisher = publisher_new(0);
  promise_value_t initial = i64(0);
  promise_subscriber_t *subscriber = listener_of(promise_publisher_reduce(publisher, &initial, adds, &spy, spy_free));
  for (int i = 1; i < 4; i++)
    publish(publisher, i);
  CHECK_TEXT(journal, "");
  promise_publisher_finish(publisher);
  CHECK_TEXT(journal, "g.");
  CHECK_SPY(&spy, 0, 1);
  release_stream(subscriber, publisher);
}

RULE(many_become_one, "promise_publisher_merge() and _combine_latest() have the events of all, and end") {
  promise_publisher_t *publishers[] = {publisher_new(0), publisher_new(0)};
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

RULE(events_are_forwarded, "promise_publisher_forward() passes events and the end on") {
  promise_publisher_t *publisher = publisher_new(0), *target = publisher_new(0);
  promise_subscriber_t *link = promise_publisher_forward(publisher, target, PROMISE_FORWARD_END);
  promise_subscriber_t *subscriber = listener_of(target);
  publish(publisher, 1);
  CHECK_TEXT(journal, "b");
  CHECK_STATUS(promise_publisher_finish(publisher), PROMISE_OK);
  CHECK_TEXT(journal, "b.");
  CHECK_STATUS(promise_subscriber_release(subscriber), PROMISE_OK);
  release_stream(link, publisher);
}
