/* promise/loop.h - a loop that a thread of yours turns, alone or within a loop that you have. Part of promise.h: read that
 * first.
 *
 *     promise_loop_t *loop = promise_loop_new();
 *     epoll_ctl(epoll, EPOLL_CTL_ADD, promise_loop_fd(loop), &event);   // readable: there is work
 *     ...                                                               // then:
 *     promise_loop_run_once(loop);
 *
 * The jobs of its executor run in the order in which they were submitted, on the thread that runs the loop, and so do
 * timers made for that executor (promise_sleep_on()): they need no other thread.
 *
 * A loop is run by one thread at a time; another one may run it later. It belongs to the thread that ran it last, which
 * must not sleep in promise_wait() for what the loop has to do: that gives PROMISE_EDEADLK. promise_loop_wait() is for
 * that: it runs the loop meanwhile.
 *
 * In a child of fork() the loop has new files under the numbers that its descriptors had. An epoll that the parent filled
 * watches the old ones: add the descriptor again, to an epoll of the child's own. Without a descriptor to spare at the
 * time of the fork, the loop is closed in the child: PROMISE_ECLOSED. */
#ifndef PROMISE_LOOP_H
#define PROMISE_LOOP_H

#include <stdint.h>

#include "executor.h"

PROMISE_BEGIN_DECLS

/* A loop: an opaque token. */
typedef struct promise_loop promise_loop_t;

/* Makes a loop, which is yours to free.
 * NULL: PROMISE_ENOMEM, which stands for want of descriptors too: it takes three.
 * [any thread] */
PROMISE_API promise_loop_t *PROMISE_NULLABLE promise_loop_new(void);

/* The main loop, whose executor is promise_executor_main(). It lives for ever.
 * NULL: PROMISE_ENOMEM.
 * [any thread] */
PROMISE_API promise_loop_t *PROMISE_NULLABLE promise_loop_main(void);

/* Frees the loop. What waits is dropped before this returns: promises of its jobs and timers are rejected with an ERROR
 * of domain "promise" and code PROMISE_ECLOSED, on this thread, and their contexts freed. So is what is submitted to its
 * executor later, at once. What is dropped finds the handle stale already. A run that is under way ends with
 * PROMISE_ECLOSED after its job. The descriptor is closed: take it out of your loop before.
 * Returns PROMISE_OK; PROMISE_EINVAL if `loop` is NULL or the main loop; PROMISE_ESTALE.
 * [any thread] */
PROMISE_API promise_status_t promise_loop_free(promise_loop_t *PROMISE_NULLABLE loop);

/* A descriptor for poll, epoll and what stands on them: readable exactly while a job waits, a timer is due, or the loop
 * has been told to stop. Never read from it, nor close it; its state is what run_once() leaves. While the loop runs it
 * may be readable or not.
 * PROMISE_EINVAL if `loop` is NULL, PROMISE_ESTALE.
 * [any thread] */
PROMISE_API int32_t promise_loop_fd(promise_loop_t *PROMISE_NULLABLE loop);

/* The executor that runs jobs on the loop: a reference, yours. It may outlive the loop.
 * NULL: PROMISE_EINVAL if `loop` is NULL, PROMISE_ESTALE, PROMISE_ENOMEM.
 * [any thread] */
PROMISE_API promise_executor_t *PROMISE_NULLABLE promise_loop_executor(promise_loop_t *PROMISE_NULLABLE loop);

/* Runs the jobs that wait and the timers that are due, but not the jobs that these submit; does not wait for more. It
 * ends early if the loop is stopped.
 * Returns how many it ran, 0 included; PROMISE_EDEADLK from within a job of this loop; PROMISE_EINVAL if `loop` is NULL
 * or another thread runs it; PROMISE_ECLOSED if a job freed it; PROMISE_ESTALE.
 * [one thread at a time] */
PROMISE_API int64_t promise_loop_run_once(promise_loop_t *PROMISE_NULLABLE loop);

/* Runs what comes until promise_loop_stop(), or for at most `timeout_ns` nanoseconds; for ever if it is negative; 0 runs
 * what is there, as promise_loop_run_once() does. A job that runs is not cut short.
 * Returns PROMISE_OK if it was stopped; PROMISE_ETIMEDOUT; PROMISE_ECLOSED if the loop was freed meanwhile; otherwise as
 * promise_loop_run_once().
 * [one thread at a time; not where blocking is forbidden] */
PROMISE_API promise_status_t promise_loop_run(promise_loop_t *PROMISE_NULLABLE loop, int64_t timeout_ns);

/* Runs what comes until the promise is settled, whoever settles it: promise_wait() for a thread with a loop.
 * Returns PROMISE_OK if the promise is settled; PROMISE_EPENDING if the loop was stopped before; PROMISE_ENOMEM;
 * PROMISE_EDEADLK where promise_wait() gives it for want of other threads, after fork(), and no timer of the loop is to
 * come; otherwise as promise_loop_run(), for both handles.
 * [one thread at a time; not where blocking is forbidden] */
PROMISE_API promise_status_t promise_loop_wait(promise_loop_t *PROMISE_NULLABLE loop,
                                               promise_t *PROMISE_NULLABLE promise, int64_t timeout_ns);

/* Ends the run that is under way, after its job; without one, the next ends before its first.
 * Returns PROMISE_OK, PROMISE_EINVAL, PROMISE_ESTALE.
 * [any thread] */
PROMISE_API promise_status_t promise_loop_stop(promise_loop_t *PROMISE_NULLABLE loop);

PROMISE_END_DECLS

#endif /* PROMISE_LOOP_H */
