/* plugin_confinement.h - limits of a process that runs plugin code, by the means of Linux: Landlock for files, a
 * seccomp filter for system calls, resource limits.
 *
 * The process confines itself while it has one thread; nothing can be given back. Refused system calls, and those that
 * open files, are reported to another process through the listener of the filter. That process decides whether a task
 * that a call names by its number is a thread of the caller, and changes the modes of files that are open for writing.
 * Otherwise a refused call fails with any answer, and Landlock decides about files.
 */
#ifndef PLUGIN_CONFINEMENT_H
#define PLUGIN_CONFINEMENT_H

#include "promise_plugin.h"

PROMISE_BEGIN_DECLS

enum {
  PLUGIN_CAPABILITY_NETWORK = 1,
  PLUGIN_CAPABILITY_READ,
  PLUGIN_CAPABILITY_WRITE,
  PLUGIN_CAPABILITY_PROCESSES,
  PLUGIN_CAPABILITY_MEMORY,
  PLUGIN_CAPABILITY_CPU,
  /* Tracing, mounting, namespaces, clocks, modules, other processes, shared objects of the system: never granted. */
  PLUGIN_CAPABILITY_SYSTEM,
};

/* The capabilities that are granted. */
typedef struct plugin_confinement {
  bool network;
  bool processes;
  /* Private writable memory in bytes; 0: no limit. */
  uint64_t memory;
  /* Processor time of all threads in seconds; 0: no limit. */
  uint64_t cpu_time;
} plugin_confinement_t;

/* The accesses to files that a rule allows. PLUGIN_ACCESS_DIRECT: there is no rule if the path leads over a symbolic
 * link, which may have been made after the path was chosen. */
enum { PLUGIN_ACCESS_READ = 1, PLUGIN_ACCESS_WRITE = 2, PLUGIN_ACCESS_EXECUTE = 4, PLUGIN_ACCESS_DIRECT = 8 };

/* Begins a set of rules that allows no access to files. Sets `version` to that of the kernel's Landlock, 0 for none.
 * Returns a descriptor, which plugin_landlock_end() closes, or -1.
 * [any thread] */
int32_t plugin_landlock_begin(int32_t *PROMISE_NONNULL version);

/* Allows accesses to a file, or to all below a folder. Returns 0, or an errno.
 * [any thread] */
int32_t plugin_landlock_allow(int32_t rules, const char *PROMISE_NONNULL path, int32_t access);

/* Enforces the rules for the calling thread and those that it starts. Returns 0, or an errno.
 * [any thread] */
int32_t plugin_landlock_end(int32_t rules);

/* Sets the limits of memory and CPU time, forbids core files and new privileges, and drops root's privileges except
 * that of reading and writing any file. A program that the system runs for core dumps decides about those itself.
 * Returns 0, or an errno.
 * [while the process has one thread] */
int32_t plugin_confinement_limit(const plugin_confinement_t *PROMISE_NONNULL given);

/* Installs the filter of system calls. Sets `listener` to the descriptor of reports, or to -1 if the system has none:
 * refused calls fail without a report then. NULL: nobody wants reports. Returns 0, or an errno.
 * [while the process has one thread, after plugin_confinement_limit()] */
int32_t plugin_confinement_filter(const plugin_confinement_t *PROMISE_NONNULL given,
                                  int32_t *PROMISE_NULLABLE listener);

/* Notes the call that the calling thread makes, for reports; 0: none. No-op unless the process is confined.
 * [any thread] */
void plugin_confinement_note_call(uint64_t request);

/* Returns the address of the noted calls, which is sent to the process that reads them.
 * [any thread] */
uint64_t plugin_confinement_noted_calls(void);

/* Reads the call that a thread of another process makes; 0 if it makes none, or cannot be read. `address` is that of
 * the noted calls in that process; any number is safe.
 * [any thread] */
uint64_t plugin_confinement_noted_call(int32_t thread, uint64_t address);

/* Sends bytes, and a descriptor unless it is -1, as one message. Waits for up to five seconds while the processes of
 * the user have too many descriptors under way. Returns 0, or an errno.
 * [any thread] */
int32_t plugin_confinement_send(int32_t socket, const void *PROMISE_NONNULL bytes, size_t count, int32_t descriptor);

/* Receives a message of at most `capacity` bytes; longer ones are cut. Sets `descriptor` to the attached one, or -1.
 * Returns the count of bytes, 0 at the end of the stream, or -1 with errno.
 * [any thread] */
ptrdiff_t plugin_confinement_receive(int32_t socket, void *PROMISE_NONNULL bytes, size_t capacity,
                                     int32_t *PROMISE_NONNULL descriptor);

/* A system call that waits for the answer of the listener. */
typedef struct plugin_attempt {
  uint64_t id;
  int32_t thread;
  int32_t capability;
  /* Whether the call fails in any case; otherwise the limits of the process decide. */
  bool is_refused;
  /* The access that opening a file asks for. */
  bool reads;
  bool writes;
  /* The descriptor of the folder that the path starts from; AT_FDCWD: the thread's own. For a call that changes an open
   * file, the descriptor of that file. */
  int32_t folder;
  /* The size of the requested memory. */
  uint64_t size;
  /* The arguments of fchmod() and fchown() behind the descriptor. */
  uint32_t change[2];
  /* Whether plugin_attempt_change() has made the call. */
  bool is_made;
  /* The name of the system call. */
  const char *PROMISE_NULLABLE name;
} plugin_attempt_t;

/* Takes the next system call that waits. Writes the path among its arguments with a NUL; an empty text if the call has
 * no path, or one that cannot be read or does not fit. Returns false if no call waits; the listener must be readable.
 * [any thread, one at a time] */
bool plugin_attempt_next(int32_t listener, plugin_attempt_t *PROMISE_NONNULL attempt, char *PROMISE_NONNULL path,
                         size_t capacity);

/* Makes a call in place of the thread that changes the mode of an open file, if that is a regular file of this user
 * that is open for writing; and one that would change its owner, if that remains the same. A no-op for other calls.
 * [any thread] */
void plugin_attempt_change(int32_t listener, plugin_attempt_t *PROMISE_NONNULL attempt);

/* Resumes the thread: the call fails if it is refused, and is made otherwise.
 * [any thread] */
void plugin_attempt_end(int32_t listener, const plugin_attempt_t *PROMISE_NONNULL attempt);

PROMISE_END_DECLS

#endif /* PLUGIN_CONFINEMENT_H */
