/* promise_trace_write: the JSON is valid, with the fields that Perfetto needs; the graph is valid for dot. */
#include <errno.h>

#include "trace.h"

static char written[1 << 20];

static void write_trace(promise_trace_format_t format) {
  FILE *file = tmpfile();
  REQUIRE(file != NULL);
  CHECK_STATUS(promise_trace_write(fileno(file), format), PROMISE_OK);
  rewind(file);
  size_t length = fread(written, 1, sizeof written - 1, file);
  written[length] = '\0';
  fclose(file);
}

static void record(uint64_t capacity) {
  promise_trace_t trace = {.size = sizeof trace, .capacity = capacity};
  REQUIRE(promise_trace_start(&trace) == PROMISE_OK);
}

/* The traced program: a promise, a derived one, an observer, work of a second thread, and a destroyed promise. */
static void make_events(void) {
  promise_t *promise = promise_new(), *derived = promise_then(promise, adds_one, NULL, NULL);
  promise_observe(derived, ignore_value, ignore_value, NULL, NULL);
  finish(start(resolve_there, promise));
  RELEASE(derived, promise);
  promise_release(rejected(7));
  promise_release(promise_new());
}

static const promise_value_t *member(const promise_value_t *map, const char *key) {
  const promise_value_t *found = promise_value_find(map, key, strlen(key));
  return found;
}
static const char *text_of(const promise_value_t *map, const char *key) {
  const promise_value_t *found = member(map, key);
  return found != NULL ? promise_value_data(found, NULL) : NULL;
}

/* Returns the number of events with that phase. */
static int count_phase(const promise_value_t *events, char phase) {
  int count = 0;
  for (size_t i = 0; i < promise_value_count(events); i++)
    count += text_of(promise_value_at(events, i), "ph")[0] == phase;
  return count;
}

TEST(perfetto) {
  record(1000);
  make_events();
  promise_trace_stop();
  write_trace(PROMISE_TRACE_FORMAT_PERFETTO);
  promise_value_t all = json(written);
  const promise_value_t *events = member(&all, "traceEvents");
  REQUIRE(events != NULL && events->kind == PROMISE_KIND_ARRAY);
  CHECK_INT(count_phase(events, 'M'), 1);
  CHECK_INT(count_phase(events, 'b'), 4);
  CHECK_INT(count_phase(events, 'e'), 4);
  CHECK_INT(count_phase(events, 'B'), 2);
  CHECK_INT(count_phase(events, 'E'), 2);
  CHECK_INT(count_phase(events, 'X'), 3);
  CHECK_INT(count_phase(events, 's'), 2);
  CHECK_INT(count_phase(events, 'f'), 2);
  for (size_t i = 0; i < promise_value_count(events); i++) {
    const promise_value_t *event = promise_value_at(events, i);
    CHECK(member(event, "pid") != NULL && member(event, "tid") != NULL && member(event, "ts") != NULL);
    CHECK(text_of(event, "ph")[0] == 'E' || text_of(event, "name") != NULL);
  }
  CHECK_TEXT(text_of(member(&all, "otherData"), "older_events_lost"), "0");
  promise_value_release(&all);
}

static int64_t integer(const promise_value_t *map, const char *key) {
  const promise_value_t *found = member(map, key);
  return found != NULL && found->kind == PROMISE_KIND_I64 ? found->as.i64 : -1;
}

static bool was_seen(const watch_t *watch, const promise_value_t *written_event) {
  const promise_value_t *microseconds = member(written_event, "ts");
  for (int i = 0; i < watch->count; i++)
    if (watch->events[i].thread == integer(written_event, "tid") &&
        watch->events[i].time_ns == (int64_t)(microseconds->as.f64 * 1000 + 0.5))
      return true;
  return false;
}

