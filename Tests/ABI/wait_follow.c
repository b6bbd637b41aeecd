/* promise_wait for promises settled through others: a follower, a combination. */
#include "support.h"

static promise_t *discardable_follower_of(promise_t *source) {
  promise_t *promise = promise_new_discardable(NULL, NULL, NULL);
  CHECK_STATUS(promise_follow(promise, source), PROMISE_OK);
  return promise;
}

DERIVES(promise_t, all_of, promise_all(&source, 1, 0))
DERIVES(promise_t, race_of, promise_race(&source, 1, 0))

static void *wait_there(void *promise) {
  CHECK_STATUS(promise_wait(promise, FOR_EVER), PROMISE_OK);
  CHECK_INT(promise_state(promise), PROMISE_FULFILLED);
  return NULL;
}

/* Chance decides whether the waiter sleeps before the settlement; repeated often enough to see both orders. */
static void waiter_is_woken(promise_t *(*make)(promise_t *source)) {
  long rounds = check_scale(500);
  for (long i = 0; i < rounds; i++) {
    promise_t *source = promise_new(), *promise = make(source);
    REQUIRE(promise != NULL);
    pthread_t thread = start(wait_there, promise);
    for (long j = 0; j < i % 5; j++)
      sched_yield();
    CHECK_STATUS(promise_resolve(source, I64(1)), PROMISE_OK);
    finish(thread);
    RELEASE(promise, source);
  }
}

TEST_BY(a_follower_wakes_its_waiter, waiter_is_woken(follower_of))
TEST_BY(a_discardable_follower_wakes_its_waiter, waiter_is_woken(discardable_follower_of))
TEST_BY(all_wakes_its_waiter, waiter_is_woken(all_of))
TEST_BY(race_wakes_its_waiter, waiter_is_woken(race_of))
