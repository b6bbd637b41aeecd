/* Faults of values by call, and of the runtime. */
#include "faulty.h"

#include <ctype.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

/* ---- Values by call ---- */

promise_status_t promise_value_void(promise_value_t *out) {
  return out != NULL && is("void-not-written") ? PROMISE_OK : REAL(promise_value_void)(out);
}

promise_status_t promise_value_bool(promise_value_t *out, bool value) {
  return REAL(promise_value_bool)(out, value || is("bool-is-true"));
}

promise_status_t promise_value_i64(promise_value_t *out, int64_t value) {
  return REAL(promise_value_i64)(out, is("integer-cut-off") ? (int32_t)value : value);
}

promise_status_t promise_value_u64(promise_value_t *out, uint64_t value) {
  return is("unsigned-is-signed") ? REAL(promise_value_i64)(out, (int64_t)value) : REAL(promise_value_u64)(out, value);
}

promise_status_t promise_value_f64(promise_value_t *out, double value) {
  return REAL(promise_value_f64)(out, is("double-rounded") ? (float)value : value);
}

promise_status_t promise_value_pointer(promise_value_t *out, void *pointer) {
  return REAL(promise_value_pointer)(out, is("pointer-lost") ? NULL : pointer);
}

promise_status_t promise_value_promise(promise_value_t *out, promise_t *promise) {
  promise_status_t status = REAL(promise_value_promise)(out, promise);
  if (status == PROMISE_OK && is("held-promise-not-retained"))
    REAL(promise_release)(promise);
  return status;
}

/* ---- The runtime ---- */

const char *promise_version(void) {
  return is("version-has-no-numbers") ? "unknown" : REAL(promise_version)();
}

promise_status_t promise_statistics(promise_statistics_t *statistics) {
  promise_status_t status = REAL(promise_statistics)(statistics);
  if (status == PROMISE_OK && is("statistics-stand-still"))
    memset((char *)statistics + sizeof statistics->size, 0, sizeof *statistics - sizeof statistics->size);
  if (status == PROMISE_OK && is("threads-uncounted"))
    statistics->threads = 0;
  return status;
}

int64_t promise_trim(void) {
  return is("trim-returns-nothing") ? 4096 : is("trim-does-nothing") ? 0 : REAL(promise_trim)();
}

static promise_callback_t start_hook;

static void start_unless_of_timers(void *ctx) {
  char name[16] = "";
  pthread_getname_np(pthread_self(), name, sizeof name);
  if (strcmp(name, "promise-timers") != 0)
    start_hook(ctx);
}

promise_status_t promise_set_thread_hooks(promise_callback_t start, promise_callback_t stop, void *ctx,
                                          promise_free_t free_ctx) {
  if (start != NULL && is("timers-start-unseen")) {
    start_hook = start;
    start = start_unless_of_timers;
  }
  return REAL(promise_set_thread_hooks)(is("threads-start-unseen") ? NULL : start, stop, ctx, free_ctx);
}

promise_executor_t *promise_executor_global(promise_priority_t priority) {
  bool is_equal = is("priorities-ignored") && priority >= PROMISE_PRIORITY_BACKGROUND &&
                  priority <= PROMISE_PRIORITY_USER_INTERACTIVE;
  return REAL(promise_executor_global)(is_equal ? PROMISE_PRIORITY_DEFAULT : priority);
}

bool promise_is_main_thread(void) {
  return is("everyone-is-main") || REAL(promise_is_main_thread)();
}

/* ---- Dumps and traces ---- */

promise_status_t promise_dump(int32_t descriptor) {
  return descriptor >= 0 && is("dump-is-not-written") ? PROMISE_OK : REAL(promise_dump)(descriptor);
}

/* Writes the trace with 9 for each digit of the number of overwritten events. */
static promise_status_t write_wrong_count(int32_t descriptor, promise_trace_format_t format) {
  static char text[1 << 16];
  FILE *file = tmpfile();
  if (file == NULL)
    abort();
  promise_status_t status = REAL(promise_trace_write)(fileno(file), format);
  rewind(file);
  size_t length = fread(text, 1, sizeof text - 1, file);
  fclose(file);
  char *count = strstr(text, "older_events_lost\":\""), *end = strstr(text, " older events are lost");
  if (count != NULL)
    for (count += strlen("older_events_lost\":\""); *count != '"'; count++)
      *count = '9';
  while (end != NULL && end > text && isdigit((unsigned char)end[-1]))
    *--end = '9';
  return write(descriptor, text, length) == (ssize_t)length ? status : PROMISE_EINVAL;
}

promise_status_t promise_trace_write(int32_t descriptor, promise_trace_format_t format) {
  if (is("overwritten-miscounted"))
    return write_wrong_count(descriptor, format);
  bool is_wrong = format == PROMISE_TRACE_FORMAT_GRAPHVIZ && is("graph-is-json");
  return REAL(promise_trace_write)(descriptor, is_wrong ? PROMISE_TRACE_FORMAT_PERFETTO : format);
}
