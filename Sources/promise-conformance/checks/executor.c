/* promise/executor.h */
#include "../checked.h"

/* An executor that queues its jobs, for the check to run. */
typedef struct queue {
  spy_t spy; /* of the executor's context */
  promise_job_t *jobs[16];
  int count;
} queue_t;

static void keeps(void *ctx, promise_job_t *job) {
  queue_t *queue = ctx;
  CHECK_INT(atomic_load(&queue->spy.frees), 0);
  queue->jobs[queue->count++] = job;
}

static void queue_free(void *ctx) {
  spy_free(&((queue_t *)ctx)->spy);
}

static promise_executor_t *executor_of(queue_t *queue) {
  promise_executor_t *executor = promise_executor_new(keeps, queue, queue_free);
  CHECK(executor != NULL);
  return executor;
}

static promise_t *react_on(promise_executor_t *executor, promise_t *promise, spy_t *spy) {
  promise_reaction_t reaction = {
      .size = sizeof reaction, .executor = executor, .on_fulfilled = spy_handler, .ctx = spy, .free_ctx = spy_free};
  promise_t *child = promise_react(promise, &reaction);
  CHECK(child != NULL);
  return child;
}

static void a_job_runs_where_it_is_run(void) {
  queue_t queue = {.count = 0};
  spy_t spy = {0}, behind = {0};
  promise_executor_t *executor = executor_of(&queue);
  promise_t *promise = pending();
  promise_t *child = react_on(executor, promise, &spy);
  CHECK_STATUS(promise_observe(child, spy_observer, NULL, &behind, spy_free), PROMISE_OK);
  CHECK_INT(queue.count, 0);
  resolve(promise, 1);
  CHECK_INT(queue.count, 1);
  CHECK_SPY(&spy, 0, 0);
  CHECK_INT(promise_state(child), PROMISE_PENDING);
  CHECK_STATUS(promise_job_run(queue.jobs[0]), PROMISE_OK);
  CHECK_SPY(&spy, 1, 1);
  CHECK_SPY(&behind, 1, 1);
  CHECK_ENDED(child, PROMISE_FULFILLED, 2);
  CHECK_STATUS(promise_job_run(queue.jobs[0]), PROMISE_ESTALE);
  CHECK_STATUS(promise_job_drop(queue.jobs[0]), PROMISE_ESTALE);
  release(child);
  release(promise);
  CHECK_STATUS(promise_executor_release(executor), PROMISE_OK);
}

static void a_dropped_job_rejects(void) {
  queue_t queue = {.count = 0};
  spy_t spy = {0};
  promise_executor_t *executor = executor_of(&queue);
  promise_t *promise = fulfilled(1);
  promise_t *child = react_on(executor, promise, &spy);
  CHECK_INT(queue.count, 1);
  CHECK_STATUS(promise_job_drop(queue.jobs[0]), PROMISE_OK);
  CHECK_SPY(&spy, 0, 1);
  CHECK_LIBRARY_ERROR(child, PROMISE_ECLOSED);
  CHECK_STATUS(promise_job_run(queue.jobs[0]), PROMISE_ESTALE);
  release(child);
  release(promise);
  CHECK_STATUS(promise_executor_release(executor), PROMISE_OK);
}

static void jobs_hold_their_executor(void) {
  queue_t queue = {.count = 0};
  spy_t spy = {0};
  promise_executor_t *executor = executor_of(&queue);
  CHECK_STATUS(promise_executor_retain(executor), PROMISE_OK);
  CHECK_STATUS(promise_executor_release(executor), PROMISE_OK);
  promise_t *promise = pending();
  promise_t *child = react_on(executor, promise, &spy);
  CHECK_STATUS(promise_executor_release(executor), PROMISE_OK);
  CHECK_SPY(&queue.spy, 0, 0);
  resolve(promise, 1);
  CHECK_SPY(&queue.spy, 0, 0);
  CHECK_STATUS(promise_job_run(queue.jobs[0]), PROMISE_OK);
  CHECK_SPY(&queue.spy, 0, 1);
  CHECK_STATUS(promise_executor_release(executor), PROMISE_ESTALE);
  CHECK_STATUS(promise_executor_retain(executor), PROMISE_ESTALE);
  release(child);
  release(promise);
}

static void what_passes_through_needs_no_executor(void) {
  queue_t queue = {.count = 0};
  spy_t spy = {0};
  promise_executor_t *executor = executor_of(&queue);
  promise_t *promise = pending();
  promise_t *child = react_on(executor, promise, &spy);
  reject(promise, 7);
  CHECK_INT(queue.count, 0);
  CHECK_SPY(&spy, 0, 1);
  CHECK_ENDED(child, PROMISE_REJECTED, 7);
  release(child);
  release(promise);
  CHECK_STATUS(promise_executor_release(executor), PROMISE_OK);
}

static void runs_at_once(void *ctx, promise_job_t *job) {
  (void)ctx;
  CHECK_STATUS(promise_job_run(job), PROMISE_OK);
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
  release(first);
  release(last);
  return NULL;
}

static void an_executor_may_run_its_jobs_at_once(void) {
  promise_executor_t *executor = promise_executor_new(runs_at_once, NULL, NULL);
  on_small_stack(settles_a_chain, executor);
  CHECK_STATUS(promise_executor_release(executor), PROMISE_OK);
}

static void *runs(void *job) {
  CHECK_STATUS(promise_job_run(job), PROMISE_OK);
  return NULL;
}

static void a_job_may_run_on_another_thread(void) {
  queue_t queue = {.count = 0};
  spy_t spy = {0};
  promise_executor_t *executor = executor_of(&queue);
  promise_t *promise = fulfilled(1);
  promise_t *child = react_on(executor, promise, &spy);
  pthread_t thread = start(runs, queue.jobs[0]);
  CHECK_STATUS(promise_wait(child, FOR_EVER), PROMISE_OK);
  finish(thread);
  CHECK_SPY(&spy, 1, 1);
  CHECK(pthread_equal(spy.thread, thread) && pthread_equal(spy.freed_on, thread));
  release(child);
  release(promise);
  CHECK_STATUS(promise_executor_release(executor), PROMISE_OK);
}

static void what_is_wrong_is_refused(void) {
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

CHECKS(executor) = {
    RULE("a handler runs when its job is run, and its promise is settled then", a_job_runs_where_it_is_run),
    RULE("a dropped job frees the context and rejects with PROMISE_ECLOSED", a_dropped_job_rejects),
    RULE("a reaction and its job hold the executor, whose context goes with the last reference",
         jobs_hold_their_executor),
    RULE("what passes through needs no executor", what_passes_through_needs_no_executor),
    RULE("an executor may run its jobs at once, on a small stack", an_executor_may_run_its_jobs_at_once),
    RULE("a job may be run on another thread, where its context is freed", a_job_may_run_on_another_thread),
    RULE("what is no executor or job is refused", what_is_wrong_is_refused),
    CHECKS_END,
};
