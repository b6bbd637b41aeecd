/* The time of a queue's operations as it grows. */
#include "growth.h"
#include "queues.h"

/* Watches a different promise for each tag, so that the growth of a promise's own list is not measured. */
static void watch_each(promise_queue_t *queue, promise_t **promises, long count) {
  for (long tag = 0; tag < count; tag++)
    REQUIRE(promise_queue_watch(queue, promises[tag], (uint64_t)tag) == PROMISE_OK);
}

static void unwatches_the_newest_first(void *promises, long count) {
  promise_queue_t *queue = promise_queue_new();
  watch_each(queue, promises, count);
  for (long tag = count - 1; tag >= 0; tag--)
    REQUIRE(promise_queue_unwatch(queue, (uint64_t)tag) == 1);
  promise_queue_free(queue);
}

static void unwatches_the_oldest_first(void *promises, long count) {
  promise_queue_t *queue = promise_queue_new();
  watch_each(queue, promises, count);
  for (long tag = 0; tag < count; tag++)
    REQUIRE(promise_queue_unwatch(queue, (uint64_t)tag) == 1);
  promise_queue_free(queue);
}

/* Among watches at the same place of a table, the newest is found first. If many were at one place, the older ones
 * would take many times as long. Both orders use the same memory, so caches make no difference. */
TEST(watches_are_ended_in_constant_time) {
  enum { MOST = 80000 };
  static promise_t *promises[MOST];
  long count = check_scale(MOST);
  for (long i = 0; i < count; i++)
    REQUIRE((promises[i] = promise_new()) != NULL);
  CHECK(least_time(unwatches_the_oldest_first, promises, count) <
        8 * least_time(unwatches_the_newest_first, promises, count));
  RELEASE_EACH(promises, count);
}
