/* Prints at each of its ends. */
#include "fixture.h"

#include <stdio.h>

static void at_exit(void) {
  puts("exit handler");
}

__attribute__((destructor)) static void finish(void) {
  puts("destructor");
  printf("last");
}

static void *make(void) {
  atexit(at_exit);
  return malloc(1);
}

/* Exported, for `own`. */
void parting_drop(void *thing) {
  puts("drop");
  free(thing);
}

static void unload(void) {
  puts("unload");
}

static const promise_plugin_function_t functions[] = {
    FUNCTION("make() -> own(parting_drop) ptr<thing>", make, NULL),
};

static const promise_plugin_t plugin = {
    .size = sizeof(promise_plugin_t),
    .abi_min = 1,
    .abi_max = PROMISE_ABI_VERSION,
    .function_size = sizeof(promise_plugin_function_t),
    .id = "org.example.parting",
    .version = "1.2.3",
    .unload = unload,
    .functions = functions,
    .function_count = sizeof functions / sizeof functions[0],
};

const promise_plugin_t *promise_plugin_entry(uint32_t host_abi) {
  (void)host_abi;
  return &plugin;
}
