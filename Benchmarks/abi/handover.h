/* handover.h - promises made on one thread, settled and released on another. */
#ifndef BENCHMARKS_HANDOVER_H
#define BENCHMARKS_HANDOVER_H

#include "workloads.h"

/* Passes `count` promises to another thread through a ring of 1,024 slots. */
void workload_handover(const library_t *library, size_t count);

#endif
