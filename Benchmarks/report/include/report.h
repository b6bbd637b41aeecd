/* report.h - the table of results. scripts/bench.sh parses its last column. */
#ifndef BENCHMARKS_REPORT_H
#define BENCHMARKS_REPORT_H

#include <stdbool.h>

#include "statistics.h"

/* Begins a section, with its name and the unit of its two columns. */
void report_heading(const char *title, const char *unit);

/* Prints a ratio with an upper limit. The row is "near" if noise may explain by how much it exceeds the budget. */
void report_comparison(const char *row, comparison_t measured, double budget);

/* Prints a ratio with a lower limit. */
void report_at_least(const char *row, double reference, double ours, double ratio, double budget);

/* Prints a ratio without noise, with an upper limit. */
void report_at_most(const char *row, double reference, double ours, double ratio, double budget);

/* Prints a ratio without a budget. */
void report_ratio(const char *row, comparison_t measured);

/* Prints the time of a peer and ours; a negative time: the peer is not installed. */
void report_peer(const char *row, double theirs, double ours);

/* Prints a count with an upper limit, regardless of the reference. */
void report_count(const char *row, double reference, double ours, double budget);

/* Returns whether a row exceeded its budget. */
bool report_failed(void);

#endif
