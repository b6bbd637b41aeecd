/* fork() in a job of a global executor: the child's thread is one that computes. */
#define _GNU_SOURCE
#include <sched.h>

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

/* Without CHECK_FORK, the next tests have the processors again. */
static void have_all_processors(void) {
  REQUIRE(sched_setaffinity(0, sizeof all_processors, &all_processors) == 0);
}

static atomic_bool has_run_beside;

static void runs_beside(void *ctx) {
  (void)ctx;
  atomic_store(&has_run_beside, true);
}

/* The clock looks at the threads of an executor with queued jobs every few milliseconds. */
static void computes_in_the_child(void *ctx) {
  (void)ctx;
  CHECK_STATUS(promise_executor_submit(pool(), runs_beside, NULL, NULL), PROMISE_OK);
  int64_t until = now() + 400 * MILLISECONDS;
  while (now() < until) {
  }
  /* valgrind runs one thread at a time, and the others sleep. */
  if (getenv("CHECK_QUICK") == NULL)
    CHECK(!atomic_load(&has_run_beside));
}

static void forks_and_computes(void *done) {
  IN_CHILD(computes_in_the_child, NULL);
  gate_open(done);
}

static void a_job_that_forked_computes_alone(void) {
  have_one_processor();
  gate_t done = GATE_CLOSED;
  CHECK_STATUS(promise_executor_submit(pool(), forks_and_computes, &done, NULL), PROMISE_OK);
  gate_wait(&done);
  have_all_processors();
}

int main(void) {
  RUN(a_job_that_forked_computes_alone);
  return check_report();
}
