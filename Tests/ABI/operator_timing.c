/* timing.h: operators on the times of events. Timers of a loop fire only while the loop runs, so the order of events
 * and timers is known. */
#include "operators.h"

#define SHORT (5 * MILLISECONDS)

typedef struct stream {
  promise_loop_t *loop;
  promise_executor_t *executor;
  promise_publisher_t *source;
  promise_subscriber_t *subscriber;
  promise_t *end;
  listener_t listener;
} stream_t;

typedef promise_publisher_t *operator_t(promise_executor_t *executor, promise_publisher_t *source, int64_t interval);

static promise_publisher_t *throttle(promise_executor_t *executor, promise_publisher_t *source, int64_t interval) {
  return promise_publisher_throttle(executor, source, interval, 0);
}
static promise_publisher_t *throttle_first(promise_executor_t *executor, promise_publisher_t *source,
                                           int64_t interval) {
  return promise_publisher_throttle(executor, source, interval, PROMISE_THROTTLE_FIRST);
}

static void begin(stream_t *stream, operator_t *operation, int64_t interval) {
  memset(stream, 0, sizeof *stream);
  REQUIRE((stream->loop = promise_loop_new()) != NULL);
  REQUIRE((stream->executor = promise_loop_executor(stream->loop)) != NULL);
  stream->source = publisher_new(0);
  stream->subscriber = listen_only(operation(stream->executor, stream->source, interval), &stream->listener);
  stream->end = end_of(stream->subscriber);
}

static void end_stream(stream_t *stream) {
  promise_release(stream->end), promise_subscriber_release(stream->subscriber);
  CHECK_INT(promise_publisher_count(stream->source), 0);
  promise_publisher_release(stream->source), promise_executor_release(stream->executor);
  CHECK_STATUS(promise_loop_release(stream->loop), PROMISE_OK);
}

/* Runs the loop until the number of called callbacks is `calls`. */
static void run_until(stream_t *stream, int calls) {
  while (atomic_load(&stream->listener.calls) < calls)
    promise_loop_run_once(stream->loop);
}

static void sleep_for(int64_t ns) {
  struct timespec time = {.tv_nsec = (long)ns};
  nanosleep(&time, NULL);
}

TEST(a_debounce_publishes_the_last_of_a_burst) {
  stream_t stream;
  begin(&stream, promise_publisher_debounce, SHORT);
  for (int64_t number = 1; number <= 3; number++)
    publish(stream.source, number);
  int64_t published = promise_now();
  publish_error(stream.source, 4);
  CHECK_TEXT(stream.listener.log, "");
  run_until(&stream, 1);
  CHECK(promise_now() - published >= SHORT);
  CHECK_TEXT(stream.listener.log, "!4 ");
  publish(stream.source, 5);
  run_until(&stream, 2);
  CHECK_TEXT(stream.listener.log, "!4 5 ");
  end_stream(&stream);
}

TEST(an_event_restarts_the_interval) {
  stream_t stream;
  begin(&stream, promise_publisher_debounce, 4 * SHORT);
  publish(stream.source, 1);
  sleep_for(3 * SHORT);
  int64_t published = promise_now();
  publish(stream.source, 2);
  run_until(&stream, 1);
  CHECK(promise_now() - published >= 4 * SHORT); /* the timer of the first event has fired without effect */
  CHECK_TEXT(stream.listener.log, "2 ");
  end_stream(&stream);
}

TEST(a_throttle_publishes_the_first_and_the_latest) {
  for (int tries = 0;; tries++) {
    stream_t stream;
    begin(&stream, throttle, 40 * SHORT);
    int64_t begun = promise_now();
    for (int64_t number = 1; number <= 3; number++)
      publish(stream.source, number);
    bool is_in_time = promise_now() - begun < 40 * SHORT;
    if (is_in_time) {
      CHECK_TEXT(stream.listener.log, "1 ");
      run_until(&stream, 2);
      CHECK_TEXT(stream.listener.log, "1 3 ");
      CHECK(promise_now() - begun >= 40 * SHORT);
      publish(stream.source, 4); /* in the interval that began with the timer, unless this thread had no processor */
      is_in_time = promise_now() - begun < 80 * SHORT;
    }
    if (is_in_time) {
      CHECK_TEXT(stream.listener.log, "1 3 ");
      run_until(&stream, 3);
      CHECK_TEXT(stream.listener.log, "1 3 4 ");
    }
    end_stream(&stream);
    if (is_in_time)
      break;
    REQUIRE(tries < 100);
  }
}

TEST(after_a_silent_interval_the_next_event_is_published_at_once) {
  operator_t *const operations[] = {throttle, throttle_first};
  for (int i = 0; i < 2; i++) {
    stream_t stream;
    begin(&stream, operations[i], 1);
    publish(stream.source, 1);
    sleep_for(MILLISECONDS);
    publish(stream.source, 2);
    CHECK_TEXT(stream.listener.log, "1 2 ");
    end_stream(&stream);
  }
}

TEST(a_throttle_may_drop_later_events) {
  stream_t stream;
  begin(&stream, throttle_first, HOUR);
  for (int64_t number = 1; number <= 3; number++)
    publish(stream.source, number);
  CHECK_TEXT(stream.listener.log, "1 ");
  payload_t payload = {0};
  promise_value_t value = object(&payload);
  CHECK_STATUS(promise_publisher_publish(stream.source, &value), PROMISE_OK);
  CHECK_INT(atomic_load(&payload.destroyed), 1); /* dropped at once */
  promise_publisher_finish(stream.source);
  CHECK_TEXT(stream.listener.log, "1 .");
  CHECK(is_done(stream.end));
  end_stream(&stream);
}

