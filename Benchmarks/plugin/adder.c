/* adder.c - the smallest plugin: functions that do nothing worth measuring. */
#include "promise_plugin.h"

static int32_t add(int32_t left, int32_t right) {
  return left + right;
}

static uint64_t length(promise_str_t text) {
  return text.length;
}

struct point {
  double x, y, z;
};

static struct point middle(struct point left, struct point right) {
  return (struct point){(left.x + right.x) / 2, (left.y + right.y) / 2, (left.z + right.z) / 2};
}

#define POINT "{x: f64, y: f64, z: f64}"

static const promise_plugin_function_t functions[] = {
    {"add(left: i32, right: i32) -> i32", (promise_function_t)add, "The sum of two numbers."},
    {"length(text: str) -> u64", (promise_function_t)length, "The bytes of a text."},
    {"middle(left: " POINT ", right: " POINT ") -> " POINT, (promise_function_t)middle, "The point in the middle."},
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
