/* promise_set_thread_hooks(): called by the library's threads before their first callback, and before they end. */
#include "scheduling.h"

typedef struct hooks {
  pthread_mutex_t mutex;
  pthread_cond_t condition;
  int attached; /* the number of threads */
  int starts, stops, frees;
} hooks_t;

#define HOOKS                                                                                                          \
  { .mutex = PTHREAD_MUTEX_INITIALIZER, .condition = PTHREAD_COND_INITIALIZER }

/* The hooks whose begin hook was called on this thread, and whose end hook was not yet. */
static __thread hooks_t *attached_to;

static void starts(void *ctx) {
  hooks_t *hooks = ctx;
  CHECK_POINTER(attached_to, NULL);
  attached_to = hooks;
  promise_release(promise_new()); /* a hook may make any call */
  pthread_mutex_lock(&hooks->mutex);
  hooks->starts++, hooks->attached++;
  CHECK_INT(hooks->frees, 0);
  pthread_mutex_unlock(&hooks->mutex);
}

static void stops(void *ctx) {
  hooks_t *hooks = ctx;
  CHECK_POINTER(attached_to, hooks);
  attached_to = NULL;
  promise_release(promise_new());
  pthread_mutex_lock(&hooks->mutex);
  hooks->stops++, hooks->attached--;
  CHECK_INT(hooks->frees, 0);
  pthread_cond_broadcast(&hooks->condition);
  pthread_mutex_unlock(&hooks->mutex);
}

static void frees(void *ctx) {
  hooks_t *hooks = ctx;
  pthread_mutex_lock(&hooks->mutex);
  hooks->frees++;
  pthread_cond_broadcast(&hooks->condition);
  pthread_mutex_unlock(&hooks->mutex);
}

static void set(hooks_t *hooks) {
  CHECK_STATUS(promise_set_thread_hooks(starts, stops, hooks, frees), PROMISE_OK);
}

static void remove_hooks(void) {
  CHECK_STATUS(promise_set_thread_hooks(NULL, NULL, NULL, NULL), PROMISE_OK);
}

static void wait_until_free(hooks_t *hooks) {
  pthread_mutex_lock(&hooks->mutex);
  while (hooks->frees == 0)
    pthread_cond_wait(&hooks->condition, &hooks->mutex);
  CHECK_INT(hooks->frees, 1);
  CHECK_INT(hooks->attached, 0);
  CHECK_INT(hooks->stops, hooks->starts);
  pthread_mutex_unlock(&hooks->mutex);
}

static void wait_until_detached(hooks_t *hooks) {
  pthread_mutex_lock(&hooks->mutex);
  while (hooks->attached > 0)
    pthread_cond_wait(&hooks->condition, &hooks->mutex);
  pthread_mutex_unlock(&hooks->mutex);
}

static promise_verdict_t is_attached(void *ctx, const promise_value_t *in, promise_value_t *out) {
  CHECK_POINTER(attached_to, ctx);
  (void)in, (void)out;
  return PROMISE_FULFILL;
}

/* An executor that runs a timer's job on the thread that submits it, which must be attached to the hooks in `ctx`. */
static void submits_here(void *ctx, promise_job_t *job) {
  CHECK_POINTER(attached_to, ctx);
  promise_job_run(job);
}

static void run_callbacks(hooks_t *expected) {
  enum { JOBS = 20 };
  promise_t *jobs[JOBS + 2];
  promise_executor_t *foreign = promise_executor_new(submits_here, expected, NULL);
  for (int i = 0; i < JOBS; i++)
    jobs[i] = react_on(promise_executor_global(PROMISE_PRIORITY_DEFAULT), is_attached, expected, NULL);
  jobs[JOBS] = react_on_timer(is_attached, expected);
  jobs[JOBS + 1] = promise_sleep_on(foreign, 1);
  for (int i = 0; i < JOBS + 2; i++) {
    CHECK_STATUS(promise_wait(jobs[i], FOR_EVER), PROMISE_OK);
    promise_release(jobs[i]);
  }
  promise_executor_release(foreign);
}

TEST(hooks_surround_the_callbacks_of_each_thread) {
  hooks_t hooks = HOOKS;
  set(&hooks);
  CHECK_INT(hooks.starts, 0);
  run_callbacks(&hooks);
  CHECK(hooks.starts >= 2);
  CHECK_POINTER(attached_to, NULL);
  /* Threads end when they have had no work for a second. */
  wait_until_detached(&hooks);
  remove_hooks();
  wait_until_free(&hooks);
}

/* A thread of the pool waits for the next job, before it ends. It has run out of jobs before the next one comes. */
TEST(few_threads_run_jobs_one_after_another) {
  enum { JOBS = 100 };
  hooks_t hooks = HOOKS;
  promise_executor_t *pool = promise_executor_global(PROMISE_PRIORITY_DEFAULT);
  set(&hooks);
  for (int i = 0; i < JOBS; i++) {
    promise_t *job = react_on(pool, is_attached, &hooks, NULL);
    CHECK_STATUS(promise_wait(job, FOR_EVER), PROMISE_OK);
    promise_release(job);
    nanosleep(&(struct timespec){.tv_nsec = 3 * 1000 * 1000}, NULL);
  }
  pthread_mutex_lock(&hooks.mutex);
  CHECK(hooks.starts < JOBS / 4);
  pthread_mutex_unlock(&hooks.mutex);
  remove_hooks();
  wait_until_free(&hooks);
  promise_executor_release(pool);
}

/* Running threads switch to newer hooks before their next callback. */
TEST(threads_that_run_take_newer_hooks) {
  hooks_t first = HOOKS, second = HOOKS;
  run_callbacks(NULL);
  set(&first);
  run_callbacks(&first);
  set(&second);
  run_callbacks(&second);
  wait_until_free(&first);
  remove_hooks();
  run_callbacks(NULL);
  wait_until_free(&second);
}

static promise_verdict_t sets_others(void *ctx, const promise_value_t *in, promise_value_t *out) {
  (void)in, (void)out;
  set(ctx);
  CHECK(attached_to != ctx);
  return PROMISE_FULFILL;
}

TEST(a_callback_may_set_the_hooks) {
  hooks_t first = HOOKS, second = HOOKS;
  set(&first);
  promise_t *job = react_on(promise_executor_global(PROMISE_PRIORITY_DEFAULT), sets_others, &second, NULL);
  CHECK_STATUS(promise_wait(job, FOR_EVER), PROMISE_OK);
  promise_release(job);
  run_callbacks(&second);
  wait_until_free(&first);
  remove_hooks();
  wait_until_free(&second);
}

TEST(either_hook_may_be_missing) {
  hooks_t hooks = HOOKS;
  CHECK_STATUS(promise_set_thread_hooks(NULL, NULL, &hooks, frees), PROMISE_OK);
  CHECK_INT(hooks.frees, 1);
  run_callbacks(NULL);
  remove_hooks();
  CHECK_INT(hooks.frees, 1);
  static hooks_t ends = HOOKS;
  CHECK_STATUS(promise_set_thread_hooks(starts, NULL, &ends, frees), PROMISE_OK);
  run_callbacks(&ends);
  CHECK(ends.starts >= 2);
  CHECK_STATUS(promise_set_thread_hooks(NULL, NULL, NULL, NULL), PROMISE_OK);
}
