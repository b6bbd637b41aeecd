/* chain.c - a plugin whose calls depend on each other: next() takes the result of an earlier call. */
#include "promise_plugin.h"

PROMISE_API int64_t first(int64_t number);
PROMISE_API promise_t *next(promise_t *number);

int64_t first(int64_t number) {
  return number;
}

static promise_verdict_t incremented(void *context, const promise_value_t *in, promise_value_t *out) {
  (void)context;
  out->kind = PROMISE_KIND_I64;
  out->as.i64 = in->as.i64 + 1;
  return PROMISE_FULFILL;
}

promise_t *next(promise_t *number) {
  return promise_then(number, incremented, NULL, NULL);
}

static const promise_plugin_function_t functions[] = {
    {"first(number: i64) -> i64", (promise_function_t)first, "The number."},
    {"next(number: promise<i64>) -> promise<i64>", (promise_function_t)next, "The number after a result."},
};

static const promise_plugin_t plugin = {
    .size = sizeof plugin,
    .abi_min = 1,
    .abi_max = PROMISE_ABI_VERSION,
    .function_size = sizeof *functions,
    .id = "benchmarks.chain",
    .version = "1.0.0",
    .functions = functions,
    .function_count = sizeof functions / sizeof *functions,
};

const promise_plugin_t *promise_plugin_entry(uint32_t host_abi) {
  (void)host_abi;
  return &plugin;
}
