/* The global executors: threads of the library. */
#define _GNU_SOURCE
#include <sched.h>
#include <sys/resource.h>

#include "scheduling.h"

static int processors(void) {
  cpu_set_t set;
  REQUIRE(sched_getaffinity(0, sizeof set, &set) == 0);
  return CPU_COUNT(&set);
}

static void works_for_ever(void *ctx) {
  (void)ctx;
  for (;;) {
    promise_t *promise = fulfilled(1), *child = promise_then(promise, adds_one, NULL, NULL);
    RELEASE(child, promise);
  }
}

/* exit() may be called while the library's threads make promises and wait for timers. The first test,
 * because it forks, which needs a process without other threads. */
TEST(process_may_exit_at_any_time) {
  int rounds = getenv("CHECK_QUICK") == NULL ? 20 : 2;
  for (int i = 0; i < rounds; i++) {
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
      for (int j = 0; j < 4; j++)
        promise_executor_submit(pool(), works_for_ever, NULL, NULL);
      REQUIRE(promise_sleep(i % 2 == 0 ? 1 : 1000 * MILLISECONDS) != NULL);
      exit(7);
    }
    int status = 0;
    REQUIRE(child > 0 && waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 7);
  }
}

static promise_verdict_t looks_around(void *ctx, const promise_value_t *in, promise_value_t *out) {
  (void)in;
  promise_executor_t *executor = ctx;
  sigset_t blocked;
  CHECK_INT(promise_executor_is_current(executor), 1);
  CHECK_INT(promise_executor_is_current(promise_executor_immediate()), 0);
  pthread_sigmask(SIG_SETMASK, NULL, &blocked);
  CHECK(sigismember(&blocked, SIGINT) == 1 && sigismember(&blocked, SIGALRM) == 1);
  *out = *I64(getpid() == gettid() ? 0 : 1);
  return PROMISE_FULFILL;
}

TEST(job_runs_on_a_thread_of_the_pool) {
  for (promise_priority_t priority = PROMISE_PRIORITY_BACKGROUND; priority <= PROMISE_PRIORITY_USER_INTERACTIVE;
       priority++) {
    promise_executor_t *executor = promise_executor_global(priority);
    REQUIRE(executor != NULL);
    CHECK_POINTER(promise_executor_global(priority), executor);
    CHECK_INT(promise_executor_is_current(executor), 0);
    promise_t *child = react_on(executor, looks_around, executor, NULL);
    CHECK_STATUS(promise_wait(child, FOR_EVER), PROMISE_OK);
    CHECK(ended(child, PROMISE_FULFILLED, 1));
    promise_release(child);
  }
}

/* The global and the immediate executor are immortal: a release too many is harmless. */
TEST(permanent_executors_count_no_references) {
  promise_executor_t *permanent[] = {pool(), promise_executor_immediate()};
  for (int i = 0; i < 2; i++) {
    for (int j = 0; j < 3; j++)
      CHECK_STATUS(promise_executor_release(permanent[i]), PROMISE_OK);
    CHECK_STATUS(promise_executor_retain(permanent[i]), PROMISE_OK);
  }
  promise_t *child = react_on(pool(), looks_around, pool(), NULL);
  CHECK_STATUS(promise_wait(child, FOR_EVER), PROMISE_OK);
  promise_release(child);
}

static promise_verdict_t is_here(void *ctx, const promise_value_t *in, promise_value_t *out) {
  (void)in, (void)out;
  CHECK_INT(promise_executor_is_current(promise_executor_immediate()), 1);
  CHECK(pthread_equal(*(pthread_t *)ctx, pthread_self()));
  return PROMISE_FULFILL;
}

TEST(immediate_runs_in_the_call) {
  pthread_t here = pthread_self();
  promise_t *child = react_on(promise_executor_immediate(), is_here, &here, NULL);
  CHECK_INT(promise_state(child), PROMISE_FULFILLED);
  CHECK_INT(promise_executor_is_current(promise_executor_immediate()), 0);
  promise_release(child);
}

static void tick(void *countdown) {
  countdown_tick(countdown);
}

TEST(every_job_runs_once) {
  long count = check_scale(20000);
  countdown_t countdown = COUNTDOWN(2 * count); /* each job has a body and a context */
  for (long i = 0; i < count; i++)
    CHECK_STATUS(
        promise_executor_submit(promise_executor_global((promise_priority_t)(1 + i % 5)), tick, &countdown, tick),
        PROMISE_OK);
  countdown_wait(&countdown);
  CHECK_INT(countdown.left, 0);
}