/* A written event has the thread and the time of its recording. Both ends of an arrow have its number. */
TEST(threads_times_and_numbers_of_arrows) {
  watch_t watch = {0};
  trace_to(&watch, 1000);
  make_events();
  untrace(&watch);
  write_trace(PROMISE_TRACE_FORMAT_PERFETTO);
  promise_value_t all = json(written);
  const promise_value_t *events = member(&all, "traceEvents");
  int64_t arrow = -1;
  for (size_t i = 1; i < promise_value_count(events); i++) {
    const promise_value_t *event = promise_value_at(events, i);
    CHECK(was_seen(&watch, event));
    if (text_of(event, "ph")[0] == 's') {
      CHECK(integer(event, "id") > arrow);
      arrow = integer(event, "id");
      CHECK_INT(integer(promise_value_at(events, i + 1), "id"), arrow);
    }
  }
  CHECK(arrow >= 0);
  promise_value_release(&all);
}

/* An event of a callback on an executor names the executor by its address. */
TEST(a_callback_names_its_executor) {
  promise_executor_t *executor = promise_executor_serial(promise_executor_immediate());
  promise_reaction_t reaction = {.size = sizeof reaction, .executor = executor, .on_fulfilled = adds_one};
  promise_t *promise = fulfilled(1);
  record(100);
  promise_t *derived = promise_react(promise, &reaction);
  promise_trace_stop();
  write_trace(PROMISE_TRACE_FORMAT_PERFETTO);
  promise_value_t all = json(written);
  const promise_value_t *events = member(&all, "traceEvents");
  char expected[32];
  snprintf(expected, sizeof expected, "%p", (void *)executor);
  for (size_t i = 0; i < promise_value_count(events); i++) {
    const promise_value_t *event = promise_value_at(events, i);
    if (text_of(event, "ph")[0] == 'B')
      CHECK_TEXT(text_of(member(event, "args"), "executor"), expected);
  }
  CHECK_INT(count_phase(events, 'B'), 1);
  promise_value_release(&all);
  RELEASE(derived, promise);
  promise_executor_release(executor);
}

/* Returns the first event with that phase and, unless `promise` is NULL, with that promise: its id, or an argument. */
static const promise_value_t *event_of(const promise_value_t *events, char phase, promise_t *promise) {
  char id[32];
  snprintf(id, sizeof id, "%p", (void *)promise);
  for (size_t i = 0; i < promise_value_count(events); i++) {
    const promise_value_t *event = promise_value_at(events, i), *args = member(event, "args");
    if (text_of(event, "ph")[0] != phase)
      continue;
    const char *const ids[] = {phase == 'b' || phase == 'e' ? text_of(event, "id") : NULL,
                               phase == 'B' ? text_of(args, "id") : NULL,
                               phase == 'X' ? text_of(args, "promise") : NULL};
    for (int j = 0; j < 3; j++)
      if (promise == NULL || (ids[j] != NULL && strcmp(ids[j], id) == 0))
        return event;
  }
  return NULL;
}

TEST(sources_outcomes_and_arrows) {
  char source[32];
  record(100);
  promise_t *promise = promise_new(), *derived = promise_then(promise, adds_one, NULL, NULL), *lost = promise_new();
  promise_resolve(promise, I64(1));
  promise_t *bad = rejected(7);
  promise_release(lost);
  promise_trace_stop();
  write_trace(PROMISE_TRACE_FORMAT_PERFETTO);
  promise_value_t all = json(written);
  const promise_value_t *events = member(&all, "traceEvents");
  snprintf(source, sizeof source, "%p", (void *)promise);
  CHECK_TEXT(text_of(member(event_of(events, 'b', derived), "args"), "made of"), source);
  CHECK_POINTER(member(member(event_of(events, 'b', promise), "args"), "made of"), NULL);
  CHECK_TEXT(text_of(member(event_of(events, 'B', derived), "args"), "of"), source);
  CHECK_TEXT(text_of(member(event_of(events, 'e', derived), "args"), "ended"), "fulfilled");
  CHECK_TEXT(text_of(member(event_of(events, 'e', bad), "args"), "ended"), "rejected");
  CHECK_TEXT(text_of(member(event_of(events, 'e', lost), "args"), "ended"), "dropped pending");
  CHECK_TEXT(text_of(event_of(events, 'X', promise), "name"), "fulfill");
  CHECK_TEXT(text_of(event_of(events, 'X', bad), "name"), "reject");
  /* The arrow leads from the settlement of the source to the callback. */
  CHECK(values_equal(member(event_of(events, 's', NULL), "ts"), member(event_of(events, 'X', promise), "ts")));
  CHECK(values_equal(member(event_of(events, 'f', NULL), "ts"), member(event_of(events, 'B', derived), "ts")));
  promise_value_release(&all);
  RELEASE(bad, derived, promise);
}

