/* statistics.h - times, and what many of them say. */
#ifndef BENCHMARKS_STATISTICS_H
#define BENCHMARKS_STATISTICS_H

/* Two times for the same thing, and how they compare. */
typedef struct comparison {
  double reference, ours; /* nanoseconds per item, the medians of all rounds */
  double ratio;           /* of the medians */
  double low;             /* the lower quartile of the ratios of the rounds: what noise alone does not explain */
} comparison_t;

/* The comparison that `count` pairs of times make, one pair a round. Sorts them. */
comparison_t statistics_compare(double *reference, double *ours, int count);

/* Monotonic time in nanoseconds. */
double statistics_now(void);

#endif
