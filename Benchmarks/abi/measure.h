/* measure.h - running a workload with two libraries in turn. */
#ifndef BENCHMARKS_MEASURE_H
#define BENCHMARKS_MEASURE_H

#include "statistics.h"
#include "workloads.h"

/* Runs `workload` with both libraries, in `rounds` rounds: in each the first to run changes. One run is of `count`, as many times
 * as fill about `slice_ns`; `items` is what one of `count` is divided by. */
comparison_t measure_compare(workload_t workload, const library_t *reference, const library_t *ours, size_t count,
                             size_t items, int rounds, double slice_ns);

#endif
