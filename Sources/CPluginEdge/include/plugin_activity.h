/* plugin_activity.h - which code of which plugin a thread is running, for when the process ends in it.
 *
 * Every edge notes the code that it enters. A program calls plugin_activity_guard() once: from then on plugin code that
 * ends the process is reported, whether by exit(), by a fatal signal, or by not returning.
 */
#ifndef PLUGIN_ACTIVITY_H
#define PLUGIN_ACTIVITY_H

#include "promise_plugin.h"

#include <signal.h>

PROMISE_BEGIN_DECLS

/* The kind of plugin code that runs. */
typedef int32_t plugin_activity_kind_t;

enum {
  PLUGIN_ACTIVITY_CALL = 1,
  /* The functions that run when a library is mapped. */
  PLUGIN_ACTIVITY_MAPPING = 2,
  PLUGIN_ACTIVITY_ENTRY = 3,
  PLUGIN_ACTIVITY_LOAD = 4,
  PLUGIN_ACTIVITY_UNLOAD = 5,
  /* The functions that run while the program exits. */
  PLUGIN_ACTIVITY_EXIT = 6,
};

/* The end of a program whose plugin code ends the process. */
typedef struct plugin_activity_guard {
  /* The program's name, at the beginning of each message. Kept. */
  const char *PROMISE_NONNULL program;
  /* The exit statuses: of a process that ends in a call or in unload(), that ends while a plugin is loaded, and in
   * which plugin code has not returned in time. -1 for one of the first two keeps the status that the plugin gave. */
  int32_t call_status;
  int32_t load_status;
  int32_t timeout_status;
  /* The time limit of each mapping, promise_plugin_entry(), load() and unload(), in nanoseconds; 0: none. */
  int64_t timeout_ns;
  /* Whether a report is JSON:
   *   {"error":{"kind":"rejected","status":1,"plugin":"org.example","function":"f","message":"org.example.f: ..."}}
   * `kind` is "rejected", "notLoaded" or "timedOut", as one of the three statuses. After a signal, `status` is 128 and
   * its number, and `signal` is its name. `function` is there for a call, `plugin` if it is known. */
  bool json;
} plugin_activity_guard_t;

/* Guards the process. A second call changes only the timeout.
 *
 * exit() within plugin code ends the process with the status of the guard rather than its own. A fatal signal is
 * reported and then ends the process as before. Other handlers of it, if there were any, run after the report.
 * [any thread] */
void plugin_activity_guard(const plugin_activity_guard_t *PROMISE_NONNULL guard);

/* Gives the calling thread a stack for signal handlers, so that a stack overflow can be reported too.
 * [any thread] */
void plugin_activity_prepare_thread(void);

/* The state of a thread that code of plugins may change, and that affects the code that runs there afterwards. */
typedef struct plugin_thread_state {
  sigset_t blocked;
} plugin_thread_state_t;

/* Returns the state of the calling thread.
 * [any thread] */
plugin_thread_state_t plugin_thread_state(void);

/* Restores the calling thread's state: the blocked signals, the stack for signal handlers, the global locale, and
 * enabled, deferred cancellation.
 * [any thread] */
void plugin_thread_restore(const plugin_thread_state_t *PROMISE_NONNULL state);

/* Notes that the program itself is about to exit with this status. If plugin code ends the process before, the status
 * is kept unless it is 0. Exit handlers of plugins that are registered before this call have the time limit of the
 * guard.
 * [any thread] */
void plugin_activity_ending(int32_t status);

/* Exits with this status, as after plugin_activity_ending(). All exit handlers and destructors of plugins have the time
 * limit of the guard, whenever they were registered.
 * [any thread] */
__attribute__((noreturn)) void plugin_activity_exit(int32_t status);

/* Notes that this thread reads the results of a plugin's function, for the report of a fatal signal: `subject` is
 * "plugin.function", and is kept until the note ends with NULL.
 * [any thread] */
void plugin_activity_read_results(const char *PROMISE_NULLABLE subject);

/* Ends the process if plugin code of this thread called `how`, such as "_exit", with this status (-1: unknown);
 * returns if no plugin code is running here, or in a child process. "_exit" before plugin_activity_ending() is a
 * plugin's, on any thread. A program's own status that is a failure is kept.
 * Async-signal-safe.
 * [any thread] */
void plugin_activity_exits(const char *PROMISE_NONNULL how, int32_t status);

/* Ends the process because plugin code called `how`, such as "execve", which would replace its program: on any thread.
 * Returns in a child process, and if the status of the guard is -1.
 * Async-signal-safe.
 * [any thread] */
void plugin_activity_replaces(const char *PROMISE_NONNULL how);

/* Publishes the kind of plugin code that the process runs at `place`, such as in memory shared with its parent, from
 * now on: while a library is mapped, in promise_plugin_entry(), load() and unload(). 0 means none of them. Calls are
 * not published. With several threads the latest change wins. NULL ends the publishing.
 * [any thread] */
void plugin_activity_publish(plugin_activity_kind_t *PROMISE_NULLABLE place);

PROMISE_END_DECLS

#endif /* PLUGIN_ACTIVITY_H */
