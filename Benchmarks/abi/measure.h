/* measure.h - timing two contestants in turn. */
#ifndef BENCHMARKS_MEASURE_H
#define BENCHMARKS_MEASURE_H

#include "statistics.h"
#include "workloads.h"

/* A timed workload of `count`, which stands for `items` items. */
typedef struct contestant {
  const library_t *library;
  workload_t workload;
  size_t count, items;
} contestant_t;

/* The number of rounds, the time of each contestant in a round in nanoseconds (at least one run), and the clock. */
typedef struct look {
  int rounds;
  double slice;
  double (*clock)(void);
} look_t;

/* Times both in each round; they take turns at running first. */
comparison_t measure_race(contestant_t reference, contestant_t ours, look_t look);

/* Returns nanoseconds per item of one contestant, which runs `times` times. */
double measure_once(contestant_t contestant, size_t times, double (*clock)(void));

#endif
