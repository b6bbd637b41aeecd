/* memory_file.h - files in memory, with any seals yet to come. */
#ifndef MEMORY_FILE_H
#define MEMORY_FILE_H

#include <stdbool.h>
#include <stddef.h>

/* Creates a file in memory for `length` bytes, which no process can execute, and exec() closes. `flags` are further
 * ones of memfd_create(). Returns its descriptor, or -1 with errno: EFBIG above RLIMIT_FSIZE, where a write would end
 * the process (SIGXFSZ). */
int plugin_memory_file(const char *name, size_t length, unsigned flags);

/* Writes all bytes at the position of a file. Returns false, with errno, on failure. */
bool plugin_memory_file_write(int descriptor, const char *bytes, size_t length);

#endif /* MEMORY_FILE_H */
