/* Functions whose results are arguments of each other. */
#define _GNU_SOURCE
#include "fixture.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static promise_t *pending;

/* Returns a promise that open_gate() fulfils. */
static promise_t *gate(void) {
  promise_t *promise = promise_new();
  promise_retain(promise);
  pthread_mutex_lock(&lock);
  pending = promise;
  pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&lock);
  return promise;
}

/* Waits until another thread has called gate(), and takes its promise. */
static promise_t *take_gate(void) {
  pthread_mutex_lock(&lock);
  while (pending == NULL)
    pthread_cond_wait(&changed, &lock);
  promise_t *promise = pending;
  pending = NULL;
  pthread_mutex_unlock(&lock);
  return promise;
}

static void open_gate(int64_t value) {
  promise_t *promise = take_gate();
  promise_resolve(promise, &(promise_value_t){.kind = PROMISE_KIND_I64, .as.i64 = value});
  promise_release(promise);
}

static void fail(void) {
  promise_t *promise = take_gate();
  promise_reject(promise, &(promise_value_t){.kind = PROMISE_KIND_I64, .as.i64 = -7});
  promise_release(promise);
}

/* Tries to open a file, then returns the promise of gate(). */
static promise_t *read_first(const char *path) {
  open(path, O_RDONLY | O_CLOEXEC);
  return gate();
}

/* Tries to create `count` files, named 0, 1 ... */
static void write_many(const char *folder, uint32_t count) {
  for (uint32_t index = 0; index < count; index++) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%u", folder, index);
    open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  }
}

static promise_verdict_t incremented(void *context, const promise_value_t *in, promise_value_t *out) {
  (void)context;
  out->kind = PROMISE_KIND_I64;
  out->as.i64 = in->as.i64 + 1;
  return PROMISE_FULFILL;
}

/* Opens the gate at once, before `number` is settled. */
static void open_beside(promise_t *number) {
  (void)number;
  open_gate(33);
}

static promise_t *next(promise_t *number) {
  return promise_then(number, incremented, NULL, NULL);
}

/* A handler that returns as many KiB as its argument says. */
static promise_verdict_t filled(void *context, const promise_value_t *in, promise_value_t *out) {
  (void)context;
  size_t size = (size_t)in->as.i64 << 10;
  void *data = calloc(1, size);
  promise_value_bytes(out, data, size);
  free(data);
  return PROMISE_FULFILL;
}

static promise_t *large(promise_t *kibibytes) {
  return promise_then(kibibytes, filled, NULL, NULL);
}

static promise_verdict_t same_data(void *context, const promise_value_t *in, promise_value_t *out) {
  (void)context;
  *out = *in;
  promise_value_retain(out);
  return PROMISE_FULFILL;
}

static promise_t *same(promise_t *data) {
  return promise_then(data, same_data, NULL, NULL);
}

static promise_verdict_t measured(void *context, const promise_value_t *in, promise_value_t *out) {
  (void)context;
  size_t size = 0;
  promise_value_data(in, &size);
  out->kind = PROMISE_KIND_I64;
  out->as.i64 = (int64_t)size;
  return PROMISE_FULFILL;
}

static promise_t *size(promise_t *data) {
  return promise_then(data, measured, NULL, NULL);
}

static promise_t *second(promise_t *one, promise_t *two) {
  (void)one;
  return size(two);
}

/* Returns the number of resident pages of this process that are not shared. */
static uint64_t resident(void) {
  unsigned long all = 0, present = 0, shared = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  if (file == NULL || fscanf(file, "%lu %lu %lu", &all, &present, &shared) != 3)
    abort();
  fclose(file);
  return present - shared;
}

static int64_t value(int64_t value) {
  return value;
}

static int64_t ask(int64_t (*body)(void)) {
  return body();
}

/* Writes a line. */
static void say(void) {
  fputs("said\n", stderr);
}

static void die(void) {
  abort();
}

LOADS_HOST

static void call_nobody(void *context, const promise_trace_event_t *event) {
  (void)context;
  (void)event;
  promise_release(host->call(host, "test.nobody", "nothing", NULL, 0));
}

/* Calls a function of another plugin at each event of the promises of this process. */
static void call_at_events(void) {
  promise_trace_start(&(promise_trace_t){.size = sizeof(promise_trace_t), .event = call_nobody});
}

static const promise_plugin_function_t functions[] = {
    FUNCTION("gate() -> promise<i64>", gate),
    FUNCTION("open_gate(value: i64)", open_gate),
    FUNCTION("open_beside(number: promise<i64>)", open_beside),
    FUNCTION("fail()", fail),
    FUNCTION("read_first(path: cstr) -> promise<i64>", read_first),
    FUNCTION("write_many(folder: cstr, count: u32)", write_many),
    FUNCTION("large(kibibytes: promise<i64>) -> promise<bytes>", large),
    FUNCTION("size(data: promise<bytes>) -> promise<i64>", size),
    FUNCTION("same(data: promise<bytes>) -> promise<bytes>", same),
    FUNCTION("second(one: promise<bytes>, two: promise<bytes>) -> promise<i64>", second),
    FUNCTION("resident() -> u64", resident),
    FUNCTION("next(number: promise<i64>) -> promise<i64>", next),
    FUNCTION("value(value: i64) -> i64", value),
    FUNCTION("ask(body: fn() -> i64) -> i64", ask),
    FUNCTION("say()", say),
    FUNCTION("die()", die),
    FUNCTION("call_at_events()", call_at_events),
};

PLUGIN("test.chain", .load = load)
