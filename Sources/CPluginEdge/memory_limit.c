/* Explains the end of a process that may lack memory: Swift ends the process where an allocation fails. */
#include "plugin_process.h"

#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

static char text[160];
static size_t length;

static void explain(int number) {
  (void)!write(STDERR_FILENO, text, length);
  /* Delivered on return, with the default action. */
  raise(number);
}

void plugin_process_explain_memory_limit(const char *program) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
    return;
  int size = snprintf(text, sizeof text, "%s: if memory has run out: RLIMIT_AS is %llu: raise the limit (ulimit -v)\n",
                      program, (unsigned long long)limit.rlim_cur);
  length = size > 0 && (size_t)size < sizeof text ? (size_t)size : 0;
  struct sigaction action = {.sa_handler = explain, .sa_flags = (int)SA_RESETHAND};
  int const numbers[] = {SIGABRT, SIGILL, SIGTRAP};
  for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
    sigaction(numbers[i], &action, NULL);
}
