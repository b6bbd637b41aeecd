/* promise/executor.h */
#include "../support.h"

/* An executor that queues its jobs, for the check to run. */
typedef struct queue {
  spy_t spy; /* of the executor's context */
  promise_job_t *jobs[16];
  int count;
} queue_t;

static void keeps(void *ctx, promise_job_t *job) {
  queue_t *queue = ctx;
  EXPECT_INT(atomic_load(&queue->spy.frees), 0);
  queue->jobs[queue->count++] = job;
}

static void queue_free(void *ctx) {
  spy_free(&((queue_t *)ctx)->spy);
}

static promise_executor_t *executor_of(queue_t *queue) {
  promise_executor_t *executor = promise_executor_new(keeps, queue, queue_free);
  EXPECT(executor != NULL);
  return executor;
}

static promise_t *react_on(promise_executor_t *executor, promise_t *promise, spy_t *spy) {
  promise_reaction_t reaction = {
      .size = sizeof reaction, .executor = executor, .on_fulfilled = spy_handler, .ctx = spy, .free_ctx = spy_free};
  promise_t *child = promise_react(promise, &reaction);
  EXPECT(child != NULL);
  return child;
}

static void a_job_runs_where_it_is_run(void) {
  queue_t queue = {.count = 0};
  spy_t spy = {0}, behind = {0};
  promise_executor_t *executor = executor_of(&queue);
  promise_t *promise = pending();
  promise_t *child = react_on(executor, promise, &spy);
  EXPECT_STATUS(promise_observe(child, spy_observer, NULL, &behind, spy_free), PROMISE_OK);
  EXPECT_INT(queue.count, 0);
  resolve(promise, 1);
  EXPECT_INT(queue.count, 1);
  EXPECT_SPY(&spy, 0, 0);
  EXPECT_INT(promise_state(child), PROMISE_PENDING);
  EXPECT_STATUS(promise_job_run(queue.jobs[0]), PROMISE_OK);
  EXPECT_SPY(&spy, 1, 1);
  EXPECT_SPY(&behind, 1, 1);
  EXPECT_ENDED(child, PROMISE_FULFILLED, 2);
  EXPECT_STATUS(promise_job_run(queue.jobs[0]), PROMISE_ESTALE);
  EXPECT_STATUS(promise_job_drop(queue.jobs[0]), PROMISE_ESTALE);
  release(child);
  release(promise);
  EXPECT_STATUS(promise_executor_release(executor), PROMISE_OK);
}

static void a_dropped_job_rejects(void) {
  queue_t queue = {.count = 0};
  spy_t spy = {0};
  promise_executor_t *executor = executor_of(&queue);
  promise_t *promise = fulfilled(1);
  promise_t *child = react_on(executor, promise, &spy);
  EXPECT_INT(queue.count, 1);
  EXPECT_STATUS(promise_job_drop(queue.jobs[0]), PROMISE_OK);
  EXPECT_SPY(&spy, 0, 1);
  EXPECT_LIBRARY_ERROR(child, PROMISE_ECLOSED);
  EXPECT_STATUS(promise_job_run(queue.jobs[0]), PROMISE_ESTALE);
  release(child);
  release(promise);
  EXPECT_STATUS(promise_executor_release(executor), PROMISE_OK);
}

