/* Timers. */
#include "scheduling.h"

static void sleep_ends_in_time(void) {
  static const int64_t times[] = {0, 1, MILLISECONDS, 30 * MILLISECONDS};
  for (int i = 0; i < 4; i++) {
    int64_t before = now();
    promise_t *nap = promise_sleep(times[i]);
    REQUIRE(nap != NULL);
    CHECK_STATUS(promise_wait(nap, FOR_EVER), PROMISE_OK);
    CHECK(now() - before >= times[i]);
    promise_value_t value;
    CHECK_INT(promise_state(nap), PROMISE_FULFILLED);
    CHECK_STATUS(promise_result(nap, &value), PROMISE_OK);
    CHECK_INT(value.kind, PROMISE_KIND_VOID);
    promise_release(nap);
  }
}

/* The bounds of a timer's due time, measured from outside. */
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

static void timers_end_in_order(void) {
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
  /* If the machine is so busy that a callback took 10 ms, others ran beside it. */
  CHECK(out_of_order == 0 || woken_elsewhere > 0);
}

/* The timer has the only other reference, so a stale handle shows that it released it. */
static void settled_sleep_is_released_at_once(void) {
  for (int how = 0; how < 3; how++) {
    promise_t *nap = promise_sleep(3600 * 1000 * MILLISECONDS);
    CHECK_INT(promise_state(nap), PROMISE_PENDING);
    if (how == 0)
      CHECK_STATUS(promise_discard(nap), PROMISE_OK);
    if (how == 1)
      CHECK_STATUS(promise_resolve(nap, I64(5)), PROMISE_OK);
    if (how == 2)
      CHECK_STATUS(promise_reject(nap, I64(5)), PROMISE_OK);
    CHECK_INT(promise_state(nap), how == 1 ? PROMISE_FULFILLED : PROMISE_REJECTED);
    CHECK_STATUS(promise_release(nap), PROMISE_OK);
    CHECK_STATUS(promise_state(nap), PROMISE_ESTALE);
  }
}

static void timer_holds_its_promise(void) {
  spy_t spy = {0};
  promise_t *nap = promise_sleep(MILLISECONDS);
  promise_t *child = promise_then(nap, spy_handler, &spy, spy_free);
  promise_release(nap);
  CHECK_STATUS(promise_wait(child, FOR_EVER), PROMISE_OK);
  promise_release(child);
  CHECK_SPY(&spy, 1, 1);
}

