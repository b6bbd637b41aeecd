/* fixture.h - common code of the test plugins. */
#ifndef FIXTURE_H
#define FIXTURE_H

#include "../../Fixtures/host.h"

#include <stdlib.h>
#include <string.h>

#define FUNCTION(signature, entry, description)                                                                        \
  { signature, (promise_function_t)(entry), description }

#define PLUGIN(identity, about, on_load, requirements, table)                                                          \
  PLUGIN_WITH_UNLOAD(identity, about, on_load, NULL, requirements, table)

/* The descriptor, for a plugin with an entry of its own. */
#define DESCRIPTOR(identity, about, on_load, on_unload, requirements, table)                                           \
  static const promise_plugin_t plugin = {.size = sizeof(promise_plugin_t),                                            \
                                          .abi_min = 1,                                                                \
                                          .abi_max = PROMISE_ABI_VERSION,                                              \
                                          .function_size = sizeof(promise_plugin_function_t),                          \
                                          .id = identity,                                                              \
                                          .version = "1.2.3",                                                          \
                                          .description = about,                                                        \
                                          .required = requirements,                                                    \
                                          .load = on_load,                                                             \
                                          .unload = on_unload,                                                         \
                                          .functions = table,                                                          \
                                          .function_count = sizeof(table) / sizeof((table)[0])};

#define PLUGIN_WITH_UNLOAD(identity, about, on_load, on_unload, requirements, table)                                   \
  DESCRIPTOR(identity, about, on_load, on_unload, requirements, table)                                                 \
  const promise_plugin_t *promise_plugin_entry(uint32_t host_abi) {                                                    \
    (void)host_abi;                                                                                                    \
    return &plugin;                                                                                                    \
  }

#endif /* FIXTURE_H */
