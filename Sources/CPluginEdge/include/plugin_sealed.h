/* plugin_sealed.h - memory that two processes share and neither can change: a sealed memfd, sent over a socket.
 */
#ifndef PLUGIN_SEALED_H
#define PLUGIN_SEALED_H

#include "promise_plugin.h"

PROMISE_BEGIN_DECLS

/* The maximum number of descriptors in one message. */
enum { PLUGIN_SEALED_MESSAGE = 80 };

/* Copies bytes to new memory and seals it: its size and its content never change again. Returns a descriptor that is
 * closed by exec() and belongs to the caller, or -1 with errno.
 * [any thread] */
int32_t plugin_sealed_new(const void *PROMISE_NONNULL bytes, size_t length);

/* Copies a regular file, open for reading, to sealed memory that may be mapped as code, and is called `name` in the
 * mappings of processes. Returns a descriptor that is closed by exec() and belongs to the caller, or -1 with errno:
 * ESTALE if the file was written to meanwhile, EFBIG if it is longer than files of this process may be. The file's
 * offset changes.
 * [any thread] */
int32_t plugin_sealed_copy(int32_t file, const char *PROMISE_NONNULL name);

/* Returns whether a descriptor is that of sealed memory.
 * [any thread] */
bool plugin_sealed_is(int32_t descriptor);

/* Sealed memory, or the reason why it is refused. */
typedef struct plugin_sealed {
  /* NULL: not mapped. */
  void *PROMISE_NULLABLE bytes;
  /* In bytes, also of memory that is refused as too long; 0 if it is refused for another reason. */
  size_t length;
  /* The reason, constant text; NULL if there is none. */
  const char *PROMISE_NULLABLE mistake;
} plugin_sealed_t;

/* Checks memory that another process sent: at most `longest` bytes, sealed against writing, growing and shrinking.
 * [any thread] */
plugin_sealed_t plugin_sealed_check(int32_t descriptor, size_t longest);

/* Maps memory that another process sent, if plugin_sealed_check() accepts it. Writes to the mapping stay in this
 * process. The descriptor stays open.
 * [any thread] */
plugin_sealed_t plugin_sealed_map(int32_t descriptor, size_t longest);

/* Copies sealed memory of this length, without a mapping. Returns whether all of it was read.
 * [any thread] */
bool plugin_sealed_read(int32_t descriptor, void *PROMISE_NONNULL bytes, size_t length);

/* Ends a mapping.
 * [any thread] */
void plugin_sealed_unmap(void *PROMISE_NONNULL bytes, size_t length);

/* Closes a descriptor that another process sent. It may be a socket whose close() would wait for its peer.
 * [any thread] */
void plugin_sealed_close(int32_t descriptor);

/* Sends bytes as plugin_process_send(), with descriptors, at most PLUGIN_SEALED_MESSAGE, that go with the first of the
 * bytes. If the count is greater than 0, all descriptors have been sent.
 * [any thread] */
ptrdiff_t plugin_sealed_send(int32_t socket, const void *PROMISE_NONNULL bytes, size_t count,
                             const int32_t *PROMISE_NONNULL descriptors, size_t descriptor_count, bool waits);

/* Receives bytes, and descriptors that are closed by exec() and belong to the caller. `descriptors` has space for
 * PLUGIN_SEALED_MESSAGE of them. Returns the count of the bytes, 0 at the end of the stream, or -1 with errno: EBADMSG
 * if the message had more descriptors than the space allows, EMFILE if this process can have no more; all of them are
 * closed then.
 * [any thread] */
ptrdiff_t plugin_sealed_receive(int32_t socket, void *PROMISE_NONNULL bytes, size_t count,
                                int32_t *PROMISE_NONNULL descriptors, size_t *PROMISE_NONNULL descriptor_count);

PROMISE_END_DECLS

#endif /* PLUGIN_SEALED_H */
