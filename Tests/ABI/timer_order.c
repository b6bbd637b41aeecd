/* The order of timers; an earlier timer wakes a thread that sleeps for a later one. */
#include <sched.h>

#include "scheduling.h"

/* ---- The heap: deadlines of tokens, whose times are exact, on a loop, where one thread runs them ---- */

enum { TIMERS = 600 };

typedef struct alarm {
  promise_token_t *token;
  promise_t *promise;
  int64_t deadline;
  bool is_stopped;
} alarm_state_t;

static alarm_state_t alarms[TIMERS];
static int fired[TIMERS], fired_count;

static void fires(void *ctx, const promise_value_t *reason) {
  (void)reason;
  fired[fired_count++] = (int)((alarm_state_t *)ctx - alarms);
}

static uint32_t next_random(uint32_t *random) {
  *random ^= *random << 13, *random ^= *random >> 17, *random ^= *random << 5;
  return *random;
}

static void set_alarm(int i, promise_executor_t *executor, int64_t deadline) {
  alarms[i] = (alarm_state_t){.token = promise_token_new(0), .promise = promise_new(), .deadline = deadline};
  CHECK_STATUS(promise_on_cancel_request(alarms[i].promise, fires, &alarms[i], NULL), PROMISE_OK);
  CHECK_STATUS(promise_token_add(alarms[i].token, alarms[i].promise), PROMISE_OK);
  CHECK_STATUS(promise_token_set_deadline(alarms[i].token, executor, deadline), PROMISE_OK);
}

static void stop_alarm(int i) {
  alarms[i].is_stopped = true;
  promise_token_release(alarms[i].token);
  promise_release(alarms[i].promise);
}

/* Sets alarms at the times of `shape`, stops one in `share` of them at random, and runs the rest when all are due. */
static void run_alarms(uint32_t seed, int64_t (*shape)(int i, uint32_t random), int share) {
  promise_loop_t *loop = promise_loop_new();
  promise_executor_t *executor = promise_loop_executor(loop);
  uint32_t random = seed;
  int64_t base = now() + 60 * MILLISECONDS;
  fired_count = 0;
  for (int i = 0; i < TIMERS; i++)
    set_alarm(i, executor, base + shape(i, next_random(&random)));
  int left = TIMERS;
  for (int i = 0; share > 0 && i < TIMERS / share; i++) {
    int chosen = (int)(next_random(&random) % TIMERS);
    if (!alarms[chosen].is_stopped)
      left--, stop_alarm(chosen);
  }
  while (now() < base + TIMERS)
    sched_yield();
  /* One turn takes all due timers from the heap, whose order decides. */
  promise_loop_run_once(loop);
  CHECK_INT(fired_count, left);
  int wrong = 0;
  for (int i = 1; i < fired_count; i++) {
    const alarm_state_t *one = &alarms[fired[i - 1]], *other = &alarms[fired[i]];
    wrong += one->deadline > other->deadline || (one->deadline == other->deadline && one > other);
  }
  CHECK_INT(wrong, 0);
  for (int i = 0; i < TIMERS; i++)
    if (!alarms[i].is_stopped)
      stop_alarm(i);
  promise_executor_release(executor);
  promise_loop_release(loop);
}

static int64_t forward(int i, uint32_t random) {
  (void)random;
  return i;
}
static int64_t backward(int i, uint32_t random) {
  (void)random;
  return TIMERS - i;
}
static int64_t at_random(int i, uint32_t random) {
  (void)i;
  return random % TIMERS;
}
static int64_t among_few(int i, uint32_t random) {
  (void)i;
  return random % 7;
}

TEST(timers_end_in_the_order_of_their_times) {
  run_alarms(1, forward, 0), run_alarms(1, backward, 0), run_alarms(1, at_random, 0);
}

TEST_BY(timers_of_one_time_end_in_the_order_of_their_making, run_alarms(2, among_few, 0))

