/* promise/executor.h - callbacks that run where you want. Part of promise.h: read that first. */
#ifndef PROMISE_EXECUTOR_H
#define PROMISE_EXECUTOR_H

#include "callback.h"

PROMISE_BEGIN_DECLS

/* One callback that waits to be run: an opaque token, good for one promise_job_run() or promise_job_drop(). */
typedef struct promise_job promise_job_t;

/* Makes an executor from a function of yours: `submit(ctx, job)` is called whenever a callback should run on it, on the
 * settling thread, and must see to it that promise_job_run() or promise_job_drop() is called with `job` once, now or
 * later, on whatever thread. It must not wait for what the job is to settle. free_ctx(ctx) is called when the last
 * reference to the executor goes; a job holds one. NULL: PROMISE_EINVAL if `submit` is NULL, PROMISE_ENOMEM; free_ctx
 * has run then.
 * [any thread] */
PROMISE_API promise_executor_t *PROMISE_NULLABLE
promise_executor_new(void (*PROMISE_NULLABLE submit)(void *PROMISE_NULLABLE ctx, promise_job_t *PROMISE_NONNULL job),
                     void *PROMISE_NULLABLE ctx, promise_free_t PROMISE_NULLABLE free_ctx);

/* Adds a reference. Returns PROMISE_OK, PROMISE_EINVAL, PROMISE_ESTALE, PROMISE_ENOMEM.
 * [any thread] */
PROMISE_API promise_status_t promise_executor_retain(promise_executor_t *PROMISE_NULLABLE executor);

/* Gives back one reference. Returns PROMISE_OK, PROMISE_EINVAL, PROMISE_ESTALE.
 * [any thread] */
PROMISE_API promise_status_t promise_executor_release(promise_executor_t *PROMISE_NULLABLE executor);

/* Runs the job: its handler is called, its context freed, its promise settled, and that promise's callbacks run, before
 * this returns. The job is gone then. Called for the job that `submit` has just been given, before submit returns: that
 * promise's callbacks run once it has returned, so that a chain takes no stack with an executor that runs at once.
 * Returns PROMISE_OK; PROMISE_EINVAL if it is NULL; PROMISE_ESTALE if it ran or was dropped before.
 * [any thread: the one where the handler should run] */
PROMISE_API promise_status_t promise_job_run(promise_job_t *PROMISE_NULLABLE job);

/* Drops the job, for a loop that shuts down: the handler is not called, its context is freed, and its promise is
 * rejected with an ERROR of domain "promise" and code PROMISE_ECLOSED.
 * Returns as promise_job_run().
 * [any thread] */
PROMISE_API promise_status_t promise_job_drop(promise_job_t *PROMISE_NULLABLE job);

PROMISE_END_DECLS

#endif /* PROMISE_EXECUTOR_H */
