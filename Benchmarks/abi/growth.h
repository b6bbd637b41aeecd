/* growth.h - whether a million items cost a million times what one costs. */
#ifndef BENCHMARKS_GROWTH_H
#define BENCHMARKS_GROWTH_H

#include "measure.h"

/* Items of a million against items of a thousand, in memory that is warm. */
comparison_t growth_warm(const library_t *library, workload_t workload, int rounds);

/* Nanoseconds for each of the first million items of a process, which has to be given the memory for them. The best of `tries`
 * processes, for whatever else happens on the machine adds to it. */
double growth_cold(const library_t *library, workload_t workload, int tries);

#endif
