package main

/*
#define PROMISE_PLUGIN_NO_ENTRY
#include <promise_plugin.h>

static promise_t *answer(void) {
  promise_t *promise = promise_new();
  promise_value_t value = {.kind = PROMISE_KIND_I64, .as.i64 = 42};
  return promise_resolve(promise, &value) == PROMISE_OK ? promise : NULL;
}

static const promise_plugin_function_t functions[] = {
    {"answer() -> promise<i64>", (promise_function_t)answer, "42."},
};

static promise_plugin_t plugin = {
    .size = sizeof plugin, .abi_min = 1, .abi_max = PROMISE_ABI_VERSION, .function_size = sizeof functions[0],
    .id = "org.example.go", .version = "1.0.0", .functions = functions, .function_count = 1,
};

static promise_plugin_t *descriptor(void) { return &plugin; }
*/
import "C"

//export promise_plugin_entry
func promise_plugin_entry(host C.uint32_t) *C.promise_plugin_t {
	return C.descriptor()
}

func main() {}
