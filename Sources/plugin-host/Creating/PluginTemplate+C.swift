extension PluginTemplate {
  static let c = #"""
    /* The plugin NAME. */
    #include <promise_plugin.h>

    #include <stdio.h>
    #include <stdlib.h>
    #include <string.h>

    /* Returns the sum, modulo 2^32. */
    static uint32_t add(uint32_t a, uint32_t b) {
      return a + b;
    }

    /* Returns text of malloc(), which the host frees: `own(free)` in the signature. NULL rejects the call. */
    static char *greet(const char *name) {
      size_t size = strlen(name) + sizeof "Hello, !";
      char *text = malloc(size);
      if (text != NULL)
        snprintf(text, size, "Hello, %s!", name);
      return text;
    }

    /* Fails: `!` in the signature. A negative status rejects the call. */
    static promise_status_t divide(int64_t a, int64_t b, int64_t *result, promise_value_t *error) {
      (void)error;
      if (b == 0 || (a == INT64_MIN && b == -1))
        return PROMISE_EINVAL;
      *result = a / b;
      return PROMISE_OK;
    }

    static const promise_plugin_function_t functions[] = {
        {"add(a: u32, b: u32 = 1) -> u32", (promise_function_t)add, "The sum of two numbers."},
        {"greet(name: cstr = \"world\") -> own(free) cstr", (promise_function_t)greet, "A greeting."},
        {"divide(a: i64, b: i64) -> i64 !", (promise_function_t)divide, "The quotient, without its fraction."},
    };

    static const promise_plugin_t plugin = {
        .size = sizeof(promise_plugin_t),
        .abi_min = 1,
        .abi_max = PROMISE_ABI_VERSION,
        .function_size = sizeof(promise_plugin_function_t),
        .id = "PLUGIN_ID",
        .version = "0.1.0",
        .description = "A new plugin.",
        .functions = functions,
        .function_count = sizeof functions / sizeof functions[0],
    };

    const promise_plugin_t *promise_plugin_entry(uint32_t host_abi) {
      (void)host_abi;
      return &plugin;
    }

    """#

  static let cpp = #"""
    // The plugin NAME.
    #include <promise_plugin.h>

    #include <cstdint>
    #include <cstdlib>
    #include <cstring>
    #include <limits>
    #include <stdexcept>
    #include <string>

    namespace {

    /// Returns the sum, modulo 2^32.
    std::uint32_t add(std::uint32_t a, std::uint32_t b) {
      return a + b;
    }

    /// Returns text of malloc(), which the host frees: `own(free)` in the signature. NULL rejects the call.
    char *greet(const char *name) {
      return strdup(("Hello, " + std::string(name) + "!").c_str());
    }

    /// An exception that leaves a function rejects the call.
    std::int64_t divide(std::int64_t a, std::int64_t b) {
      if (b == 0)
        throw std::domain_error("division by zero");
      if (a == std::numeric_limits<std::int64_t>::min() && b == -1)
        throw std::overflow_error("the quotient has more than 64 bits");
      return a / b;
    }

    template <typename Function> promise_function_t entry(Function *function) {
      return reinterpret_cast<promise_function_t>(function);
    }

    } // namespace

    const promise_plugin_t *promise_plugin_entry(std::uint32_t) {
      static const promise_plugin_function_t functions[] = {
          {"add(a: u32, b: u32 = 1) -> u32", entry(add), "The sum of two numbers."},
          {"greet(name: cstr = \"world\") -> own(free) cstr", entry(greet), "A greeting."},
          {"divide(a: i64, b: i64) -> i64", entry(divide), "The quotient, without its fraction."},
      };
      static const promise_plugin_t plugin = [] {
        promise_plugin_t plugin = {};
        plugin.size = sizeof plugin;
        plugin.abi_min = 1;
        plugin.abi_max = PROMISE_ABI_VERSION;
        plugin.function_size = sizeof functions[0];
        plugin.id = "PLUGIN_ID";
        plugin.version = "0.1.0";
        plugin.description = "A new plugin.";
        plugin.functions = functions;
        plugin.function_count = sizeof functions / sizeof functions[0];
        return plugin;
      }();
      return &plugin;
    }

    """#
}
