/* promise_wait_any, and waits for promises that only the waiting thread could settle. */
#include "scheduling.h"

/* ---- The first of many ---- */

TEST(settled_one_needs_no_waiting) {
  promise_t *pending = promise_new(), *good = fulfilled(1), *bad = rejected(1);
  promise_t *const all[] = {pending, bad, good, bad};
  static const int64_t timeouts[] = {0, 1, INT64_MAX, -1, INT64_MIN};
  for (int i = 0; i < 5; i++) {
    size_t index = 99;
    CHECK_STATUS(promise_wait_any(all, 4, timeouts[i], &index), PROMISE_OK);
    CHECK_INT(index, 1);
    CHECK_STATUS(promise_wait_any(all + 2, 1, timeouts[i], NULL), PROMISE_OK);
  }
  RELEASE(pending, good, bad);
}

typedef struct settling {
  promise_t **promises;
  int count, which;
} settling_t;

static void *settles_one(void *argument) {
  settling_t *settling = argument;
  CHECK_STATUS(promise_resolve(settling->promises[settling->which], I64(settling->which)), PROMISE_OK);
  return NULL;
}

/* Chance decides whether the waiter sleeps before the settlement; repeated often enough to see both orders. */
TEST(waiter_is_woken_by_any) {
  long rounds = check_scale(1000);
  for (long round = 0; round < rounds; round++) {
    promise_t *promises[8];
    for (int i = 0; i < 8; i++)
      promises[i] = promise_new();
    settling_t settling = {promises, 8, (int)(round % 8)};
    pthread_t thread = start(settles_one, &settling);
    if (round % 3 == 0)
      sched_yield();
    size_t index = 99;
    CHECK_STATUS(promise_wait_any(promises, 8, FOR_EVER, &index), PROMISE_OK);
    CHECK_INT(index, round % 8);
    finish(thread);
    RELEASE_EACH(promises, 8);
  }
}

static countdown_t waiting_have_ended = COUNTDOWN(8);
static void *waits_for_both(void *promises) {
  size_t index = 99;
  CHECK_STATUS(promise_wait_any(promises, 2, FOR_EVER, &index), PROMISE_OK);
  CHECK_INT(index, 1);
  countdown_tick(&waiting_have_ended);
  return NULL;
}

TEST(several_threads_wait_for_the_same) {
  promise_t *promises[] = {promise_new(), promise_new()};
  pthread_t threads[8];
  for (int i = 0; i < 8; i++)
    threads[i] = start(waits_for_both, promises);
  CHECK_STATUS(promise_reject(promises[1], I64(1)), PROMISE_OK);
  for (int i = 0; i < 8; i++)
    finish(threads[i]);
  CHECK_INT(waiting_have_ended.left, 0);
  RELEASE(promises[0], promises[1]);
}

TEST(waits_for_very_many) {
  long count = check_scale(100 * 1000);
  promise_t **all = malloc((size_t)count * sizeof *all);
  REQUIRE(all != NULL);
  for (long i = 0; i < count; i++)
    all[i] = promise_new();
  settling_t settling = {all, (int)count, (int)(count - 1)};
  pthread_t thread = start(settles_one, &settling);
  size_t index = 0;
  CHECK_STATUS(promise_wait_any(all, (size_t)count, FOR_EVER, &index), PROMISE_OK);
  CHECK_INT(index, count - 1);
  finish(thread);
  RELEASE_EACH(all, count);
  free(all);
}

/* ---- Work of the waiting thread itself ---- */

static void cannot_be(promise_t *promise) {
  promise_t *pending = promise_new();
  promise_t *const both[] = {promise, pending};
  CHECK_STATUS(promise_wait(promise, FOR_EVER), PROMISE_EDEADLK);
  CHECK_STATUS(promise_wait(promise, 0), PROMISE_ETIMEDOUT);
  CHECK_STATUS(promise_wait_any(&promise, 1, FOR_EVER, NULL), PROMISE_EDEADLK);
  CHECK_STATUS(promise_wait_any(both, 2, MILLISECONDS, NULL), PROMISE_ETIMEDOUT);
  promise_release(pending);
}

