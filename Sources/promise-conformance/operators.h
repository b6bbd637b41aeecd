/* operators.h - shared by the programs about operators. */
#ifndef OPERATORS_H
#define OPERATORS_H

#include "streams.h"

static inline promise_publisher_t *made(promise_publisher_t *publisher) {
  REQUIRE(publisher != NULL);
  return publisher;
}

/* Subscribes to a publisher, and takes over its handle. */
static inline promise_subscriber_t *listen_only(promise_publisher_t *publisher, listener_t *listener) {
  promise_subscriber_t *subscriber = listen(made(publisher), listener);
  CHECK_STATUS(promise_publisher_release(publisher), PROMISE_OK);
  return subscriber;
}

/* Records arrays of numbers, and errors. */
static char arrays[256];
static inline void hears_array(void *ctx, const promise_value_t *value) {
  (void)ctx;
  CHECK_INT(value->kind, PROMISE_KIND_ARRAY);
  for (size_t i = 0; i < promise_value_count(value); i++) {
    char number[24];
    snprintf(number, sizeof number, "%lld", (long long)promise_value_at(value, i)->as.i64);
    strcat(arrays, number);
  }
  strcat(arrays, " ");
}
static inline void hears_error_among_arrays(void *ctx, const promise_value_t *reason) {
  (void)ctx, (void)reason;
  strcat(arrays, "! ");
}

static inline promise_subscriber_t *listen_to_arrays(promise_publisher_t *publisher) {
  promise_subscription_t wish = everything(NULL);
  arrays[0] = '\0';
  wish.on_value = hears_array, wish.on_error = hears_error_among_arrays, wish.free_ctx = NULL;
  return subscribe(made(publisher), wish);
}

#endif /* OPERATORS_H */
