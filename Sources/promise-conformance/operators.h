/* operators.h - shared by the programs about operators. */
#ifndef OPERATORS_H
#define OPERATORS_H

#include "streams.h"

static inline promise_publisher_t *made(promise_publisher_t *publisher) {
  REQUIRE(publisher != NULL);
  return publisher;
}

/* The sources of an operator. */
static promise_publisher_t *sources[3];

static inline void make_sources(uint32_t flags) {
  for (int i = 0; i < 3; i++)
    sources[i] = publisher_new(flags);
}

static inline void release_sources(void) {
  for (int i = 0; i < 3; i++)
    CHECK_STATUS(promise_publisher_release(sources[i]), PROMISE_OK);
}

/* Subscribes to a publisher, and takes over its handle. */
static inline promise_subscriber_t *listen_only(promise_publisher_t *publisher, listener_t *listener) {
  promise_subscriber_t *subscriber = listen(made(publisher), listener);
  CHECK_STATUS(promise_publisher_release(publisher), PROMISE_OK);
  return subscriber;
}

/* The log of record_array() and record_error_among_arrays(): the digits of each array, and "!" for an error. */
static char arrays[256];
static inline void record_array(void *ctx, const promise_value_t *value) {
  (void)ctx;
  CHECK_INT(value->kind, PROMISE_KIND_ARRAY);
  for (size_t i = 0; i < promise_value_count(value); i++) {
    char number[24];
    snprintf(number, sizeof number, "%lld", (long long)promise_value_at(value, i)->as.i64);
    strcat(arrays, number);
  }
  strcat(arrays, " ");
}
static inline void record_error_among_arrays(void *ctx, const promise_value_t *reason) {
  (void)ctx, (void)reason;
  strcat(arrays, "! ");
}

static inline promise_subscriber_t *listen_to_arrays(promise_publisher_t *publisher) {
  promise_subscription_t wish = everything(NULL);
  arrays[0] = '\0';
  wish.on_value = record_array, wish.on_error = record_error_among_arrays, wish.free_ctx = NULL;
  return subscribe(made(publisher), wish);
}

/* Writes a number to the journal as a small letter. note_value() also writes arrays, as letters in brackets. */
static inline void note_number(const promise_value_t *value) {
  note((char)('a' + value->as.i64));
}

static inline void note_value(void *ctx, const promise_value_t *value) {
  (void)ctx;
  if (value->kind != PROMISE_KIND_ARRAY) {
    note_number(value);
    return;
  }
  note('[');
  for (size_t i = 0; i < promise_value_count(value); i++)
    note_number(promise_value_at(value, i));
  note(']');
}

/* Returns a subscriber, which holds the only reference to the publisher. */
static inline promise_subscriber_t *listener_of(promise_publisher_t *derived) {
  promise_subscription_t subscription = {.size = sizeof subscription,
                                         .overflow = PROMISE_OVERFLOW_BUFFER,
                                         .demand = PROMISE_DEMAND_UNLIMITED,
                                         .on_value = note_value,
                                         .on_error = note_error,
                                         .free_ctx = note_end};
  CHECK(derived != NULL);
  promise_subscriber_t *subscriber = promise_publisher_subscribe(derived, &subscription);
  CHECK(subscriber != NULL);
  CHECK_STATUS(promise_publisher_release(derived), PROMISE_OK);
  return subscriber;
}

static inline void release_stream(promise_subscriber_t *subscriber, promise_publisher_t *publisher) {
  CHECK_STATUS(promise_subscriber_release(subscriber), PROMISE_OK);
  CHECK_INT(promise_publisher_count(publisher), 0);
  CHECK_STATUS(promise_publisher_release(publisher), PROMISE_OK);
}

#endif /* OPERATORS_H */