static promise_executor_t *here;
static promise_verdict_t waits_for_a_later_job(void *ctx, const promise_value_t *in, promise_value_t *out) {
  (void)ctx, (void)in, (void)out;
  promise_t *later = react_on(here, adds_one, NULL, NULL), *next = promise_then(later, adds_one, NULL, NULL);
  promise_executor_t *inner = promise_executor_serial(here);
  promise_t *within = react_on(inner, adds_one, NULL, NULL);
  cannot_be(later);
  cannot_be(next);
  cannot_be(within);
  RELEASE(later, next, within);
  promise_executor_release(inner);
  return PROMISE_FULFILL;
}

TEST(job_cannot_wait_for_jobs_behind_it) {
  here = promise_executor_serial(NULL);
  promise_t *child = react_on(here, waits_for_a_later_job, NULL, NULL);
  CHECK_STATUS(promise_wait(child, FOR_EVER), PROMISE_OK);
  promise_release(child);
  promise_executor_release(here);
}

TEST(job_of_a_loop_cannot_wait_for_jobs_behind_it) {
  promise_loop_t *loop = promise_loop_new();
  here = promise_loop_executor(loop);
  promise_t *child = react_on(here, waits_for_a_later_job, NULL, NULL);
  CHECK_STATUS(promise_loop_wait(loop, child, FOR_EVER), PROMISE_OK);
  promise_release(child);
  promise_executor_release(here);
  promise_loop_release(loop);
}

static void *runs_once(void *loop) {
  CHECK(promise_loop_run_once(loop) >= 0);
  return NULL;
}

TEST(thread_cannot_wait_for_its_loop) {
  promise_loop_t *loop = promise_loop_new();
  promise_executor_t *executor = promise_loop_executor(loop);
  promise_t *child = react_on(executor, adds_one, NULL, NULL);
  promise_t *nap = promise_sleep_on(executor, MILLISECONDS);
  promise_t *later = promise_sleep_on(executor, 3600 * 1000 * MILLISECONDS), *then;
  then = promise_then(later, adds_one, NULL, NULL);
  /* The loop has not run yet, so any thread may run it. */
  CHECK_STATUS(promise_wait(child, MILLISECONDS), PROMISE_ETIMEDOUT);
  CHECK_INT(promise_loop_run_once(loop) >= 1, true);
  CHECK_STATUS(promise_wait(child, 0), PROMISE_OK);
  cannot_be(then);
  promise_release(child);
  child = react_on(executor, adds_one, NULL, NULL);
  cannot_be(child);
  /* Another thread runs the loop, which belongs to that thread from now on. */
  finish(start(runs_once, loop));
  CHECK_STATUS(promise_wait(child, 0), PROMISE_OK);
  promise_release(child);
  child = react_on(executor, adds_one, NULL, NULL);
  CHECK_STATUS(promise_wait(child, MILLISECONDS), PROMISE_ETIMEDOUT);
  promise_t *all[] = {child, nap, later, then};
  promise_loop_release(loop);
  RELEASE_EACH(all, 4);
  promise_executor_release(executor);
}

static gate_t sleeps_soon = GATE_CLOSED;
static promise_t *source;
static void *resolves_the_source(void *ctx) {
  (void)ctx;
  gate_wait(&sleeps_soon);
  CHECK_STATUS(promise_resolve(source, I64(1)), PROMISE_OK);
  return NULL;
}

static promise_verdict_t waits_for_what_comes_to_be_behind_it(void *ctx, const promise_value_t *in,
                                                              promise_value_t *out) {
  (void)in, (void)out;
  gate_open(&sleeps_soon);
  CHECK_STATUS(promise_wait(ctx, FOR_EVER), PROMISE_EDEADLK);
  return PROMISE_FULFILL;
}

/* Another thread settles the source while this job waits; only then is the awaited job queued behind this one. */
TEST(deadlock_is_found_while_sleeping) {
  here = promise_executor_serial(NULL);
  source = promise_new();
  promise_reaction_t reaction = {.size = sizeof reaction, .executor = here, .on_fulfilled = adds_one};
  promise_t *behind = promise_react(source, &reaction);
  pthread_t thread = start(resolves_the_source, NULL);
  promise_t *child = react_on(here, waits_for_what_comes_to_be_behind_it, behind, NULL);
  CHECK_STATUS(promise_wait(child, FOR_EVER), PROMISE_OK);
  CHECK_STATUS(promise_wait(behind, FOR_EVER), PROMISE_OK);
  finish(thread);
  RELEASE(source, behind, child);
  promise_executor_release(here);
}
