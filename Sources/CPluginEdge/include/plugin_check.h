/* plugin_check.h - calls of functions whose signatures are doubtful, in a process of their own.
 *
 * Memory for arguments lies between pages that cannot be accessed. An access there is reported, with the argument's name,
 * and ends the process. System calls that change anything outside of the process fail.
 */
#ifndef PLUGIN_CHECK_H
#define PLUGIN_CHECK_H

#include <promise.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

PROMISE_BEGIN_DECLS

/* The exit status of a process that a fault has ended, after its report. */
enum { PLUGIN_CHECK_FAULT = 3 };

/* The processor time, in seconds, after which a signal ends the process. */
enum { PLUGIN_CHECK_SECONDS = 5 };

/* Ends the process immediately, without running code of the library or of this program. */
_Noreturn void plugin_check_end(int32_t status);

/* Memory for one argument. */
typedef struct plugin_check_memory {
  uint8_t *PROMISE_NULLABLE data;
  size_t size;
} plugin_check_memory_t;

/* Limits the processor time, and reports faults to the descriptor from here on, as one line: "fault", the kind of access, its place, the argument's name.
 * [one thread] */
void plugin_check_begin(int32_t report);

/* Maps memory of that size, whose end meets a page that cannot be accessed, or, with `aligned`, whose start has the
 * alignment of malloc(). The rest of its pages has a pattern. `data` is NULL when memory has run out. `name` lives as
 * long as the process.
 * [one thread] */
plugin_check_memory_t plugin_check_map(size_t size, bool aligned, const char *PROMISE_NONNULL name);

/* Write-protects the memory of an argument that the function only reads.
 * [one thread] */
void plugin_check_protect(plugin_check_memory_t memory);

/* Returns the name of an argument around whose memory the pattern was overwritten; NULL if there is none.
 * [one thread] */
const char *PROMISE_NULLABLE plugin_check_overwritten(void);

/* Makes all memory inaccessible, after the call that used it has returned.
 * [one thread] */
void plugin_check_retire(void);

/* The result of callbacks: zeros, in the two words that registers have for a result. */
typedef struct plugin_check_words {
  uint64_t words[2];
} plugin_check_words_t;

/* A callback for functions that are checked. It may be called with any arguments, and does nothing.
 * [any thread] */
plugin_check_words_t plugin_check_callback(void);

/* Makes system calls that write files, start programs, send signals, open connections or change the system fail with
 * EPERM. Returns whether the kernel supports that.
 * [one thread] */
bool plugin_check_confine(void);

PROMISE_END_DECLS

#endif /* PLUGIN_CHECK_H */
