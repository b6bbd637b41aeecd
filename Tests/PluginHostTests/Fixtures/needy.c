/* needy.c - requires another plugin, and calls it. */
#include "fixture.h"

LOADS_HOST

static promise_t *ask(int64_t x) {
  promise_value_t argument = {.kind = PROMISE_KIND_I64, .as.i64 = x};
  return host->call(host, "org.example.kinds", "whole", &argument, 1);
}

static const char *const required[] = {"org.example.kinds", NULL};
static const promise_plugin_function_t functions[] = {
    FUNCTION("ask(x: i64) -> promise<i64>", ask, "Asks kinds."),
};

PLUGIN("org.example.needy", "Calls another plugin.", load, required, functions)