TEST(the_newest_events_are_kept_and_the_lost_are_counted) {
  record(3);
  for (int i = 0; i < 10; i++)
    make_events();
  write_trace(PROMISE_TRACE_FORMAT_PERFETTO);
  promise_value_t all = json(written);
  CHECK_TEXT(text_of(member(&all, "otherData"), "events"), "3");
  CHECK(atoi(text_of(member(&all, "otherData"), "older_events_lost")) > 10);
  const promise_value_t *events = member(&all, "traceEvents");
  /* The last three events are a rejection, a creation and a destruction. */
  CHECK_INT(count_phase(events, 'X'), 1);
  CHECK_INT(count_phase(events, 'b'), 1);
  CHECK_INT(count_phase(events, 'e'), 1);
  promise_value_release(&all);
  write_trace(PROMISE_TRACE_FORMAT_GRAPHVIZ);
  CHECK(strstr(written, "older events are lost\"") != NULL);
  promise_trace_stop();
}

/* A recording may lose its oldest events; each written end still has its begin. */
TEST(a_recording_that_is_cut_is_balanced) {
  for (uint64_t capacity = 1; capacity < 24; capacity++) {
    record(capacity);
    make_events();
    promise_trace_stop();
    write_trace(PROMISE_TRACE_FORMAT_PERFETTO);
    promise_value_t all = json(written);
    const promise_value_t *events = member(&all, "traceEvents");
    CHECK(count_phase(events, 'B') >= count_phase(events, 'E'));
    CHECK(count_phase(events, 'b') >= count_phase(events, 'e'));
    CHECK_INT(count_phase(events, 's'), count_phase(events, 'f'));
    promise_value_release(&all);
  }
}

/* Functions that read the subset of dot's language that is written: strict, with one statement a line. */
static bool reads_id(const char **at) {
  if (strncmp(*at, "\"0x", 3) != 0)
    return false;
  size_t digits = strspn(*at + 3, "0123456789abcdef");
  if (digits == 0 || digits > 16 || (*at)[3 + digits] != '"')
    return false;
  *at += 4 + digits;
  return true;
}
static bool reads_text(const char **at) {
  if (**at != '"')
    return false;
  for (++*at; **at != '"'; ++*at) {
    if (**at == '\0' || **at == '\n' || (**at == '\\' && *++*at != 'n'))
      return false;
  }
  ++*at;
  return true;
}
static bool skips(const char **at, const char *expected) {
  size_t length = strlen(expected);
  if (strncmp(*at, expected, length) != 0)
    return false;
  *at += length;
  return true;
}
static bool reads_statement(const char **at, int *nodes, int *edges) {
  if (skips(at, "rankdir=LR;\n") || skips(at, "node [shape=box];\n"))
    return true;
  if (skips(at, "label="))
    return reads_text(at) && skips(at, ";\n");
  if (!reads_id(at))
    return false;
  if (skips(at, " -> "))
    return ++*edges, reads_id(at) && skips(at, ";\n");
  ++*nodes;
  if (!skips(at, " [label="))
    return false;
  bool is_callback = strncmp(*at, "\"callback ", 10) == 0, is_ellipse = false;
  if (!reads_text(at))
    return false;
  while (skips(at, ", ")) {
    is_ellipse = strncmp(*at, "shape=ellipse]", 14) == 0;
    if (!skips(at, "color=red") && !skips(at, "color=green") && !skips(at, "style=dashed") &&
        !skips(at, "shape=ellipse"))
      return false;
  }
  return is_ellipse == is_callback && skips(at, "];\n");
}

