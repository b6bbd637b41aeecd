/* promise/executor.h - callbacks that run where you want. Part of promise.h: read that first. */
#ifndef PROMISE_EXECUTOR_H
#define PROMISE_EXECUTOR_H

#include <stdbool.h>

#include "callback.h"

PROMISE_BEGIN_DECLS

/* One callback that waits to be run: an opaque token, good for one promise_job_run() or promise_job_drop(). */
typedef struct promise_job promise_job_t;

/* The function of an executor of yours, with a job to run or drop; see promise_executor_new(). */
typedef void (*promise_submit_t)(void *PROMISE_NULLABLE ctx, promise_job_t *PROMISE_NONNULL job);

/* Makes an executor from a function of yours: `submit(ctx, job)` is called whenever a callback should run on it, on the
 * settling thread, and must see to it that promise_job_run() or promise_job_drop() is called with `job` once, now or
 * later, on whatever thread. It must not wait for what the job is to settle. free_ctx(ctx) is called when the last
 * reference to the executor goes; a job holds one. NULL: PROMISE_EINVAL if `submit` is NULL, PROMISE_ENOMEM; free_ctx
 * has run then.
 * [any thread] */
PROMISE_API promise_executor_t *PROMISE_NULLABLE promise_executor_new(promise_submit_t PROMISE_NULLABLE submit,
                                                                      void *PROMISE_NULLABLE ctx,
                                                                      promise_free_t PROMISE_NULLABLE free_ctx);

/* Runs a job at once, in the call that submits it: what a reaction without an executor does. It lives for ever, and need
 * not be released.
 * NULL: PROMISE_ENOMEM.
 * [any thread] */
PROMISE_API promise_executor_t *PROMISE_NULLABLE promise_executor_immediate(void);

/* How urgent a job of the pool is. */
typedef uint32_t promise_priority_t;

enum {
  PROMISE_PRIORITY_BACKGROUND = 1,
  PROMISE_PRIORITY_UTILITY = 2,
  PROMISE_PRIORITY_DEFAULT = 3,
  PROMISE_PRIORITY_USER_INITIATED = 4,
  PROMISE_PRIORITY_USER_INTERACTIVE = 5
};

/* Runs jobs on threads of the library's own: as many at a time as the process may use processors. A job that blocks is
 * not counted: within about 10 ms, and at once if it is promise_wait() that blocks it, another one runs beside it, up to
 * 512 threads. Jobs of a higher priority begin first; one job in sixteen is of the lowest that waits. Jobs of one
 * priority begin in their order, and may run at the same time. A thread without a job ends after a second. Asynchronous
 * signals are blocked on these threads. When the process exits, what has not run never does, nor does it in a child of fork().
 * It lives for ever, and need not be released. A job that finds no thread, and none to be had, is dropped.
 * NULL: PROMISE_EINVAL if there is no such priority; PROMISE_ENOMEM.
 * [any thread] */
PROMISE_API promise_executor_t *PROMISE_NULLABLE promise_executor_global(promise_priority_t priority);

/* Makes an executor that runs its jobs in the order in which they were submitted, never two at once, on `target`, which
 * it retains; NULL stands for the pool at its default priority. It has no thread of its own: a job may run on another
 * thread than the one before. If `target` drops the turn that it was given, all jobs that wait are dropped.
 * NULL: PROMISE_ESTALE if `target` is no executor; PROMISE_ENOMEM.
 * [any thread] */
PROMISE_API promise_executor_t *PROMISE_NULLABLE promise_executor_serial(promise_executor_t *PROMISE_NULLABLE target);

/* Runs jobs on the main thread: in the main loop (promise_loop_main(), loop.h), which somebody must run there, or where
 * promise_executor_set_main() sent them. It lives for ever, and need not be released.
 * NULL: PROMISE_ENOMEM.
 * [any thread] */
PROMISE_API promise_executor_t *PROMISE_NULLABLE promise_executor_main(void);

/* Has jobs of promise_executor_main() run on `executor`, for a program whose main thread belongs to another loop; NULL: in
 * the main loop again. Jobs and timers that wait in the main loop move there. The calling thread counts as the main one
 * from now on; before the first call that is the thread which the process began with.
 * Returns PROMISE_OK; PROMISE_EINVAL if `executor` is the main one; PROMISE_EDEADLK if it is a serial executor that targets
 * the main one, directly or through other serial executors: its jobs would be submitted to it for ever. An executor of
 * yours must not submit to the main one either. PROMISE_ESTALE; PROMISE_ENOMEM.
 * Retains `executor` until it is replaced.
 * [the main thread] */
PROMISE_API promise_status_t promise_executor_set_main(promise_executor_t *PROMISE_NULLABLE executor);

/* Whether the calling thread is the main one.
 * [any thread] */
PROMISE_API bool promise_is_main_thread(void);

/* Calls `body(ctx)` on the executor, then free_ctx(ctx). If the executor drops it, free_ctx alone is called.
 * Returns PROMISE_OK; PROMISE_EINVAL if `executor` or `body` is NULL, PROMISE_ESTALE, PROMISE_ENOMEM; free_ctx has run
 * then.
 * [any thread] */
PROMISE_API promise_status_t promise_executor_submit(promise_executor_t *PROMISE_NULLABLE executor,
                                                     promise_callback_t PROMISE_NULLABLE body,
                                                     void *PROMISE_NULLABLE ctx,
                                                     promise_free_t PROMISE_NULLABLE free_ctx);

/* Calls a handler on an executor, and returns the promise that the handler's verdict settles (callback.h). The handler
 * receives VOID.
 *   executor   retained until the handler has run; NULL: the calling thread, before this returns
 * If the executor drops the job, the promise is rejected with an ERROR of domain "promise" and code PROMISE_ECLOSED.
 * Returns a new reference; the handler runs even if it is released at once. NULL: PROMISE_EINVAL if `handler` is NULL; PROMISE_ESTALE if `executor` is no executor;
 * PROMISE_ENOMEM. free_ctx(ctx) is called after the handler, where that ran; before this returns, if it fails.
 * [any thread] */
PROMISE_API promise_t *PROMISE_NULLABLE promise_run(promise_executor_t *PROMISE_NULLABLE executor,
                                                    promise_handler_t PROMISE_NULLABLE handler,
                                                    void *PROMISE_NULLABLE ctx,
                                                    promise_free_t PROMISE_NULLABLE free_ctx);

/* Returns 1 if a job of this executor runs on the calling thread, otherwise 0. Within a job of a serial executor, this
 * holds for that executor and for its target. PROMISE_EINVAL if `executor` is NULL; PROMISE_ESTALE.
 * [any thread] */
PROMISE_API int32_t promise_executor_is_current(promise_executor_t *PROMISE_NULLABLE executor);

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
