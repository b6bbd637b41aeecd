/* job.h - work that a plugin does on threads of its own.
 *
 * A job is cancelled by setting a flag that its `run` checks now and then. A cancelled job is run too, so `run` is the
 * one place where the job's promise is settled. This file does not use promises, which each plugin reaches in its own
 * way; but job_cancel() and job_release() have the prototypes that promise_new_discardable() requires. */
#ifndef EXAMPLES_JOB_H
#define EXAMPLES_JOB_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct job job_t;

/* The first member of a plugin's own struct. Fill `run` and `destroy` by job_init(). */
struct job {
  job_t *next;
  void (*run)(job_t *job);     /* once, on a thread of the queue */
  void (*destroy)(job_t *job); /* with the last reference, on the thread that releases it */
  atomic_uint references;
  atomic_bool cancelled;
};

/* Makes a job with one reference. */
void job_init(job_t *job, void (*run)(job_t *job), void (*destroy)(job_t *job));

/* Adds a reference and returns the job. [any thread] */
job_t *job_retain(job_t *job);

/* Releases one reference. `job` is a job_t. [any thread] */
void job_release(void *job);

/* Asks the job to end early. `job` is a job_t. [any thread] */
void job_cancel(void *job);

/* Returns whether the job was asked to end early. [any thread] */
bool job_is_cancelled(job_t *job);

enum { JOB_QUEUE_MOST_THREADS = 4 };

typedef struct job_queue job_queue_t;

typedef struct job_worker {
  job_queue_t *queue;
  pthread_t thread;
  job_t *running; /* guarded by the queue's lock */
} job_worker_t;

/* Threads that run jobs in the order in which they were submitted. */
struct job_queue {
  pthread_mutex_t lock;
  pthread_cond_t wake;
  job_t *first, **end;
  bool closed;
  size_t worker_count;
  job_worker_t workers[JOB_QUEUE_MOST_THREADS];
};

/* Starts a queue with `threads` threads, at most JOB_QUEUE_MOST_THREADS; 0: one for each processor. Returns 0, or an
 * errno if no thread could be started: do not call job_queue_stop() then. */
int job_queue_start(job_queue_t *queue, size_t threads);

/* Submits a job, and takes over one reference to it. A queue that is stopping runs the job too, cancelled; a stopped
 * queue must not be used. [any thread] */
void job_queue_submit(job_queue_t *queue, job_t *job);

/* Cancels every job, waits until each has run, and ends the threads. [not a thread of the queue] */
void job_queue_stop(job_queue_t *queue);

/* Ends the threads of a queue without jobs that wait, later: does not block. No job may be submitted after it. Then
 * call job_queue_stop(), or job_queue_has_stopped() until it returns true. [any thread] */
void job_queue_close(job_queue_t *queue);

/* Returns whether the threads of a closed queue have ended; if so, its resources are freed, as by job_queue_stop().
 * Does not block. [one thread at a time] */
bool job_queue_has_stopped(job_queue_t *queue);

#endif /* EXAMPLES_JOB_H */
