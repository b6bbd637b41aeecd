/* Calls functions of other plugins by id and name, and returns the promise. It calls libpromise through the host's
 * table only. */
#include "fixture.h"

#include <poll.h>
#include <pthread.h>
#include <unistd.h>

static const promise_host_t *host;
static promise_status_t (*make_string)(promise_value_t *, const char *, size_t);
static promise_status_t (*make_bytes)(promise_value_t *, const void *, size_t);
static promise_status_t (*release_value)(promise_value_t *);
static promise_status_t (*discard)(promise_t *);
static promise_status_t (*release)(promise_t *);
static promise_t *(*then)(promise_t *, promise_handler_t, void *, promise_free_t);

static promise_status_t load(const promise_host_t *offered, promise_value_t *error) {
  (void)error;
  host = offered;
  make_string =
      (promise_status_t(*)(promise_value_t *, const char *, size_t))host->function(host, "promise_value_string");
  make_bytes =
      (promise_status_t(*)(promise_value_t *, const void *, size_t))host->function(host, "promise_value_bytes");
  release_value = (promise_status_t(*)(promise_value_t *))host->function(host, "promise_value_release");
  discard = (promise_status_t(*)(promise_t *))host->function(host, "promise_discard");
  release = (promise_status_t(*)(promise_t *))host->function(host, "promise_release");
  then = (promise_t * (*)(promise_t *, promise_handler_t, void *, promise_free_t)) host->function(host, "promise_then");
  return PROMISE_OK;
}

static promise_t *add(int64_t left, int64_t right) {
  promise_value_t arguments[] = {{.kind = PROMISE_KIND_I64, .as.i64 = left},
                                 {.kind = PROMISE_KIND_I64, .as.i64 = right}};
  return host->call(host, "test.whole", "add", arguments, 2);
}

static promise_t *add_default(int64_t left) {
  promise_value_t arguments[] = {{.kind = PROMISE_KIND_I64, .as.i64 = left}};
  return host->call(host, "test.whole", "add", arguments, 1);
}

static uint32_t leaf(void) {
  return 7;
}

/* Calls recurse() of `plugin`, which calls recurse() of `next`, and so on, `levels` deep; then calls leaf(). */
static promise_t *recurse(promise_str_t plugin, promise_str_t next, uint32_t levels) {
  char name[64] = {0};
  memcpy(name, plugin.data, plugin.length < sizeof name ? plugin.length : sizeof name - 1);
  if (levels == 0)
    return host->call(host, name, "leaf", NULL, 0);
  promise_value_t arguments[3] = {0};
  make_string(&arguments[0], next.data, next.length);
  make_string(&arguments[1], plugin.data, plugin.length);
  arguments[2] = (promise_value_t){.kind = PROMISE_KIND_U64, .as.u64 = levels - 1};
  promise_t *promise = host->call(host, name, "recurse", arguments, 3);
  release_value(&arguments[0]);
  release_value(&arguments[1]);
  return promise;
}

static uint32_t with(uint32_t (*body)(void)) {
  return body();
}

static promise_t *call(const char *plugin, const char *function) {
  return host->call(host, plugin, function, NULL, 0);
}

/* Passes a number to the callback, and returns its answer. */
static promise_verdict_t passed(void *body, const promise_value_t *in, promise_value_t *out) {
  out->kind = PROMISE_KIND_I64;
  out->as.i64 = ((int32_t(*)(int32_t))body)((int32_t)in->as.i64);
  return PROMISE_FULFILL;
}

/* Calls a function of another plugin, and the callback with its result. */
static promise_t *relay(const char *plugin, const char *function, int32_t (*body)(int32_t)) {
  promise_t *result = host->call(host, plugin, function, NULL, 0);
  promise_t *relayed = then(result, passed, (void *)body, NULL);
  release(result);
  return relayed;
}

