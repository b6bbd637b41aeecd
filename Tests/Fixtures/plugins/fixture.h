/* fixture.h - common code of the plugins made for tests. */
#ifndef FIXTURE_H
#define FIXTURE_H

#include "../host.h"

#include <dirent.h>
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* Returns a promise that stays pending, because the plugin keeps a reference to it. */
static inline promise_t *pending_promise(void) {
  promise_t *promise = promise_new();
  promise_retain(promise);
  return promise;
}

/* Returns the errno of a system call that failed; otherwise 0. */
static inline int32_t error_of(long result) {
  return result < 0 ? errno : 0;
}

/* Returns the number of entries of a folder. */
static inline int32_t entries_of(const char *path) {
  int32_t count = 0;
  DIR *folder = opendir(path);
  while (folder != NULL && readdir(folder) != NULL)
    count++;
  if (folder != NULL)
    closedir(folder);
  return count;
}

/* A row of the table of functions. */
#define FUNCTION(signature, entry)                                                                                     \
  { signature, (promise_function_t)(entry), NULL }

/* A descriptor without defects; the arguments after `id` are further fields. Define the table `functions` before. */
#define DESCRIPTOR(plugin_id, ...)                                                                                     \
  {                                                                                                                    \
    .size = sizeof(promise_plugin_t), .abi_min = 1, .abi_max = PROMISE_ABI_VERSION,                                    \
    .function_size = sizeof(promise_plugin_function_t), .id = plugin_id, .version = "1.0.0", .functions = functions,   \
    .function_count = sizeof functions / sizeof functions[0], __VA_ARGS__                                              \
  }

/* Defines the entry of a plugin without defects. */
#define PLUGIN(plugin_id, ...)                                                                                         \
  const promise_plugin_t *promise_plugin_entry(uint32_t host_abi) {                                                    \
    static const promise_plugin_t plugin = DESCRIPTOR(plugin_id, __VA_ARGS__);                                         \
    (void)host_abi;                                                                                                    \
    return &plugin;                                                                                                    \
  }

/* Defines a table of one function, for plugins that are not about functions. */
#define ONE_FUNCTION                                                                                                   \
  static int32_t one(void) {                                                                                           \
    return 1;                                                                                                          \
  }                                                                                                                    \
  static const promise_plugin_function_t functions[] = {FUNCTION("one() -> i32", one)};

#endif
