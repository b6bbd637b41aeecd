/* wild.c - a plugin with an invalid descriptor: macros choose the field and its value. */
#include <promise_plugin.h>

#ifndef DESCRIPTOR
#define DESCRIPTOR &plugin
#endif
#ifndef ID
#define ID "org.example.wild"
#endif
#ifndef TABLE
#define TABLE functions
#endif
#ifndef SIZE
#define SIZE sizeof(promise_plugin_function_t)
#endif
#ifndef SIGNATURE
#define SIGNATURE "add(a: u32) -> u32"
#endif
#ifndef ENTRY
#define ENTRY add
#endif
#ifndef LOAD
#define LOAD NULL
#endif
#ifndef REQUIRED
#define REQUIRED NULL
#endif

static const promise_plugin_t plugin;

static uint32_t add(uint32_t a) {
  return a + 1;
}

static const promise_plugin_function_t functions[] = {
    {SIGNATURE, (promise_function_t)ENTRY, NULL},
    {"other(a: u32) -> u32", (promise_function_t)add, NULL},
};

static const promise_plugin_t plugin = {
    .size = sizeof(promise_plugin_t),
    .abi_min = 1,
    .abi_max = PROMISE_ABI_VERSION,
    .function_size = SIZE,
    .id = ID,
    .version = "1.0.0",
    .required = REQUIRED,
    .load = LOAD,
    .functions = TABLE,
    .function_count = 2,
};

const promise_plugin_t *promise_plugin_entry(uint32_t host_abi) {
  (void)functions;
  (void)plugin;
  (void)host_abi;
  return DESCRIPTOR;
}
