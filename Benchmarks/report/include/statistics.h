/* statistics.h - clocks, and statistics of measured times. */
#ifndef BENCHMARKS_STATISTICS_H
#define BENCHMARKS_STATISTICS_H

/* A comparison of two times for the same workload. */
typedef struct comparison {
  double reference, ours; /* nanoseconds per item, the medians of all rounds */
  double ratio;           /* of the medians */
  double low; /* the lower quartile of the ratios of the rounds: the part that noise alone does not explain */
} comparison_t;

/* Compares `count` pairs of times, one pair a round. Sorts them. */
comparison_t statistics_compare(double *reference, double *ours, int count);

/* Returns the processor time of the calling thread in nanoseconds: other load on the machine does not count. */
double statistics_run(void);

/* Returns the wall-clock time in nanoseconds, for work of several threads. */
double statistics_passed(void);

/* Returns the resident memory of the process in bytes. Aborts if /proc is not readable. */
double statistics_resident(void);

/* Returns the bytes of malloc()'s blocks that are not freed: memory that is free to be reused hides no growth. */
double statistics_allocated(void);

#endif
