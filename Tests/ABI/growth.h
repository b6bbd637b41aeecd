/* growth.h - the growth of an operation's time with its size, for tests of linear behaviour. */
#ifndef GROWTH_H
#define GROWTH_H

#include "support.h"

/* Returns the processor time of body(ctx, count) on this thread, in nanoseconds: the least of three runs. */
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

/* Checks that eight times the size takes less than 24 times the time: quadratic growth takes 64 times. A time too short
 * to measure passes. */
#define CHECK_LINEAR(body, ctx, count)                                                                                 \
  do {                                                                                                                 \
    int64_t little = least_time(body, ctx, (count) / 8), much = least_time(body, ctx, (count));                        \
    if (little < MILLISECONDS / 10)                                                                                    \
      little = MILLISECONDS / 10;                                                                                      \
    CHECK(much < 24 * little);                                                                                         \
  } while (0)

#endif /* GROWTH_H */
