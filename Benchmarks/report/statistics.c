#include "statistics.h"

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static double nanoseconds(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

double statistics_run(void) {
  return nanoseconds(CLOCK_THREAD_CPUTIME_ID);
}

double statistics_passed(void) {
  return nanoseconds(CLOCK_MONOTONIC);
}

double statistics_resident(void) {
  FILE *file = fopen("/proc/self/statm", "r");
  long pages = 0;
  if (!file || fscanf(file, "%*s %ld", &pages) != 1)
    abort();
  fclose(file);
  return (double)pages * (double)sysconf(_SC_PAGESIZE);
}

double statistics_allocated(void) {
  struct mallinfo2 heap = mallinfo2();
  return (double)heap.uordblks + (double)heap.hblkhd;
}

static int ascending(const void *left, const void *right) {
  double a = *(const double *)left, b = *(const double *)right;
  return (a > b) - (a < b);
}

static void sort(double *values, int count) {
  qsort(values, (size_t)count, sizeof *values, ascending);
}

static double median(double *values, int count) {
  sort(values, count);
  return count % 2 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

comparison_t statistics_compare(double *reference, double *ours, int count) {
  double *ratios = malloc((size_t)count * sizeof *ratios);
  if (!ratios)
    abort();
  for (int i = 0; i < count; i++)
    ratios[i] = ours[i] / reference[i];
  sort(ratios, count);
  comparison_t result = {median(reference, count), median(ours, count), 0, ratios[count / 4]};
  result.ratio = result.ours / result.reference;
  free(ratios);
  return result;
}