/* When a timer is stopped, the last timer of the heap takes its place, and moves further up or further down. */
TEST(stopping_some_leaves_the_others_in_order) {
  for (uint32_t seed = 3; seed < 9; seed++)
    run_alarms(seed, seed % 2 == 0 ? at_random : among_few, 2);
}

/* ---- The thread of the clock ---- */

static promise_t *naps[4];
static const int delays[] = {100, 300, 200, 400};

/* A sleep is settled before its callbacks run. So all shorter sleeps are settled, even if this callback began late. */
static void finds_shorter_ones_settled(void *ctx, const promise_value_t *value) {
  (void)value;
  for (int i = 0; i < 4; i++)
    CHECK(delays[i] > *(const int *)ctx || promise_state(naps[i]) == PROMISE_FULFILLED);
}

/* Starts the sleeps. Returns false if so much time passed between the calls that a sleep may end before a shorter
 * one. */
static bool fall_asleep(void) {
  int64_t begun = now();
  for (int i = 0; i < 4; i++)
    REQUIRE((naps[i] = promise_sleep(delays[i] * MILLISECONDS)) != NULL);
  return now() - begun < 100 * MILLISECONDS;
}

static void wake_up(void) {
  RELEASE_EACH(naps, 4);
}

TEST(sleeps_end_in_the_order_of_their_times) {
  while (!fall_asleep())
    wake_up();
  for (int i = 0; i < 4; i++)
    CHECK_STATUS(promise_observe(naps[i], finds_shorter_ones_settled, NULL, (void *)(uintptr_t)&delays[i], NULL),
                 PROMISE_OK);
  promise_t *all = promise_all(naps, 4, 0);
  CHECK_STATUS(promise_wait(all, FOR_EVER), PROMISE_OK);
  promise_release(all);
  wake_up();
}

/* A short sleep ends long before the clock's thread would have woken by itself, in an hour. It must also end before a
 * timer of a loop, which needs no clock; the loop's timer is due so late that no load of the machine matters. */
TEST(an_earlier_timer_wakes_the_clock) {
  enum { ROUNDS = 10 };
  bool is_in_time = true;
  promise_loop_t *loop = promise_loop_new();
  promise_executor_t *executor = promise_loop_executor(loop);
  promise_t *late = promise_sleep(3600 * 1000 * MILLISECONDS);
  for (int round = 0; round < ROUNDS && is_in_time; round++) {
    promise_t *limit = promise_sleep_on(executor, 60 * 1000 * MILLISECONDS), *nap = promise_sleep(MILLISECONDS);
    promise_t *first = promise_race((promise_t *[]){limit, nap}, 2, 0);
    CHECK_STATUS(promise_loop_wait(loop, first, FOR_EVER), PROMISE_OK);
    is_in_time = CHECK_INT(promise_state(limit), PROMISE_PENDING);
    /* Without these timers, the clock sleeps for an hour again. */
    promise_discard(limit), promise_discard(nap);
    promise_release(first), promise_release(nap), promise_release(limit);
  }
  promise_discard(late);
  promise_release(late);
  promise_executor_release(executor);
  promise_loop_release(loop);
}

static atomic_bool second_has_run;
static promise_verdict_t computes(void *ctx, const promise_value_t *in, promise_value_t *out) {
  (void)ctx, (void)in, (void)out;
  while (!atomic_load(&second_has_run))
    ;
  return PROMISE_FULFILL;
}
static promise_verdict_t runs_second(void *ctx, const promise_value_t *in, promise_value_t *out) {
  (void)ctx, (void)in, (void)out;
  atomic_store(&second_has_run, true);
  return PROMISE_FULFILL;
}

/* The first callback computes, without sleeping, until the second has run. */
TEST(a_callback_that_computes_does_not_hold_up_other_timers_forever) {
  promise_t *first = react_on_timer(computes, NULL), *second = react_on_timer(runs_second, NULL);
  CHECK_STATUS(promise_wait(first, FOR_EVER), PROMISE_OK);
  CHECK_STATUS(promise_wait(second, FOR_EVER), PROMISE_OK);
  promise_release(first), promise_release(second);
}
