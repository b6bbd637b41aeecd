/* measure.h - timing two libraries against each other. */
#ifndef BENCHMARKS_MEASURE_H
#define BENCHMARKS_MEASURE_H

#include "workloads.h"

/* Two times for the same thing, and how they compare. */
typedef struct comparison {
  double reference, ours; /* nanoseconds per item, the medians of all rounds */
  double ratio;           /* of the medians */
  double low;             /* the lower quartile of the ratios of the rounds: what noise alone does not explain */
} comparison_t;

/* Runs `workload` with both libraries in turn, in `rounds` rounds: in each the first to run changes. One run is of `count`, as
 * many times as fill about `slice_ns`; `items` is what one run is divided by. */
comparison_t measure_compare(workload_t workload, const library_t *reference, const library_t *ours, size_t count,
                             size_t items, int rounds, double slice_ns);

/* The comparison that `count` pairs of times make. Sorts them. */
comparison_t measure_pairs(double *reference, double *ours, int count);

/* Monotonic time in nanoseconds. */
double measure_now(void);

double measure_median(double *values, int count); /* sorts them */
double measure_least(const double *values, int count);

#endif
