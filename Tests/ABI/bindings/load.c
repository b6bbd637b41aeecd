/* Loads a plugin, calls its only function, answer() -> promise<i64>, and prints the result. */
#include <dlfcn.h>
#include <promise_plugin.h>
#include <stdio.h>

int main(int count, char **arguments) {
  void *library = count == 2 ? dlopen(arguments[1], RTLD_NOW) : NULL;
  const promise_plugin_t *(*entry)(uint32_t) = NULL;
  if (library != NULL)
    *(void **)&entry = dlsym(library, "promise_plugin_entry");
  if (entry == NULL) {
    fprintf(stderr, "load: %s\n", dlerror());
    return 1;
  }
  const promise_plugin_t *plugin = entry(PROMISE_ABI_VERSION);
  if (plugin == NULL || plugin->size != sizeof *plugin || plugin->function_count != 1)
    return 1;
  promise_t *promise = ((promise_t * (*)(void)) plugin->functions[0].entry)();
  promise_value_t value;
  if (promise_wait(promise, -1) != PROMISE_OK || promise_result(promise, &value) != PROMISE_OK ||
      promise_release(promise) != PROMISE_OK)
    return 1;
  printf("%lld\n", (long long)value.as.i64);
  return 0;
}
