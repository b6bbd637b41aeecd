/* report.h - the table. Its last column is for programs too: scripts/bench.sh counts what it says. */
#ifndef BENCHMARKS_REPORT_H
#define BENCHMARKS_REPORT_H

#include <stdbool.h>

#include "statistics.h"

/* Names what follows, and the unit of its two columns. */
void report_heading(const char *title, const char *unit);

/* A ratio that must not pass the budget. "near" if it does, but no more than noise explains. */
void report_comparison(const char *row, comparison_t measured, double budget);

/* A ratio that has to reach the budget. */
void report_at_least(const char *row, double reference, double ours, double ratio, double budget);

/* A ratio without noise that must not pass the budget. */
void report_at_most(const char *row, double reference, double ours, double ratio, double budget);

/* A ratio that nobody has promised. */
void report_ratio(const char *row, comparison_t measured);

/* What something else takes, and what ours does; a negative time: it is not on this machine. */
void report_peer(const char *row, double theirs, double ours);

/* A count that must not pass the budget, whatever the reference has. */
void report_count(const char *row, double reference, double ours, double budget);

/* Whether a row was over its budget. */
bool report_failed(void);

#endif
