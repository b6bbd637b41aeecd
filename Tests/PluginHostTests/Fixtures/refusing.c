/* refusing.c - does not want to be loaded. */
#include "fixture.h"

static promise_status_t load(const promise_host_t *host, promise_value_t *error) {
  (void)host;
  promise_value_error(error, "fixture", 9, "not on a Sunday");
  return -1;
}

static void nothing(void) {}

static const promise_plugin_function_t functions[] = {FUNCTION("nothing()", nothing, NULL)};

PLUGIN("org.example.refusing", "Refuses to be loaded.", load, NULL, functions)
