#include "report.h"

#include <stdio.h>

static bool failed;

void report_heading(const char *title, const char *unit) {
  printf("\n%-60s %10s %10s %8s %8s   (%s)\n", title, "reference", "ours", "ratio", "budget", unit);
}

static void line(const char *row, double reference, double ours, double ratio, const char *relation, double budget,
                 const char *verdict) {
  char limit[32];
  snprintf(limit, sizeof limit, "%s %.2f", relation, budget);
  printf("  %-58s %10.2f %10.2f %8.2f %8s   %s\n", row, reference, ours, ratio, limit, verdict);
  fflush(stdout);
}

static const char *judged(bool holds) {
  if (!holds)
    failed = true;
  return holds ? "ok" : "OVER";
}

void report_comparison(const char *row, comparison_t measured, double budget) {
  bool near = measured.ratio > budget && measured.low <= budget;
  line(row, measured.reference, measured.ours, measured.ratio, "<=", budget,
       near ? "near" : judged(measured.ratio <= budget));
}

void report_at_least(const char *row, double reference, double ours, double ratio, double budget) {
  line(row, reference, ours, ratio, ">=", budget, judged(ratio >= budget));
}

void report_at_most(const char *row, double reference, double ours, double ratio, double budget) {
  line(row, reference, ours, ratio, "<=", budget, judged(ratio <= budget));
}

void report_ratio(const char *row, comparison_t measured) {
  report_peer(row, measured.reference, measured.ours);
}

void report_peer(const char *row, double theirs, double ours) {
  if (theirs < 0)
    printf("  %-58s %10s %10.2f\n", row, "missing", ours);
  else
    printf("  %-58s %10.2f %10.2f %8.2f\n", row, theirs, ours, ours / theirs);
  fflush(stdout);
}

void report_count(const char *row, double reference, double ours, double budget) {
  printf("  %-58s %10g %10g %8s %5s %2g   %s\n", row, reference, ours, "", "<=", budget, judged(ours <= budget));
  fflush(stdout);
}

bool report_failed(void) {
  return failed;
}
