/* executors.h - shared by the programs about executors and their jobs. */
#ifndef EXECUTORS_H
#define EXECUTORS_H

#include "support.h"

/* Drops the job inside submit, and counts the call in its context, a spy. */
static inline void drop_inside(void *ctx, promise_job_t *job) {
  atomic_fetch_add(&((spy_t *)ctx)->calls, 1);
  CHECK_STATUS(promise_job_drop(job), PROMISE_OK);
}

/* Attaches `spy` on `executor` to both outcomes of `promise`. */
static inline promise_t *on(promise_executor_t *executor, promise_t *promise, spy_t *spy) {
  return spied(promise, executor, NULL, spy);
}

#endif /* EXECUTORS_H */
