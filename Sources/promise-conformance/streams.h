/* streams.h - shared by the programs about streams: a subscriber that records its events. */
#ifndef STREAMS_H
#define STREAMS_H

#include "scheduling.h"

/* The `ctx` of everything(). Its log has values as their numbers, errors as "!" and their numbers, and the free of the
 * context as ".". */
typedef struct listener {
  char log[512];
  atomic_int frees;
  atomic_int calls;
  pthread_t thread; /* the thread of the last callback */
  void (*then)(struct listener *listener, int64_t number);
  promise_publisher_t *publisher;
  promise_subscriber_t *subscriber;
} listener_t;

static inline void record_event(listener_t *listener, const char *mark, const promise_value_t *value) {
  CHECK_INT(atomic_load(&listener->frees), 0);
  CHECK_INT(value->kind, PROMISE_KIND_I64);
  size_t length = strlen(listener->log);
  snprintf(listener->log + length, sizeof listener->log - length, "%s%lld ", mark, (long long)value->as.i64);
  listener->thread = pthread_self();
  atomic_fetch_add(&listener->calls, 1);
  if (listener->then != NULL)
    listener->then(listener, value->as.i64);
}

static inline void record_value(void *ctx, const promise_value_t *value) {
  record_event(ctx, "", value);
}

static inline void record_error(void *ctx, const promise_value_t *reason) {
  record_event(ctx, "!", reason);
}

static inline void record_end(void *ctx) {
  listener_t *listener = ctx;
  strcat(listener->log, ".");
  atomic_fetch_add(&listener->frees, 1);
}

/* Returns a subscription to all events, for the caller to modify. */
static inline promise_subscription_t everything(listener_t *listener) {
  return (promise_subscription_t){.size = sizeof(promise_subscription_t),
                                  .overflow = PROMISE_OVERFLOW_BUFFER,
                                  .demand = PROMISE_DEMAND_UNLIMITED,
                                  .on_value = record_value,
                                  .on_error = record_error,
                                  .ctx = listener,
                                  .free_ctx = record_end};
}

/* Writes an error to the journal as a capital letter, and the end of the context as a point. */
static inline void note_error(void *ctx, const promise_value_t *reason) {
  (void)ctx;
  note((char)('A' + reason->as.i64));
}

static inline void note_end(void *ctx) {
  (void)ctx;
  note('.');
}

static inline promise_subscriber_t *subscribe(promise_publisher_t *publisher, promise_subscription_t subscription) {
  promise_subscriber_t *subscriber = promise_publisher_subscribe(publisher, &subscription);
  REQUIRE(subscriber != NULL);
  return subscriber;
}

static inline promise_subscriber_t *listen(promise_publisher_t *publisher, listener_t *listener) {
  return subscribe(publisher, everything(listener));
}

/* Subscribes without demand: the test asks for each event by promise_subscriber_next(). */
static inline promise_subscriber_t *pull(promise_publisher_t *publisher, promise_overflow_t overflow,
                                         uint64_t capacity) {
  promise_subscription_t subscription = {.size = sizeof subscription, .overflow = overflow, .capacity = capacity};
  return subscribe(publisher, subscription);
}

static inline promise_publisher_t *publisher_new(uint32_t flags) {
  promise_publisher_t *publisher = promise_publisher_new(flags);
  REQUIRE(publisher != NULL);
  return publisher;
}

static inline promise_t *end_of(promise_subscriber_t *subscriber) {
  promise_t *end = promise_subscriber_end(subscriber);
  REQUIRE(end != NULL);
  return end;
}

static inline void publish(promise_publisher_t *publisher, int64_t number) {
  CHECK_STATUS(promise_publisher_publish(publisher, I64(number)), PROMISE_OK);
}

static inline void publish_error(promise_publisher_t *publisher, int64_t number) {
  CHECK_STATUS(promise_publisher_publish_error(publisher, I64(number)), PROMISE_OK);
}

/* The ways in which a stream ends. */
enum { FINISHED, FAILED, CANCELLED, ENDINGS };

/* Ends the stream in that way, a failed one with the reason `number`. */
static inline void end_by(promise_publisher_t *publisher, int way, int64_t number) {
  CHECK_STATUS(way == FINISHED ? promise_publisher_finish(publisher)
               : way == FAILED ? promise_publisher_fail(publisher, I64(number))
                               : promise_publisher_cancel(publisher),
               PROMISE_OK);
}

static inline promise_t *next_of(promise_subscriber_t *subscriber) {
  promise_t *next = promise_subscriber_next(subscriber);
  REQUIRE(next != NULL);
  return next;
}

/* Returns whether the promise was fulfilled with VOID. */
static inline bool is_done(promise_t *promise) {
  promise_value_t value;
  return promise_state(promise) == PROMISE_FULFILLED && promise_result(promise, &value) == PROMISE_OK &&
         value.kind == PROMISE_KIND_VOID;
}

/* Returns whether a stream has ended in that way, by the promise of its end. */
static inline bool ended_by(promise_t *end, int way, int64_t number) {
  return way == FINISHED ? is_done(end) : way == FAILED ? ended(end, PROMISE_REJECTED, number) : was_discarded(end);
}

static inline void release_both(promise_subscriber_t *subscriber, promise_publisher_t *publisher) {
  CHECK_STATUS(promise_subscriber_release(subscriber), PROMISE_OK);
  CHECK_STATUS(promise_publisher_release(publisher), PROMISE_OK);
}

#endif /* STREAMS_H */
