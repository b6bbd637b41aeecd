/* The symbol with the entry's name is not a function. */
extern const int promise_plugin_entry;
const int promise_plugin_entry = 42;
