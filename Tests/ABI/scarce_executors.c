/* Executors, loops and observers when memory runs out: at each allocation in turn. */
#include <fcntl.h>

#include "scarce.h"

/* ---- Executors and loops that stay, before other tests create them ---- */

/* Requests a global executor, which stays: the attempts repeat the request until the executor exists. */
static promise_status_t kept(promise_executor_t *executor) {
  promise_status_t status = plenty(of(executor));
  promise_executor_release(executor);
  return status;
}
OUT_OF_MEMORY_ONCE(executor_immediate) {
  scarce();
  return kept(promise_executor_immediate());
}
OUT_OF_MEMORY_ONCE(executor_global) {
  scarce();
  return kept(promise_executor_global(PROMISE_PRIORITY_DEFAULT));
}
OUT_OF_MEMORY_ONCE(executor_main) {
  scarce();
  return kept(promise_executor_main());
}

OUT_OF_MEMORY_ONCE(loop_main) {
  scarce();
  promise_loop_t *loop = promise_loop_main();
  promise_status_t status = plenty(of(loop));
  promise_loop_release(loop);
  return status;
}

OUT_OF_MEMORY_ONCE(executor_set_main) {
  promise_executor_t *executor = promise_executor_new(drop_at_once, NULL, NULL);
  scarce();
  promise_status_t status = plenty(promise_executor_set_main(executor));
  promise_executor_set_main(NULL);
  promise_executor_release(executor);
  return status;
}

/* ---- Executors ---- */

OUT_OF_MEMORY(executor_new) {
  spy_t spy = {0};
  scarce();
  promise_executor_t *executor = promise_executor_new(drop_at_once, &spy, spy_free);
  promise_status_t status = plenty(of(executor));
  CHECK_SPY(&spy, 0, executor == NULL);
  promise_executor_release(executor);
  CHECK_SPY(&spy, 0, 1);
  return status;
}

OUT_OF_MEMORY(executor_serial) {
  promise_executor_t *target = promise_executor_new(drop_at_once, NULL, NULL);
  scarce();
  promise_executor_t *executor = promise_executor_serial(target);
  promise_status_t status = plenty(of(executor));
  promise_executor_release(executor);
  promise_executor_release(target);
  return status;
}

OUT_OF_MEMORY(executor_submit) {
  promise_loop_t *loop = promise_loop_new();
  promise_executor_t *executor = promise_loop_executor(loop);
  spy_t spy = {0};
  scarce();
  promise_status_t status = plenty(promise_executor_submit(executor, spy_discard, &spy, spy_free));
  CHECK_SPY(&spy, 0, status != PROMISE_OK);
  CHECK_INT(promise_loop_run_once(loop), status == PROMISE_OK);
  CHECK_SPY(&spy, status == PROMISE_OK, 1);
  promise_executor_release(executor);
  promise_loop_release(loop);
  return status;
}

/* Without memory for a turn the jobs are dropped: no promise stays pending. */
OUT_OF_MEMORY(serial_turn) {
  promise_executor_t *immediate = promise_executor_immediate(), *serial = promise_executor_serial(immediate);
  promise_t *source = promise_new();
  spy_t spy = {0};
  promise_reaction_t reaction = {
      .size = sizeof reaction, .executor = serial, .on_fulfilled = spy_handler, .ctx = &spy, .free_ctx = spy_free};
  promise_t *child = promise_react(source, &reaction);
  REQUIRE(child != NULL);
  scarce();
  CHECK_STATUS(plenty(promise_resolve(source, I64(1))), PROMISE_OK);
  bool has_run = promise_state(child) == PROMISE_FULFILLED;
  CHECK(has_run || failed_with(child, PROMISE_ECLOSED));
  CHECK_SPY(&spy, has_run, 1);
  promise_release(child);
  promise_release(source);
  promise_executor_release(serial);
  promise_executor_release(immediate);
  return has_run ? PROMISE_OK : PROMISE_ENOMEM;
}

/* ---- Loops ---- */

OUT_OF_MEMORY(loop_new) {
  scarce();
  promise_loop_t *loop = promise_loop_new();
  promise_status_t status = plenty(of(loop));
  promise_loop_release(loop);
  return status;
}

/* ---- Observing ---- */

