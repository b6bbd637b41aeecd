/* promise/executor.h: executors and their jobs. */
#include "../checked.h"
#include "../executors.h"

CHECKS(executor)

/* An executor that queues its jobs until the test takes them. */
typedef struct shelf {
  promise_job_t *jobs[64];
  int count;
  atomic_int frees;
} shelf_t;

static void shelve(void *ctx, promise_job_t *job) {
  shelf_t *shelf = ctx;
  REQUIRE(job != NULL && shelf->count < 64);
  CHECK_INT(atomic_load(&shelf->frees), 0);
  shelf->jobs[shelf->count++] = job;
}

static void shelf_free(void *ctx) {
  atomic_fetch_add(&((shelf_t *)ctx)->frees, 1);
}

RULE(job_runs_when_it_is_run, "a handler runs when its job is run, and its promise is settled then") {
  for (int good = 0; good < 2; good++) {
    for (int settled = 0; settled < 2; settled++) {
      shelf_t shelf = {.count = 0};
      spy_t spy = {0};
      promise_executor_t *executor = promise_executor_new(shelve, &shelf, shelf_free);
      promise_t *promise = !settled ? promise_new() : good ? fulfilled(1) : rejected(1);
      promise_t *child = on(executor, promise, &spy);
      if (!settled)
        CHECK_INT(shelf.count, 0);
      if (!settled)
        CHECK_STATUS((good ? promise_resolve : promise_reject)(promise, I64(1)), PROMISE_OK);
      CHECK_INT(shelf.count, 1);
      CHECK_SPY(&spy, 0, 0);
      CHECK_INT(promise_state(child), PROMISE_PENDING);
      CHECK_STATUS(promise_job_run(shelf.jobs[0]), PROMISE_OK);
      CHECK_SPY(&spy, 1, 1);
      CHECK(ended(child, PROMISE_FULFILLED, 2));
      CHECK_STATUS(promise_job_run(shelf.jobs[0]), PROMISE_ESTALE);
      CHECK_STATUS(promise_job_drop(shelf.jobs[0]), PROMISE_ESTALE);
      CHECK_STATUS(promise_executor_release(executor), PROMISE_OK);
      CHECK_INT(atomic_load(&shelf.frees), 1);
      RELEASE(child, promise);
    }
  }
}

RULE(dropped_job_rejects, "a dropped job frees the context and rejects with PROMISE_ECLOSED") {
  shelf_t shelf = {.count = 0};
  spy_t spy = {0}, observed = {0};
  promise_executor_t *executor = promise_executor_new(shelve, &shelf, shelf_free);
  promise_t *promise = fulfilled(1);
  promise_t *child = on(executor, promise, &spy);
  promise_observe(child, NULL, spy_observer, &observed, spy_free);
  CHECK_STATUS(promise_job_drop(shelf.jobs[0]), PROMISE_OK);
  CHECK_SPY(&spy, 0, 1);
  CHECK_SPY(&observed, 1, 1);
  CHECK(failed_with(child, PROMISE_ECLOSED));
  CHECK_STATUS(promise_job_drop(shelf.jobs[0]), PROMISE_ESTALE);
  CHECK_STATUS(promise_job_run(shelf.jobs[0]), PROMISE_ESTALE);
  promise_executor_release(executor);
  CHECK_INT(atomic_load(&shelf.frees), 1);
  RELEASE(child, promise);
}

RULE(callbacks_of_the_child_run_with_the_job, "callbacks of the derived promise run with the job") {
  shelf_t shelf = {.count = 0};
  spy_t spy = {0}, observed = {0}, next = {0};
  promise_executor_t *executor = promise_executor_new(shelve, &shelf, shelf_free);
  promise_t *promise = fulfilled(1);
  promise_t *child = on(executor, promise, &spy);
  promise_observe(child, spy_observer, NULL, &observed, spy_free);
  promise_t *grandchild = promise_then(child, spy_handler, &next, spy_free);
  promise_job_run(shelf.jobs[0]);
  CHECK_SPY(&observed, 1, 1);
  CHECK(ended(grandchild, PROMISE_FULFILLED, 3));
  promise_executor_release(executor);
  RELEASE(promise, child, grandchild);
}

RULE(job_keeps_its_value_and_its_executor,
     "a reaction and its job hold the executor, whose context is freed with the last reference") {
  shelf_t shelf = {.count = 0};
  payload_t payload = {0};
  spy_t spy = {0};
  promise_value_t value = object(&payload);
  promise_executor_t *executor = promise_executor_new(shelve, &shelf, shelf_free);
  promise_t *promise = promise_new();
  promise_t *child = on(executor, promise, &spy);
  CHECK_STATUS(promise_executor_release(executor), PROMISE_OK);
  CHECK_STATUS(promise_executor_release(executor), PROMISE_ESTALE);
  CHECK_STATUS(promise_executor_retain(executor), PROMISE_ESTALE);
  CHECK_INT(atomic_load(&shelf.frees), 0);
  promise_resolve(promise, &value);
  RELEASE(promise, child);
  CHECK_INT(atomic_load(&payload.destroyed), 0);
  CHECK_INT(atomic_load(&shelf.frees), 0);
  CHECK_STATUS(promise_job_run(shelf.jobs[0]), PROMISE_OK);
  CHECK_SPY(&spy, 1, 1);
  CHECK_INT(spy.kind, PROMISE_KIND_OBJECT);
  CHECK_INT(atomic_load(&payload.destroyed), 1);
  CHECK_INT(atomic_load(&shelf.frees), 1);
}

