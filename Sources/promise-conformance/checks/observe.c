/* promise/observe.h: hooks, dumps, traces. */
#include <stdio.h>

#include <ctype.h>

#include "../checked.h"
#include "../reports.h"

CHECKS(observe)

RULE(untaken_rejections_are_reported, "an unhandled rejection is reported when the promise is destroyed") {
  report_t report = {0};
  watch(&report);
  promise_t *promise = rejected(7), *derived = then(promise, 'a');
  uint64_t id = id_of(derived);
  release(promise);
  CHECK_REPORTS(&report, 0, 0, 0);
  release(derived);
  CHECK_REPORTS(&report, 1, 0, 0);
  CHECK(report.id == id);
  CHECK_INT(report.spy.seen, 7);
  unwatch(&report);
}

/* Calls that take a rejection; those from FIRST_THAT_ATTACHES on may be made before it. */
static promise_queue_t *taking;

static promise_status_t by_state(promise_t *promise) {
  return promise_state(promise) == PROMISE_REJECTED ? PROMISE_OK : PROMISE_EPENDING;
}
static promise_status_t by_result(promise_t *promise) {
  promise_value_t value;
  return promise_result(promise, &value);
}
static promise_status_t by_wait(promise_t *promise) {
  return promise_wait(promise, 0);
}
static promise_status_t by_interruptible_wait(promise_t *promise) {
  return promise_wait_interruptible(promise, 0);
}
static promise_status_t by_wait_any(promise_t *promise) {
  return promise_wait_any(&promise, 1, 0, NULL);
}
static promise_status_t by_loop(promise_t *promise) {
  promise_loop_t *loop = promise_loop_new();
  promise_status_t status = promise_loop_wait(loop, promise, 0);
  CHECK_STATUS(promise_loop_release(loop), PROMISE_OK);
  return status;
}
static promise_status_t by_observer(promise_t *promise) {
  return promise_observe(promise, NULL, ignore_value, NULL, NULL);
}
static promise_status_t by_tap(promise_t *promise) {
  return promise_tap(promise, NULL, ignore_value, NULL, NULL);
}
static promise_status_t by_rescue(promise_t *promise) {
  return promise_release(promise_rescue(promise, NULL, adds_one, NULL, NULL));
}
static promise_status_t by_executor(promise_t *promise) {
  promise_reaction_t reaction = {
      .size = sizeof reaction, .executor = promise_executor_immediate(), .on_rejected = adds_one};
  return promise_release(promise_react(promise, &reaction));
}
static promise_status_t by_queue(promise_t *promise) {
  return promise_queue_watch(taking, promise, 1);
}
static promise_status_t by_queue_tap(promise_t *promise) {
  return promise_queue_tap(taking, promise, 1);
}
static promise_status_t (*const takers[])(promise_t *) = {by_state,    by_result,   by_wait,     by_interruptible_wait,
                                                          by_wait_any, by_loop,     by_observer, by_tap,
                                                          by_rescue,   by_executor, by_queue,    by_queue_tap};
enum { TAKERS = sizeof takers / sizeof *takers, FIRST_THAT_ATTACHES = 6 };

RULE(taken_rejections_are_not_reported, "a rejection that somebody takes is not reported") {
  report_t report = {0};
  watch(&report);
  for (int before = 0; before < 2; before++) {
    for (int i = before ? FIRST_THAT_ATTACHES : 0; i < TAKERS; i++) {
      taking = promise_queue_new();
      promise_t *promise = before ? pending() : rejected(7);
      CHECK_STATUS(takers[i](promise), PROMISE_OK);
      if (before)
        reject(promise, 7);
      release(promise);
      CHECK_REPORTS(&report, 0, 0, 0);
      CHECK_STATUS(promise_queue_free(taking), PROMISE_OK);
    }
  }
  unwatch(&report);
}