static void takes_line(void *ctx, const char *line, size_t length) {
  (void)line;
  *(size_t *)ctx += length;
}
OUT_OF_MEMORY(dump_lines) {
  size_t length = 0;
  promise_t *promise = promise_new();
  scarce();
  promise_status_t status = plenty(promise_dump_lines(takes_line, &length));
  promise_release(promise);
  return status;
}

static int file;
__attribute__((constructor)) static void open_file(void) {
  FILE *temporary = tmpfile();
  REQUIRE(temporary != NULL);
  file = fileno(temporary);
}

/* Returns whether the whole output is in the file, by its `end`. Empties the file. */
static bool written(const char *end) {
  char last[64] = "";
  off_t length = lseek(file, 0, SEEK_END), size = (off_t)strlen(end);
  CHECK(length < size || pread(file, last, (size_t)size, length - size) == size);
  CHECK(ftruncate(file, 0) == 0 && lseek(file, 0, SEEK_SET) == 0);
  return length >= size && memcmp(last, end, (size_t)size) == 0;
}

OUT_OF_MEMORY(dump) {
  scarce();
  promise_status_t status = plenty(promise_dump(file));
  CHECK_INT(written("while a trace was on\n"), status == PROMISE_OK);
  return status;
}

static void no_event(void *ctx, const promise_trace_event_t *event) {
  (void)ctx, (void)event;
}
OUT_OF_MEMORY(trace_start) {
  spy_t spy = {0};
  promise_trace_t trace = {.size = sizeof trace, .capacity = 100, .event = no_event};
  trace.ctx = &spy, trace.free_ctx = spy_free;
  scarce();
  promise_status_t status = plenty(promise_trace_start(&trace));
  CHECK_SPY(&spy, 0, status != PROMISE_OK);
  promise_trace_stop();
  CHECK_SPY(&spy, 0, 1);
  return status;
}

OUT_OF_MEMORY(trace_write) {
  promise_trace_t trace = {.size = sizeof trace, .capacity = 100};
  CHECK_STATUS(promise_trace_start(&trace), PROMISE_OK);
  promise_release(fulfilled(1));
  scarce();
  promise_status_t status = plenty(promise_trace_write(file, PROMISE_TRACE_FORMAT_PERFETTO));
  CHECK_INT(written("]}\n"), status == PROMISE_OK);
  promise_trace_stop();
  return status;
}

static void no_rejection(void *ctx, uint64_t id, const promise_value_t *reason) {
  (void)ctx, (void)id, (void)reason;
}
OUT_OF_MEMORY(set_hooks) {
  spy_t spy = {0};
  promise_hooks_t hooks = {.size = sizeof hooks, .ctx = &spy, .free_ctx = spy_free};
  hooks.unhandled_rejection = no_rejection;
  scarce();
  promise_status_t status = plenty(promise_set_hooks(&hooks));
  CHECK_SPY(&spy, 0, status != PROMISE_OK);
  promise_set_hooks(NULL);
  CHECK_SPY(&spy, 0, 1);
  return status;
}

OUT_OF_MEMORY(set_thread_hooks) {
  spy_t spy = {0};
  scarce();
  promise_status_t status = plenty(promise_set_thread_hooks(spy_discard, spy_discard, &spy, spy_free));
  CHECK_SPY(&spy, 0, status != PROMISE_OK);
  promise_set_thread_hooks(NULL, NULL, NULL, NULL);
  CHECK_SPY(&spy, 0, 1);
  return status;
}

/* Timers of the main loop for which the clock has no memory are dropped: their promises are settled. */
TEST(timers_that_cannot_move_are_dropped) {
  enum { TIMERS = 1000 };
  static promise_t *sleeps[TIMERS];
  promise_executor_t *other = promise_executor_new(drop_at_once, NULL, NULL);
  for (int i = 0; i < TIMERS; i++)
    sleeps[i] = promise_sleep_on(promise_executor_main(), INT64_MAX);
  scarce_blocks = 0;
  promise_status_t status = promise_executor_set_main(other);
  scarce_blocks = -1;
  CHECK_STATUS(status, PROMISE_OK);
  int dropped = 0;
  for (int i = 0; i < TIMERS; i++) {
    dropped += promise_state(sleeps[i]) == PROMISE_REJECTED;
    promise_discard(sleeps[i]);
    promise_release(sleeps[i]);
  }
  CHECK(dropped > 0);
  CHECK_STATUS(promise_executor_set_main(NULL), PROMISE_OK);
  promise_executor_release(other);
}
