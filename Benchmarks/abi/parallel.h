/* parallel.h - two threads on distinct promises. */
#ifndef BENCHMARKS_PARALLEL_H
#define BENCHMARKS_PARALLEL_H

#include "workloads.h"

/* Returns the throughput of two threads relative to one: the maximum of `rounds` rounds, because other load on the
 * machine only reduces it. `one` and `two` become nanoseconds per item of one thread, alone and beside another. */
double parallel_speedup(const library_t *library, workload_t workload, size_t count, int rounds, double *one,
                        double *two);

#endif
