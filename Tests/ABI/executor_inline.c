/* Executors that run or drop a job within submit. */
#include "executors.h"

typedef struct inline_executor {
  spy_t spy;
  int depth;
  promise_executor_t *executor; /* released by submit, if not NULL */
} inline_executor_t;

static void run_inside(void *ctx, promise_job_t *job) {
  inline_executor_t *here = ctx;
  here->depth++;
  if (here->executor != NULL)
    CHECK_STATUS(promise_executor_release(here->executor), PROMISE_OK);
  here->executor = NULL;
  CHECK_STATUS(promise_job_run(job), PROMISE_OK);
  CHECK_STATUS(promise_job_run(job), PROMISE_ESTALE);
  /* The context is still in use: it must not have been freed. */
  CHECK_INT(atomic_load(&here->spy.frees), 0);
  here->depth--;
}

TEST(job_may_run_within_submit) {
  inline_executor_t here = {.depth = 0};
  spy_t spies[3] = {{0}};
  promise_executor_t *executor = promise_executor_new(run_inside, &here, spy_free);
  promise_t *promise = promise_new();
  promise_t *first = on(executor, promise, &spies[0]);
  promise_t *second = on(executor, first, &spies[1]);
  promise_t *third = on(executor, first, &spies[2]);
  promise_resolve(promise, I64(1));
  for (int i = 0; i < 3; i++)
    CHECK_SPY(&spies[i], 1, 1);
  CHECK(ended(second, PROMISE_FULFILLED, 3));
  CHECK_INT(here.depth, 0);
  CHECK_STATUS(promise_executor_release(executor), PROMISE_OK);
  CHECK_INT(atomic_load(&here.spy.frees), 1);
  RELEASE(promise, first, second, third);
}

/* The job that runs inside submit holds the last reference to the executor, whose context submit is using. */
TEST(context_is_not_freed_while_submit_uses_it) {
  inline_executor_t here = {.depth = 0};
  spy_t spy = {0};
  promise_executor_t *executor = promise_executor_new(run_inside, &here, spy_free);
  here.executor = executor;
  promise_t *promise = promise_new();
  promise_t *child = on(executor, promise, &spy);
  promise_resolve(promise, I64(1));
  CHECK_SPY(&spy, 1, 1);
  CHECK_INT(atomic_load(&here.spy.frees), 1);
  CHECK_STATUS(promise_executor_release(executor), PROMISE_ESTALE);
  RELEASE(child, promise);
}

/* Each job runs the previous one inside its submit. */
typedef struct relay {
  promise_job_t *before;
  promise_t *follower; /* derived from the promise of the previous job */
  int runs;
} relay_t;

static void relays(void *ctx, promise_job_t *job) {
  relay_t *relay = ctx;
  if (relay->before != NULL) {
    CHECK_STATUS(promise_job_run(relay->before), PROMISE_OK);
    /* `job` has not run, only `before`: when its call returns, its promise and the derived ones are settled. */
    CHECK_INT(promise_state(relay->follower), PROMISE_FULFILLED);
    relay->runs++;
  }
  relay->before = job;
}

TEST(another_job_may_run_within_submit) {
  enum { JOBS = 4 };
  relay_t relay = {.before = NULL};
  spy_t spies[JOBS] = {{0}}, followers[JOBS] = {{0}};
  promise_executor_t *executor = promise_executor_new(relays, &relay, NULL);
  promise_t *children[JOBS], *behind[JOBS];
  for (int i = 0; i < JOBS; i++) {
    promise_t *source = promise_new();
    children[i] = on(executor, source, &spies[i]);
    behind[i] = promise_then(children[i], spy_handler, &followers[i], spy_free);
    if (i > 0)
      relay.follower = behind[i - 1];
    CHECK_STATUS(promise_resolve(source, I64(1)), PROMISE_OK);
    CHECK_INT(promise_state(behind[i]), PROMISE_PENDING);
    promise_release(source);
  }
  CHECK_INT(relay.runs, JOBS - 1);
  CHECK_STATUS(promise_job_run(relay.before), PROMISE_OK);
  for (int i = 0; i < JOBS; i++) {
    CHECK(ended(behind[i], PROMISE_FULFILLED, 3));
    CHECK_SPY(&spies[i], 1, 1);
    CHECK_SPY(&followers[i], 1, 1);
    promise_release(behind[i]), promise_release(children[i]);
  }
  promise_executor_release(executor);
}

/* The submitted job runs on another thread before submit returns. Its cell is recycled for a job that runs inside
 * submit. */
typedef struct recycling {
  promise_executor_t *waiting; /* puts its job into `next` */
  promise_job_t *submitted, *next;
  promise_t *promise; /* the promise of `next` */
  spy_t spy;          /* the spy of the reaction to that promise */
} recycling_t;

static uintptr_t cell_of(promise_job_t *job) {
  return (uintptr_t)job & 0x0fffffff;
}

static void waits(void *ctx, promise_job_t *job) {
  ((recycling_t *)ctx)->next = job;
}

static promise_verdict_t becomes_7(void *ctx, const promise_value_t *in, promise_value_t *out) {
  (void)ctx, (void)in;
  *out = *I64(7);
  return PROMISE_FULFILL;
}

static void *runs_and_recycles(void *argument) {
  recycling_t *here = argument;
  promise_reaction_t reaction = {.size = sizeof reaction, .executor = here->waiting, .on_fulfilled = becomes_7};
  promise_t *source = promise_new_resolved(I64(1)), *other = promise_new();
  CHECK_STATUS(promise_job_run(here->submitted), PROMISE_OK);
  /* The cell that was freed last is used first: the new promise gets the cell of `other`, the new job that of the job
   * that ran. */
  promise_release(other);
  here->promise = promise_react(source, &reaction);
  promise_release(source);
  return NULL;
}

static void runs_a_recycled_job(void *ctx, promise_job_t *job) {
  recycling_t *here = ctx;
  here->submitted = job;
  finish(start(runs_and_recycles, here));
  CHECK(cell_of(here->next) == cell_of(job) && here->next != job);
  promise_t *behind = promise_then(here->promise, spy_handler, &here->spy, NULL);
  CHECK_STATUS(promise_job_run(here->next), PROMISE_OK);
  CHECK(ended(behind, PROMISE_FULFILLED, 8));
  promise_release(behind);
}

TEST(a_recycled_job_may_run_within_submit) {
  recycling_t here = {.next = NULL};
  here.waiting = promise_executor_new(waits, &here, NULL);
  promise_executor_t *executor = promise_executor_new(runs_a_recycled_job, &here, NULL);
  promise_t *source = promise_new_resolved(I64(1));
  spy_t spy = {0};
  promise_t *child = on(executor, source, &spy);
  CHECK_SPY(&spy, 1, 1);
  CHECK_SPY(&here.spy, 1, 0);
  CHECK(ended(child, PROMISE_FULFILLED, 2));
  RELEASE(child, here.promise, source);
  promise_executor_release(executor);
  promise_executor_release(here.waiting);
}

TEST(job_may_be_dropped_within_submit) {
  spy_t executed = {0}, spy = {0};
  promise_executor_t *executor = promise_executor_new(drop_inside, &executed, spy_free);
  promise_t *promise = promise_new();
  promise_t *child = on(executor, promise, &spy);
  promise_resolve(promise, I64(1));
  CHECK(failed_with(child, PROMISE_ECLOSED));
  CHECK_SPY(&spy, 0, 1);
  promise_executor_release(executor);
  CHECK_SPY(&executed, 1, 1);
  RELEASE(child, promise);
}
