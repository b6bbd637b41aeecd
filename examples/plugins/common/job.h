/* job.h - work that a plugin does on threads of its own.
 *
 * A job is cancelled by setting a flag that its `run` looks at now and then. It is run in any case, cancelled or not,
 * so `run` is the one place where the job's promise is settled. Nothing here knows promises, however a plugin reaches
 * them; job_cancel() and job_release() only happen to have the prototypes that promise_new_discardable() asks for. */
#ifndef EXAMPLES_JOB_H
#define EXAMPLES_JOB_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct job job_t;

/* The head of a plugin's own struct. Fill `run` and `destroy` by job_init(). */
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

/* Gives back one reference. Takes a job_t. [any thread] */
void job_release(void *job);

/* Asks the job to end early. Takes a job_t. [any thread] */
void job_cancel(void *job);

/* Whether somebody has asked the job to end early. [any thread] */
bool job_is_cancelled(job_t *job);

enum { JOB_QUEUE_MOST_THREADS = 4 };

typedef struct job_queue job_queue_t;

typedef struct job_worker {
  job_queue_t *queue;
  pthread_t thread;
  job_t *running; /* under the queue's lock */
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

/* Starts a queue with `threads` threads, at most JOB_QUEUE_MOST_THREADS; 0: one for each processor.
 * Returns 0, or the errno for which no thread could be started; nothing is left to stop then. */
int job_queue_start(job_queue_t *queue, size_t threads);

/* Submits a job, and takes over one reference to it. A queue that is stopping runs it too, cancelled; one that has
 * stopped must not be used. [any thread] */
void job_queue_submit(job_queue_t *queue, job_t *job);

/* Cancels every job, waits until each has run, and ends the threads. [not a thread of the queue] */
void job_queue_stop(job_queue_t *queue);

#endif /* EXAMPLES_JOB_H */
