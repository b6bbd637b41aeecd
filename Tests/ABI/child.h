/* child.h - runs a part of a test in a child process, and reports a child that hangs or crashes as a failure. */
#ifndef CHILD_H
#define CHILD_H

#include <errno.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support.h"

/* Starts a child process that runs `body`, and exits with 0 if no check failed there. */
static inline pid_t child_start(void (*body)(void *), void *argument) {
  fflush(NULL);
  pid_t child = fork();
  REQUIRE(child >= 0);
  if (child > 0)
    return child;
  /* Far below the parent's limit, so that the report names the child. */
  alarm(check_limit() < 300 ? check_limit() / 3 : 60);
  long before = atomic_load(&check_failures);
  body(argument);
  _exit(atomic_load(&check_failures) == before ? 0 : 1);
}

/* Waits for the child to end. Returns whether its exit status is `expected`, and reports any other end. */
static inline bool child_ended(pid_t child, int expected, const char *what, const char *file, int line) {
  int status = 0;
  pid_t ended;
  do
    ended = waitpid(child, &status, 0);
  while (ended < 0 && errno == EINTR);
  REQUIRE(ended == child);
  if (WIFSIGNALED(status))
    return check_that(false, file, line, "the child of %s %s (signal %d)", what,
                      WTERMSIG(status) == SIGALRM ? "hung" : "died", WTERMSIG(status));
  return check_that(WEXITSTATUS(status) == expected, file, line, "the child of %s ended with %d, expected %d", what,
                    WEXITSTATUS(status), expected);
}

#define CHECK_CHILD(child, expected) child_ended((child), (expected), check_test, __FILE__, __LINE__)
#define IN_CHILD(body, argument) CHECK_CHILD(child_start((body), (argument)), 0)

#endif /* CHILD_H */
