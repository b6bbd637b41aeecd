/* The entry exists, but is not exported. */
__attribute__((visibility("hidden"))) const void *promise_plugin_entry(unsigned host_abi);
const void *promise_plugin_entry(unsigned host_abi) {
  return host_abi ? "plugin" : 0;
}
const void *use(void);
const void *use(void) {
  return promise_plugin_entry(1);
}
