/* Reports the thread that each piece of its code runs on. */
#define _GNU_SOURCE
#include "fixture.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

static const promise_host_t *host;
static pthread_t own;
static atomic_int inside;

/* Returns whether the caller runs on the thread that ran the initialiser. */
static bool is_own(void) {
  return pthread_equal(pthread_self(), own);
}

static void note(const char *place) {
  char text[64];
  snprintf(text, sizeof text, "%s %s", place, is_own() ? "here" : "elsewhere");
  host->log(host, PROMISE_LOG_INFO, text);
}

__attribute__((constructor)) static void initialise(void) {
  own = pthread_self();
}

static promise_status_t load(const promise_host_t *offered, promise_value_t *error) {
  (void)error;
  host = offered;
  note("load");
  return PROMISE_OK;
}

static void unload(void) {
  note("unload");
}

/* Returns the calling thread; 0 if another call runs at the same time, or if the thread is not that of the
 * initialiser. */
static uint64_t thread(void) {
  bool is_alone = atomic_fetch_add(&inside, 1) == 0;
  uint64_t self = (uint64_t)pthread_self();
  atomic_fetch_sub(&inside, 1);
  return is_alone && is_own() ? self : 0;
}

/* Makes an object of a text. Its destructor reports its thread. */
static char *make(const char *text) {
  return strdup(text);
}

void destroy(char *text) {
  note("destroy");
  free(text);
}

static void (*on_discard)(void);

/* Sets the closure that discard blocks call. */
static void set_on_discard(void (*body)(void)) {
  on_discard = body;
}

static void discarded(void *context) {
  (void)context;
  note("discard");
  if (on_discard != NULL)
    on_discard();
}

static promise_t *never(void) {
  promise_t *promise = promise_new_discardable(discarded, NULL, NULL);
  promise_retain(promise);
  return promise;
}

static promise_t *never_after(void (*body)(void)) {
  body();
  return never();
}

static uint64_t with(uint64_t (*body)(void)) {
  return body();
}

/* Calls thread() of another plugin. */
static promise_t *other(const char *plugin) {
  return host->call(host, plugin, "thread", NULL, 0);
}

static int32_t last_error(int32_t number) {
  if (number < 0)
    return errno;
  errno = is_own() ? number : 0;
  return number;
}

static const promise_plugin_function_t functions[] = {
    FUNCTION("process() -> i32", getpid),
    FUNCTION("thread() -> u64", thread),
    FUNCTION("make(text: cstr) -> own(destroy) ptr<Text>", make),
    FUNCTION("never() -> promise<void>", never),
    FUNCTION("on_discard(body: fn() @forever)", set_on_discard),
    FUNCTION("never_after(body: fn()) -> promise<void>", never_after),
    FUNCTION("with(body: fn() -> u64) -> u64", with),
    FUNCTION("other(plugin: cstr) -> promise<u64>", other),
    FUNCTION("last_error(number: i32) -> i32", last_error),
};

#ifndef ID
#define ID "test.affine"
#endif

PLUGIN(ID, .load = load, .unload = unload)
