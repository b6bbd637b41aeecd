/* scheduling.h - shared by the programs about executors, timers and loops. */
#ifndef SCHEDULING_H
#define SCHEDULING_H

#include <dirent.h>

#include "support.h"

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

/* Returns the number of library threads in this process. */
static inline int thread_count(void) {
  DIR *folder = opendir("/proc/self/task");
  REQUIRE(folder != NULL);
  int count = 0;
  for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
    char path[sizeof entry->d_name + 32], name[32] = "";
    snprintf(path, sizeof path, "/proc/self/task/%s/comm", entry->d_name);
    FILE *file = fopen(path, "r");
    if (file == NULL)
      continue;
    count += fgets(name, sizeof name, file) != NULL && strncmp(name, "promise-", 8) == 0;
    fclose(file);
  }
  closedir(folder);
  return count;
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