/* ---- Jobs that block ---- */

static gate_t opened_by_the_last = GATE_CLOSED;
static countdown_t have_passed = COUNTDOWN(64);
static void waits_at_the_gate(void *ctx) {
  (void)ctx;
  gate_wait(&opened_by_the_last);
  countdown_tick(&have_passed);
}
static void opens_the_gate(void *ctx) {
  (void)ctx;
  gate_open(&opened_by_the_last);
}

/* The jobs block where the library cannot detect it, and the job that would release them is queued behind them. */
TEST(blocked_jobs_do_not_hold_up_the_others) {
  for (int i = 0; i < 64; i++)
    CHECK_STATUS(promise_executor_submit(pool(), waits_at_the_gate, NULL, NULL), PROMISE_OK);
  CHECK_STATUS(promise_executor_submit(pool(), opens_the_gate, NULL, NULL), PROMISE_OK);
  countdown_wait(&have_passed);
}

static promise_verdict_t waits_for_the_next(void *ctx, const promise_value_t *in, promise_value_t *out) {
  (void)in;
  intptr_t depth = (intptr_t)ctx;
  *out = *I64(depth);
  if (depth == 0)
    return PROMISE_FULFILL;
  promise_t *next = react_on(pool(), waits_for_the_next, (void *)(depth - 1), NULL);
  CHECK_STATUS(promise_wait(next, FOR_EVER), PROMISE_OK);
  CHECK(ended(next, PROMISE_FULFILLED, depth - 1));
  promise_release(next);
  return PROMISE_FULFILL;
}

TEST(jobs_may_wait_for_later_jobs) {
  promise_t *first = react_on(pool(), waits_for_the_next, (void *)100, NULL);
  CHECK_STATUS(promise_wait(first, FOR_EVER), PROMISE_OK);
  CHECK(ended(first, PROMISE_FULFILLED, 100));
  promise_release(first);
}

/* ---- Jobs that compute ---- */

static atomic_int computing, most_computing;
static int64_t compute_for;
static void computes(void *countdown) {
  int here = atomic_fetch_add(&computing, 1) + 1;
  int most = atomic_load(&most_computing);
  while (here > most && !atomic_compare_exchange_weak(&most_computing, &most, here)) {
  }
  for (int64_t end = now() + compute_for; now() < end;) {
  }
  atomic_fetch_sub(&computing, 1);
  countdown_tick(countdown);
}

static void compute(int jobs, int64_t time) {
  countdown_t countdown = COUNTDOWN(jobs);
  compute_for = time;
  for (int i = 0; i < jobs; i++)
    CHECK_STATUS(promise_executor_submit(pool(), computes, &countdown, NULL), PROMISE_OK);
  countdown_wait(&countdown);
  /* Under valgrind threads take turns, and other threads sleep meanwhile. */
  if (getenv("CHECK_QUICK") == NULL)
    CHECK(atomic_load(&most_computing) <= processors());
  CHECK(atomic_load(&most_computing) > 0);
}

TEST_BY(jobs_that_compute_are_not_joined_by_more_than_there_are_processors, compute(12, 40 * MILLISECONDS))

TEST(computing_jobs_are_not_joined_by_more_after_others_have_blocked) {
  blocked_jobs_do_not_hold_up_the_others();
  compute(12, 40 * MILLISECONDS);
}

static atomic_bool low_ran;
static countdown_t chains_ended = COUNTDOWN(8);
static void runs_on_until_the_low_one_has(void *ctx) {
  if (atomic_load(&low_ran))
    countdown_tick(&chains_ended);
  else
    promise_executor_submit(promise_executor_global(PROMISE_PRIORITY_USER_INTERACTIVE), runs_on_until_the_low_one_has,
                            ctx, NULL);
}
static void is_the_low_one(void *ctx) {
  (void)ctx;
  atomic_store(&low_ran, true);
}

TEST(urgent_jobs_leave_room_for_others) {
  for (int i = 0; i < 8; i++)
    runs_on_until_the_low_one_has(NULL);
  promise_executor_submit(promise_executor_global(PROMISE_PRIORITY_BACKGROUND), is_the_low_one, NULL, NULL);
  countdown_wait(&chains_ended);
  CHECK(atomic_load(&low_ran));
}

