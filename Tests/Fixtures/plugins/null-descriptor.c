/* Returns no descriptor, as a plugin does that works with no host of this version. */
#include <promise_plugin.h>

const promise_plugin_t *promise_plugin_entry(uint32_t host_abi) {
  (void)host_abi;
  return NULL;
}
