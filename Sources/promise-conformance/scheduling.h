/* scheduling.h - shared by the programs about executors, timers and loops. */
#ifndef SCHEDULING_H
#define SCHEDULING_H

#include <dirent.h>

#include "support.h"

static inline promise_executor_t *pool(void) {
  promise_executor_t *executor = promise_executor_global(PROMISE_PRIORITY_DEFAULT);
  REQUIRE(executor != NULL);
  return executor;
}

/* Attaches `handler` on `executor` to a fulfilled promise. Returns the derived promise. */
static inline promise_t *react_on(promise_executor_t *executor, promise_handler_t handler, void *ctx,
                                  promise_free_t free_ctx) {
  promise_t *source = fulfilled(1);
  promise_reaction_t reaction = {
      .size = sizeof reaction, .executor = executor, .on_fulfilled = handler, .ctx = ctx, .free_ctx = free_ctx};
  promise_t *child = promise_react(source, &reaction);
  REQUIRE(child != NULL);
  promise_release(source);
  return child;
}

/* A handler that opens the first of two gates, and keeps its thread until the second opens: one of the pool, or of
 * timers, which keep the clock too. */
static inline promise_verdict_t stay(void *ctx, const promise_value_t *in, promise_value_t *out) {
  gate_t *gates = ctx;
  (void)in;
  (void)out;
  gate_open(&gates[0]);
  gate_wait(&gates[1]);
  return PROMISE_FULFILL;
}

/* Attaches `handler` to a timer, so that it runs on a timer thread. Returns the derived promise. */
static inline promise_t *react_on_timer(promise_handler_t handler, void *ctx) {
  promise_t *source = promise_new(), *delayed = promise_delay(source, 1);
  promise_t *child = promise_then(delayed, handler, ctx, NULL);
  REQUIRE(child != NULL);
  /* Resolved only now, so that the handler is attached before the timer fires. */
  REQUIRE(promise_resolve(source, I64(1)) == PROMISE_OK);
  RELEASE(source, delayed);
  return child;
}

typedef promise_t *timing_t(promise_executor_t *executor, promise_t *source, int64_t ns);

static inline promise_verdict_t whether_it_is_current(void *executor, const promise_value_t *in, promise_value_t *out) {
  (void)in;
  *out = *I64(promise_executor_is_current(executor));
  return PROMISE_FULFILL;
}

/* Checks that the promise of `make` is settled on `executor`. A handler that is attached after the timer has fired runs
 * on this thread. On a busy machine that can happen: try again with twice the time. */
static inline void ends_on(promise_executor_t *executor, timing_t *make, promise_t *source) {
  bool in_time = false;
  for (int64_t time = 20 * MILLISECONDS; !in_time; time *= 2) {
    promise_t *timed = make(executor, source, time);
    promise_reaction_t reaction = {.size = sizeof reaction,
                                   .on_fulfilled = whether_it_is_current,
                                   .on_rejected = whether_it_is_current,
                                   .ctx = executor};
    promise_t *child = promise_react(timed, &reaction);
    in_time = promise_state(timed) == PROMISE_PENDING;
    CHECK_STATUS(promise_wait(child, FOR_EVER), PROMISE_OK);
    CHECK(ended(child, PROMISE_FULFILLED, 1) || !in_time);
    RELEASE(child, timed);
  }
}

/* Returns the number of threads in this process whose names, each followed by a newline, begin with `prefix`. */
static inline int threads_named(const char *prefix) {
  DIR *folder = opendir("/proc/self/task");
  REQUIRE(folder != NULL);
  int count = 0;
  for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
    char path[sizeof entry->d_name + 32], name[32] = "";
    snprintf(path, sizeof path, "/proc/self/task/%s/comm", entry->d_name);
    FILE *file = fopen(path, "r");
    if (file == NULL)
      continue;
    count += fgets(name, sizeof name, file) != NULL && strncmp(name, prefix, strlen(prefix)) == 0;
    fclose(file);
  }
  closedir(folder);
  return count;
}

/* Returns the number of library threads in this process. */
static inline int thread_count(void) {
  return threads_named("promise-");
}

/* Returns whether all tests of the program run in this process: then library threads may exist already. */
static inline bool shares_process(void) {
  const char *apart = getenv("CHECK_FORK");
  return apart != NULL && strcmp(apart, "0") == 0;
}

/* ---- An executor that queues its jobs until the test takes them ---- */

typedef struct shelf {
  pthread_mutex_t mutex;
  promise_job_t *jobs[1024];
  int count;
} shelf_t;

static inline void shelve(void *ctx, promise_job_t *job) {
  shelf_t *shelf = ctx;
  pthread_mutex_lock(&shelf->mutex);
  REQUIRE(shelf->count < 1024);
  shelf->jobs[shelf->count++] = job;
  pthread_mutex_unlock(&shelf->mutex);
}

/* Takes the oldest job; NULL if there is none. */
static inline promise_job_t *take_job(shelf_t *shelf) {
  pthread_mutex_lock(&shelf->mutex);
  promise_job_t *job = shelf->count > 0 ? shelf->jobs[0] : NULL;
  if (job != NULL)
    memmove(shelf->jobs, shelf->jobs + 1, (size_t)--shelf->count * sizeof *shelf->jobs);
  pthread_mutex_unlock(&shelf->mutex);
  return job;
}

/* Opened by the submission of each job of shelve_and_open(). */
__attribute__((unused)) static gate_t was_submitted = GATE_CLOSED;

static inline void shelve_and_open(void *ctx, promise_job_t *job) {
  shelve(ctx, job);
  gate_open(&was_submitted);
}

#define SHELF_EMPTY                                                                                                    \
  { .mutex = PTHREAD_MUTEX_INITIALIZER }

/* ---- A counter of expected events ---- */

typedef struct countdown {
  pthread_mutex_t mutex;
  pthread_cond_t condition;
  long left;
} countdown_t;

#define COUNTDOWN(number)                                                                                              \
  { PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, (number) }

static inline void countdown_tick(countdown_t *countdown) {
  pthread_mutex_lock(&countdown->mutex);
  if (--countdown->left == 0)
    pthread_cond_broadcast(&countdown->condition);
  pthread_mutex_unlock(&countdown->mutex);
}

static inline void countdown_wait(countdown_t *countdown) {
  pthread_mutex_lock(&countdown->mutex);
  while (countdown->left > 0)
    pthread_cond_wait(&countdown->condition, &countdown->mutex);
  pthread_mutex_unlock(&countdown->mutex);
}

#endif /* SCHEDULING_H */
