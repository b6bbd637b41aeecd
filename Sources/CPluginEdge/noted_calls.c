#define _GNU_SOURCE
#include "confinement.h"
#include "plugin_confinement.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/uio.h>
#include <unistd.h>

bool plugin_confinement_has_reports;

/* The calls that the threads of this process make. The host reads them in the memory of the worker: to note one takes
 * no system call. A plugin can overwrite them, and so decide which of its calls a refusal rejects, and nothing else. */
typedef struct noted_call {
  /* 0: the place is free. */
  _Atomic int32_t thread;
  _Atomic uint64_t request;
} noted_call_t;

/* The maximum number of threads whose calls are noted: a worker has up to 4,000 of each of its two kinds, besides those
 * of serial calls. */
enum { PLACES = 16384 };

static struct {
  _Atomic uint32_t used;
  noted_call_t places[PLACES];
} noted;

static _Thread_local noted_call_t *own_place;
static pthread_key_t ends;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void free_place(void *place) {
  atomic_store(&((noted_call_t *)place)->thread, 0);
}

/* In a child of fork(), frees all places but that of the forking thread, and stores its new thread id there. */
static void keep_in_child(void) {
  noted_call_t *mine = own_place;
  for (uint32_t i = 0; i < noted.used; i++)
    if (&noted.places[i] != mine)
      noted.places[i].thread = 0;
  if (mine != NULL)
    mine->thread = gettid();
}

static void register_cleanup(void) {
  pthread_key_create(&ends, free_place);
  pthread_atfork(NULL, NULL, keep_in_child);
}

/* Returns the place of the calling thread; NULL if there is none left. */
static noted_call_t *take_place(void) {
  pthread_once(&once, register_cleanup);
  int32_t self = gettid();
  for (uint32_t i = 0; i < PLACES; i++) {
    noted_call_t *place = &noted.places[i];
    int32_t thread = 0;
    /* Takes a free place, or one that an earlier thread of this number has left without freeing it. */
    if (atomic_load(&place->thread) != self && !atomic_compare_exchange_strong(&place->thread, &thread, self))
      continue;
    uint32_t used = atomic_load(&noted.used);
    while (used <= i && !atomic_compare_exchange_weak(&noted.used, &used, i + 1)) {
    }
    pthread_setspecific(ends, place);
    return place;
  }
  return NULL;
}

void plugin_confinement_note_call(uint64_t request) {
  if (!plugin_confinement_has_reports)
    return;
  if (own_place == NULL && (own_place = take_place()) == NULL)
    return;
  atomic_store_explicit(&own_place->request, request, memory_order_relaxed);
}

uint64_t plugin_confinement_noted_calls(void) {
  return (uint64_t)(uintptr_t)&noted;
}

static bool read_memory(int32_t thread, uint64_t address, void *bytes, size_t count) {
  struct iovec here = {bytes, count};
  struct iovec there = {(void *)(uintptr_t)address, count};
  return process_vm_readv(thread, &here, 1, &there, 1, 0) == (ssize_t)count;
}

uint64_t plugin_confinement_noted_call(int32_t thread, uint64_t address) {
  uint32_t used;
  if (address == 0 || !read_memory(thread, address, &used, sizeof used))
    return 0;
  address += offsetof(__typeof__(noted), places);
  for (uint32_t first = 0; first < used && first < PLACES;) {
    noted_call_t some[64];
    uint32_t count = used - first < 64 ? used - first : 64;
    if (count > PLACES - first)
      count = PLACES - first;
    if (!read_memory(thread, address + first * sizeof *some, some, count * sizeof *some))
      return 0;
    for (uint32_t i = 0; i < count; i++)
      if (some[i].thread == thread)
        return some[i].request;
    first += count;
  }
  return 0;
}
