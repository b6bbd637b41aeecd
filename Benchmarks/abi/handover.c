#include "handover.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

enum { RING = 1024, PATIENCE = 64 };

/* Each side writes one index, on a cache line of its own. */
static struct {
  _Alignas(64) _Atomic size_t written;
  _Alignas(64) _Atomic size_t read;
  _Alignas(64) promise_t *slots[RING];
} ring;

typedef struct {
  const library_t *library;
  size_t count;
} job_t;

/* Yields now and then, because the other thread may need this core. */
static void pause_after(unsigned *attempts) {
  if (++*attempts % PATIENCE == 0)
    sched_yield();
}

static void *consume(void *argument) {
  const job_t *job = argument;
  const promise_value_t value = {.kind = PROMISE_KIND_I64, .as.i64 = 1};
  size_t read = 0;
  unsigned attempts = 0;
  while (read < job->count) {
    size_t written = atomic_load_explicit(&ring.written, memory_order_acquire);
    if (written == read) {
      pause_after(&attempts);
      continue;
    }
    for (; read < written; read++) {
      promise_t *promise = ring.slots[read % RING];
      job->library->resolve(promise, &value);
      job->library->release(promise);
    }
    atomic_store_explicit(&ring.read, read, memory_order_release);
  }
  return NULL;
}

void workload_handover(const library_t *library, size_t count) {
  job_t job = {library, count};
  pthread_t consumer;
  atomic_store(&ring.written, 0);
  atomic_store(&ring.read, 0);
  if (pthread_create(&consumer, NULL, consume, &job))
    abort();
  unsigned attempts = 0;
  size_t room = RING;
  for (size_t written = 0; written < count; written++) {
    while (written == room) {
      room = atomic_load_explicit(&ring.read, memory_order_acquire) + RING;
      if (written == room)
        pause_after(&attempts);
    }
    ring.slots[written % RING] = library->new_promise();
    atomic_store_explicit(&ring.written, written + 1, memory_order_release);
  }
  pthread_join(consumer, NULL);
}
