/* parallel.h - two threads on distinct promises. */
#ifndef BENCHMARKS_PARALLEL_H
#define BENCHMARKS_PARALLEL_H

#include "workloads.h"

/* What two threads get done in the time in which one gets 1 done: the best of `rounds` rounds, for whatever else the machine
 * does can only make it less. `one` and `two` become nanoseconds per item of one thread, alone and beside another. */
double parallel_speedup(const library_t *library, workload_t workload, size_t count, int rounds, double *one,
                        double *two);

#endif
