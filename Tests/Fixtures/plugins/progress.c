/* Reports its progress: before its function returns, after that, and for promises that belong to no call. */
#include "fixture.h"

LOADS_HOST

static promise_t *kept;

static void finish(void) {
  promise_resolve(kept, &(promise_value_t){.kind = PROMISE_KIND_VOID});
  host->progress(host, kept, 0.75, "too late");
  promise_release(kept);
}

static promise_t *begin(void) {
  kept = promise_new();
  promise_t *other = promise_new();
  host->progress(host, kept, 0.25, "before it returns");
  host->progress(host, other, 0.5, "of another promise");
  promise_release(other);
  promise_retain(kept);
  return kept;
}

/* Returns a promise that is fulfilled already. */
static promise_t *complete(void) {
  promise_t *promise = begin();
  finish();
  return promise;
}

/* Reports the progress of a promise that give() returns later. */
static void prepare(void) {
  kept = promise_new();
  host->progress(host, kept, 0.125, "before anything can return it");
}

static promise_t *give(void) {
  host->progress(host, kept, 0.25, "before it returns");
  promise_retain(kept);
  return kept;
}

static promise_t *begin_around(void (*inner)(void)) {
  kept = promise_new();
  host->progress(host, kept, 0.25, "before the other call");
  inner();
  promise_retain(kept);
  return kept;
}

static promise_t *begin_with_many(uint32_t count) {
  kept = promise_new();
  for (uint32_t i = 0; i < count; i++)
    host->progress(host, kept, (double)i / count, "one of many");
  promise_retain(kept);
  return kept;
}

static void more(double fraction, const char *message) {
  host->progress(host, kept, fraction, message);
}
static void more_silently(double fraction) {
  host->progress(host, kept, fraction, NULL);
}

static const promise_plugin_function_t functions[] = {
    FUNCTION("begin() -> promise<void>", begin),
    FUNCTION("complete() -> promise<void>", complete),
    FUNCTION("prepare()", prepare),
    FUNCTION("give() -> promise<void>", give),
    FUNCTION("begin_around(inner: fn()) -> promise<void>", begin_around),
    FUNCTION("begin_with_many(count: u32) -> promise<void>", begin_with_many),
    FUNCTION("more(fraction: f64, message: cstr)", more),
    FUNCTION("more_silently(fraction: f64)", more_silently),
    FUNCTION("finish()", finish),
};

PLUGIN("test.progress", .load = load)