RULE(looking_too_early_takes_nothing, "looking at a pending promise takes no rejection") {
  report_t report = {0};
  watch(&report);
  promise_t *promise = pending();
  for (int i = 0; i < FIRST_THAT_ATTACHES; i++)
    CHECK(takers[i](promise) != PROMISE_OK);
  reject(promise, 7);
  release(promise);
  CHECK_REPORTS(&report, 1, 0, 0);
  unwatch(&report);
}

RULE(discarding_is_not_a_failure, "a promise that was discarded is not reported") {
  report_t report = {0};
  watch(&report);
  promise_t *promise = pending();
  CHECK_STATUS(promise_discard(promise), PROMISE_OK);
  release(promise);
  release(fulfilled(7));
  CHECK_REPORTS(&report, 0, 0, 0);
  unwatch(&report);
}

RULE(second_settlements_are_reported, "a second settlement is reported, with the value that is dropped") {
  report_t report = {0};
  watch(&report);
  payload_t payload = {0};
  promise_value_t value = object(&payload);
  promise_t *promise = fulfilled(1);
  CHECK_STATUS(promise_resolve(promise, &value), PROMISE_ESETTLED);
  CHECK_REPORTS(&report, 0, 1, 0);
  CHECK(report.id == id_of(promise));
  CHECK_INT(report.state, PROMISE_FULFILLED);
  CHECK_INT(report.spy.kind, PROMISE_KIND_OBJECT);
  CHECK_INT(atomic_load(&payload.destroyed), 1);
  CHECK_STATUS(promise_reject(promise, I64(8)), PROMISE_ESETTLED);
  CHECK_REPORTS(&report, 0, 2, 0);
  CHECK_INT(report.state, PROMISE_REJECTED);
  CHECK_INT(report.spy.seen, 8);
  CHECK_STATUS(promise_discard(promise), PROMISE_ESETTLED);
  CHECK_REPORTS(&report, 0, 2, 0);
  CHECK(ended(promise, PROMISE_FULFILLED, 1));
  promise_release(promise);
  unwatch(&report);
}

RULE(lost_promises_are_reported, "a promise destroyed while pending is reported, and its derived promises are not") {
  report_t report = {0};
  watch(&report);
  promise_t *promise = pending(), *derived = then(promise, 'a');
  uint64_t id = id_of(promise);
  release(promise);
  CHECK_REPORTS(&report, 0, 0, 1);
  CHECK(report.id == id);
  CHECK_INT(report.callbacks, 1);
  release(derived);
  CHECK_REPORTS(&report, 0, 0, 1);
  unwatch(&report);
}

RULE(hooks_are_replaced, "hooks are replaced as a whole, and their context is freed once") {
  report_t one = {0}, other = {0};
  watch(&one);
  watch(&other);
  CHECK_SPY(&one.spy, 0, 1);
  release(pending());
  CHECK_REPORTS(&one, 0, 0, 0);
  CHECK_REPORTS(&other, 0, 0, 1);
  unwatch(&other);
  CHECK_SPY(&other.spy, 0, 1);
  release(pending());
  CHECK_REPORTS(&other, 0, 0, 1);
}

RULE(invalid_arguments_are_refused, "promise_set_hooks() refuses invalid arguments") {
  report_t report = {0};
  promise_hooks_t bad = hooks_to(&report);
  bad.reserved = 1;
  CHECK_STATUS(promise_set_hooks(&bad), PROMISE_EINVAL);
  CHECK_SPY(&report.spy, 0, 1);
  bad = (promise_hooks_t){.size = sizeof bad, .ctx = &report, .free_ctx = report_free};
  CHECK_STATUS(promise_set_hooks(&bad), PROMISE_EINVAL);
  CHECK_SPY(&report.spy, 0, 2);
  bad = hooks_to(&report);
  bad.size = 4;
  CHECK_STATUS(promise_set_hooks(&bad), PROMISE_EINVAL);
  CHECK_SPY(&report.spy, 0, 2);
}

/* ---- Dumps and traces ---- */

typedef struct wanted {
  char id[32];
  int lines, found;
} wanted_t;

