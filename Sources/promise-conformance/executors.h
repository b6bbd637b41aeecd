/* executors.h - shared by the programs about executors and their jobs. */
#ifndef EXECUTORS_H
#define EXECUTORS_H

#include "support.h"

/* Drops the job inside submit; the context is a spy, whose calls are counted. */
static inline void drop_inside(void *ctx, promise_job_t *job) {
  atomic_fetch_add(&((spy_t *)ctx)->calls, 1);
  CHECK_STATUS(promise_job_drop(job), PROMISE_OK);
}

/* The reaction of `spy` on `executor` to either outcome of `promise`. */
static inline promise_t *on(promise_executor_t *executor, promise_t *promise, spy_t *spy) {
  return spied(promise, executor, NULL, spy);
}

#endif /* EXECUTORS_H */
