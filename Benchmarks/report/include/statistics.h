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

/* Nanoseconds that the calling thread has run: what others do on the machine meanwhile is left out. */
double statistics_run(void);

/* Nanoseconds that have passed, for what several threads do together. */
double statistics_passed(void);

#endif
