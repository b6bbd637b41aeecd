/* Many timers: their order, and stopping them while they fire. */
#include "scheduling.h"

/* The bounds of a timer's due time, from the times before and after the call that started it. */
typedef struct nap {
  int64_t earliest, latest;
} nap_t;

static nap_t naps[1000];

static pthread_mutex_t waking = PTHREAD_MUTEX_INITIALIZER;

static int64_t passed;

static pthread_t wakes_on;

static int out_of_order, woken_elsewhere;

static countdown_t all_woken = COUNTDOWN(1000);

static void wakes(void *ctx, const promise_value_t *value) {
  (void)value;
  nap_t *nap = ctx;
  CHECK(now() >= nap->earliest);
  pthread_mutex_lock(&waking);
  if (passed == 0)
    wakes_on = pthread_self();
  woken_elsewhere += !pthread_equal(wakes_on, pthread_self());
  out_of_order += nap->latest < passed;
  if (nap->earliest > passed)
    passed = nap->earliest;
  pthread_mutex_unlock(&waking);
  countdown_tick(&all_woken);
}

TEST(timers_end_in_order) {
  uint32_t random = 0x9e3779b9;
  int64_t base = now() + 50 * MILLISECONDS;
  for (int i = 0; i < 1000; i++) {
    random ^= random << 13, random ^= random >> 17, random ^= random << 5;
    int64_t before = now(), time = base + (int64_t)(random % 50) * MILLISECONDS - before;
    if (time < 0)
      time = 0;
    promise_t *nap = promise_sleep(time);
    naps[i] = (nap_t){before + time, now() + time};
    CHECK_STATUS(promise_observe(nap, wakes, NULL, &naps[i], NULL), PROMISE_OK);
    promise_release(nap);
  }
  countdown_wait(&all_woken);
  /* On a busy machine a callback may have taken 10 ms, so that others ran beside it. */
  CHECK(out_of_order == 0 || woken_elsewhere > 0);
}

/* Stops the timers in a random order, which is neither that of their due times nor that of their creation. */
TEST(many_timers_are_stopped) {
  long count = check_scale(1000 * 1000);
  promise_t **all = malloc((size_t)count * sizeof *all);
  REQUIRE(all != NULL);
  uint64_t random = UINT64_C(0x9e3779b97f4a7c15);
  for (long i = 0; i < count; i++) {
    random ^= random << 13, random ^= random >> 7, random ^= random << 17;
    int64_t far = i % 10 == 0 ? INT64_MAX : (int64_t)(random % 1000) * 1000 * MILLISECONDS;
    all[i] = promise_sleep(3600 * 1000 * MILLISECONDS + far % (INT64_MAX / 2));
    REQUIRE(all[i] != NULL);
  }
  for (long i = count - 1; i > 0; i--) {
    random ^= random << 13, random ^= random >> 7, random ^= random << 17;
    long other = (long)(random % (uint64_t)(i + 1));
    promise_t *swapped = all[i];
    all[i] = all[other];
    all[other] = swapped;
  }
  long wrong = 0;
  for (long i = 0; i < count; i++) {
    wrong += promise_discard(all[i]) != PROMISE_OK;
    wrong += promise_release(all[i]) != PROMISE_OK;
    wrong += promise_state(all[i]) != PROMISE_ESTALE;
  }
  CHECK_INT(wrong, 0);
  free(all);
}

/* Timers fire while other threads stop them: each is settled once, by either, and no timer is left. */
typedef struct race {
  promise_t *naps[64];
  int step;
} race_t;

static void *stops_some(void *argument) {
  race_t *race = argument;
  for (int i = race->step; i < 64; i += 2) {
    promise_status_t status = promise_discard(race->naps[i]);
    CHECK(status == PROMISE_OK || status == PROMISE_ESETTLED);
  }
  return NULL;
}

TEST(stopping_may_race_with_the_end) {
  long rounds = check_scale(1000) / 5;
  for (long round = 0; round < rounds; round++) {
    race_t race = {.step = 0};
    for (int i = 0; i < 64; i++)
      race.naps[i] = promise_sleep(i * 3000);
    race_t other = race;
    other.step = 1;
    pthread_t threads[] = {start(stops_some, &race), start(stops_some, &other)};
    for (int i = 0; i < 2; i++)
      finish(threads[i]);
    for (int i = 0; i < 64; i++) {
      CHECK_STATUS(promise_wait(race.naps[i], 0), PROMISE_OK);
      CHECK_STATUS(promise_release(race.naps[i]), PROMISE_OK);
    }
  }
}
