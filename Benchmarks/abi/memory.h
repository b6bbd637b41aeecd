/* memory.h - the memory use of promises, measured in separate processes. */
#ifndef BENCHMARKS_MEMORY_H
#define BENCHMARKS_MEMORY_H

#include "library.h"

/* Returns resident bytes per pending promise with one reaction, of `count`, at most WORKLOAD_MOST. */
double memory_per_pending(const library_t *library, size_t count);

/* Returns the growth of the process, in bytes, by passing `count` promises between threads after passing as many
 * before. */
double memory_growth_of_handover(const library_t *library, size_t count);

#endif