static void look_for(void *ctx, const char *text, size_t length) {
  wanted_t *wanted = ctx;
  wanted->lines++;
  for (size_t at = 0; at + strlen(wanted->id) <= length; at++) {
    if (memcmp(text + at, wanted->id, strlen(wanted->id)) == 0) {
      wanted->found++;
      return;
    }
  }
}

RULE(a_dump_has_pending_promises, "a dump has every pending promise, and its waiters") {
  promise_t *promise = pending(), *derived = then(promise, 'a');
  wanted_t wanted = {.lines = 0};
  snprintf(wanted.id, sizeof wanted.id, "%p", (void *)promise);
  CHECK_STATUS(promise_dump_lines(look_for, &wanted), PROMISE_OK);
  /* The promise's line, and that of the promise derived from it. */
  CHECK_INT(wanted.found, 2);
  CHECK(wanted.lines >= 2);
  resolve(promise, 7);
  wanted.found = 0;
  CHECK_STATUS(promise_dump_lines(look_for, &wanted), PROMISE_OK);
  CHECK_INT(wanted.found, 0);
  RELEASE(derived, promise);
  CHECK_STATUS(promise_dump_lines(NULL, NULL), PROMISE_EINVAL);
  CHECK_STATUS(promise_dump(-1), PROMISE_EINVAL);
}

static char written[16384];

/* Reads the file into `written`, and closes it. */
static void read_back(FILE *file) {
  rewind(file);
  written[fread(written, 1, sizeof written - 1, file)] = '\0';
  fclose(file);
}

RULE(a_dump_is_written, "a dump is written to a descriptor") {
  promise_t *promise = pending();
  char id[32];
  FILE *file = tmpfile();
  REQUIRE(file != NULL);
  CHECK_STATUS(promise_dump(fileno(file)), PROMISE_OK);
  read_back(file);
  snprintf(id, sizeof id, "%p", (void *)promise);
  CHECK(strstr(written, id) != NULL);
  release(promise);
}

typedef struct seen {
  spy_t spy; /* counts the frees of the context */
  uint64_t promise, derived;
  int created, settled, began, ended;
} seen_t;

static void see(void *ctx, const promise_trace_event_t *event) {
  seen_t *seen = ctx;
  CHECK(event->size >= sizeof *event);
  CHECK(event->thread != 0 && event->time_ns > 0);
  if (event->kind == PROMISE_TRACE_CREATED && event->parent == 0)
    seen->promise = event->id, seen->created++;
  if (event->kind == PROMISE_TRACE_CREATED && event->parent != 0) {
    CHECK(event->parent == seen->promise);
    seen->derived = event->id, seen->created++;
  }
  if (event->kind == PROMISE_TRACE_SETTLED) {
    CHECK(event->id == (seen->settled == 0 ? seen->promise : seen->derived));
    CHECK_INT(event->state, PROMISE_FULFILLED);
    seen->settled++;
  }
  if (event->kind == PROMISE_TRACE_BEGAN) {
    CHECK(event->id == seen->derived && seen->settled == 1);
    seen->began++;
  }
  if (event->kind == PROMISE_TRACE_ENDED) {
    CHECK(event->id == seen->derived && seen->began == 1);
    seen->ended++;
  }
}
static void seen_free(void *ctx) {
  spy_free(&((seen_t *)ctx)->spy);
}

RULE(a_trace_has_every_event, "a trace has the events made, settled and run, in that order") {
  seen_t seen = {.created = 0};
  promise_trace_t trace = {.size = sizeof trace, .event = see, .ctx = &seen, .free_ctx = seen_free};
  CHECK_STATUS(promise_trace_start(&trace), PROMISE_OK);
  promise_t *promise = pending(), *derived = then(promise, 'a');
  resolve(promise, 7);
  CHECK(seen.promise == id_of(promise) && seen.derived == id_of(derived));
  CHECK_INT(seen.created, 2);
  CHECK_INT(seen.settled, 2);
  CHECK_INT(seen.began, 1);
  CHECK_INT(seen.ended, 1);
  CHECK_STATUS(promise_trace_stop(), PROMISE_OK);
  CHECK_SPY(&seen.spy, 0, 1);
  RELEASE(derived, promise);
  release(pending());
  CHECK_INT(seen.created, 2);
}

