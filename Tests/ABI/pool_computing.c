/* The global executors: jobs that compute while the clock looks at their threads many times. Callbacks of timers that
 * take so long are reported, because they delay other timers; jobs are not. */
#define _GNU_SOURCE
#include <sched.h>
#include <unistd.h>

#include "scheduling.h"

enum { LOOKS = 60 };
static atomic_int looks, computing, most_computing;

/* Makes LOOKS timers, 5 ms apart. The clock's thread fires them, and looks at the threads of the pool in between. */
static promise_verdict_t counts_looks(void *ctx, const promise_value_t *in, promise_value_t *out) {
  (void)in, (void)out;
  if (atomic_fetch_add(&looks, 1) + 1 < LOOKS) {
    promise_t *timer = promise_sleep(5 * MILLISECONDS), *next = promise_then(timer, counts_looks, ctx, NULL);
    CHECK(next != NULL);
    RELEASE(next, timer);
  }
  return PROMISE_FULFILL;
}

static int number_of_processors(void) {
  cpu_set_t set;
  REQUIRE(sched_getaffinity(0, sizeof set, &set) == 0);
  return CPU_COUNT(&set);
}

/* Returns the number of threads of the global executors. */
static int pool_threads(void) {
  return threads_named("promise-pool\n");
}

static void computes(void *countdown) {
  int here = atomic_fetch_add(&computing, 1) + 1;
  int most = atomic_load(&most_computing);
  while (here > most && !atomic_compare_exchange_weak(&most_computing, &most, here)) {
  }
  while (atomic_load(&looks) < LOOKS) {
  }
  atomic_fetch_sub(&computing, 1);
  countdown_tick(countdown);
}

TEST(jobs_that_compute_for_long_are_not_joined_by_more) {
  int processors = number_of_processors();
  promise_executor_t *pool = promise_executor_global(PROMISE_PRIORITY_DEFAULT);
  countdown_t countdown = COUNTDOWN(processors + 1);
  for (int i = 0; i <= processors; i++)
    CHECK_STATUS(promise_executor_submit(pool, computes, &countdown, NULL), PROMISE_OK);
  counts_looks(NULL, NULL, NULL);
  while (atomic_load(&looks) < LOOKS / 2)
    sched_yield();
  int threads = pool_threads();
  countdown_wait(&countdown);
  /* Under valgrind threads take turns, and other threads sleep meanwhile. */
  if (getenv("CHECK_QUICK") == NULL)
    CHECK(threads <= processors && atomic_load(&most_computing) <= processors);
  CHECK(threads > 0 && atomic_load(&most_computing) > 0);
}

/* The clock looks at the threads many times, and finds all of them computing. It must continue to look, although no
 * timer and no other job wakes it: nothing else notices that the threads block, and the job that releases them is
 * queued behind them. */
static gate_t opened_by_the_last = GATE_CLOSED;

static void computes_then_waits(void *countdown) {
  int64_t until = now() + LOOKS * 5 * MILLISECONDS;
  while (now() < until) {
  }
  gate_wait(&opened_by_the_last);
  countdown_tick(countdown);
}

static void opens_the_gate(void *countdown) {
  gate_open(&opened_by_the_last);
  countdown_tick(countdown);
}

TEST(jobs_that_block_after_they_computed_make_room) {
  int processors = number_of_processors();
  promise_executor_t *pool = promise_executor_global(PROMISE_PRIORITY_DEFAULT);
  countdown_t countdown = COUNTDOWN(processors + 1);
  for (int i = 0; i < processors; i++)
    CHECK_STATUS(promise_executor_submit(pool, computes_then_waits, &countdown, NULL), PROMISE_OK);
  CHECK_STATUS(promise_executor_submit(pool, opens_the_gate, &countdown, NULL), PROMISE_OK);
  countdown_wait(&countdown);
}

/* Threads that have slept in a wait count as running again: while all of them compute, one more job has to wait. */
static promise_t *awaited;
static atomic_int waiting;

static void waits_then_computes(void *countdown) {
  promise_t *both[] = {awaited, awaited};
  atomic_fetch_add(&waiting, 1);
  CHECK_STATUS(promise_wait_any(both, 2, FOR_EVER, NULL), PROMISE_OK);
  atomic_fetch_sub(&waiting, 1);
  computes(countdown);
}

TEST(jobs_that_waited_for_any_are_not_joined_by_more) {
  int processors = number_of_processors();
  promise_executor_t *pool = promise_executor_global(PROMISE_PRIORITY_DEFAULT);
  countdown_t countdown = COUNTDOWN(processors + 1);
  atomic_store(&looks, 0); /* with CHECK_FORK=0, another test has run before */
  atomic_store(&most_computing, 0);
  awaited = promise_new();
  for (int i = 0; i < processors; i++)
    CHECK_STATUS(promise_executor_submit(pool, waits_then_computes, &countdown, NULL), PROMISE_OK);
  while (atomic_load(&waiting) < processors)
    sched_yield();
  usleep(20 * 1000); /* until then, the threads sleep */
  CHECK_STATUS(promise_resolve(awaited, VOID()), PROMISE_OK);
  while (atomic_load(&computing) < processors)
    sched_yield();
  CHECK_STATUS(promise_executor_submit(pool, computes, &countdown, NULL), PROMISE_OK);
  counts_looks(NULL, NULL, NULL);
  countdown_wait(&countdown);
  if (getenv("CHECK_QUICK") == NULL)
    CHECK(atomic_load(&most_computing) <= processors);
  promise_release(awaited);
}
