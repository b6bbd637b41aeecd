/* adder.c - the smallest plugin: one function that does nothing worth measuring. */
#include "promise_plugin.h"

static int32_t add(int32_t left, int32_t right) {
  return left + right;
}

static const promise_plugin_function_t functions[] = {
    {"add(left: i32, right: i32) -> i32", (promise_function_t)add, "The sum of two numbers."},
};

static const promise_plugin_t plugin = {
    .size = sizeof plugin,
    .abi_min = 1,
    .abi_max = PROMISE_ABI_VERSION,
    .function_size = sizeof *functions,
    .id = "benchmarks.adder",
    .version = "1.0.0",
    .functions = functions,
    .function_count = sizeof functions / sizeof *functions,
};

const promise_plugin_t *promise_plugin_entry(uint32_t host_abi) {
  (void)host_abi;
  return &plugin;
}
