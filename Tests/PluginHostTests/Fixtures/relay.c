/* relay.c - calls a plugin that ends its process, and passes the promise on. */
#include "fixture.h"

static const promise_host_t *host;

static promise_status_t load(const promise_host_t *offered, promise_value_t *error) {
  (void)error;
  host = offered;
  return PROMISE_OK;
}

static promise_t *crash(void) {
  return host->call(host, "org.example.mortal", "crash", NULL, 0);
}

static const char *const required[] = {"org.example.mortal", NULL};
static const promise_plugin_function_t functions[] = {
    FUNCTION("crash() -> promise<i64>", crash, NULL),
};

PLUGIN("org.example.relay", NULL, load, required, functions)
