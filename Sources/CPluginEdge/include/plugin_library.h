/* plugin_library.h - which file a loaded library really is.
 *
 * The system's loader takes a library for loaded by its name, and says nothing of the file. What is mapped does.
 */
#ifndef PLUGIN_LIBRARY_H
#define PLUGIN_LIBRARY_H

#include "promise_plugin.h"

PROMISE_BEGIN_DECLS

/* A file as the kernel shows it in a process's memory. On some file systems that is not what stat() says of it. */
typedef struct plugin_mapping {
  uint64_t device;
  uint64_t inode;
} plugin_mapping_t;

/* Finds the file of which a page is mapped at an address. False: none is, or the kernel does not say.
 * [any thread] */
bool plugin_mapping_at(const void *PROMISE_NULLABLE address, plugin_mapping_t *PROMISE_NONNULL mapping);

/* Finds the same for a file that is open for reading.
 * [any thread] */
bool plugin_mapping_of(int32_t descriptor, plugin_mapping_t *PROMISE_NONNULL mapping);

/* Returns an address in the memory of a library, given what dlopen() returned.
 * [any thread] */
const void *PROMISE_NULLABLE plugin_library_address(void *PROMISE_NONNULL handle);

/* Makes `path`, which is copied, the name of a library: what debuggers, dladdr() and stack traces show.
 * [any thread] */
void plugin_library_rename(void *PROMISE_NONNULL handle, const char *PROMISE_NONNULL path);

/* Returns whether a library of that path or name (DT_SONAME) is loaded.
 * [any thread] */
bool plugin_library_is_loaded(const char *PROMISE_NONNULL name);

PROMISE_END_DECLS

#endif /* PLUGIN_LIBRARY_H */
