/* Several threads settle one promise: the losers observe the winner's outcome when their calls return. */
#include "race.h"

enum { THREADS = 3 };
static promise_t *promise;
static atomic_int winners;

static void *settles(void *number) {
  long rounds = check_scale(100 * 1000), wrong = 0;
  for (long i = 0; i < rounds; i++) {
    if ((intptr_t)number == 0)
      promise = promise_new(), atomic_store(&winners, 0);
    meet();
    promise_status_t status = promise_resolve(promise, I64((intptr_t)number));
    promise_value_t value;
    wrong += promise_result(promise, &value) != PROMISE_OK || value.kind != PROMISE_KIND_I64;
    wrong += status != PROMISE_OK && status != PROMISE_ESETTLED;
    atomic_fetch_add(&winners, status == PROMISE_OK);
    meet();
    if ((intptr_t)number == 0) {
      wrong += atomic_load(&winners) != 1;
      promise_release(promise);
    }
  }
  CHECK_INT(wrong, 0);
  return NULL;
}

TEST_BY(second_settler_sees_the_outcome, race(settles, THREADS))
