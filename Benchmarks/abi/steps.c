#include "steps.h"

#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

/* Waits for the child to stop; false if it ended, or stopped for a reason of its own. */
static bool stopped(pid_t child, int expected) {
  int status;
  return waitpid(child, &status, 0) == child && WIFSTOPPED(status) && WSTOPSIG(status) == expected;
}

static void trace_me(workload_t workload, const library_t *library, size_t count) {
  if (ptrace(PTRACE_TRACEME, 0, NULL, NULL))
    _exit(1);
  workload(library, count);
  raise(SIGSTOP);
  workload(library, count);
  raise(SIGUSR1);
  _exit(0);
}

long steps_of(workload_t workload, const library_t *library, size_t count) {
  pid_t child = fork();
  if (child < 0)
    abort();
  if (child == 0)
    trace_me(workload, library, count);
  long steps = -1;
  if (stopped(child, SIGSTOP)) {
    for (steps = 0;; steps++) {
      if (ptrace(PTRACE_SINGLESTEP, child, NULL, NULL))
        abort();
      if (!stopped(child, SIGTRAP))
        break;
    }
  }
  kill(child, SIGKILL);
  waitpid(child, NULL, 0);
  return steps;
}
