/* streams.h - helpers of the checks of streams and operators. */
#ifndef CHECKED_STREAMS_H
#define CHECKED_STREAMS_H

#include "checked.h"

/* Writes an error to the journal as a capital letter, and the end of the context as a point. */
static inline void note_error(void *ctx, const promise_value_t *reason) {
  (void)ctx;
  note((char)('A' + reason->as.i64));
}

static inline void note_end(void *ctx) {
  (void)ctx;
  note('.');
}

static inline promise_publisher_t *publisher_with(uint32_t flags) {
  promise_publisher_t *publisher = promise_publisher_new(flags);
  CHECK(publisher != NULL);
  return publisher;
}

static inline void publish_error(promise_publisher_t *publisher, int64_t number) {
  promise_value_t reason = i64(number);
  CHECK_STATUS(promise_publisher_publish_error(publisher, &reason), PROMISE_OK);
}

#endif /* CHECKED_STREAMS_H */
