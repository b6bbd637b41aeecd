/* race.h - threads that do the same work in rounds, at the same time. */
#ifndef RACE_H
#define RACE_H

#include "support.h"

/* Where the threads of a round meet. */
static pthread_barrier_t barrier;

/* Runs `body` on `count` threads, with 0, 1 ... as argument. */
static inline void race(void *(*body)(void *), int count) {
  pthread_t threads[8];
  REQUIRE(count <= 8 && pthread_barrier_init(&barrier, NULL, (unsigned)count) == 0);
  for (int i = 0; i < count; i++)
    threads[i] = start(body, (void *)(intptr_t)i);
  for (int i = 0; i < count; i++)
    finish(threads[i]);
  pthread_barrier_destroy(&barrier);
}

static inline void meet(void) {
  pthread_barrier_wait(&barrier);
}

#endif /* RACE_H */
