#include "steps.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

/* Returns the signal that stopped the child; 0 if it ended. */
static int next_stop(pid_t child) {
  int status;
  return waitpid(child, &status, 0) == child && WIFSTOPPED(status) ? WSTOPSIG(status) : 0;
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
  if (next_stop(child) == SIGSTOP) {
    int signal;
    do {
      steps++;
      if (ptrace(PTRACE_SINGLESTEP, child, NULL, NULL))
        abort();
      signal = next_stop(child);
    } while (signal == SIGTRAP);
    if (signal != SIGUSR1) {
      fprintf(stderr, "counts: the %s ended with signal %d while it was traced\n", library->name, signal);
      exit(2);
    }
  }
  kill(child, SIGKILL);
  waitpid(child, NULL, 0);
  return steps;
}
