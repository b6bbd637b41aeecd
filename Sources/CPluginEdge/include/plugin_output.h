/* plugin_output.h - the text that plugins in this process, and the programs that they start, write to descriptor 1.
 *
 *     capture(): descriptor 1 is a pipe --> release(): descriptor 1 is a copy of 2
 *
 * A thread of the program reads the pipe. A report of the end of the process waits for that thread first, so that the
 * text of a plugin that crashes is not lost, and is printed before the report.
 */
#ifndef PLUGIN_OUTPUT_H
#define PLUGIN_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "promise_plugin.h"

PROMISE_BEGIN_DECLS

/* Makes descriptor 1 a pipe, and the C library's `stdout` write each line at once. Returns false, with descriptor 1 as
 * it was, if the system has no more pipes.
 * [one thread, once, before plugin code runs] */
bool plugin_output_capture(void);

/* Waits for text and reads up to `size` bytes of it. Returns the number of bytes; 0 if nothing can write to the pipe
 * any more, or it cannot be read.
 * [one thread] */
size_t plugin_output_read(void *PROMISE_NONNULL buffer, size_t size);

/* Notes that the text of the last read has been written. Call after each read.
 * [the thread that reads] */
void plugin_output_written(void);

/* Waits until all text that is in the pipe now has been read and written; at most `limit_ns` nanoseconds, because the
 * reader may wait for a lock that the calling thread holds. Returns at once if there is none. Async-signal-safe.
 * [any thread but the one that reads] */
void plugin_output_await(int64_t limit_ns);

/* Writes the buffers of the C library, and makes descriptor 1 a copy of 2. Earlier text can still be read.
 * [any thread] */
void plugin_output_release(void);

/* Makes the C library call `end` when it writes its buffers: after exit handlers and destructors, so that nothing of
 * the program runs later; or earlier, if one of those calls fflush(NULL). `end`, and a thread that it waits for, must
 * not open or close streams of the C library, which holds their lock. Returns false if memory has run out.
 * [once] */
bool plugin_output_at_exit(void (*PROMISE_NONNULL end)(void));

PROMISE_END_DECLS

#endif /* PLUGIN_OUTPUT_H */