TEST(silence_fails_a_timeout) {
  stream_t stream;
  begin(&stream, promise_publisher_timeout, 4 * SHORT);
  int64_t begun = promise_now();
  publish(stream.source, 1);
  while (promise_state(stream.end) == PROMISE_PENDING)
    promise_loop_run_once(stream.loop);
  CHECK(promise_now() - begun >= 4 * SHORT);
  CHECK_TEXT(stream.listener.log, "1 .");
  CHECK(failed_with(stream.end, PROMISE_ETIMEDOUT));
  CHECK_INT(promise_publisher_count(stream.source), 0); /* the operator has unsubscribed */
  end_stream(&stream);
}

TEST(events_defer_a_timeout) {
  stream_t stream;
  int64_t published = promise_now();
  begin(&stream, promise_publisher_timeout, 20 * SHORT);
  for (int i = 0; i < 30; i++) {
    promise_loop_run(stream.loop, SHORT);
    int64_t now = promise_now();
    if (now - published >= 20 * SHORT) /* the machine was too slow for this test */
      break;
    publish(stream.source, 0);
    published = now;
    CHECK_INT(promise_state(stream.end), PROMISE_PENDING);
  }
  while (promise_state(stream.end) == PROMISE_PENDING)
    promise_loop_run_once(stream.loop);
  CHECK(promise_now() - published >= 20 * SHORT);
  end_stream(&stream);
}

TEST(a_timeout_ends_with_its_source) {
  stream_t stream;
  begin(&stream, promise_publisher_timeout, HOUR);
  publish(stream.source, 1);
  promise_publisher_finish(stream.source);
  CHECK_TEXT(stream.listener.log, "1 .");
  CHECK(is_done(stream.end));
  end_stream(&stream);
  promise_publisher_t *ended_source = publisher_new(0);
  promise_publisher_cancel(ended_source);
  promise_publisher_t *timeout = made(promise_publisher_timeout(NULL, ended_source, HOUR));
  CHECK_INT(promise_publisher_state(timeout), PROMISE_REJECTED);
  promise_publisher_release(timeout), promise_publisher_release(ended_source);
}

TEST(without_subscribers_the_timer_stops_and_events_are_freed) {
  static payload_t payload;
  operator_t *const operations[] = {promise_publisher_debounce, throttle};
  for (int i = 0; i < 2; i++) {
    stream_t stream;
    begin(&stream, operations[i], HOUR);
    publish(stream.source, 1);
    atomic_store(&payload.destroyed, 0);
    promise_value_t value = object(&payload);
    CHECK_STATUS(promise_publisher_publish(stream.source, &value), PROMISE_OK);
    CHECK_INT(atomic_load(&payload.destroyed), 0);
    end_stream(&stream);
    CHECK_INT(atomic_load(&payload.destroyed), 1);
  }
}

/* Without an executor, timers run on a library thread. Events race with timers: their order stays, and the last event
 * arrives. */
enum { EVENTS = 3000 };
static _Atomic int64_t latest;
static void hears_later(void *ctx, const promise_value_t *value) {
  (void)ctx;
  CHECK(value->as.i64 > atomic_load(&latest));
  atomic_store(&latest, value->as.i64);
}

TEST(timers_race_with_events) {
  operator_t *const operations[] = {promise_publisher_debounce, throttle, promise_publisher_timeout};
  for (int i = 0; i < 3; i++) {
    promise_publisher_t *source = publisher_new(0);
    promise_publisher_t *derived = made(operations[i](NULL, source, i == 2 ? HOUR : 20000));
    promise_subscription_t wish = everything(NULL);
    wish.on_value = hears_later, wish.on_error = NULL, wish.free_ctx = NULL;
    promise_subscriber_t *subscriber = subscribe(derived, wish);
    promise_t *end = end_of(subscriber);
    atomic_store(&latest, 0);
    for (int64_t number = 1; number <= EVENTS; number++) {
      publish(source, number);
      if (number % 16 == 0)
        sleep_for(20000);
    }
    promise_publisher_finish(source);
    promise_wait(end, -1);
    CHECK(is_done(end));
    CHECK_INT(atomic_load(&latest), EVENTS);
    promise_release(end), promise_publisher_release(derived);
    release_both(subscriber, source);
  }
}

TEST(stateful_streams_stay_stateful) {
  promise_publisher_t *source = publisher_new(PROMISE_PUBLISHER_STATEFUL);
  publish(source, 1);
  promise_publisher_t *derived = made(promise_publisher_throttle(NULL, source, HOUR, 0));
  listener_t listener = {0};
  promise_subscriber_t *subscriber = listen(derived, &listener);
  CHECK_TEXT(listener.log, "1 ");
  promise_publisher_release(derived);
  release_both(subscriber, source);
}

TEST(back_pressure_passes) {
  promise_publisher_t *source = publisher_new(0);
  promise_publisher_t *derived = made(promise_publisher_timeout(NULL, source, HOUR));
  promise_subscriber_t *subscriber = pull(derived, PROMISE_OVERFLOW_BUFFER, 1);
  CHECK_STATUS(promise_publisher_publish(source, I64(1)), PROMISE_EFULL);
  promise_publisher_release(derived);
  release_both(subscriber, source);
}
