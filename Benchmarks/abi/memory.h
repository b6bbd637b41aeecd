/* memory.h - how much memory promises take, measured in processes of their own. */
#ifndef BENCHMARKS_MEMORY_H
#define BENCHMARKS_MEMORY_H

#include "library.h"

/* Resident bytes per pending promise with one reaction, of `count`, at most WORKLOAD_MOST. */
double memory_per_pending(const library_t *library, size_t count);

/* By how many bytes the process grows in handing over `count` promises, after it has handed over as many before. */
double memory_growth_of_handover(const library_t *library, size_t count);

#endif
