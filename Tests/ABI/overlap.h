/* overlap.h - a second call at each release of a lock during the first. The program replaces pthread_mutex_unlock and
 * makes the second call there, on the same thread: no race has to be won. Include it first, and in one file. */
#ifndef OVERLAP_H
#define OVERLAP_H

#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>

static int (*unlock)(pthread_mutex_t *);

/* The second call. */
static void (*second_call)(void);
static _Thread_local long unlocks_left = -1; /* unlocks before the second call; -1: no call is due */

__attribute__((constructor)) static void find_unlock(void) {
  *(void **)&unlock = dlsym(RTLD_NEXT, "pthread_mutex_unlock");
}

int pthread_mutex_unlock(pthread_mutex_t *mutex) {
  if (unlock == NULL)
    find_unlock();
  int status = unlock(mutex);
  if (unlocks_left >= 0 && unlocks_left-- == 0)
    second_call();
  return status;
}

/* Begins the first call, in whose unlock with that number the second one is made. */
static void begin_overlap(long number) {
  unlocks_left = number;
}

/* Ends the first call. Returns whether it had so many unlocks that the second one was made. */
static bool end_overlap(void) {
  bool was_made = unlocks_left < 0;
  unlocks_left = -1;
  return was_made;
}

#endif
