/* steps.h - counts instructions, one by one. Slower than a clock, and the same every time. */
#ifndef BENCHMARKS_STEPS_H
#define BENCHMARKS_STEPS_H

#include "workloads.h"

/* Instructions that `workload` takes for `count`, after it has run once to warm up; -1 where a process may not trace its own
 * child. */
long steps_of(workload_t workload, const library_t *library, size_t count);

#endif
