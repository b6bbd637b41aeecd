/* growth.h - how the time of something grows with its size, for tests of what must stay linear. */
#ifndef GROWTH_H
#define GROWTH_H

#include "support.h"

/* The processor time that this thread takes for body(ctx, count), in nanoseconds: the least of three. */
static inline int64_t least_time(void (*body)(void *ctx, long count), void *ctx, long count) {
  int64_t least = INT64_MAX;
  for (int round = 0; round < 3; round++) {
    struct timespec before, after;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &before);
    body(ctx, count);
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &after);
    int64_t time = (after.tv_sec - before.tv_sec) * (int64_t)1000 * MILLISECONDS + after.tv_nsec - before.tv_nsec;
    if (time < least)
      least = time;
  }
  return least;
}

/* Eight times as much takes less than 24 times as long: what is quadratic takes 64 times. Where it takes next to nothing,
 * it is not measured. */
#define CHECK_LINEAR(body, ctx, count)                                                                                 \
  do {                                                                                                                 \
    int64_t little = least_time(body, ctx, (count) / 8), much = least_time(body, ctx, (count));                        \
    if (little < MILLISECONDS / 10)                                                                                    \
      little = MILLISECONDS / 10;                                                                                      \
    CHECK(much < 24 * little);                                                                                         \
  } while (0)

#endif /* GROWTH_H */
