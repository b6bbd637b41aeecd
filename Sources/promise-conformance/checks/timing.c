/* promise/timing.h: operators on the times of events. */
#include "../checked.h"

#include <sched.h>

#include "../operators.h"

/* Publishes three values to the operator, then ends the source, long before the timer is due. */
static void check_ending(promise_publisher_t *source, promise_publisher_t *derived, const char *before,
                         const char *after) {
  listener_t listener = {0};
  promise_subscriber_t *subscriber = listen_only(derived, &listener);
  for (int64_t number = 1; number <= 3; number++)
    publish(source, number);
  CHECK_TEXT(listener.log, before);
  CHECK_STATUS(promise_publisher_finish(source), PROMISE_OK);
  CHECK_TEXT(listener.log, after);
  release_both(subscriber, source);
}

static const int64_t long_time = 3600 * 1000 * MILLISECONDS;

static void the_end_flushes_pending_events(void) {
  promise_publisher_t *source = publisher_new(0);
  check_ending(source, promise_publisher_debounce(NULL, source, long_time), "", "3 .");
  source = publisher_new(0);
  check_ending(source, promise_publisher_throttle(NULL, source, long_time, 0), "1 ", "1 3 .");
  source = publisher_new(0);
  check_ending(source, promise_publisher_throttle(NULL, source, long_time, PROMISE_THROTTLE_FIRST), "1 ", "1 .");
  source = publisher_new(0);
  check_ending(source, promise_publisher_timeout(NULL, source, long_time), "1 2 3 ", "1 2 3 .");
}

static void silence_publishes(void) {
  promise_publisher_t *source = publisher_new(0);
  listener_t listener = {0};
  promise_subscriber_t *subscriber = listen_only(promise_publisher_debounce(NULL, source, MILLISECONDS), &listener);
  publish(source, 1);
  while (atomic_load(&listener.calls) == 0)
    sched_yield();
  CHECK_TEXT(listener.log, "1 ");
  release_both(subscriber, source);
}

static void silence_fails(void) {
  promise_publisher_t *source = publisher_new(0);
  listener_t listener = {0};
  promise_subscriber_t *subscriber = listen_only(promise_publisher_timeout(NULL, source, MILLISECONDS), &listener);
  promise_t *end = end_of(subscriber);
  CHECK_STATUS(promise_wait(end, -1), PROMISE_OK);
  while (atomic_load(&listener.frees) == 0)
    sched_yield();
  CHECK_INT(atomic_load(&listener.calls), 0);
  promise_value_t reason;
  CHECK_STATUS(promise_result(end, &reason), PROMISE_OK);
  CHECK_INT(promise_value_code(&reason), PROMISE_ETIMEDOUT);
  promise_value_release(&reason);
  promise_release(end);
  release_both(subscriber, source);
}

CHECKS(timing) = {
    RULE("the end of a stream publishes the events that wait for their time", the_end_flushes_pending_events),
    RULE("silence publishes a debounced event", silence_publishes),
    RULE("silence fails a timeout", silence_fails),
    CHECKS_END,
};
