/* flatten.h: the end of an inner stream, on another thread, while the next one replaces it, at each moment at which a
 * lock is released. */
#include "overlap.h"

#include "operators.h"

static promise_publisher_t *inner[2];

static void *ends(void *publisher) {
  promise_publisher_finish(publisher);
  return NULL;
}

static void ends_the_first(void) {
  finish(start(ends, inner[0]));
}

static promise_publisher_t *finds(void *ctx, const promise_value_t *value) {
  (void)ctx;
  promise_publisher_retain(inner[value->as.i64]);
  return inner[value->as.i64];
}

/* Replaces the first inner stream, which ends at the unlock of that number. Returns whether there was one. */
static bool is_overlapped_at(long number) {
  listener_t listener = {0};
  promise_publisher_t *source = publisher_new(0);
  for (int i = 0; i < 2; i++)
    inner[i] = publisher_new(0);
  promise_subscriber_t *subscriber =
      listen_only(made(promise_publisher_flat_map(source, PROMISE_FLATTEN_LATEST, finds, NULL, NULL)), &listener);
  promise_t *end = end_of(subscriber);
  publish(source, 0);
  publish(inner[0], 10);
  begin_overlap(number);
  publish(source, 1);
  bool was_made = end_overlap();
  CHECK_INT(promise_publisher_count(inner[0]), 0);
  CHECK_INT(promise_publisher_count(inner[1]), 1);
  publish(inner[1], 11);
  promise_publisher_finish(source);
  CHECK_INT(promise_state(end), PROMISE_PENDING);
  promise_publisher_finish(inner[1]);
  CHECK_TEXT(listener.log, "10 11 .");
  CHECK(is_done(end));
  promise_release(end), promise_subscriber_release(subscriber);
  for (int i = 0; i < 2; i++)
    promise_publisher_release(inner[i]);
  promise_publisher_release(source);
  return was_made;
}

TEST(an_inner_stream_may_end_while_it_is_replaced) {
  second_call = ends_the_first;
  long count = 0;
  while (is_overlapped_at(count))
    count++;
  CHECK(count > 1);
}