RULE(pending_reaction_is_freed_with_its_promise, "a reaction of a promise destroyed while pending is never submitted") {
  shelf_t shelf = {.count = 0};
  spy_t spy = {0};
  promise_executor_t *executor = promise_executor_new(shelve, &shelf, shelf_free);
  promise_t *promise = promise_new();
  promise_t *child = on(executor, promise, &spy);
  promise_executor_release(executor);
  CHECK_INT(atomic_load(&shelf.frees), 0);
  promise_release(promise);
  CHECK_SPY(&spy, 0, 1);
  CHECK_INT(shelf.count, 0);
  CHECK_INT(atomic_load(&shelf.frees), 1);
  CHECK_INT(promise_state(child), PROMISE_PENDING);
  promise_release(child);
}

RULE(child_settled_before_its_job_runs, "a derived promise may be settled before its job is run or dropped") {
  for (int drop = 0; drop < 2; drop++) {
    shelf_t shelf = {.count = 0};
    payload_t payload = {0};
    spy_t spy = {.verdict = PROMISE_FULFILL, .answer = object(&payload)};
    promise_executor_t *executor = promise_executor_new(shelve, &shelf, shelf_free);
    promise_t *promise = fulfilled(1);
    promise_t *child = on(executor, promise, &spy);
    CHECK_STATUS(promise_reject(child, I64(9)), PROMISE_OK);
    CHECK_STATUS((drop ? promise_job_drop : promise_job_run)(shelf.jobs[0]), PROMISE_OK);
    CHECK_SPY(&spy, drop ? 0 : 1, 1);
    CHECK(ended(child, PROMISE_REJECTED, 9));
    if (drop)
      promise_value_release(&spy.answer);
    CHECK_INT(atomic_load(&payload.destroyed), 1);
    promise_executor_release(executor);
    RELEASE(child, promise);
  }
}

RULE(job_may_adopt, "the handler of a job may adopt a promise") {
  shelf_t shelf = {.count = 0};
  promise_t *inner = promise_new();
  spy_t spy = {.verdict = PROMISE_ADOPT, .answer = holding(retained(inner))};
  promise_executor_t *executor = promise_executor_new(shelve, &shelf, shelf_free);
  promise_t *promise = fulfilled(1);
  promise_t *child = on(executor, promise, &spy);
  promise_job_run(shelf.jobs[0]);
  CHECK_INT(promise_state(child), PROMISE_PENDING);
  promise_resolve(inner, I64(6));
  CHECK(ended(child, PROMISE_FULFILLED, 6));
  promise_executor_release(executor);
  RELEASE(promise, child, inner);
}

RULE(job_that_adopts_its_own_promise_is_refused, "a job that adopts its own promise rejects it with PROMISE_EDEADLK") {
  shelf_t shelf = {.count = 0};
  spy_t spy = {.verdict = PROMISE_ADOPT};
  promise_executor_t *executor = promise_executor_new(shelve, &shelf, shelf_free);
  promise_t *promise = fulfilled(1);
  promise_t *child = on(executor, promise, &spy);
  spy.answer = holding(retained(child));
  promise_job_run(shelf.jobs[0]);
  CHECK(failed_with(child, PROMISE_EDEADLK));
  promise_executor_release(executor);
  RELEASE(child, promise);
}

/* ---- Order, threads, re-entrancy ---- */

RULE(jobs_may_run_in_any_order, "jobs are submitted in the order of attachment, and may run in any other") {
  shelf_t shelf = {.count = 0};
  static spy_t spies[20];
  promise_t *promise = promise_new(), *children[20];
  promise_executor_t *executor = promise_executor_new(shelve, &shelf, shelf_free);
  for (int i = 0; i < 20; i++)
    children[i] = on(executor, promise, &spies[i]);
  promise_resolve(promise, I64(1));
  CHECK_INT(shelf.count, 20);
  for (int i = 19; i >= 0; i--) {
    CHECK_STATUS(promise_job_run(shelf.jobs[i]), PROMISE_OK);
    CHECK_SPY(&spies[i], 1, 1); /* jobs[] is in the order of attachment */
    promise_release(children[i]);
  }
  promise_executor_release(executor);
  promise_release(promise);
}

static void *run_there(void *job) {
  CHECK_STATUS(promise_job_run(job), PROMISE_OK);
  return NULL;
}

