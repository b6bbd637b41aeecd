/* promise/operator.h: streams that are linked to others: forwarded, made of a promise, or of no stream at all. */
#include "../checked.h"

#include "../operators.h"

CHECKS(linking)

/* A link forwards values and errors until it is released; the end, only with PROMISE_FORWARD_END. */
RULE(a_link_without_its_flag_leaves_the_target_open,
     "promise_publisher_forward() without PROMISE_FORWARD_END leaves the target open") {
  promise_publisher_t *source = publisher_new(0), *target = publisher_new(0);
  listener_t listener = {0};
  promise_subscriber_t *subscriber = listen(target, &listener);
  promise_subscriber_t *link = promise_publisher_forward(source, target, 0);
  publish(source, 1);
  publish(target, 2);
  publish_error(source, 3);
  CHECK_TEXT(listener.log, "1 2 !3 ");
  CHECK_STATUS(promise_publisher_finish(source), PROMISE_OK);
  CHECK_INT(promise_publisher_state(target), PROMISE_PENDING);
  publish(target, 4);
  CHECK_TEXT(listener.log, "1 2 !3 4 ");
  CHECK_STATUS(promise_subscriber_release(link), PROMISE_OK);
  CHECK_STATUS(promise_publisher_release(source), PROMISE_OK);
  release_both(subscriber, target);
}

RULE(a_released_link_forwards_nothing, "a link keeps its target, and forwards nothing once it is released") {
  for (uint32_t flags = 0; flags <= PROMISE_FORWARD_END; flags += PROMISE_FORWARD_END) {
    promise_publisher_t *source = publisher_new(0), *target = publisher_new(0);
    listener_t listener = {0};
    promise_subscriber_t *subscriber = listen(target, &listener);
    promise_subscriber_t *link = promise_publisher_forward(source, target, flags);
    /* The link keeps its target. */
    CHECK_STATUS(promise_publisher_release(target), PROMISE_OK);
    publish(source, 1);
    CHECK_TEXT(listener.log, "1 ");
    CHECK_STATUS(promise_subscriber_release(link), PROMISE_OK);
    CHECK_TEXT(listener.log, "1 .");
    CHECK_INT(promise_publisher_count(source), 0);
    CHECK_POINTER(promise_publisher_forward(source, source, 0), NULL);
    CHECK_STATUS(promise_last_status(), PROMISE_EINVAL);
    CHECK_STATUS(promise_subscriber_release(subscriber), PROMISE_OK);
    CHECK_STATUS(promise_publisher_release(source), PROMISE_OK);
  }
}

RULE(a_link_ends_its_target_in_the_same_way, "promise_publisher_forward() ends the target as the source, if asked to") {
  for (int how = 0; how < ENDINGS; how++) {
    promise_publisher_t *source = publisher_new(0), *target = publisher_new(0);
    listener_t listener = {0};
    promise_subscriber_t *subscriber = listen(target, &listener);
    promise_t *end = end_of(subscriber);
    promise_subscriber_t *link = promise_publisher_forward(source, target, PROMISE_FORWARD_END);
    end_by(source, how, 4);
    CHECK(ended_by(end, how, 4));
    release(end);
    CHECK_STATUS(promise_subscriber_release(link), PROMISE_OK);
    CHECK_STATUS(promise_publisher_release(source), PROMISE_OK);
    release_both(subscriber, target);
  }
}

/* A publisher of a promise counts as interest in it; so does its subscriber, once the publisher is released. */
RULE(the_stream_of_a_promise_is_interest_in_it, "the stream of a promise is interest in it while somebody has it") {
  promise_t *promise = pending(), *other = then(promise, 'a');
  promise_publisher_t *publisher = made(promise_publisher_of(promise));
  listener_t listener = {0};
  promise_subscriber_t *subscriber = listen(publisher, &listener);
  CHECK_STATUS(promise_request_cancel(other, NULL), PROMISE_OK);
  CHECK_INT(promise_cancel_requested(promise), 0);
  CHECK_STATUS(promise_publisher_release(publisher), PROMISE_OK);
  CHECK_INT(promise_cancel_requested(promise), 0);
  CHECK_STATUS(promise_subscriber_release(subscriber), PROMISE_OK);
  /* Releasing the subscriber requests no cancellation, so the test does. */
  promise_t *last = then(promise, 'b');
  CHECK_STATUS(promise_request_cancel(last, NULL), PROMISE_OK);
  CHECK_INT(promise_cancel_requested(promise), 1);
  RELEASE(promise, other, last);
}

RULE(of_no_streams_there_is_a_cancelled_one, "a combination of no streams is cancelled at once") {
  promise_publisher_t *publishers[] = {promise_publisher_merge(NULL, 0), promise_publisher_combine_latest(NULL, 0),
                                       promise_publisher_zip(NULL, 0)};
  for (int i = 0; i < 3; i++) {
    listener_t listener = {0};
    CHECK_INT(promise_publisher_state(made(publishers[i])), PROMISE_REJECTED);
    promise_subscriber_t *subscriber = listen(publishers[i], &listener);
    promise_t *end = end_of(subscriber);
    CHECK(was_discarded(end));
    CHECK_TEXT(listener.log, ".");
    release(end);
    release_both(subscriber, publishers[i]);
  }
}

static promise_verdict_t folds(void *ctx, const promise_value_t *accumulated, const promise_value_t *value,
                               promise_value_t *out) {
  (void)ctx;
  CHECK_INT(out->kind, PROMISE_KIND_VOID);
  *out = i64(accumulated->as.i64 + value->as.i64);
  return value->as.i64 < 10 ? PROMISE_FULFILL : value->as.i64 == 10 ? PROMISE_REJECT : PROMISE_VERDICT_SKIP;
}

RULE(a_fold_may_reject_and_skip, "the function of promise_publisher_scan() may reject and skip") {
  promise_publisher_t *source = publisher_new(0);
  listener_t listener = {0};
  promise_subscriber_t *subscriber =
      listen_only(promise_publisher_scan(source, I64(100), folds, NULL, NULL), &listener);
  static const int64_t numbers[] = {1, 10, 2, 11, 3};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
    publish(source, numbers[i]);
  publish_error(source, 7);
  CHECK_TEXT(listener.log, "101 !111 103 106 !7 ");
  release_both(subscriber, source);
}