/* Checks the graph by dot itself, if dot is installed. */
static void give_to_dot(void) {
  if (system("command -v dot > /dev/null") != 0)
    return;
  FILE *dot = popen("dot -Tcanon > /dev/null", "w");
  REQUIRE(dot != NULL);
  CHECK(fputs(written, dot) >= 0);
  CHECK_INT(pclose(dot), 0);
}

TEST(graphviz) {
  record(1000);
  make_events();
  promise_trace_stop();
  write_trace(PROMISE_TRACE_FORMAT_GRAPHVIZ);
  const char *at = written;
  int nodes = 0, edges = 0;
  CHECK(skips(&at, "digraph promises {\n"));
  while (skips(&at, "  "))
    REQUIRE(reads_statement(&at, &nodes, &edges));
  CHECK_TEXT(at, "}\n");
  CHECK_INT(nodes, 5);
  CHECK_INT(edges, 2);
  CHECK(strstr(written, "\\nfulfilled after ") != NULL && strstr(written, "\\nrejected after ") != NULL);
  CHECK(strstr(written, "\\npending\", style=dashed") != NULL && strstr(written, "callback 0x") != NULL);
  give_to_dot();
}

/* Returns the text after `outcome` in the node of a promise, or "". */
static const char *node_behind(promise_t *promise, const char *outcome) {
  char begin[128];
  snprintf(begin, sizeof begin, "\"%p\" [label=\"%p\\n%s after ", (void *)promise, (void *)promise, outcome);
  const char *at = strstr(written, begin);
  return at != NULL ? at + strlen(begin) : "";
}

TEST(nodes_have_outcomes_and_times) {
  record(100);
  int64_t before = now();
  promise_t *good = fulfilled(1), *bad = rejected(7);
  double most = (double)(now() - before) / 1000;
  promise_trace_stop();
  write_trace(PROMISE_TRACE_FORMAT_GRAPHVIZ);
  double microseconds;
  char colour[16] = "";
  CHECK_INT(sscanf(node_behind(good, "fulfilled"), "%lf us\", color=%15[a-z]];", &microseconds, colour), 2);
  CHECK_TEXT(colour, "green");
  CHECK(microseconds >= 0 && microseconds <= most);
  CHECK_INT(sscanf(node_behind(bad, "rejected"), "%lf us\", color=%15[a-z]];", &microseconds, colour), 2);
  CHECK_TEXT(colour, "red");
  CHECK(microseconds >= 0 && microseconds <= most);
  RELEASE(good, bad);
}

TEST(nothing_recorded) {
  record(1);
  promise_trace_stop();
  write_trace(PROMISE_TRACE_FORMAT_PERFETTO);
  promise_value_t all = json(written);
  CHECK_INT(promise_value_count(member(&all, "traceEvents")), 1);
  promise_value_release(&all);
  write_trace(PROMISE_TRACE_FORMAT_GRAPHVIZ);
  CHECK_TEXT(written, "digraph promises {\n  rankdir=LR;\n  node [shape=box];\n}\n");
}

TEST(where_nothing_can_be_written) {
  CHECK_STATUS(promise_trace_write(1, 0), PROMISE_EINVAL);
  CHECK_STATUS(promise_trace_write(1, 3), PROMISE_EINVAL);
  for (promise_trace_format_t format = 1; format <= 2; format++) {
    errno = 0;
    CHECK_STATUS(promise_trace_write(-1, format), PROMISE_EINVAL);
    CHECK_INT(errno, EBADF);
  }
}