RULE(a_trace_is_written, "a trace is written as JSON") {
  promise_trace_t trace = {.size = sizeof trace, .capacity = 100};
  CHECK_STATUS(promise_trace_start(&trace), PROMISE_OK);
  promise_t *promise = fulfilled(7);
  CHECK_STATUS(promise_trace_stop(), PROMISE_OK);
  FILE *file = tmpfile();
  REQUIRE(file != NULL);
  CHECK_STATUS(promise_trace_write(fileno(file), PROMISE_TRACE_FORMAT_PERFETTO), PROMISE_OK);
  read_back(file);
  promise_value_t value;
  CHECK_STATUS(promise_value_from_json(&value, written, strlen(written), NULL, NULL), PROMISE_OK);
  const promise_value_t *events = promise_value_find(&value, "traceEvents", strlen("traceEvents"));
  CHECK(events != NULL && promise_value_count(events) >= 2);
  CHECK_STATUS(promise_value_release(&value), PROMISE_OK);
  CHECK_STATUS(promise_trace_write(1, 0), PROMISE_EINVAL);
  CHECK_STATUS(promise_trace_start(NULL), PROMISE_EINVAL);
  release(promise);
}

/* A graph in the language of dot, with an edge for the derivation. */
RULE(a_graph_is_written, "a trace is written as a graph for dot") {
  promise_trace_t trace = {.size = sizeof trace, .capacity = 100};
  CHECK_STATUS(promise_trace_start(&trace), PROMISE_OK);
  promise_t *promise = pending(), *derived = then(promise, 'a');
  resolve(promise, 7);
  CHECK_STATUS(promise_trace_stop(), PROMISE_OK);
  FILE *file = tmpfile();
  REQUIRE(file != NULL);
  CHECK_STATUS(promise_trace_write(fileno(file), PROMISE_TRACE_FORMAT_GRAPHVIZ), PROMISE_OK);
  read_back(file);
  CHECK(strstr(written, "graph") != NULL && strchr(written, '{') > strstr(written, "graph"));
  CHECK(strstr(written, "->") != NULL || strstr(written, "--") != NULL);
  RELEASE(derived, promise);
}

/* Returns whether `written` contains the number, and not only as a part of a longer one. */
static bool has_number(unsigned long long number) {
  char digits[24];
  size_t length = (size_t)snprintf(digits, sizeof digits, "%llu", number);
  for (const char *found = written; (found = strstr(found, digits)) != NULL; found++)
    if ((found == written || !isdigit((unsigned char)found[-1])) && !isdigit((unsigned char)found[length]))
      return true;
  return false;
}

static void counts_events(void *ctx, const promise_trace_event_t *event) {
  (void)event;
  ++*(unsigned long long *)ctx;
}

RULE(overwritten_events_are_counted, "a written trace has the number of the events that were overwritten") {
  unsigned long long count = 0;
  promise_trace_t trace = {.size = sizeof trace, .capacity = 2, .event = counts_events, .ctx = &count};
  CHECK_STATUS(promise_trace_start(&trace), PROMISE_OK);
  while (count < 12345)
    release(fulfilled(7));
  CHECK_STATUS(promise_trace_stop(), PROMISE_OK);
  static const promise_trace_format_t formats[] = {PROMISE_TRACE_FORMAT_PERFETTO, PROMISE_TRACE_FORMAT_GRAPHVIZ};
  for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
    FILE *file = tmpfile();
    REQUIRE(file != NULL);
    CHECK_STATUS(promise_trace_write(fileno(file), formats[i]), PROMISE_OK);
    read_back(file);
    CHECK(has_number(count - trace.capacity));
  }
}
