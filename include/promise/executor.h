/* promise/executor.h - executors: where callbacks run. Part of promise.h: read that first. */
#ifndef PROMISE_EXECUTOR_H
#define PROMISE_EXECUTOR_H

#include <stdbool.h>

#include "callback.h"

PROMISE_BEGIN_DECLS

/* A pending callback: an opaque token, consumed by one promise_job_run() or promise_job_drop(). Jobs are not counted,
 * because each ends exactly once, run or dropped. */
typedef struct promise_job promise_job_t;

/* The submit function of a custom executor, with a job to run or drop; see promise_executor_new(). */
typedef void (*promise_submit_t)(void *PROMISE_NULLABLE ctx, promise_job_t *PROMISE_NONNULL job);

/* Creates an executor from a function. submit(ctx, job) is called on the settling thread for each callback that is to
 * run on the executor. It must arrange for one promise_job_run() or promise_job_drop() of `job`, now or later, on any
 * thread. It must not wait for the promise that the job settles.
 * Returns a new reference.
 * NULL: PROMISE_EINVAL if `submit` is NULL; PROMISE_ENOMEM. free_ctx has been called then.
 * free_ctx(ctx) is called when the last reference to the executor is released; each job holds one.
 * [any thread] */
PROMISE_NODISCARD PROMISE_API promise_executor_t *PROMISE_NULLABLE promise_executor_new(
    promise_submit_t PROMISE_NULLABLE submit, void *PROMISE_NULLABLE ctx, promise_free_t PROMISE_NULLABLE free_ctx);

/* Returns the executor that runs jobs inline, in the submitting call, as a reaction without an executor does. It serves
 * where a handle is needed: as the target of a serial executor, or in a binding.
 * NULL: PROMISE_ENOMEM.
 * The executor is permanent, and need not be released.
 * [any thread] */
PROMISE_API promise_executor_t *PROMISE_NULLABLE promise_executor_immediate(void);

/* The priority of a job of the pool, the least urgent first. */
typedef uint32_t promise_priority_t;

enum {
  PROMISE_PRIORITY_BACKGROUND = 1,      /* work that nobody waits for: clean-up, indexing */
  PROMISE_PRIORITY_UTILITY = 2,         /* long work whose progress a person follows: a download */
  PROMISE_PRIORITY_DEFAULT = 3,         /* everything else */
  PROMISE_PRIORITY_USER_INITIATED = 4,  /* a person asked for it, and waits */
  PROMISE_PRIORITY_USER_INTERACTIVE = 5 /* the next frame or key stroke depends on it */
};

/* Returns the executor of the library's thread pool for a priority. The pool runs as many jobs at a time as there are
 * processors for the process. A blocked job does not count: within about 10 ms, and at once if promise_wait() blocks
 * it, another job runs beside it, up to 512 threads. Jobs of a higher priority begin first; one job in sixteen has the
 * lowest pending priority. Jobs of one priority begin in order, and may run at the same time. An idle thread ends after
 * a second. Asynchronous signals are blocked on the pool's threads. Their stacks have the default size of the process:
 * with glibc, the soft limit RLIMIT_STACK at its start. Pending jobs do not run after the process exits, nor in a child
 * of fork(). A job that no thread can be created for is dropped.
 * NULL: PROMISE_EINVAL for an unknown priority; PROMISE_ENOMEM.
 * The executor is permanent, and need not be released.
 * [any thread] */
PROMISE_API promise_executor_t *PROMISE_NULLABLE promise_executor_global(promise_priority_t priority);

/* Creates an executor that runs its jobs in the order of submission, never two at once. It has no thread of its own:
 * two jobs may run on two threads.
 *   target   runs the jobs, and is retained; NULL: the pool at its default priority. Up to 64 jobs of the serial
 *            executor run as one job of the target, its turn; on an executor of yours, or the immediate one, all
 *            pending jobs do. If the target drops the turn, or there is no memory for one, all pending jobs are
 *            dropped.
 * Returns a new reference.
 * NULL: PROMISE_ESTALE if `target` is not an executor; PROMISE_EINVAL if it is the last of a chain of 128 serial
 * executors, each the target of the next, because each takes stack; PROMISE_ENOMEM.
 * [any thread] */
PROMISE_NODISCARD PROMISE_API promise_executor_t *PROMISE_NULLABLE
promise_executor_serial(promise_executor_t *PROMISE_NULLABLE target);

/* Returns the executor of the main thread. It runs jobs in the main loop (promise_loop_main(), loop.h), which the
 * program must run there, or on the executor of promise_executor_set_main().
 * NULL: PROMISE_ENOMEM.
 * The executor is permanent, and need not be released.
 * [any thread] */
PROMISE_API promise_executor_t *PROMISE_NULLABLE promise_executor_main(void);

