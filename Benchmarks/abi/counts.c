/* counts.c - `counts FLOOR.so LIBPROMISE.so`: allocations and instructions, which are counted, not timed, and so are
 * the same on every run and machine. Part of the test command. */
#include <stdio.h>
#include <stdlib.h>

#include "heap.h"
#include "report.h"
#include "steps.h"

/* Returns the number of allocations while `workload` runs, warm. */
static unsigned long allocations(workload_t workload, const library_t *library, size_t count) {
  workload(library, count);
  unsigned long before = heap_calls();
  workload(library, count);
  return heap_calls() - before;
}

static void report_allocations(const library_t *floor, const library_t *ours) {
  const struct {
    const char *row;
    workload_t workload;
    size_t count;
  } rows[] = {
      {"1,000 x new + resolve + release", workload_settle, 1000},
      {"1,000 x new + then + resolve + 2 releases", workload_then, 1000},
      {"1,000 x then on a settled promise + release", workload_then_on_settled, 1000},
      {"a chain of 10,000", workload_chain, 10000},
      {"10,000 reactions", workload_fan, 10000},
  };
  report_heading("Calls for memory, warm", "calls in all");
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    unsigned long reference = allocations(rows[i].workload, floor, rows[i].count);
    /* At least one allocation for each promise proves that the counter works. */
    if (reference < rows[i].count) {
      fprintf(stderr, "counts: only %lu calls were seen where the floor makes at least %zu\n", reference,
              rows[i].count);
      exit(2);
    }
    report_count(rows[i].row, (double)reference, (double)allocations(rows[i].workload, ours, rows[i].count), 0);
  }
}

/* Counting an instruction takes microseconds on some machines, so few items are counted: all items cost the same. */
enum { FEW = 2, SOME = 10, MANY = 64, MORE = 256 };

/* Returns the instructions of one item without fixed costs: the difference between two counts. */
static double per_item(workload_t workload, const library_t *library, size_t few, size_t many) {
  long less = steps_of(workload, library, few), more = steps_of(workload, library, many);
  return less < 0 || more < 0 ? -1 : (double)(more - less) / (double)(many - few);
}

/* 0.02 of the budgets of the first two rows are for the checks of hooks: three instructions each where a promise is
 * created, where it is settled, and where a reaction runs. */
static void report_instructions(const library_t *floor, const library_t *ours) {
  const struct {
    const char *row;
    workload_t workload;
    double budget;
  } rows[] = {
      {"new + resolve + release", workload_settle, 0.66},
      {"new + then + resolve + 2 releases", workload_then, 0.9},
      {"then on a settled promise", workload_then_on_settled, 1.05},
      {"a link of a chain", workload_chain, 0.85},
      {"a reaction", workload_fan, 0.76},
  };
  report_heading("Instructions against the floor", "instructions");
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    double reference = per_item(rows[i].workload, floor, FEW, SOME), held = per_item(rows[i].workload, ours, FEW, SOME);
    report_at_most(rows[i].row, reference, held, held / reference, rows[i].budget);
  }
  report_heading("Growth", "instructions");
  double few = per_item(workload_chain, ours, FEW, SOME), many = per_item(workload_chain, ours, MANY, MORE);
  report_at_most("a link of 256 against one of 10", few, many, many / few, 1.1);
  few = per_item(workload_fan, ours, FEW, SOME), many = per_item(workload_fan, ours, MANY, MORE);
  report_at_most("a reaction of 256 against one of 10", few, many, many / few, 1.1);
}

static void unhandled(void *context, uint64_t promise, const promise_value_t *reason) {
  (void)context, (void)promise, (void)reason;
}

/* Installs hooks and a trace, and removes them again. Ends the program if they had no cost while installed. */
static void observe(const library_t *library) {
  promise_hooks_t hooks = {.size = sizeof hooks, .unhandled_rejection = unhandled};
  promise_trace_t trace = {.size = sizeof trace, .capacity = 1000};
  if (library->set_hooks(&hooks) != PROMISE_OK || library->trace_start(&trace) != PROMISE_OK) {
    fprintf(stderr, "counts: the hooks or the trace cannot be put on\n");
    exit(2);
  }
  double seen = per_item(workload_then, library, FEW, SOME);
  library->trace_stop();
  library->set_hooks(NULL);
  double off = per_item(workload_then, library, FEW, SOME);
  /* The difference proves that they were on. */
  if (seen <= off) {
    fprintf(stderr, "counts: the hooks and the trace have no cost while they are on, so they were not on\n");
    exit(2);
  }
}

static void report_observing(const library_t *ours) {
  report_heading("Hooks and a trace, off again, against never on", "instructions");
  double never = per_item(workload_then, ours, FEW, SOME);
  observe(ours);
  double off = per_item(workload_then, ours, FEW, SOME);
  report_at_most("new + then + resolve + 2 releases", never, off, off / never, 1.0);
}

int main(int count, char **arguments) {
  if (count != 3) {
    fprintf(stderr, "usage: counts FLOOR.so LIBPROMISE.so\n");
    return 64;
  }
  library_t floor = library_load("floor", arguments[1], "floor");
  library_t ours = library_load("library", arguments[2], "promise");
  workloads_init();
  report_allocations(&floor, &ours);
  if (steps_of(workload_settle, &floor, 1) < 0) {
    puts("\nInstructions are not counted: this system does not let a process trace its child.");
  } else {
    report_instructions(&floor, &ours);
    report_observing(&ours);
  }
  return report_failed() ? 1 : 0;
}
