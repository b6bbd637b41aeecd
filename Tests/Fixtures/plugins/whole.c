/* A plugin without a defect. */
#include "fixture.h"

static int32_t add(int32_t left, int32_t right) {
  return (int32_t)((uint32_t)left + (uint32_t)right);
}

static const promise_plugin_function_t functions[] = {
    {"add( left:i32,right : i32=2 )->i32", (promise_function_t)add, "The sum of two numbers."},
};

PLUGIN("test.whole", .description = "Adds.")
