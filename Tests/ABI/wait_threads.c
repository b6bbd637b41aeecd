/* promise_wait on many threads, at the same time as a settlement, a time limit, or the release of the promise. */
#include <sched.h>
#include <sys/syscall.h>

#include "asleep.h"
#include "support.h"

typedef struct waiting {
  promise_t *promise;
  int64_t timeout;
  promise_status_t status;
} waiting_t;

static void *wait_there(void *argument) {
  waiting_t *waiting = argument;
  waiting->status = promise_wait(waiting->promise, waiting->timeout);
  CHECK_INT(promise_state(waiting->promise), waiting->status == PROMISE_OK ? PROMISE_FULFILLED : PROMISE_PENDING);
  return NULL;
}

/* Chance decides whether the waiter sleeps before the settlement; repeated often enough to see both orders. */
TEST(waiter_is_woken) {
  static const int64_t timeouts[] = {-1, INT64_MIN, INT64_MAX, 3600 * 1000 * MILLISECONDS};
  long rounds = check_scale(1000);
  for (long i = 0; i < rounds; i++) {
    waiting_t waiting = {promise_new(), timeouts[i % 4], PROMISE_EINVAL};
    pthread_t thread = start(wait_there, &waiting);
    if (i % 3 == 0)
      sched_yield();
    CHECK_STATUS(promise_resolve(waiting.promise, I64(1)), PROMISE_OK);
    finish(thread);
    CHECK_STATUS(waiting.status, PROMISE_OK);
    promise_release(waiting.promise);
  }
}

TEST(every_waiter_is_woken) {
  enum { WAITERS = 16 };
  long rounds = check_scale(1000) / 10;
  for (long i = 0; i < rounds; i++) {
    promise_t *promise = promise_new();
    waiting_t waiting[WAITERS];
    pthread_t threads[WAITERS];
    for (int j = 0; j < WAITERS; j++) {
      waiting[j] = (waiting_t){promise, FOR_EVER, PROMISE_EINVAL};
      threads[j] = start(wait_there, &waiting[j]);
    }
    CHECK_STATUS(promise_resolve(promise, I64(1)), PROMISE_OK);
    for (int j = 0; j < WAITERS; j++) {
      finish(threads[j]);
      CHECK_STATUS(waiting[j].status, PROMISE_OK);
    }
    promise_release(promise);
  }
}

/* Two waits with a time limit may end at about the same moment: both time out. */
TEST(two_time_limits_may_race) {
  long rounds = check_scale(1000);
  for (long i = 0; i < rounds; i++) {
    waiting_t waiting = {promise_new(), 20000 + i % 100 * 1000, PROMISE_EINVAL};
    promise_t *promise = waiting.promise;
    pthread_t thread = start(wait_there, &waiting);
    promise_wait(promise, 30000);
    CHECK_INT(promise_state(promise), PROMISE_PENDING);
    finish(thread);
    CHECK_STATUS(waiting.status, PROMISE_ETIMEDOUT);
    CHECK_STATUS(promise_resolve(promise, I64(1)), PROMISE_OK);
    promise_release(promise);
  }
}

static void *wait_only(void *argument) {
  waiting_t *waiting = argument;
  waiting->status = promise_wait(waiting->promise, waiting->timeout);
  return NULL;
}

/* The promise is settled at about the moment of the limit: the wait ends once, with the status of the earlier. */
TEST(a_time_limit_may_race_with_the_settlement) {
  long rounds = check_scale(1000);
  for (long i = 0; i < rounds; i++) {
    waiting_t waiting = {promise_new(), 20000 + i % 100 * 1000, PROMISE_EINVAL};
    promise_t *promise = waiting.promise;
    pthread_t thread = start(wait_only, &waiting);
    CHECK_STATUS(promise_wait(promise, 20000 + i * 7 % 100 * 1000), PROMISE_ETIMEDOUT);
    CHECK_STATUS(promise_resolve(promise, I64(1)), PROMISE_OK);
    finish(thread);
    CHECK(waiting.status == PROMISE_OK || waiting.status == PROMISE_ETIMEDOUT);
    CHECK_STATUS(promise_wait(promise, 0), PROMISE_OK);
    promise_release(promise);
    CHECK_STATUS(promise_state(promise), PROMISE_ESTALE);
  }
}

/* ---- A wait and the end of its promise ---- */

static atomic_int sleeper;

static void *sleeps(void *promise) {
  atomic_store(&sleeper, (int)syscall(SYS_gettid));
  CHECK_STATUS(promise_wait(promise, FOR_EVER), PROMISE_OK);
  return NULL;
}

/* The last reference is released before the waiting thread wakes, and another promise reuses the memory. */
TEST(promise_may_be_released_as_its_waiter_wakes) {
  for (int round = 0; round < 100; round++) {
    promise_t *promise = promise_new();
    atomic_store(&sleeper, 0);
    pthread_t thread = start(sleeps, promise);
    while (!is_asleep(atomic_load(&sleeper)))
      sched_yield();
    promise_resolve(promise, VOID());
    promise_release(promise);
    promise_t *other = promise_new();
    finish(thread);
    promise_release(other);
  }
}
