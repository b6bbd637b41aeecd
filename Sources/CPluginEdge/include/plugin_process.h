/* plugin_process.h - a child process for plugin code: started, watched and killed by one thread of the host.
 *
 * The child is started by posix_spawn(), never by fork(): libffi's closures do not survive one. It has a process group
 * of its own, one pipe for standard output and standard error, default dispositions of all signals, and two more
 * descriptors: PLUGIN_PROCESS_SOCKET and PLUGIN_PROCESS_CONTROL.
 */
#ifndef PLUGIN_PROCESS_H
#define PLUGIN_PROCESS_H

#include "promise_plugin.h"

#include <poll.h>

PROMISE_BEGIN_DECLS

/* The descriptors of the sockets in a child that has just been started: one for calls, one for its confinement. */
enum { PLUGIN_PROCESS_SOCKET = 3, PLUGIN_PROCESS_CONTROL = 4 };

/* The exit status of a child that has lost its socket (EX_PROTOCOL). */
enum { PLUGIN_PROCESS_LOST = 76 };

/* Returns the number of the words of this process's command line, with the program's name.
 * [any thread] */
int32_t plugin_process_word_count(void);

/* Returns a word of the command line; NULL behind the last one.
 * [any thread] */
const char *PROMISE_NULLABLE plugin_process_word(int32_t index);

typedef struct plugin_process {
  int32_t pid;
  /* Readable once the process has ended; -1 if the kernel has no such descriptors. */
  int32_t pidfd;
  /* The host's end of a stream socket; does not block. */
  int32_t socket;
  /* The host's end of a socket of messages; does not block. */
  int32_t control;
  /* The host's end of the child's output; does not block. */
  int32_t output;
} plugin_process_t;

/* Starts a process. `arguments` ends with NULL; its first element is the name of the program. `names` are the variables
 * that it gets in addition to the common ones, ending with NULL; NULL: all. `input`: whether it has this process's
 * standard input; otherwise that is empty. On success the caller owns the four descriptors, all closed by exec().
 * Returns 0, or an errno.
 * [any thread] */
int32_t plugin_process_start(const char *PROMISE_NONNULL path, char *PROMISE_NULLABLE const *PROMISE_NONNULL arguments,
                             char *PROMISE_NULLABLE const *PROMISE_NULLABLE names, bool input,
                             plugin_process_t *PROMISE_NONNULL process);

/* The end of a process: the signal or the status is -1, or both if the system reports no status: SIGCHLD is ignored, or
 * other code of this process has waited for the process. */
typedef struct plugin_process_end {
  int32_t signal;
  int32_t status;
  /* The processor time that it took, in whole seconds. */
  int64_t processor_time;
} plugin_process_end_t;

/* Reaps a process that has ended. Returns false while it runs.
 * [any thread, one at a time] */
bool plugin_process_reap(int32_t pid, plugin_process_end_t *PROMISE_NONNULL end);

/* Returns whether the system keeps no statuses of children, because SIGCHLD is ignored.
 * [any thread] */
bool plugin_process_ignores_children(void);

/* Returns whether a process has ended. It stays to be reaped.
 * [any thread] */
bool plugin_process_has_ended(int32_t pid);

/* Returns the memory of the data that were sent through a socket and are not yet read, in bytes.
 * [any thread] */
int32_t plugin_process_unread(int32_t socket);

/* Returns the signal that has stopped a process which has not been reaped; 0 if it is not stopped.
 * [any thread] */
int32_t plugin_process_stop_signal(int32_t pid);

/* Kills a child and its process group with SIGKILL. `pidfd` is the descriptor of the child, or -1. If the child has
 * been reaped, other processes that have got its number are spared; before Linux 6.9 its group is spared too.
 * [any thread] */
void plugin_process_kill(int32_t pid, int32_t pidfd);

/* Ties the calling process to its parent: it gets SIGKILL when the parent's thread that started it ends. Call it in the
 * child.
 * [any thread] */
void plugin_process_end_with_parent(void);

/* Starts a process that kills the process group of the calling process, its leader, once the latter has ended in any
 * way. Call it in the child, while it has one thread. No wait() reports the new process. A no-op where the kernel has
 * no pidfd_open() (Linux 5.3). */
void plugin_process_guard_group(void);

/* Notes that the calling process serves its host by this socket: its children do not, and their copies of the
 * descriptor are closed. Call it once, after plugin_activity_guard(). */
void plugin_process_serve(int32_t socket);

/* Returns whether the calling process is a child that a serving process has forked, in any way.
 * Async-signal-safe.
 * [any thread] */
bool plugin_process_is_child_of_worker(void);

/* Makes a non-blocking eventfd that is closed by exec(); -1 with errno on failure.
 * [any thread] */
int32_t plugin_process_new_event(void);

/* Sends bytes without SIGPIPE. Returns the count, or -1 with errno. Not a cancellation point.
 * [any thread] */
ptrdiff_t plugin_process_send(int32_t socket, const void *PROMISE_NONNULL bytes, size_t count, bool waits);

/* Returns whether the process has more rights than the user who started it and set its environment: by the mode of its
 * file (setuid, setgid), or by its capabilities.
 * [any thread] */
bool plugin_process_is_privileged(void);

/* Ends the process with PLUGIN_PROCESS_LOST, at once: no code of a plugin runs, and none can prevent it.
 * [any thread] */
void plugin_process_exit_now(void) __attribute__((noreturn));

/* Writes a line to standard error before SIGABRT, SIGILL or SIGTRAP ends a process whose memory RLIMIT_AS limits: the
 * limit and the way to raise it, after `program`. Swift raises one of these signals where an allocation fails. Call it
 * once, before plugin_activity_guard(), which keeps these handlers.
 * [one thread] */
void plugin_process_explain_memory_limit(const char *PROMISE_NONNULL program);

/* poll(), also where a plugin has set RLIMIT_NOFILE below the number of entries, for which poll() fails with EINVAL:
 * then it looks every 10 milliseconds.
 * [any thread] */
int32_t plugin_poll(struct pollfd *PROMISE_NONNULL entries, size_t count, int32_t timeout);

PROMISE_END_DECLS

#endif /* PLUGIN_PROCESS_H */
