/* relay.c - calls a plugin that ends its process, and passes the promise on. */
#include "fixture.h"

LOADS_HOST

static promise_t *crash(void) {
  return host->call(host, "org.example.mortal", "crash", NULL, 0);
}

static const char *const required[] = {"org.example.mortal", NULL};
static const promise_plugin_function_t functions[] = {
    FUNCTION("crash() -> promise<i64>", crash, NULL),
};

PLUGIN("org.example.relay", NULL, load, required, functions)