RULE(handler_runs_and_is_freed_where_its_job_is_run, "a job may be run on another thread, where its context is freed") {
  shelf_t shelf = {.count = 0};
  spy_t spy = {0};
  promise_executor_t *executor = promise_executor_new(shelve, &shelf, shelf_free);
  promise_t *promise = fulfilled(1);
  promise_t *child = on(executor, promise, &spy);
  pthread_t thread = start(run_there, shelf.jobs[0]);
  CHECK_STATUS(promise_wait(child, -1), PROMISE_OK);
  finish(thread);
  CHECK(pthread_equal(spy.thread, thread));
  CHECK(pthread_equal(spy.freed_on, thread));
  promise_executor_release(executor);
  RELEASE(child, promise);
}

static promise_job_t *running_job;

static promise_t *running_child;

static promise_verdict_t meddles(void *ctx, const promise_value_t *in, promise_value_t *out) {
  spy_see(ctx, in);
  *out = *in;
  CHECK_STATUS(promise_job_run(running_job), PROMISE_ESTALE);
  CHECK_STATUS(promise_job_drop(running_job), PROMISE_ESTALE);
  CHECK_STATUS(promise_wait(running_child, -1), PROMISE_EDEADLK);
  return PROMISE_FULFILL;
}

RULE(handler_cannot_run_or_wait_for_itself, "a handler cannot run its own job, or wait for its own promise") {
  shelf_t shelf = {.count = 0};
  spy_t spy = {0};
  promise_executor_t *executor = promise_executor_new(shelve, &shelf, shelf_free);
  promise_t *promise = fulfilled(1);
  promise_reaction_t reaction = {
      .size = sizeof reaction, .executor = executor, .on_fulfilled = meddles, .ctx = &spy, .free_ctx = spy_free};
  running_child = promise_react(promise, &reaction);
  running_job = shelf.jobs[0];
  CHECK_STATUS(promise_job_run(running_job), PROMISE_OK);
  CHECK_SPY(&spy, 1, 1);
  CHECK(ended(running_child, PROMISE_FULFILLED, 1));
  promise_executor_release(executor);
  RELEASE(running_child, promise);
}

RULE(executor_counts_its_references, "an executor lives until its last reference is released") {
  spy_t spy = {0};
  promise_executor_t *executor = promise_executor_new(drop_inside, &spy, spy_free);
  CHECK(executor != NULL);
  for (int i = 0; i < 10; i++)
    CHECK_STATUS(promise_executor_retain(executor), PROMISE_OK);
  for (int i = 0; i < 10; i++)
    CHECK_STATUS(promise_executor_release(executor), PROMISE_OK);
  CHECK_SPY(&spy, 0, 0);
  CHECK_STATUS(promise_executor_release(executor), PROMISE_OK);
  CHECK_SPY(&spy, 0, 1);
  CHECK_STATUS(promise_executor_retain(executor), PROMISE_ESTALE);
  CHECK_STATUS(promise_executor_release(executor), PROMISE_ESTALE);
}

enum { LINKS = 20000 };

static void *settles_a_chain(void *argument) {
  promise_executor_t *executor = argument;
  promise_reaction_t reaction = {.size = sizeof reaction, .executor = executor, .on_fulfilled = adds_one};
  promise_t *first = pending(), *last = retained(first);
  for (int i = 0; i < LINKS; i++) {
    promise_t *next = promise_react(last, &reaction);
    release(last);
    last = next;
  }
  resolve(first, 0);
  CHECK_ENDED(last, PROMISE_FULFILLED, LINKS);
  RELEASE(first, last);
  return NULL;
}

RULE(an_executor_may_run_its_jobs_at_once, "an executor may run its jobs at once, on a small stack") {
  promise_executor_t *executor = promise_executor_new(run_at_once, NULL, NULL);
  on_small_stack(settles_a_chain, executor);
  CHECK_STATUS(promise_executor_release(executor), PROMISE_OK);
}

RULE(invalid_arguments_are_refused, "a handle of another kind than executor or job is refused") {
  static int own_memory[16];
  spy_t spy = {0};
  CHECK_POINTER(promise_executor_new(NULL, &spy, spy_free), NULL);
  CHECK_STATUS(promise_last_status(), PROMISE_EINVAL);
  CHECK_SPY(&spy, 0, 1);
  CHECK_STATUS(promise_executor_retain(NULL), PROMISE_EINVAL);
  CHECK_STATUS(promise_executor_release(NULL), PROMISE_EINVAL);
  CHECK_STATUS(promise_job_run(NULL), PROMISE_EINVAL);
  CHECK_STATUS(promise_job_drop(NULL), PROMISE_EINVAL);
  CHECK_STATUS(promise_executor_release((promise_executor_t *)(void *)own_memory), PROMISE_ESTALE);
  CHECK_STATUS(promise_job_run((promise_job_t *)(void *)own_memory), PROMISE_ESTALE);
}
