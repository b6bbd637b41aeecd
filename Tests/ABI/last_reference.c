/* core.h: the last references to a promise, released on several threads while its handler settles it. */
#include "memory.h"
#include "race.h"

enum { THREADS = 3 };

static promise_t *source, *derived;
static spy_t spy;
static long rounds;

/* Makes a holder's last call before it releases the promise; none for way 0. */
static void give_up(long way) {
  promise_value_t seen = {0};
  switch (way % 4) {
  case 0:
    break;
  case 1:
    CHECK_STATUS(promise_retain(derived), PROMISE_OK);
    promise_release(derived);
    break;
  case 2:
    if (promise_result(derived, &seen) == PROMISE_OK)
      promise_value_release(&seen);
    break;
  default:
    promise_resolve(derived, I64(9));
  }
  promise_release(derived);
}

static void *take_part(void *ctx) {
  int thread = (int)(intptr_t)ctx;
  for (long i = 0; i < rounds; i++) {
    bool is_shared = i % 2 == 0;
    if (thread == 0) {
      memset(&spy, 0, sizeof spy);
      source = promise_new();
      derived = promise_then(source, spy_handler, &spy, spy_free);
      if (is_shared)
        promise_retain(derived);
    }
    meet();
    if (thread == 0) {
      promise_resolve(source, I64(1));
      promise_release(source);
    } else if (thread == 1 || is_shared) {
      give_up(i / 2 + thread);
    }
    meet();
    if (thread == 0)
      CHECK_INT(atomic_load(&spy.frees), 1);
  }
  return NULL;
}

TEST(a_promise_is_destroyed_once) {
  promise_statistics_t before = statistics();
  rounds = check_scale(100 * 1000);
  race(take_part, THREADS);
  CHECK_INT(statistics().promises_pending, before.promises_pending);
  CHECK_INT(statistics().promises_settled, before.promises_settled);
}
