#include "parallel.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "statistics.h"

enum { PATIENCE = 4096 };

typedef struct {
  const library_t *library;
  workload_t workload;
  size_t count;
  _Atomic int *waiting;
  double begin, end;
} worker_t;

static void *work(void *argument) {
  worker_t *worker = argument;
  /* Creates the thread's cell cache, or arena, before the clock starts. */
  worker->workload(worker->library, worker->count / 10);
  /* Spins: waking from a sleep takes as long as much of the measured work. */
  atomic_fetch_sub(worker->waiting, 1);
  for (unsigned attempts = 0; atomic_load(worker->waiting) > 0;)
    if (++attempts % PATIENCE == 0)
      sched_yield();
  worker->begin = statistics_passed();
  worker->workload(worker->library, worker->count);
  worker->end = statistics_passed();
  return NULL;
}

/* Returns the nanoseconds from the first thread's start to the last thread's end, per item of one thread. */
static double elapsed(const library_t *library, workload_t workload, size_t count, int threads) {
  _Atomic int waiting = threads;
  pthread_t handles[2];
  worker_t workers[2];
  for (int i = 0; i < threads; i++) {
    workers[i] = (worker_t){library, workload, count, &waiting, 0, 0};
    if (pthread_create(&handles[i], NULL, work, &workers[i]))
      abort();
  }
  for (int i = 0; i < threads; i++)
    pthread_join(handles[i], NULL);
  double begin = workers[0].begin, end = workers[0].end;
  for (int i = 1; i < threads; i++) {
    if (workers[i].begin < begin)
      begin = workers[i].begin;
    if (workers[i].end > end)
      end = workers[i].end;
  }
  return (end - begin) / (double)count;
}

double parallel_speedup(const library_t *library, workload_t workload, size_t count, int rounds, double *one,
                        double *two) {
  *one = *two = 0;
  for (int round = 0; round < rounds; round++) {
    double alone = elapsed(library, workload, count, 1);
    double together = elapsed(library, workload, count, 2);
    if (round == 0 || alone < *one)
      *one = alone;
    if (round == 0 || together < *two)
      *two = together;
  }
  return 2 * *one / *two;
}
