#include "measure.h"

#include <stdlib.h>

static double run(workload_t workload, const library_t *library, size_t count, size_t times) {
  double start = statistics_now();
  for (size_t i = 0; i < times; i++)
    workload(library, count);
  return statistics_now() - start;
}

comparison_t measure_compare(workload_t workload, const library_t *reference, const library_t *ours, size_t count,
                             size_t items, int rounds, double slice_ns) {
  double *times[2] = {malloc((size_t)rounds * sizeof(double)), malloc((size_t)rounds * sizeof(double))};
  if (!times[0] || !times[1])
    abort();
  const library_t *libraries[2] = {reference, ours};
  run(workload, reference, count, 1);
  run(workload, ours, count, 1);
  double once = run(workload, reference, count, 1);
  size_t repeat = once < slice_ns ? (size_t)(slice_ns / once) + 1 : 1;
  for (int round = 0; round < rounds; round++) {
    for (int turn = 0; turn < 2; turn++) {
      int which = (round + turn) % 2;
      times[which][round] = run(workload, libraries[which], count, repeat) / (double)(repeat * items);
    }
  }
  comparison_t result = statistics_compare(times[0], times[1], rounds);
  free(times[0]);
  free(times[1]);
  return result;
}
