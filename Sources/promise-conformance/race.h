/* race.h - threads that do the same work in rounds, at the same time. */
#ifndef RACE_H
#define RACE_H

#include <sched.h>

#include "support.h"

/* The barrier at which the threads meet in each round. */
static pthread_barrier_t barrier;
static int racers;
static atomic_long arrivals;

/* Runs `body` on `count` threads, with the arguments 0, 1 ..., and waits for them. */
static inline void race(void *(*body)(void *), int count) {
  pthread_t threads[8];
  REQUIRE(count <= 8 && pthread_barrier_init(&barrier, NULL, (unsigned)count) == 0);
  racers = count;
  atomic_store(&arrivals, 0);
  for (int i = 0; i < count; i++)
    threads[i] = start(body, (void *)(intptr_t)i);
  for (int i = 0; i < count; i++)
    finish(threads[i]);
  pthread_barrier_destroy(&barrier);
}

static inline void meet(void) {
  pthread_barrier_wait(&barrier);
}

/* Meets as meet() does, but within less than a microsecond if each thread has a processor: spins for a while before it
 * yields. */
static inline void meet_closely(void) {
  long due = atomic_fetch_add(&arrivals, 1) / racers * racers + racers;
  for (int spins = 0; atomic_load(&arrivals) < due; spins++)
    if (spins > 10 * 1000)
      sched_yield();
}

#endif /* RACE_H */
