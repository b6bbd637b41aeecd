/* A table of functions with one defect, given by -DROWS=... */
#include "fixture.h"

static int32_t one(void) {
  return 1;
}

static const promise_plugin_function_t functions[] = {FUNCTION("one() -> i32", one), ROWS};

PLUGIN("test.functions", .required = NULL)
