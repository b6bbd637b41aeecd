/* steps.h - counts instructions by single-stepping: slower than a clock, and reproducible. */
#ifndef BENCHMARKS_STEPS_H
#define BENCHMARKS_STEPS_H

#include "workloads.h"

/* Returns the number of instructions of `workload` for `count`, after one run to warm up; -1 where a process may not
 * trace its child. */
long steps_of(workload_t workload, const library_t *library, size_t count);

#endif
