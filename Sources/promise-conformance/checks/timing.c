/* promise/timing.h: operators on the times of events. */
#include "../checked.h"

#include <sched.h>

#include "../loops.h"
#include "../operators.h"

CHECKS(timing)

/* Publishes three values, then ends the source by `how`, long before the timer is due. Checks the log before and after
 * the end. */
static void check_ending(int how, promise_publisher_t *source, promise_publisher_t *derived, const char *before,
                         const char *after) {
  listener_t listener = {0};
  promise_subscriber_t *subscriber = listen_only(derived, &listener);
  for (int64_t number = 1; number <= 3; number++)
    publish(source, number);
  CHECK_TEXT(listener.log, before);
  promise_t *end = end_of(subscriber);
  end_by(source, how, 9);
  CHECK_TEXT(listener.log, after);
  CHECK(ended_by(end, how, 9));
  release(end);
  release_both(subscriber, source);
}

RULE(the_end_flushes_pending_events, "the end of a stream publishes the events that wait for their time") {
  for (int how = 0; how < ENDINGS; how++) {
    promise_publisher_t *source = publisher_new(0);
    check_ending(how, source, promise_publisher_debounce(NULL, source, HOUR), "", "3 .");
    source = publisher_new(0);
    check_ending(how, source, promise_publisher_throttle(NULL, source, HOUR, 0), "1 ", "1 3 .");
    source = publisher_new(0);
    check_ending(how, source, promise_publisher_throttle(NULL, source, HOUR, PROMISE_THROTTLE_FIRST), "1 ", "1 .");
    source = publisher_new(0);
    check_ending(how, source, promise_publisher_timeout(NULL, source, HOUR), "1 2 3 ", "1 2 3 .");
  }
}

RULE(silence_publishes, "silence publishes a debounced event") {
  promise_publisher_t *source = publisher_new(0);
  listener_t listener = {0};
  promise_subscriber_t *subscriber = listen_only(promise_publisher_debounce(NULL, source, MILLISECONDS), &listener);
  publish(source, 1);
  while (atomic_load(&listener.calls) == 0)
    sched_yield();
  CHECK_TEXT(listener.log, "1 ");
  release_both(subscriber, source);
}

