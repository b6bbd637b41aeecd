/* plugin_library.h - the identity of a loaded library's file.
 *
 * The system's loader identifies libraries by name, and does not report their files. The mappings of the process do.
 */
#ifndef PLUGIN_LIBRARY_H
#define PLUGIN_LIBRARY_H

#include "promise_plugin.h"

PROMISE_BEGIN_DECLS

/* The identity of a file in the mappings of a process. On some file systems it differs from that of stat(). */
typedef struct plugin_mapping {
  uint64_t device;
  uint64_t inode;
} plugin_mapping_t;

/* Finds the file mapped at an address. False if there is none, or the kernel does not report it.
 * [any thread] */
bool plugin_mapping_at(const void *PROMISE_NULLABLE address, plugin_mapping_t *PROMISE_NONNULL mapping);

/* Maps a page of a file that is open for reading, and finds the identity of the mapping as plugin_mapping_at() does.
 * That of fstat() may differ: a file of overlayfs or btrfs may have another device number there.
 * [any thread] */
bool plugin_mapping_of(int32_t descriptor, plugin_mapping_t *PROMISE_NONNULL mapping);

/* Calls dlopen() for a library of its own scope, with all symbols resolved. NULL: dlerror() has the reason.
 *
 * Written in C: C++ compilers take dlopen() for noexcept, and end the process when pthread_exit() in an initialiser
 * unwinds through it. This function may be unwound.
 * [any thread] */
void *PROMISE_NULLABLE plugin_library_open(const char *PROMISE_NONNULL path);

/* Returns the library that the process has loaded from a file, under any name. NULL: there is none. Runs no code of it.
 * [any thread] */
void *PROMISE_NULLABLE plugin_library_find(const char *PROMISE_NONNULL path);

/* Copies of the descriptors 0, 1 and 2; -1 for one that is not open. */
typedef struct plugin_streams {
  int32_t copies[3];
} plugin_streams_t;

/* Copies the standard descriptors to high numbers, before code of a plugin runs that may close them.
 * [any thread] */
plugin_streams_t plugin_streams_save(void);

/* Restores the descriptors that were closed or replaced, and closes the copies. Returns whether any was restored.
 * [any thread] */
bool plugin_streams_restore(const plugin_streams_t *PROMISE_NONNULL saved);

/* Looks up a symbol of a library, or of one that it links; NULL: there is none. A function that the program exports in
 * place of another library's, such as exit(), is the program's here too.
 * `handle`: the result of plugin_library_open() or plugin_library_find().
 * [any thread] */
void *PROMISE_NULLABLE plugin_library_symbol(void *PROMISE_NONNULL handle, const char *PROMISE_NONNULL name);

/* Whether the library itself defines a symbol, rather than one that it links.
 * [any thread] */
bool plugin_library_defines(void *PROMISE_NONNULL handle, const char *PROMISE_NONNULL name);

/* Returns whether a file is on a file system of the network, NFS or SMB.
 * [any thread] */
bool plugin_file_is_remote(int32_t descriptor);

/* Returns an address in the memory of a library. `handle`: the result of plugin_library_open() or
 * plugin_library_find().
 * [any thread] */
const void *PROMISE_NULLABLE plugin_library_address(void *PROMISE_NONNULL handle);

/* Returns the offset of an address from the beginning of the library that it is in; UINT64_MAX if it is in none.
 * [any thread] */
uint64_t plugin_library_offset(const void *PROMISE_NONNULL address);

/* Sets the name of a library in debuggers, dladdr(), stack traces and the system's loader: libraries that need one of
 * that name get this one. `path` is copied.
 * [any thread] */
void plugin_library_rename(void *PROMISE_NONNULL handle, const char *PROMISE_NONNULL path);

/* Returns the library that the system's loader takes for a path or a name (DT_SONAME), as the address that
 * plugin_library_address() returns for its handle; NULL: none of that name is loaded.
 * [any thread] */
const void *PROMISE_NULLABLE plugin_library_named(const char *PROMISE_NONNULL name);

/* Notes the addresses of a library that stays mapped, for plugin_library_at(). `path` is copied.
 * [any thread] */
void plugin_library_note(void *PROMISE_NONNULL handle, const char *PROMISE_NONNULL path);

/* Returns the path of the noted library that an address is in; NULL: none. Async-signal-safe.
 * [any thread] */
const char *PROMISE_NULLABLE plugin_library_at(uintptr_t address);

/* Copies memory that may be unmapped. Returns the number of bytes read; fewer than `count` if some are not mapped.
 * [any thread] */
size_t plugin_memory_copy(void *PROMISE_NONNULL to, const void *PROMISE_NULLABLE from, size_t count);

/* Returns the number of bytes that malloc() has allocated in this process; 0 if the C library does not count them.
 * [any thread] */
size_t plugin_memory_in_use(void);

/* Returns whether an address is in memory that is executable.
 * [any thread] */
bool plugin_memory_is_code(const void *PROMISE_NULLABLE address);

PROMISE_END_DECLS

#endif /* PLUGIN_LIBRARY_H */
