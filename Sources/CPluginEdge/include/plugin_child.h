/* plugin_child.h - a child process in which plugin code runs, so that it can do no harm to this one.
 */
#ifndef PLUGIN_CHILD_H
#define PLUGIN_CHILD_H

#include "plugin_activity.h"

#include <sys/types.h>

PROMISE_BEGIN_DECLS

/* A child process, as its parent sees it. */
typedef struct plugin_child {
  pid_t process;
  /* The read end of the pipe for the child's report. Not blocking. */
  int32_t report;
  /* The read end of the pipe that is the child's standard output and standard error. Not blocking. */
  int32_t output;
  /* A descriptor that is readable when the child has ended; -1 where the kernel has none. */
  int32_t end;
} plugin_child_t;

/* The descriptor of the report in the child. */
enum { PLUGIN_CHILD_REPORT = 3 };

/* Forks. Returns 1 in the parent, 0 in the child, and -1 with errno on failure.
 *
 * The child leads a process group of its own, and is killed if the calling thread ends. Its standard input is empty. It
 * has the descriptors 0 to 2 and PLUGIN_CHILD_REPORT, and no others. Signals have their default dispositions. It leaves
 * no core file. `place`, of plugin_child_place(), is where the child publishes the plugin code that it runs; see
 * plugin_activity_publish(). No other child has it.
 *
 * Call it in a process with a single thread: only then may the child run any code.
 * [one thread] */
int32_t plugin_child_fork(plugin_child_t *PROMISE_NONNULL child, plugin_activity_kind_t *PROMISE_NONNULL place);

/* Returns whether the child has ended. It stays a zombie, so that its number is not reused.
 * [one thread] */
bool plugin_child_has_ended(pid_t process);

/* Kills the child, if it runs, and its process group, waits for the child's end, and closes the descriptors. Returns
 * the status of waitpid().
 * [one thread] */
int32_t plugin_child_end(plugin_child_t *PROMISE_NONNULL child);

/* Makes this process the parent of each descendant whose parent ends, for plugin_child_is_left().
 * [any thread] */
void plugin_child_adopt_orphans(void);

/* Reaps the children of this process that have ended, and returns whether others run.
 * [any thread] */
bool plugin_child_is_left(void);

/* Returns memory that this process and one child share, with a place of 0; NULL if memory has run out.
 * [any thread] */
plugin_activity_kind_t *PROMISE_NULLABLE plugin_child_place(void);

/* Frees a place.
 * [any thread] */
void plugin_child_free_place(plugin_activity_kind_t *PROMISE_NONNULL place);

PROMISE_END_DECLS

#endif /* PLUGIN_CHILD_H */