/* Makes jobs of promise_executor_main() run on `executor`, for a program whose main thread belongs to another loop.
 * Jobs and timers that wait in the main loop move there. The calling thread, whichever it is, counts as the main one
 * from now on, by its number as for a loop (loop.h); before the first call that is the thread with which the process
 * began.
 *   executor   retained until it is replaced; NULL: the main loop again. An executor of yours must not submit to the
 *              main one.
 * Returns PROMISE_OK; PROMISE_EINVAL if `executor` is the main one; PROMISE_EDEADLK if it is a serial executor that
 * targets the main one, directly or through other serial executors, because its jobs would be submitted to it forever;
 * PROMISE_ESTALE; PROMISE_ENOMEM.
 * [any thread: it becomes the main one] */
PROMISE_API promise_status_t promise_executor_set_main(promise_executor_t *PROMISE_NULLABLE executor);

/* Returns whether the calling thread is the main one.
 * [any thread] */
PROMISE_API bool promise_is_main_thread(void);

/* Calls body(ctx) on the executor, then free_ctx(ctx). If the executor drops the job, only free_ctx is called.
 * Returns PROMISE_OK; PROMISE_EINVAL if `executor` or `body` is NULL; PROMISE_ESTALE; PROMISE_ENOMEM. On failure
 * free_ctx has been called.
 * [any thread] */
PROMISE_API promise_status_t promise_executor_submit(promise_executor_t *PROMISE_NULLABLE executor,
                                                     promise_callback_t PROMISE_NULLABLE body,
                                                     void *PROMISE_NULLABLE ctx,
                                                     promise_free_t PROMISE_NULLABLE free_ctx);

/* Calls a handler on an executor, and returns the promise that the handler's verdict settles (callback.h). The handler
 * receives VOID.
 *   executor   retained until the handler has run; NULL: the calling thread, before this returns
 * If the executor drops the job, the promise is rejected with an ERROR of domain "promise" and code PROMISE_ECLOSED.
 * Returns a new reference; the handler runs even if it is released at once.
 * NULL: PROMISE_EINVAL if `handler` is NULL; PROMISE_ESTALE if `executor` is not an executor; PROMISE_ENOMEM.
 * free_ctx(ctx) is called after the handler, on its thread; before this returns, if it fails.
 * [any thread] */
PROMISE_NODISCARD PROMISE_API promise_t *PROMISE_NULLABLE promise_run(promise_executor_t *PROMISE_NULLABLE executor,
                                                                      promise_handler_t PROMISE_NULLABLE handler,
                                                                      void *PROMISE_NULLABLE ctx,
                                                                      promise_free_t PROMISE_NULLABLE free_ctx);

/* Returns 1 if a job of this executor runs on the calling thread, otherwise 0. Within a job of a serial executor, this
 * holds for that executor and for its target. Compare with 1: a status of an error is not 0.
 * Errors: PROMISE_EINVAL if `executor` is NULL; PROMISE_ESTALE.
 * [any thread] */
PROMISE_API int32_t promise_executor_is_current(promise_executor_t *PROMISE_NULLABLE executor);

/* Adds a reference.
 * Returns PROMISE_OK; PROMISE_EINVAL if `executor` is NULL; PROMISE_ESTALE, also if only its jobs have references;
 * PROMISE_ENOMEM if there are too many.
 * [any thread] */
PROMISE_API promise_status_t promise_executor_retain(promise_executor_t *PROMISE_NULLABLE executor);

/* Releases one reference.
 * Returns PROMISE_OK; PROMISE_EINVAL if `executor` is NULL; PROMISE_ESTALE, also if only its jobs have references.
 * [any thread] */
PROMISE_API promise_status_t promise_executor_release(promise_executor_t *PROMISE_NULLABLE executor);

/* Runs and consumes the job: calls its handler, frees its context, settles its promise, and runs that promise's
 * callbacks, before it returns. If `submit` calls this for the job passed to it, the promise's callbacks run after
 * `submit` has returned: a chain takes no recursion on an executor that runs jobs inline.
 * Returns PROMISE_OK; PROMISE_EINVAL if `job` is NULL; PROMISE_ESTALE if it ran or was dropped before. Two calls for
 * one job at the same time are the caller's error.
 * [any thread: the one where the handler should run] */
PROMISE_API promise_status_t promise_job_run(promise_job_t *PROMISE_NULLABLE job);

/* Drops and consumes the job, for an executor that shuts down: its handler is not called, its context is freed, and its
 * promise is rejected with an ERROR of domain "promise" and code PROMISE_ECLOSED.
 * Returns as promise_job_run().
 * [any thread] */
PROMISE_API promise_status_t promise_job_drop(promise_job_t *PROMISE_NULLABLE job);

PROMISE_END_DECLS

#endif /* PROMISE_EXECUTOR_H */
