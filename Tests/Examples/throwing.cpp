// A plugin that throws, and counts the exceptions of its thread that no handler has caught.
#include <exception>
#include <promise_plugin.h>
#include <stdexcept>

static void fail() {
  throw std::runtime_error("thrown");
}

static int32_t uncaught() {
  return std::uncaught_exceptions();
}

static const promise_plugin_function_t functions[] = {
    {"fail()", reinterpret_cast<promise_function_t>(fail), "Throws."},
    {"uncaught() -> i32", reinterpret_cast<promise_function_t>(uncaught), "Counts."},
};

extern "C" const promise_plugin_t *promise_plugin_entry(uint32_t) {
  static promise_plugin_t plugin = {};
  plugin.size = sizeof plugin;
  plugin.abi_min = 1;
  plugin.abi_max = PROMISE_ABI_VERSION;
  plugin.function_size = sizeof(promise_plugin_function_t);
  plugin.id = "test.throwing";
  plugin.version = "1.0.0";
  plugin.functions = functions;
  plugin.function_count = sizeof functions / sizeof functions[0];
  return &plugin;
}
