/* plugin_open_file.h - descriptors that are arguments and results: the type `fd`.
 */
#ifndef PLUGIN_OPEN_FILE_H
#define PLUGIN_OPEN_FILE_H

#include "promise_plugin.h"

PROMISE_BEGIN_DECLS

/* Returns the reason why a descriptor cannot be passed, constant text; NULL if it can: it is open, and that of a
 * regular file, a pipe, a socket or a device of characters, except a terminal.
 * [any thread] */
const char *PROMISE_NULLABLE plugin_open_file_mistake(int32_t descriptor);

/* Duplicates a descriptor, above those of the standard streams. The duplicate is closed by exec(). Returns -1 with
 * errno on failure.
 * [any thread] */
int32_t plugin_open_file_duplicate(int32_t descriptor);

/* Makes a file in memory that has the bytes, open for reading and writing at its beginning. Returns a descriptor that
 * is closed by exec() and belongs to the caller, or -1.
 * [any thread] */
int32_t plugin_open_file_new(const void *PROMISE_NONNULL bytes, size_t length);

/* Lets exec() close a descriptor.
 * [any thread] */
void plugin_open_file_close_on_exec(int32_t descriptor);

/* Closes a descriptor without waiting for the peer of a socket, whose data are still sent.
 * [any thread] */
void plugin_open_file_close(int32_t descriptor);

PROMISE_END_DECLS

#endif /* PLUGIN_OPEN_FILE_H */