static promise_t *misuse(int32_t how) {
  const char *volatile null = NULL;
  promise_value_t forged = {.kind = PROMISE_KIND_STRING, .as.ptr = &host};
  promise_value_t unknown = {.kind = 77};
  promise_value_t stale = {.kind = PROMISE_KIND_PROMISE, .as.ptr = (void *)(uintptr_t)0xdeadbeef};
  switch (how) {
  case 0:
    return host->call(host, null, "add", NULL, 0);
  case 1:
    return host->call(host, "test.whole", null, NULL, 0);
  case 2:
    return host->call(host, "test.whole", "add", NULL, 2);
  case 3:
    return host->call(host, "test.types", "str", &forged, 1);
  case 4:
    return host->call(host, "test.types", "i32", &unknown, 1);
  case 5:
    return host->call(host, "test.promises", "twofold", &stale, 1);
  default:
    return host->call(host, "test.whole", "add", &unknown, SIZE_MAX);
  }
}

/* Releases the bytes at once, because the host keeps the arguments for the called function. */
static promise_t *sum(promise_bytes_t data) {
  promise_value_t argument;
  make_bytes(&argument, data.data, data.length);
  promise_t *promise = host->call(host, "test.promises", "sum", &argument, 1);
  release_value(&argument);
  return promise;
}

static promise_t *echo(promise_str_t text) {
  promise_value_t argument;
  make_string(&argument, text.data, text.length);
  promise_t *promise = host->call(host, "test.types", "str", &argument, 1);
  release_value(&argument);
  return promise;
}

/* Passes a promise of a text for a parameter that is a promise of a number. */
static promise_t *twofold(promise_t *text) {
  promise_value_t argument = {.kind = PROMISE_KIND_PROMISE, .as.ptr = text};
  return host->call(host, "test.promises", "twofold", &argument, 1);
}

/* Discards and releases the promise of a call. Returns whether that was the only reference. */
static bool start_and_discard(promise_bytes_t data) {
  promise_t *promise = sum(data);
  discard(promise);
  release(promise);
  return release(promise) == PROMISE_ESTALE;
}

/* Pauses now and then: a host that is in a call all the time is not destroyed. */
static void *calls_for_ever(void *unused) {
  for (;;) {
    for (int count = 0; count < 16; count++)
      release(host->call(host, "test.nobody", "nothing", NULL, 0));
    poll(NULL, 0, 10);
  }
  return unused;
}

/* Starts a thread that calls for as long as the process lives. */
static void flood(void) {
  pthread_t thread;
  if (pthread_create(&thread, NULL, calls_for_ever, NULL) == 0)
    pthread_detach(thread);
}

static const promise_plugin_function_t functions[] = {
    FUNCTION("process() -> i32", getpid),
    FUNCTION("add(left: i64, right: i64) -> promise<i32>", add),
    FUNCTION("add_default(left: i64) -> promise<i32>", add_default),
    FUNCTION("leaf() -> u32", leaf),
    FUNCTION("recurse(plugin: str, next: str, levels: u32) -> promise<u32>", recurse),
    FUNCTION("with(body: fn() -> u32) -> u32", with),
    FUNCTION("call(plugin: cstr, function: cstr) -> promise<i32>", call),
    FUNCTION("relay(plugin: cstr, function: cstr, body: fn(i32) -> i32 @settled) -> promise<i32>", relay),
    FUNCTION("misuse(how: i32) -> promise<i32>", misuse),
    FUNCTION("sum(data: bytes) -> promise<u64>", sum),
    FUNCTION("as_number(text: promise<str>) -> promise<i64>", twofold),
    FUNCTION("twofold(number: promise<i64>) -> promise<i64>", twofold),
    FUNCTION("echo(text: str) -> promise<str>", echo),
    FUNCTION("start_and_discard(data: bytes) -> bool", start_and_discard),
    FUNCTION("flood()", flood),
};

#ifndef ID
#define ID "test.caller"
#endif

PLUGIN(ID, .load = load)
