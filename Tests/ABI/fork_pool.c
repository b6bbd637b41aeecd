/* fork() and the global executors: a job that forks computes on in the child; waits of the child for jobs. */
#define _GNU_SOURCE
#include <sched.h>
#include <time.h>

#include "forking.h"

static cpu_set_t all_processors;

static void have_one_processor(void) {
  cpu_set_t one;
  REQUIRE(sched_getaffinity(0, sizeof all_processors, &all_processors) == 0);
  CPU_ZERO(&one);
  for (int i = 0; CPU_COUNT(&one) == 0; i++)
    if (CPU_ISSET(i, &all_processors))
      CPU_SET(i, &one);
  REQUIRE(sched_setaffinity(0, sizeof one, &one) == 0);
}

/* Undoes have_one_processor(), for the next tests of a process with CHECK_FORK=0. */
static void have_all_processors(void) {
  REQUIRE(sched_setaffinity(0, sizeof all_processors, &all_processors) == 0);
}

static atomic_bool has_run_beside;

static void runs_beside(void *ctx) {
  (void)ctx;
  atomic_store(&has_run_beside, true);
}

/* Computes for longer than the clock needs to look for busy threads: every few milliseconds if jobs are queued. */
static void computes_in_the_child(void *ctx) {
  (void)ctx;
  CHECK_STATUS(promise_executor_submit(pool(), runs_beside, NULL, NULL), PROMISE_OK);
  int64_t until = now() + 400 * MILLISECONDS;
  while (now() < until) {
  }
  /* Under valgrind threads take turns, and other threads sleep meanwhile. */
  if (getenv("CHECK_QUICK") == NULL)
    CHECK(!atomic_load(&has_run_beside));
}

static void forks_and_computes(void *done) {
  IN_CHILD(computes_in_the_child, NULL);
  gate_open(done);
}

TEST(a_job_that_forked_computes_alone) {
  have_one_processor();
  gate_t done = GATE_CLOSED;
  CHECK_STATUS(promise_executor_submit(pool(), forks_and_computes, &done, NULL), PROMISE_OK);
  gate_wait(&done);
  have_all_processors();
}

/* Sleeps by a system call, which the library does not notice. */
static promise_verdict_t takes_its_time(void *ctx, const promise_value_t *in, promise_value_t *out) {
  (void)ctx;
  nanosleep(&(struct timespec){.tv_nsec = 300 * MILLISECONDS}, NULL);
  *out = *in;
  return PROMISE_FULFILL;
}

static void waits_for_a_job(void *argument) {
  (void)argument;
  promise_t *promise = react_on(pool(), takes_its_time, NULL, NULL);
  CHECK_STATUS(promise_wait(promise, FOR_EVER), PROMISE_OK);
  promise_release(promise);
}

/* A running job may settle the promise, so the child may wait. */
TEST_BY(a_child_waits_for_a_running_job, IN_CHILD(waits_for_a_job, NULL))

static void cannot_wait_beside_idle_threads(void *argument) {
  (void)argument;
  for (int i = 0; i < 2; i++)
    works(pool());
  promise_t *pending = promise_new();
  CHECK_STATUS(promise_wait(pending, FOR_EVER), PROMISE_EDEADLK);
  promise_release(pending);
}

static void forks_and_waits(void *done) {
  IN_CHILD(cannot_wait_beside_idle_threads, NULL);
  gate_open(done);
}

/* The calling thread itself runs the only job, so no thread can settle the promise. */
TEST(a_job_that_forked_cannot_wait_for_itself) {
  gate_t done = GATE_CLOSED;
  CHECK_STATUS(promise_executor_submit(pool(), forks_and_waits, &done, NULL), PROMISE_OK);
  gate_wait(&done);
}

enum { HOPS = 300 };

/* Work that the clock and the pool pass to each other, HOPS times. */
typedef struct passed {
  promise_t *end;
  atomic_int hops;
} passed_t;

static void passes_on(void *ctx, const promise_value_t *value);

static void passes_to_the_clock(passed_t *passed) {
  promise_t *timer = promise_sleep(1000);
  CHECK_STATUS(promise_observe(timer, passes_on, passes_on, passed, NULL), PROMISE_OK);
  promise_release(timer);
}

static void passes_on(void *ctx, const promise_value_t *value) {
  passed_t *passed = ctx;
  (void)value;
  if (atomic_fetch_add(&passed->hops, 1) < HOPS)
    passes_to_the_clock(passed);
  else
    CHECK_STATUS(promise_resolve(passed->end, I64(1)), PROMISE_OK);
}

/* Waits again and again: each wait checks whether any other thread has work. */
static void polls_beside_work(void *argument) {
  (void)argument;
  passed_t passed = {.end = promise_new()};
  passes_to_the_clock(&passed);
  promise_status_t status;
  do
    status = promise_wait(passed.end, 1);
  while (status == PROMISE_ETIMEDOUT);
  CHECK_STATUS(status, PROMISE_OK);
  promise_release(passed.end);
}

/* A wait finds work that is on its way from the clock to the pool. */
TEST(a_child_waits_for_work_that_changes_threads) {
  works(pool()); /* starts the pool: otherwise the library does not notice the fork */
  IN_CHILD(polls_beside_work, NULL);
}
