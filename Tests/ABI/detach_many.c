/* callback.h: many waiters of one pending promise are detached, wherever they stand in its list: each context is freed
 * at once, and the memory of those that left is bounded by that of those that stay. */
#include "growth.h"
#include "memory.h"

typedef enum { OLDEST_FIRST, NEWEST_FIRST, EVERY_OTHER, SCATTERED, ORDERS } order_t;
typedef enum { RESOLVES, DISCARDS, ASKS_AND_RELEASES, WAYS } way_t;

enum { CELL = 64, FEW = 64 * CELL };

typedef struct {
  promise_t *source;
  order_t order;
  way_t way;
} leaving_t;

/* Returns the number of bytes of the cells in use. */
static long live(void) {
  promise_statistics_t now = statistics();
  return (long)(now.bytes_resident - now.bytes_reusable);
}

static long place(order_t order, long i, long count) {
  switch (order) {
  case OLDEST_FIRST:
    return i;
  case NEWEST_FIRST:
    return count - 1 - i;
  case EVERY_OTHER:
    return i % 2 * (count / 2) + i / 2;
  default:
    return i * 7919 % count; /* visits each place once: the prime does not divide the count */
  }
}

static void leave(promise_t *waiter, way_t way) {
  if (way == RESOLVES)
    promise_resolve(waiter, I64(9));
  if (way == DISCARDS)
    promise_discard(waiter);
  if (way == ASKS_AND_RELEASES)
    promise_request_cancel(waiter, NULL);
  promise_release(waiter);
}

static void many_leave(void *ctx, long count) {
  const leaving_t *leaving = ctx;
  spy_t spy = {0};
  long before = live(), late = 0;
  promise_t **waiters = malloc((size_t)count * sizeof *waiters);
  REQUIRE(waiters != NULL);
  for (long i = 0; i < count; i++)
    waiters[i] = promise_then(leaving->source, spy_handler, &spy, spy_free);
  CHECK(live() - before >= count * CELL);
  for (long i = 0; i < count; i++) {
    leave(waiters[place(leaving->order, i, count)], leaving->way);
    late += atomic_load(&spy.frees) != i + 1;
    if (i + 1 == count / 2)
      CHECK(live() - before <= 2 * (count / 2) * CELL + FEW);
    /* Sweeps have removed many of the waiters that were detached within the list. With few waiters, the time of a sweep
     * is a matter of chance. */
    if (i + 1 == count / 8 * 7 && count > 10000)
      CHECK(live() - before <= count / 4 * 3 * CELL + FEW);
  }
  CHECK_INT(late, 0);
  CHECK_SPY(&spy, 0, (int)count);
  CHECK(live() - before <= FEW);
  free(waiters);
}

TEST(contexts_and_memory_are_freed_at_once) {
  long count = check_scale(200 * 1000), resident = 0;
  for (order_t order = 0; order < ORDERS; order++)
    for (way_t way = 0; way < WAYS; way++) {
      promise_t *source = promise_new();
      for (int round = 0; round < 2; round++)
        many_leave(&(leaving_t){source, order, way}, count);
      CHECK_INT(promise_state(source), PROMISE_PENDING);
      promise_release(source);
      if (resident == 0)
        resident = cells();
      CHECK(cells() <= resident + resident / 8);
    }
}

TEST(time_is_linear_for_many) {
  promise_t *source = promise_new();
  for (order_t order = 0; order < ORDERS; order++)
    CHECK_LINEAR(many_leave, (&(leaving_t){source, order, DISCARDS}), check_scale(200 * 1000) / 16 * 16);
  promise_release(source);
}
