/* load.c - loads a plugin without verifying its file, and calls its first function: the reference for the verifier. */
#define _GNU_SOURCE
#include <promise_plugin.h>

#include <dlfcn.h>
#include <stdio.h>

int main(int count, char **arguments) {
  void *library = dlopen(count > 1 ? arguments[1] : "", RTLD_NOW | RTLD_LOCAL);
  if (library == NULL)
    return 2;
  const promise_plugin_t *(*entry)(uint32_t) =
      (const promise_plugin_t *(*)(uint32_t))dlsym(library, "promise_plugin_entry");
  if (entry == NULL)
    return 2;
  const promise_plugin_t *plugin = entry(PROMISE_ABI_VERSION);
  printf("%u\n", ((uint32_t(*)(uint32_t))plugin->functions[0].entry)(41));
  return 0;
}
