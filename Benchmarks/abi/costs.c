/* costs.c - `costs FLOOR.so LIBPROMISE.so [--long]`: the C ABI's rows of the budget table, as times against the
 * floor. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "growth.h"
#include "handover.h"
#include "memory.h"
#include "parallel.h"
#include "report.h"

/* The number of rounds. */
typedef struct effort {
  int rounds;          /* of workloads of a millisecond */
  int long_rounds;     /* of workloads of a tenth of a second */
  int parallel_rounds; /* of workloads that need both cores */
} effort_t;

static void report_operations(const library_t *floor, const library_t *ours, effort_t effort) {
  const struct {
    const char *row;
    workload_t workload;
    size_t count, items;
    double budget;
  } rows[] = {
      {"new + resolve + release", workload_settle, 1000, 1000, 0.85},
      {"new + then + resolve + 2 releases", workload_then, 1000, 1000, 0.85},
      {"a link of a chain of 10", workload_chain, 10, 10, 0.85},
      {"a reaction of 1,000", workload_fan, 1000, 1000, 0.85},
      {"then on a settled promise", workload_then_on_settled, 1000, 1000, 0.85},
  };
  report_heading("C ABI against the floor", "ns");
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    contestant_t reference = {floor, rows[i].workload, rows[i].count, rows[i].items}, contestant = reference;
    contestant.library = ours;
    look_t look = {effort.rounds, 5e5, statistics_run};
    report_comparison(rows[i].row, measure_race(reference, contestant, look), rows[i].budget);
  }
}

/* The floor has no queue; a callback is its nearest equivalent. */
static void report_queue(const library_t *floor, const library_t *ours, effort_t effort) {
  const struct {
    const char *row;
    workload_t workload;
  } rows[] = {
      {"new + watch + resolve + release + take", workload_watch},
      {"new + then + resolve + take + answer + 3 releases", workload_call},
  };
  report_heading("The completion queue, 100 events a take, against the floor's then", "ns");
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    contestant_t reference = {floor, workload_then, 1000, 1000}, contestant = {ours, rows[i].workload, 1000, 1000};
    look_t look = {effort.rounds, 5e5, statistics_run};
    report_comparison(rows[i].row, measure_race(reference, contestant, look), 4.0);
  }
}

static void report_handover(const library_t *floor, const library_t *ours, effort_t effort) {
  report_heading("Made on one thread, settled and released on another", "ns");
  const size_t count = 1000000, run = 100000;
  contestant_t reference = {floor, workload_handover, run, run}, contestant = {ours, workload_handover, run, run};
  /* Wall-clock time: two threads share the work. */
  look_t look = {effort.long_rounds * 10, 0, statistics_passed};
  report_comparison("a promise, 100,000 at a time", measure_race(reference, contestant, look), 1.5);
  report_heading("By how much the process grows in the second 1,000,000", "KiB");
  report_count("all that is resident", memory_growth_of_handover(floor, count) / 1024,
               memory_growth_of_handover(ours, count) / 1024, 1024);
}

static void report_memory(const library_t *floor, const library_t *ours) {
  report_heading("Resident memory", "bytes");
  double reference = memory_per_pending(floor, WORKLOAD_MOST), held = memory_per_pending(ours, WORKLOAD_MOST);
  report_at_most("a pending promise with one reaction, of 1,000,000", reference, held, held / reference, 1.1);
}

static void report_growth(const library_t *floor, const library_t *ours, effort_t effort) {
  double reference = growth_cold(floor, workload_fan, effort.long_rounds),
         cold = growth_cold(ours, workload_fan, effort.long_rounds);
  /* These rows compare libpromise with itself; the floor is not measured. */
  report_heading("Growth", "ns");
  report_comparison("a link of 1,000,000 against one of 1,000", growth_warm(ours, workload_chain, effort.long_rounds),
                    1.3);
  report_comparison("a reaction of 1,000,000 against one of 1,000", growth_warm(ours, workload_fan, effort.long_rounds),
                    1.3);
  report_heading("A process's first 1,000,000, against the floor's", "ns");
  report_at_most("a reaction", reference, cold, cold / reference, 1.15);
}

static void report_parallel(const library_t *ours, effort_t effort) {
  report_heading("Two threads on distinct promises", "ns per item of a thread; the ratio is of throughput");
  double one, two;
  double ratio = parallel_speedup(ours, workload_then, 20000, effort.parallel_rounds, &one, &two);
  report_at_least("new + then + resolve + 2 releases, one thread and two", one, two, ratio, 1.8);
}

int main(int count, char **arguments) {
  if (count < 3 || count > 4 || (count == 4 && strcmp(arguments[3], "--long"))) {
    fprintf(stderr, "usage: costs FLOOR.so LIBPROMISE.so [--long]\n");
    return 64;
  }
  effort_t effort = count == 4 ? (effort_t){4000, 40, 2000} : (effort_t){400, 9, 200};
  library_t floor = library_load("floor", arguments[1], "floor");
  library_t ours = library_load("library", arguments[2], "promise");
  workloads_init();
  /* These two fork, so they come first, while this process has one thread and has created no promise. */
  report_memory(&floor, &ours);
  report_growth(&floor, &ours, effort);
  report_operations(&floor, &ours, effort);
  report_queue(&floor, &ours, effort);
  report_handover(&floor, &ours, effort);
  report_parallel(&ours, effort);
  return report_failed() ? 1 : 0;
}
