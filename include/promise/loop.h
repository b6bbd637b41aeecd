/* promise/loop.h - event loops run by a thread of the program, alone or inside an event loop that it has already. Part
 * of promise.h: read that first.
 *
 *     promise_loop_t *loop = promise_loop_new();
 *     epoll_ctl(epoll, EPOLL_CTL_ADD, promise_loop_fd(loop), &event);   // readable: there is work
 *     ...                                                               // then:
 *     promise_loop_run_once(loop);
 *
 * Jobs of the loop's executor run in the order of submission on the thread that runs the loop. So do timers made for
 * that executor (promise_sleep_on()): they need no other thread.
 *
 * One thread at a time runs a loop; another thread may run it later. The loop belongs to the thread that ran it last,
 * by the kernel's number of the thread: after that thread has ended, a new one may have its number. The thread must not
 * block in promise_wait() for work of the loop (PROMISE_EDEADLK): promise_loop_wait() runs the loop while it waits.
 *
 * EDGES: a level-triggered poller (poll, select, epoll without EPOLLET) sees the descriptor readable while there is
 * work. An edge-triggered poller (EPOLLET, Go's netpoller) gets an edge when work comes, and another one when a run
 * returns with work left: one promise_loop_run_once() for each edge is enough.
 *
 * A loop is reference-counted, and every call holds the loop until it returns: a thread may release the last reference
 * while other threads are inside a call. Those calls end as the comments below say; later calls fail with
 * PROMISE_ESTALE.
 *
 * In a child of fork() the loop has new files under the same descriptor numbers. An epoll instance of the parent
 * watches the old files: make one in the child, and add the descriptor again. If the process has no descriptor to spare
 * when it forks, the loop is closed in the child: PROMISE_ECLOSED. */
#ifndef PROMISE_LOOP_H
#define PROMISE_LOOP_H

#include <stdint.h>

#include "executor.h"

PROMISE_BEGIN_DECLS

/* A loop: an opaque token. */
typedef struct promise_loop promise_loop_t;

/* Creates a loop.
 * Returns a new reference.
 * NULL: PROMISE_ENOMEM, also if the process has too few descriptors: a loop takes three.
 * [any thread] */
PROMISE_NODISCARD PROMISE_API promise_loop_t *PROMISE_NULLABLE promise_loop_new(void);

/* Returns the main loop, whose executor is promise_executor_main().
 * NULL: PROMISE_ENOMEM.
 * The loop is permanent: promise_loop_retain() and promise_loop_release() accept it and do nothing.
 * [any thread] */
PROMISE_API promise_loop_t *PROMISE_NULLABLE promise_loop_main(void);

/* Adds a reference.
 * Returns PROMISE_OK; PROMISE_EINVAL if `loop` is NULL; PROMISE_ESTALE; PROMISE_ENOMEM if there are too many.
 * [any thread] */
PROMISE_API promise_status_t promise_loop_retain(promise_loop_t *PROMISE_NULLABLE loop);

/* Releases one reference; the last one closes the loop. Waiting jobs and timers are dropped before this returns: their
 * promises are rejected, on this thread, with an ERROR of domain "promise" and code PROMISE_ECLOSED, and their contexts
 * are freed. Jobs submitted to the executor later are dropped at once. A run in progress, on any thread, ends with
 * PROMISE_ECLOSED after its job. The descriptor is closed, at the end of that run if there is one: remove it from your
 * poller before. Callbacks of the dropped work find the handle stale.
 * Returns PROMISE_OK; PROMISE_EINVAL if `loop` is NULL; PROMISE_ESTALE.
 * [any thread] */
PROMISE_API promise_status_t promise_loop_release(promise_loop_t *PROMISE_NULLABLE loop);

/* Returns the descriptor for poll, epoll and their wrappers: readable while a job is pending, a timer is due, or a stop
 * is requested. It reflects the end of the last run; ignore it during a run. EDGES above is about edge-triggered
 * pollers.
 * Errors: PROMISE_EINVAL if `loop` is NULL; PROMISE_ESTALE; PROMISE_ECLOSED if the loop is closed, as in a child of
 * fork().
 * The loop owns the descriptor: never read from it, nor close it.
 * [any thread] */
PROMISE_API int32_t promise_loop_fd(promise_loop_t *PROMISE_NULLABLE loop);

/* Returns the executor that runs jobs on the loop: a new reference, which may outlive the loop.
 * NULL: PROMISE_EINVAL if `loop` is NULL; PROMISE_ESTALE; PROMISE_ENOMEM.
 * [any thread] */
PROMISE_NODISCARD PROMISE_API promise_executor_t *PROMISE_NULLABLE
promise_loop_executor(promise_loop_t *PROMISE_NULLABLE loop);

/* Returns 1 if the calling thread runs the loop, as within its jobs and timers; 0 otherwise.
 * Errors: PROMISE_EINVAL if `loop` is NULL; PROMISE_ESTALE.
 * [any thread] */
PROMISE_API int32_t promise_loop_is_current(promise_loop_t *PROMISE_NULLABLE loop);

/* Runs the waiting jobs and the due timers, but not the jobs that these submit; does not wait for more. A turn of a
 * serial executor (executor.h) is one job, with those of its jobs that are submitted meanwhile. Ends early if the loop
 * is stopped. If work is left, the descriptor is readable, with a new edge.
 * Returns the number of jobs and timers it ran, 0 included.
 * Errors: PROMISE_EINVAL if `loop` is NULL; PROMISE_ESTALE; PROMISE_EDEADLK from within a job of this loop;
 * PROMISE_EBUSY while another thread runs the loop; PROMISE_ECLOSED if the loop was closed meanwhile.
 * [one thread at a time] */
PROMISE_API int64_t promise_loop_run_once(promise_loop_t *PROMISE_NULLABLE loop);

/* Runs jobs and timers until promise_loop_stop(), or for at most `timeout_ns` nanoseconds; forever if it is negative; 0
 * runs the pending work, as promise_loop_run_once() does. A running job is not interrupted.
 * Returns PROMISE_OK if the loop was stopped; PROMISE_ETIMEDOUT; PROMISE_ECLOSED if it was closed meanwhile; otherwise
 * as promise_loop_run_once().
 * [one thread at a time; not where blocking is forbidden] */
PROMISE_API promise_status_t promise_loop_run(promise_loop_t *PROMISE_NULLABLE loop, int64_t timeout_ns);

/* Runs jobs and timers until the promise is settled, by any thread, or for at most `timeout_ns` nanoseconds:
 * promise_wait() for a thread with a loop.
 * Returns PROMISE_OK if the promise is settled; PROMISE_EPENDING if the loop was stopped before; PROMISE_ENOMEM;
 * PROMISE_EDEADLK where promise_wait() returns it, for other reasons than jobs of this loop, while the loop has neither
 * a job nor a timer; otherwise as promise_loop_run(), for both handles.
 * [one thread at a time; not where blocking is forbidden] */
PROMISE_API promise_status_t promise_loop_wait(promise_loop_t *PROMISE_NULLABLE loop,
                                               promise_t *PROMISE_NULLABLE promise, int64_t timeout_ns);

/* Ends the run in progress after its current job, or the turn of a serial executor. Without a run, the next run ends
 * before its first job.
 * Returns PROMISE_OK; PROMISE_EINVAL if `loop` is NULL; PROMISE_ESTALE.
 * [any thread] */
PROMISE_API promise_status_t promise_loop_stop(promise_loop_t *PROMISE_NULLABLE loop);

PROMISE_END_DECLS

#endif /* PROMISE_LOOP_H */