static void jobs_hold_their_executor(void) {
  queue_t queue = {.count = 0};
  spy_t spy = {0};
  promise_executor_t *executor = executor_of(&queue);
  EXPECT_STATUS(promise_executor_retain(executor), PROMISE_OK);
  EXPECT_STATUS(promise_executor_release(executor), PROMISE_OK);
  promise_t *promise = pending();
  promise_t *child = react_on(executor, promise, &spy);
  EXPECT_STATUS(promise_executor_release(executor), PROMISE_OK);
  EXPECT_SPY(&queue.spy, 0, 0);
  resolve(promise, 1);
  EXPECT_SPY(&queue.spy, 0, 0);
  EXPECT_STATUS(promise_job_run(queue.jobs[0]), PROMISE_OK);
  EXPECT_SPY(&queue.spy, 0, 1);
  EXPECT_STATUS(promise_executor_release(executor), PROMISE_ESTALE);
  EXPECT_STATUS(promise_executor_retain(executor), PROMISE_ESTALE);
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
  EXPECT_INT(queue.count, 0);
  EXPECT_SPY(&spy, 0, 1);
  EXPECT_ENDED(child, PROMISE_REJECTED, 7);
  release(child);
  release(promise);
  EXPECT_STATUS(promise_executor_release(executor), PROMISE_OK);
}

static void runs_at_once(void *ctx, promise_job_t *job) {
  (void)ctx;
  EXPECT_STATUS(promise_job_run(job), PROMISE_OK);
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
  EXPECT_ENDED(last, PROMISE_FULFILLED, LINKS);
  release(first);
  release(last);
  return NULL;
}

static void an_executor_may_run_its_jobs_at_once(void) {
  promise_executor_t *executor = promise_executor_new(runs_at_once, NULL, NULL);
  on_small_stack(settles_a_chain, executor);
  EXPECT_STATUS(promise_executor_release(executor), PROMISE_OK);
}

static void *runs(void *job) {
  EXPECT_STATUS(promise_job_run(job), PROMISE_OK);
  return NULL;
}

static void a_job_may_run_on_another_thread(void) {
  queue_t queue = {.count = 0};
  spy_t spy = {0};
  promise_executor_t *executor = executor_of(&queue);
  promise_t *promise = fulfilled(1);
  promise_t *child = react_on(executor, promise, &spy);
  pthread_t thread = start(runs, queue.jobs[0]);
  EXPECT_STATUS(promise_wait(child, FOR_EVER), PROMISE_OK);
  finish(thread);
  EXPECT_SPY(&spy, 1, 1);
  EXPECT(pthread_equal(spy.called_on, thread) && pthread_equal(spy.freed_on, thread));
  release(child);
  release(promise);
  EXPECT_STATUS(promise_executor_release(executor), PROMISE_OK);
}

static void what_is_wrong_is_refused(void) {
  static int own_memory[16];
  spy_t spy = {0};
  EXPECT_POINTER(promise_executor_new(NULL, &spy, spy_free), NULL);
  EXPECT_STATUS(promise_last_status(), PROMISE_EINVAL);
  EXPECT_SPY(&spy, 0, 1);
  EXPECT_STATUS(promise_executor_retain(NULL), PROMISE_EINVAL);
  EXPECT_STATUS(promise_executor_release(NULL), PROMISE_EINVAL);
  EXPECT_STATUS(promise_job_run(NULL), PROMISE_EINVAL);
  EXPECT_STATUS(promise_job_drop(NULL), PROMISE_EINVAL);
  EXPECT_STATUS(promise_executor_release((promise_executor_t *)(void *)own_memory), PROMISE_ESTALE);
  EXPECT_STATUS(promise_job_run((promise_job_t *)(void *)own_memory), PROMISE_ESTALE);
}

const check_t executor_checks[] = {
    {"a handler runs when its job is run, and its promise is settled then", a_job_runs_where_it_is_run},
    {"a dropped job frees the context and rejects with PROMISE_ECLOSED", a_dropped_job_rejects},
    {"a reaction and its job hold the executor, whose context goes with the last reference", jobs_hold_their_executor},
    {"what passes through needs no executor", what_passes_through_needs_no_executor},
    {"an executor may run its jobs at once, on a small stack", an_executor_may_run_its_jobs_at_once},
    {"a job may be run on another thread, where its context is freed", a_job_may_run_on_another_thread},
    {"what is no executor or job is refused", what_is_wrong_is_refused},
    {NULL, NULL},
};