RULE(silence_fails, "silence fails a timeout") {
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

/* ---- Never early ---- */

enum { ROUNDS = 3 };
static const int64_t short_time = 100 * MILLISECONDS;

/* Waits for the next event; returns the time at which it was there. */
static int64_t next_at(promise_subscriber_t *subscriber) {
  promise_t *next = next_of(subscriber);
  CHECK_STATUS(promise_wait(next, FOR_EVER), PROMISE_OK);
  int64_t time = now();
  CHECK_INT(promise_state(next), PROMISE_FULFILLED);
  release(next);
  return time;
}

static promise_subscriber_t *pull_only(promise_publisher_t *publisher) {
  promise_subscriber_t *subscriber = pull(made(publisher), PROMISE_OVERFLOW_BUFFER, 0);
  CHECK_STATUS(promise_publisher_release(publisher), PROMISE_OK);
  return subscriber;
}

RULE(no_debounce_is_too_short, "no interval of promise_publisher_debounce() is too short") {
  for (int i = 0; i < ROUNDS; i++) {
    promise_publisher_t *source = publisher_new(0);
    promise_subscriber_t *subscriber = pull_only(promise_publisher_debounce(NULL, source, short_time));
    int64_t before = now();
    publish(source, 1);
    CHECK(next_at(subscriber) - before >= short_time);
    release_both(subscriber, source);
  }
}

/* The first event is published at once, and begins the interval; the second waits for its end. */
RULE(no_throttle_is_too_short, "no interval of promise_publisher_throttle() is too short") {
  for (int i = 0; i < ROUNDS; i++) {
    promise_publisher_t *source = publisher_new(0);
    promise_subscriber_t *subscriber = pull_only(promise_publisher_throttle(NULL, source, short_time, 0));
    int64_t before = now();
    publish(source, 1);
    publish(source, 2);
    CHECK(next_at(subscriber) >= before);
    CHECK(next_at(subscriber) - before >= short_time);
    release_both(subscriber, source);
  }
}

RULE(no_time_limit_is_too_short, "no time limit of promise_publisher_timeout() is too short") {
  for (int i = 0; i < ROUNDS; i++) {
    promise_publisher_t *source = publisher_new(0);
    int64_t before = now();
    promise_subscriber_t *subscriber = pull_only(promise_publisher_timeout(NULL, source, short_time));
    promise_t *end = end_of(subscriber);
    CHECK_STATUS(promise_wait(end, FOR_EVER), PROMISE_OK);
    CHECK(now() - before >= short_time);
    CHECK_LIBRARY_ERROR(end, PROMISE_ETIMEDOUT);
    release(end);
    release_both(subscriber, source);
  }
}

RULE(no_tick_is_early, "no tick of promise_publisher_every() is early") {
  const int64_t intervals[] = {short_time / 2, MILLISECONDS / 5};
  static const int counts[] = {ROUNDS, 20};
  for (int each = 0; each < 2; each++) {
    int64_t before = now();
    promise_subscriber_t *subscriber = pull_only(promise_publisher_every(NULL, intervals[each]));
    uint64_t latest = 0;
    for (int i = 0; i < counts[each]; i++) {
      promise_t *next = next_of(subscriber);
      promise_value_t value;
      CHECK_STATUS(promise_wait(next, FOR_EVER), PROMISE_OK);
      int64_t elapsed = now() - before;
      CHECK_STATUS(promise_result(next, &value), PROMISE_OK);
      CHECK_INT(value.kind, PROMISE_KIND_U64);
      CHECK(value.as.u64 > latest && elapsed >= (int64_t)value.as.u64 * intervals[each]);
      latest = value.as.u64;
      release(next);
    }
    CHECK_STATUS(promise_subscriber_release(subscriber), PROMISE_OK);
  }
}

/* ---- Executors ---- */

typedef promise_publisher_t *timed_t(promise_executor_t *executor, promise_publisher_t *source, int64_t interval);

static promise_publisher_t *throttles(promise_executor_t *executor, promise_publisher_t *source, int64_t interval) {
  return promise_publisher_throttle(executor, source, interval, 0);
}

static promise_publisher_t *ticks(promise_executor_t *executor, promise_publisher_t *source, int64_t interval) {
  (void)source;
  return promise_publisher_every(executor, interval);
}

/* The timer fires while this thread runs the loop, so the callbacks for its event run on this thread. */
RULE(the_executor_publishes, "the executor of a timer publishes its event") {
  timed_t *const all[] = {promise_publisher_debounce, throttles, ticks};
  for (int i = 0; i < 3; i++) {
    fixture_t fixture = setup();
    promise_publisher_t *source = publisher_new(0);
    promise_subscriber_t *subscriber = pull_only(all[i](fixture.executor, source, short_time));
    publish(source, 1);
    publish(source, 2);
    if (i == 1)
      (void)next_at(subscriber); /* the first event is published at once */
    spy_t spy = {0};
    promise_t *next = next_of(subscriber);
    CHECK_STATUS(promise_observe(next, spy_observer, spy_observer, &spy, spy_free), PROMISE_OK);
    CHECK_STATUS(promise_loop_wait(fixture.loop, next, FOR_EVER), PROMISE_OK);
    CHECK(pthread_equal(spy.thread, pthread_self()));
    CHECK_SPY(&spy, 1, 1);
    release(next);
    release_both(subscriber, source);
    teardown(fixture);
  }
}

RULE(the_executor_fails_a_timeout, "the executor of a timer fails the stream") {
  fixture_t fixture = setup();
  promise_publisher_t *source = publisher_new(0);
  promise_subscriber_t *subscriber = pull_only(promise_publisher_timeout(fixture.executor, source, short_time));
  spy_t spy = {0};
  promise_t *end = end_of(subscriber);
  CHECK_STATUS(promise_observe(end, spy_observer, spy_observer, &spy, spy_free), PROMISE_OK);
  CHECK_STATUS(promise_loop_wait(fixture.loop, end, FOR_EVER), PROMISE_OK);
  CHECK(pthread_equal(spy.thread, pthread_self()));
  CHECK_SPY(&spy, 1, 1);
  release(end);
  release_both(subscriber, source);
  teardown(fixture);
}

RULE(an_executor_that_drops_the_timer_fails_the_stream,
     "an executor that drops a timer publishes the pending event, and fails the stream with PROMISE_ECLOSED") {
  timed_t *const all[] = {promise_publisher_debounce, throttles, promise_publisher_timeout, ticks};
  for (int i = 0; i < 4; i++) {
    fixture_t fixture = setup();
    promise_publisher_t *source = publisher_new(0);
    promise_subscriber_t *subscriber = pull_only(all[i](fixture.executor, source, HOUR));
    promise_t *end = end_of(subscriber), *nexts[] = {next_of(subscriber), next_of(subscriber)};
    publish(source, 1);
    publish(source, 2);
    CHECK_STATUS(promise_loop_release(fixture.loop), PROMISE_OK);
    CHECK_LIBRARY_ERROR(end, PROMISE_ECLOSED);
    if (i < 3)
      CHECK_ENDED(nexts[i == 0 ? 0 : 1], PROMISE_FULFILLED, 2);
    if (i == 1 || i == 2)
      CHECK_ENDED(nexts[0], PROMISE_FULFILLED, 1);
    CHECK_INT(promise_publisher_count(source), 0);
    RELEASE(end, nexts[0], nexts[1]);
    release_both(subscriber, source);
    CHECK_STATUS(promise_executor_release(fixture.executor), PROMISE_OK);
  }
}

RULE(only_the_timer_publishes_ticks, "only the timer publishes ticks") {
  promise_publisher_t *publisher = made(promise_publisher_every(NULL, HOUR));
  CHECK_STATUS(promise_publisher_publish(publisher, I64(1)), PROMISE_EINVAL);
  CHECK_STATUS(promise_publisher_publish_error(publisher, I64(1)), PROMISE_EINVAL);
  CHECK_STATUS(promise_publisher_finish(publisher), PROMISE_EINVAL);
  CHECK_STATUS(promise_publisher_fail(publisher, I64(1)), PROMISE_EINVAL);
  CHECK_STATUS(promise_publisher_cancel(publisher), PROMISE_EINVAL);
  CHECK_INT(promise_publisher_state(publisher), PROMISE_PENDING);
  CHECK_STATUS(promise_publisher_release(publisher), PROMISE_OK);
  /* An interval may exceed the range of the clock. */
  publisher = made(promise_publisher_every(NULL, INT64_MAX));
  CHECK_INT(promise_publisher_state(publisher), PROMISE_PENDING);
  CHECK_STATUS(promise_publisher_release(publisher), PROMISE_OK);
}
