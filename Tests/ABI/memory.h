/* memory.h - the memory of cells, and peaks of it: many promises at once. */
#ifndef MEMORY_H
#define MEMORY_H

#include "support.h"

/* Returns the number of bytes of cells, free cells included. */
static inline long cells(void) {
  return (long)statistics().bytes_resident;
}

/* Promises that are alive at once. The array itself is resident before the promises are created. */
typedef struct peak {
  promise_t **promises;
  long count;
} peak_t;

static inline peak_t peak_room(long count) {
  size_t size = (size_t)count * sizeof(promise_t *);
  peak_t peak = {.promises = malloc(size), .count = count};
  REQUIRE(peak.promises != NULL);
  memset(peak.promises, 1, size);
  return peak;
}

static inline void peak_rise(peak_t *peak) {
  for (long i = 0; i < peak->count; i++)
    REQUIRE((peak->promises[i] = promise_new()) != NULL);
}

/* Releases all promises but every `survivors`th; 0: all. */
static inline void peak_fall(peak_t *peak, long survivors) {
  long failed = 0;
  for (long i = 0; i < peak->count; i++)
    if (survivors == 0 || i % survivors != 0)
      failed += promise_release(peak->promises[i]) != PROMISE_OK;
  CHECK_INT(failed, 0);
}

#endif /* MEMORY_H */
