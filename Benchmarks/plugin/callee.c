/* callee.c - a plugin with the functions of callee.h. The peers call the same functions by their names. */
#include "callee.h"

int32_t add(int32_t left, int32_t right) {
  return left + right;
}

uint64_t length_of(promise_str_t text) {
  return text.length;
}

uint64_t size_of(promise_bytes_t data) {
  return data.length;
}

point_t middle(point_t from, point_t to) {
  return (point_t){(from.x + to.x) / 2, (from.y + to.y) / 2};
}

int32_t apply(int32_t (*function)(int32_t), int32_t number) {
  return function(number);
}

static const promise_plugin_function_t functions[] = {
    {"add(left: i32, right: i32) -> i32", (promise_function_t)add, "The sum of two numbers."},
    {"length_of(text: str) -> u64", (promise_function_t)length_of, "The length of a text in bytes."},
    {"size_of(data: bytes) -> u64", (promise_function_t)size_of, "The number of bytes."},
    {"middle(from: {x: f64, y: f64}, to: {x: f64, y: f64}) -> {x: f64, y: f64}", (promise_function_t)middle,
     "The middle of two points."},
    {"apply(function: fn(i32) -> i32, number: i32) -> i32", (promise_function_t)apply,
     "What a function makes of a number."},
};

static const promise_plugin_t plugin = {
    .size = sizeof plugin,
    .abi_min = 1,
    .abi_max = PROMISE_ABI_VERSION,
    .function_size = sizeof *functions,
    .id = "benchmarks.callee",
    .version = "1.0.0",
    .functions = functions,
    .function_count = sizeof functions / sizeof *functions,
};

const promise_plugin_t *promise_plugin_entry(uint32_t host_abi) {
  (void)host_abi;
  return &plugin;
}
