#include "growth.h"

#include "process.h"

enum { FEW = 1000, MANY = WORKLOAD_MOST };

comparison_t growth_warm(const library_t *library, workload_t workload, int rounds) {
  contestant_t few = {library, workload, FEW, FEW}, many = {library, workload, MANY, MANY};
  look_t look = {rounds, 2e7, statistics_run};
  return measure_race(few, many, look);
}

/* The workload of the child, which is a copy of this process. */
static workload_t measured;

static double cold(const library_t *library, size_t count) {
  contestant_t many = {library, measured, count, count};
  /* Allocate a new table of handles: writing to the parent's table would copy it page by page. */
  workloads_init();
  return measure_once(many, 1, statistics_run);
}

double growth_cold(const library_t *library, workload_t workload, int tries) {
  measured = workload;
  double best = process_figure(cold, library, MANY);
  for (int i = 1; i < tries; i++) {
    double item = process_figure(cold, library, MANY);
    if (item < best)
      best = item;
  }
  return best;
}
