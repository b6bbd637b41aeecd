/* measure.h - timing two contestants in turn. */
#ifndef BENCHMARKS_MEASURE_H
#define BENCHMARKS_MEASURE_H

#include "statistics.h"
#include "workloads.h"

/* Something to be timed: a workload of `count`, which is so many `items`. */
typedef struct contestant {
  const library_t *library;
  workload_t workload;
  size_t count, items;
} contestant_t;

/* How long to look, and at which clock: so many rounds, in each of which either runs for about `slice` nanoseconds, once at
 * least. */
typedef struct look {
  int rounds;
  double slice;
  double (*clock)(void);
} look_t;

/* Times both in each round; the first to run changes. */
comparison_t measure_race(contestant_t reference, contestant_t ours, look_t look);

/* Nanoseconds per item of one contestant, which runs `times` times. */
double measure_once(contestant_t contestant, size_t times, double (*clock)(void));

#endif
