/* plugin_check.h - calls of functions whose signatures are doubtful, in a process of their own.
 *
 * Memory for arguments lies between pages that cannot be accessed. An access there is reported, with the argument's
 * name, and ends the process. System calls that change anything outside of the process fail.
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

/* The processor time for the calls of one process, in seconds. */
enum { PLUGIN_CHECK_SECONDS = 5 };

/* Ends the process immediately, without running code of the library or of this program. */
_Noreturn void plugin_check_end(int32_t status);

/* Memory for one argument. */
typedef struct plugin_check_memory {
  uint8_t *PROMISE_NULLABLE data;
  size_t size;
} plugin_check_memory_t;

/* Reports faults to the descriptor from here on, also in processes made later, as one line: "fault", the kind of
 * access, its place, the argument's name, and the function that the argument was for if another one is checked.
 * [one thread] */
void plugin_check_begin(int32_t report);

/* Ends this process by a signal when it has used so many seconds of processor time, or four times as many have passed.
 * [one thread] */
void plugin_check_limit(uint32_t seconds);

/* The end of a process. */
typedef struct plugin_check_ending {
  /* The report, which is valid until the next process is made. */
  const char *PROMISE_NULLABLE report;
  /* The limit of time has ended the process. */
  bool is_hung;
  /* As a shell has it: 128 plus the number of a signal. */
  int32_t status;
} plugin_check_ending_t;

/* Makes a process with the state of this one, and waits until it has ended. Returns true in the new process, which
 * reports to the same descriptor, and has a limit of its own: see plugin_check_limit(). Returns false in this one, and
 * stores the ending, whose report is empty if there is none.
 * [one thread, before plugin_check_confine()] */
bool plugin_check_attempt(int32_t report, uint32_t seconds, plugin_check_ending_t *PROMISE_NONNULL ending);

/* Sets the function that is called in preparation of the checked one: memory mapped from here on is for its arguments.
 * NULL for the checked function itself. `name` lives as long as the process.
 * [one thread] */
void plugin_check_prepare(const char *PROMISE_NULLABLE name);

/* Maps memory of that size, whose end meets a page that cannot be accessed, or, with `aligned`, whose start has the
 * alignment of malloc(). The rest of its pages has a pattern. `data` is NULL when memory has run out. `name` lives as
 * long as the process.
 * [one thread] */
plugin_check_memory_t plugin_check_map(size_t size, bool aligned, const char *PROMISE_NONNULL name);

/* Write-protects the memory of an argument that the function only reads.
 * [one thread] */
void plugin_check_protect(plugin_check_memory_t memory);

/* Leaves the memory of an argument accessible after the call, for a function that uses it in later ones.
 * [one thread] */
void plugin_check_keep(plugin_check_memory_t memory);

/* Returns whether an address is in the memory of an argument, also of an earlier call. [one thread] */
bool plugin_check_is_argument(const void *PROMISE_NULLABLE address);

/* An argument, and the function that it was for if that is not the checked one: see plugin_check_prepare(). */
typedef struct plugin_check_argument {
  const char *PROMISE_NULLABLE name;
  const char *PROMISE_NULLABLE function;
} plugin_check_argument_t;

/* Returns an argument around whose memory the pattern was overwritten; its name is NULL if there is none.
 * [one thread] */
plugin_check_argument_t plugin_check_overwritten(void);

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

/* The use of the contents of an argument's memory, as far as calls have shown it. */
typedef struct plugin_check_contents {
  /* Calls have returned. */
  bool is_known;
  /* The first process was killed, as others with the same calls would be. */
  bool is_hopeless;
  /* A result, an argument or the end of the process depends on the contents before the call. */
  bool is_read;
  /* Some call wrote to the memory. */
  bool is_written;
  /* Some call wrote every byte of it. */
  bool is_whole;
} plugin_check_contents_t;

/* Forks a process for one of four trials, `number` from 0 to 3.
 * Returns true in the child, which calls the checked function and ends by plugin_check_complete(). Returns false in the
 * parent, once the child has ended, or at once if the trial `number` - 1 was killed.
 * Each trial fills the memory of the argument `name` before each call: with zeros if `number` is even, with letters if
 * it is odd. `name` is the pointer that was passed to plugin_check_map().
 * [one thread, before plugin_check_confine()] */
bool plugin_check_try(int32_t number, const char *PROMISE_NONNULL name);

/* Fills the argument's memory in such a process; a no-op in any other. Call it right before a call.
 * [one thread] */
void plugin_check_enter(void);

/* Notes the result and the arguments in such a process; a no-op in any other. Call it right after a call.
 * [one thread] */
void plugin_check_leave(const void *PROMISE_NONNULL result, size_t size);

/* Ends such a process after its calls.
 * [one thread] */
_Noreturn void plugin_check_complete(void);

/* Compares the four trials of the last argument that plugin_check_try() was called for.
 * [one thread] */
plugin_check_contents_t plugin_check_contents(void);

/* Makes system calls that write files, start programs, send signals, open connections or change the system fail with
 * EPERM; abort() ends the process. Returns whether the kernel supports that.
 * [one thread] */
bool plugin_check_confine(void);

PROMISE_END_DECLS

#endif /* PLUGIN_CHECK_H */