/* In an order that is neither that of their due times nor that of their creation. */
static void many_timers_are_stopped(void) {
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

static void time_beyond_time_never_comes(void) {
  promise_t *nap = promise_sleep(INT64_MAX), *short_one = promise_sleep(1);
  CHECK_STATUS(promise_wait(short_one, FOR_EVER), PROMISE_OK);
  CHECK_INT(promise_state(nap), PROMISE_PENDING);
  CHECK_STATUS(promise_discard(nap), PROMISE_OK);
  promise_release(short_one);
  promise_release(nap);
}

static gate_t second_ended = GATE_CLOSED;
static void blocks(void *ctx, const promise_value_t *value) {
  (void)ctx, (void)value;
  gate_wait(&second_ended);
}
static void opens(void *ctx, const promise_value_t *value) {
  (void)ctx, (void)value;
  gate_open(&second_ended);
}

/* The first callback ends only once the second has run, which is due later. */
static void blocked_callback_does_not_hold_up_other_timers(void) {
  promise_t *first = promise_sleep(MILLISECONDS), *second = promise_sleep(2 * MILLISECONDS);
  promise_observe(first, blocks, NULL, NULL, NULL);
  promise_observe(second, opens, NULL, NULL, NULL);
  CHECK_STATUS(promise_wait(first, FOR_EVER), PROMISE_OK);
  CHECK_STATUS(promise_wait(second, FOR_EVER), PROMISE_OK);
  promise_release(first);
  promise_release(second);
}

static promise_verdict_t sleeps_itself(void *ctx, const promise_value_t *in, promise_value_t *out) {
  (void)ctx, (void)in;
  promise_t *nap = promise_sleep(MILLISECONDS);
  CHECK_STATUS(promise_wait(nap, FOR_EVER), PROMISE_OK);
  promise_release(nap);
  *out = *I64(1);
  return PROMISE_FULFILL;
}

static void callback_of_a_timer_may_wait_for_another(void) {
  promise_t *nap = promise_sleep(1), *child = promise_then(nap, sleeps_itself, NULL, NULL);
  CHECK_STATUS(promise_wait(child, FOR_EVER), PROMISE_OK);
  CHECK(ended(child, PROMISE_FULFILLED, 1));
  promise_release(child);
  promise_release(nap);
}

static promise_verdict_t whether_it_is_current(void *executor, const promise_value_t *in, promise_value_t *out) {
  (void)in;
  *out = *I64(promise_executor_is_current(executor));
  return PROMISE_FULFILL;
}

/* A handler attached too late runs here. If the machine is so busy that the timer is due by then, a longer one
 * follows. */
static void ends_on(promise_executor_t *executor) {
  bool in_time = false;
  for (int64_t time = 20 * MILLISECONDS; !in_time; time *= 2) {
    promise_t *nap = promise_sleep_on(executor, time);
    REQUIRE(nap != NULL);
    promise_t *child = promise_then(nap, whether_it_is_current, executor, NULL);
    in_time = promise_state(nap) == PROMISE_PENDING;
    CHECK_STATUS(promise_wait(child, FOR_EVER), PROMISE_OK);
    CHECK(ended(child, PROMISE_FULFILLED, 1) || !in_time);
    promise_release(child);
    promise_release(nap);
  }
}

static void sleep_ends_on_its_executor(void) {
  promise_executor_t *serial = promise_executor_serial(NULL);
  promise_executor_t *const executors[] = {promise_executor_global(PROMISE_PRIORITY_UTILITY), serial,
                                           promise_executor_immediate()};
  for (int i = 0; i < 3; i++)
    ends_on(executors[i]);
  promise_executor_release(serial);
}

static gate_t was_submitted = GATE_CLOSED;
static void shelves(void *ctx, promise_job_t *job) {
  shelve(ctx, job);
  gate_open(&was_submitted);
}

static void executor_may_drop_a_sleep(void) {
  shelf_t shelf = SHELF_EMPTY;
  promise_executor_t *executor = promise_executor_new(shelves, &shelf, NULL);
  promise_t *nap = promise_sleep_on(executor, 1);
  gate_wait(&was_submitted);
  CHECK_INT(promise_state(nap), PROMISE_PENDING);
  CHECK_STATUS(promise_job_drop(take_job(&shelf)), PROMISE_OK);
  CHECK(failed_with(nap, PROMISE_ECLOSED));
  promise_release(nap);
  /* Settled between its time and its job. */
  for (int drop = 0; drop < 2; drop++) {
    was_submitted.open = false;
    nap = promise_sleep_on(executor, 1);
    gate_wait(&was_submitted);
    CHECK_STATUS(promise_resolve(nap, I64(3)), PROMISE_OK);
    promise_job_t *job = take_job(&shelf);
    CHECK_STATUS((drop ? promise_job_drop : promise_job_run)(job), PROMISE_OK);
    CHECK(ended(nap, PROMISE_FULFILLED, 3));
    CHECK_STATUS(promise_release(nap), PROMISE_OK);
    CHECK_STATUS(promise_state(nap), PROMISE_ESTALE);
  }
  promise_executor_release(executor);
}

/* Timers fire while other threads stop them: in either order, each is settled once, and none is left. */
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

static void stopping_may_meet_the_end(void) {
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

int main(void) {
  RUN(sleep_ends_in_time);
  RUN(timers_end_in_order);
  RUN(settled_sleep_is_released_at_once);
  RUN(timer_holds_its_promise);
  RUN(many_timers_are_stopped);
  RUN(time_beyond_time_never_comes);
  RUN(blocked_callback_does_not_hold_up_other_timers);
  RUN(callback_of_a_timer_may_wait_for_another);
  RUN(sleep_ends_on_its_executor);
  RUN(executor_may_drop_a_sleep);
  RUN(stopping_may_meet_the_end);
  return check_report();
}