/* ---- Threads ---- */

/* Counts threads in a handler, while a library thread runs; later, that thread may have ended. */
static promise_verdict_t counts_threads(void *ctx, const promise_value_t *in, promise_value_t *out) {
  (void)ctx, (void)in, (void)out;
  CHECK(thread_count() > 0);
  return PROMISE_FULFILL;
}

TEST(idle_threads_end) {
  promise_t *child = react_on(pool(), counts_threads, NULL, NULL);
  CHECK_STATUS(promise_wait(child, FOR_EVER), PROMISE_OK);
  promise_release(child);
  promise_t *nap = promise_sleep(1);
  CHECK_STATUS(promise_wait(nap, FOR_EVER), PROMISE_OK);
  promise_release(nap);
  while (thread_count() > 0)
    nanosleep(&(struct timespec){.tv_nsec = 20 * 1000 * 1000}, NULL);
  child = react_on(pool(), looks_around, pool(), NULL);
  CHECK_STATUS(promise_wait(child, FOR_EVER), PROMISE_OK);
  CHECK_INT(promise_state(child), PROMISE_FULFILLED);
  promise_release(child);
}

/* Jobs are dropped if there is no address space for the stack of a thread. */
TEST(without_threads_jobs_are_dropped) {
  CHECK(true);
  if (shares_process() || getenv("CHECK_QUICK") != NULL)
    return;
  spy_t spy = {0};
  void *volatile memory = malloc(64 * 1024); /* freed at once, so that the heap has room for a reason */
  free(memory);
  promise_t *first = promise_new();
  promise_executor_t *executor = pool();
  struct rlimit none = {0, 0};
  REQUIRE(setrlimit(RLIMIT_AS, &none) == 0);
  promise_t *child = react_on(executor, spy_handler, &spy, spy_free);
  CHECK(failed_with(child, PROMISE_ECLOSED));
  CHECK_SPY(&spy, 0, 1);
  CHECK_POINTER(promise_sleep(1), NULL);
  CHECK_STATUS(promise_last_status(), PROMISE_ENOMEM);
  RELEASE(child, first);
}

/* ---- Serial executors that always have a job ---- */

typedef struct busy {
  promise_executor_t *executor;
  bool has_begun;
} busy_t;

static atomic_int busy_executors;
static atomic_bool was_let_in;

static void goes_on(void *ctx) {
  busy_t *busy = ctx;
  if (!busy->has_begun)
    atomic_fetch_add(&busy_executors, 1);
  busy->has_begun = true;
  if (!atomic_load(&was_let_in))
    CHECK_STATUS(promise_executor_submit(busy->executor, goes_on, busy, NULL), PROMISE_OK);
}

static void is_let_in(void *gate) {
  atomic_store(&was_let_in, true);
  gate_open(gate);
}

enum { MOST = 64 };

/* Each of `count` busy serial executors leaves its thread to others once in a while. */
static void share_threads(int count) {
  busy_t busy[MOST] = {{0}};
  gate_t gate = GATE_CLOSED;
  atomic_store(&busy_executors, 0), atomic_store(&was_let_in, false);
  for (int i = 0; i < count; i++) {
    busy[i].executor = promise_executor_serial(pool());
    CHECK_STATUS(promise_executor_submit(busy[i].executor, goes_on, &busy[i], NULL), PROMISE_OK);
  }
  while (atomic_load(&busy_executors) < count)
    sched_yield();
  CHECK_STATUS(promise_executor_submit(pool(), is_let_in, &gate, NULL), PROMISE_OK);
  gate_wait(&gate);
  CHECK(atomic_load(&was_let_in));
  for (int i = 0; i < count; i++) {
    /* This job runs behind the executor's last one: then all have run. */
    promise_t *last = react_on(busy[i].executor, adds_one, NULL, NULL);
    CHECK_STATUS(promise_wait(last, FOR_EVER), PROMISE_OK);
    promise_release(last);
    promise_executor_release(busy[i].executor);
  }
}

/* There are as many executors as threads, or more. */
TEST(serial_executors_leave_threads_to_others) {
  share_threads(processors() < MOST ? processors() : MOST);
  share_threads(MOST);
}
