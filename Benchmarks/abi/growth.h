/* growth.h - whether the time grows linearly up to a million items. */
#ifndef BENCHMARKS_GROWTH_H
#define BENCHMARKS_GROWTH_H

#include "measure.h"

/* Compares the time per item of a million items with that of a thousand, in warm memory. */
comparison_t growth_warm(const library_t *library, workload_t workload, int rounds);

/* Returns nanoseconds per item for the first million items of a process, including the allocation of their memory. The
 * minimum of `tries` processes: other load on the machine only adds to it. */
double growth_cold(const library_t *library, workload_t workload, int tries);

#endif
