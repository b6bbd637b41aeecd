/* promise_set_hooks: the internal promises of streams cause no false report. */
#include "reports.h"
#include "streams.h"

static report_t report;

static void begin(void) {
  report = (report_t){0};
  watch(&report);
}

/* Removes the hooks. Nothing but `unhandled` rejections was reported. */
static void ends_with(int unhandled) {
  unwatch(&report);
  CHECK_REPORTS(&report, unhandled, 0, 0);
}

TEST(releasing_two_promises_of_ready_reports_nothing) {
  begin();
  promise_publisher_t *publisher = publisher_new(0);
  promise_subscriber_t *subscriber = pull(publisher, PROMISE_OVERFLOW_BUFFER, 1);
  CHECK_STATUS(promise_publisher_publish(publisher, I64(1)), PROMISE_EFULL);
  promise_t *one = promise_publisher_ready(publisher), *two = promise_publisher_ready(publisher);
  promise_release(one), promise_release(two);
  release_both(subscriber, publisher);
  ends_with(0);
}

TEST(releasing_a_promise_of_next_reports_nothing) {
  begin();
  promise_publisher_t *publisher = publisher_new(0);
  promise_subscriber_t *subscriber = pull(publisher, PROMISE_OVERFLOW_BUFFER, 0);
  promise_release(next_of(subscriber));
  promise_t *next = next_of(subscriber);
  publish(publisher, 1);
  CHECK(ended(next, PROMISE_FULFILLED, 1));
  promise_release(next);
  for (int i = 0; i < 200; i++)
    promise_release(next_of(subscriber));
  promise_publisher_finish(publisher);
  release_both(subscriber, publisher);
  ends_with(0);
}

TEST(a_failure_is_taken_where_it_was_asked_for) {
  for (int is_late = 0; is_late < 2; is_late++) {
    begin();
    promise_publisher_t *publisher = publisher_new(0);
    promise_subscriber_t *subscriber = pull(publisher, PROMISE_OVERFLOW_BUFFER, 0);
    promise_t *next = is_late ? NULL : next_of(subscriber);
    promise_publisher_fail(publisher, I64(9));
    if (is_late)
      next = next_of(subscriber);
    CHECK(ended(next, PROMISE_REJECTED, 9));
    promise_release(next);
    release_both(subscriber, publisher);
    ends_with(0);
  }
}

TEST(a_forwarded_failure_is_handled_by_the_end_of_the_target) {
  begin();
  promise_publisher_t *source = publisher_new(0), *target = publisher_new(0);
  promise_subscriber_t *link = promise_publisher_forward(source, target, PROMISE_FORWARD_END);
  promise_subscriber_t *reader = pull(target, PROMISE_OVERFLOW_BUFFER, 0);
  promise_t *end = end_of(reader);
  promise_publisher_fail(source, I64(9));
  CHECK(ended(end, PROMISE_REJECTED, 9));
  promise_release(end), promise_subscriber_release(link), promise_publisher_release(source);
  release_both(reader, target);
  ends_with(0);
}

TEST(a_failure_that_nobody_takes_is_reported) {
  for (int how = 0; how < 3; how++) {
    begin();
    promise_publisher_t *publisher = publisher_new(0);
    listener_t listener = {0};
    promise_subscriber_t *subscriber =
        how == 0 ? listen(publisher, &listener) : pull(publisher, PROMISE_OVERFLOW_BUFFER, 0);
    if (how == 2)
      promise_release(next_of(subscriber)); /* requested, but abandoned */
    promise_publisher_fail(publisher, I64(9));
    release_both(subscriber, publisher);
    ends_with(1);
  }
}

/* Ends a publisher of a promise after the promise was rejected: before there is a publisher if `first`. */
static void fail_origin(bool first, void (*use)(promise_publisher_t *publisher), int expected) {
  begin();
  promise_t *promise = promise_new();
  if (first)
    CHECK_STATUS(promise_reject(promise, I64(7)), PROMISE_OK);
  promise_publisher_t *publisher = promise_publisher_of(promise);
  if (!first)
    CHECK_STATUS(promise_reject(promise, I64(7)), PROMISE_OK);
  promise_release(promise);
  CHECK_INT(report.unhandled, 0);
  use(publisher);
  promise_publisher_release(publisher);
  ends_with(expected);
}

static void does_nothing(promise_publisher_t *publisher) {
  (void)publisher;
}

static void takes_the_end(promise_publisher_t *publisher) {
  promise_subscriber_t *subscriber = pull(publisher, PROMISE_OVERFLOW_BUFFER, 0);
  promise_t *end = promise_subscriber_end(subscriber);
  CHECK(ended(end, PROMISE_REJECTED, 7));
  promise_release(end);
  promise_subscriber_release(subscriber);
}

static void subscribes_alone(promise_publisher_t *publisher) {
  promise_subscriber_release(pull(publisher, PROMISE_OVERFLOW_BUFFER, 0));
}

TEST(a_publisher_of_a_promise_takes_its_rejection_for_subscribers) {
  for (int first = 0; first < 2; first++) {
    fail_origin(first, does_nothing, 1);
    fail_origin(first, takes_the_end, 0);
    fail_origin(first, subscribes_alone, 1);
  }
}

TEST(a_subscriber_before_the_rejection_takes_it) {
  begin();
  promise_t *promise = promise_new();
  promise_publisher_t *publisher = promise_publisher_of(promise);
  promise_subscriber_t *subscriber = pull(publisher, PROMISE_OVERFLOW_BUFFER, 0);
  CHECK_STATUS(promise_reject(promise, I64(7)), PROMISE_OK);
  promise_release(promise);
  promise_t *end = promise_subscriber_end(subscriber);
  CHECK(ended(end, PROMISE_REJECTED, 7));
  promise_release(end);
  release_both(subscriber, publisher);
  ends_with(0);
}
