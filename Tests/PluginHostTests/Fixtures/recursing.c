/* recursing.c - calls itself through the host. */
#include "fixture.h"

LOADS_HOST

/* Makes that many calls, each nested in the one before. */
static promise_t *recurse(uint32_t levels) {
  promise_value_t value = {.kind = PROMISE_KIND_U64, .as.u64 = levels - 1};
  if (levels > 0)
    return host->call(host, "org.example.recursing", "recurse", &value, 1);
  promise_t *promise = promise_new();
  promise_resolve(promise, &(promise_value_t){.kind = PROMISE_KIND_U64, .as.u64 = 7});
  return promise;
}

static const promise_plugin_function_t functions[] = {
    FUNCTION("recurse(levels: u32) -> promise<u32>", recurse, NULL),
};

PLUGIN("org.example.recursing", NULL, load, NULL, functions)
