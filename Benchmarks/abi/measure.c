#include "measure.h"

#include <stdlib.h>
#include <time.h>

double measure_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static int ascending(const void *left, const void *right) {
  double a = *(const double *)left, b = *(const double *)right;
  return (a > b) - (a < b);
}

double measure_median(double *values, int count) {
  qsort(values, (size_t)count, sizeof *values, ascending);
  return count % 2 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

double measure_least(const double *values, int count) {
  double least = values[0];
  for (int i = 1; i < count; i++)
    if (values[i] < least) least = values[i];
  return least;
}

comparison_t measure_pairs(double *reference, double *ours, int count) {
  double *ratios = malloc((size_t)count * sizeof *ratios);
  if (!ratios) abort();
  for (int i = 0; i < count; i++) ratios[i] = ours[i] / reference[i];
  qsort(ratios, (size_t)count, sizeof *ratios, ascending);
  comparison_t result = {measure_median(reference, count), measure_median(ours, count), 0, ratios[count / 4]};
  result.ratio = result.ours / result.reference;
  free(ratios);
  return result;
}

static double run(workload_t workload, const library_t *library, size_t count, size_t times) {
  double start = measure_now();
  for (size_t i = 0; i < times; i++) workload(library, count);
  return measure_now() - start;
}

comparison_t measure_compare(workload_t workload, const library_t *reference, const library_t *ours, size_t count,
                             size_t items, int rounds, double slice_ns) {
  double *times[2] = {malloc((size_t)rounds * sizeof(double)), malloc((size_t)rounds * sizeof(double))};
  if (!times[0] || !times[1]) abort();
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
  comparison_t result = measure_pairs(times[0], times[1], rounds);
  free(times[0]);
  free(times[1]);
  return result;
}
