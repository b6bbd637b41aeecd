#define _GNU_SOURCE

#include "job.h"

#include <signal.h>
#include <unistd.h>

void job_init(job_t *job, void (*run)(job_t *job), void (*destroy)(job_t *job)) {
  job->next = NULL;
  job->run = run;
  job->destroy = destroy;
  atomic_init(&job->references, 1);
  atomic_init(&job->cancelled, false);
}

job_t *job_retain(job_t *job) {
  atomic_fetch_add_explicit(&job->references, 1, memory_order_relaxed);
  return job;
}

void job_release(void *pointer) {
  job_t *job = pointer;
  if (atomic_fetch_sub_explicit(&job->references, 1, memory_order_acq_rel) == 1)
    job->destroy(job);
}

void job_cancel(void *pointer) {
  job_t *job = pointer;
  atomic_store_explicit(&job->cancelled, true, memory_order_relaxed);
}

bool job_is_cancelled(job_t *job) {
  return atomic_load_explicit(&job->cancelled, memory_order_relaxed);
}

/* Waits for the next job, and marks it as the running job of this worker. Returns NULL when the queue is closed and
 * empty. */
static job_t *take(job_worker_t *worker) {
  job_queue_t *queue = worker->queue;
  pthread_mutex_lock(&queue->lock);
  while (queue->first == NULL && !queue->closed)
    pthread_cond_wait(&queue->wake, &queue->lock);
  job_t *job = queue->first;
  if (job != NULL) {
    queue->first = job->next;
    if (queue->first == NULL)
      queue->end = &queue->first;
    if (queue->closed)
      job_cancel(job);
  }
  worker->running = job;
  pthread_mutex_unlock(&queue->lock);
  return job;
}

static void *work(void *pointer) {
  job_worker_t *worker = pointer;
  for (job_t *job; (job = take(worker)) != NULL;) {
    job->run(job);
    /* Cleared before the reference is released, because job_queue_stop() may be about to cancel the job that it finds
     * here. */
    pthread_mutex_lock(&worker->queue->lock);
    worker->running = NULL;
    pthread_mutex_unlock(&worker->queue->lock);
    job_release(job);
  }
  return NULL;
}

static size_t processors(void) {
  long online = sysconf(_SC_NPROCESSORS_ONLN);
  return online < 1 ? 1 : (size_t)online;
}

int job_queue_start(job_queue_t *queue, size_t threads) {
  if (threads == 0)
    threads = processors();
  if (threads > JOB_QUEUE_MOST_THREADS)
    threads = JOB_QUEUE_MOST_THREADS;
  pthread_mutex_init(&queue->lock, NULL);
  pthread_cond_init(&queue->wake, NULL);
  queue->first = NULL;
  queue->end = &queue->first;
  queue->closed = false;
  queue->worker_count = 0;

  /* The host's signals are for the host's threads; a fault must still reach the thread that caused it. */
  sigset_t blocked, before;
  const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS};
  sigfillset(&blocked);
  for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
    sigdelset(&blocked, faults[i]);
  pthread_sigmask(SIG_BLOCK, &blocked, &before);
  int error = 0;
  while (queue->worker_count < threads) {
    job_worker_t *worker = &queue->workers[queue->worker_count];
    worker->queue = queue;
    worker->running = NULL;
    error = pthread_create(&worker->thread, NULL, work, worker);
    if (error != 0)
      break;
    queue->worker_count++;
  }
  pthread_sigmask(SIG_SETMASK, &before, NULL);

  /* A queue with fewer threads than requested is slower, but works. */
  if (queue->worker_count > 0)
    return 0;
  pthread_cond_destroy(&queue->wake);
  pthread_mutex_destroy(&queue->lock);
  return error;
}

void job_queue_submit(job_queue_t *queue, job_t *job) {
  job->next = NULL;
  pthread_mutex_lock(&queue->lock);
  *queue->end = job;
  queue->end = &job->next;
  pthread_cond_signal(&queue->wake);
  pthread_mutex_unlock(&queue->lock);
}

void job_queue_stop(job_queue_t *queue) {
  pthread_mutex_lock(&queue->lock);
  queue->closed = true;
  for (size_t i = 0; i < queue->worker_count; i++) {
    if (queue->workers[i].running != NULL)
      job_cancel(queue->workers[i].running);
  }
  pthread_cond_broadcast(&queue->wake);
  pthread_mutex_unlock(&queue->lock);
  for (size_t i = 0; i < queue->worker_count; i++)
    pthread_join(queue->workers[i].thread, NULL);
  pthread_cond_destroy(&queue->wake);
  pthread_mutex_destroy(&queue->lock);
}

void job_queue_close(job_queue_t *queue) {
  pthread_mutex_lock(&queue->lock);
  queue->closed = true;
  pthread_cond_broadcast(&queue->wake);
  pthread_mutex_unlock(&queue->lock);
}

bool job_queue_has_stopped(job_queue_t *queue) {
  for (; queue->worker_count > 0; queue->worker_count--) {
    if (pthread_tryjoin_np(queue->workers[queue->worker_count - 1].thread, NULL) != 0)
      return false;
  }
  pthread_cond_destroy(&queue->wake);
  pthread_mutex_destroy(&queue->lock);
  return true;
}
