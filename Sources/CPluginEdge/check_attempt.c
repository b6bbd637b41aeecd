/* Makes a process for calls that may end it. */
#define _GNU_SOURCE
#include "plugin_check.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* A process that waits uses no processor time, so a second limit is one of elapsed time. It is generous: on a busy
 * machine a call takes several times as long as it computes. */
enum { ELAPSED = 4 };

void plugin_check_limit(uint32_t seconds) {
  setrlimit(RLIMIT_CPU, &(struct rlimit){.rlim_cur = seconds, .rlim_max = seconds});
  signal(SIGALRM, SIG_DFL);
  alarm(ELAPSED * seconds);
}

/* The report of the last process. A pipe gives so short a text at once. */
static char text[4096];

static void read_report(int descriptor) {
  ssize_t length;
  do
    length = read(descriptor, text, sizeof text - 1);
  while (length < 0 && errno == EINTR);
  text[length > 0 ? length : 0] = 0;
}

bool plugin_check_attempt(int32_t report, uint32_t seconds, plugin_check_ending_t *ending) {
  int ends[2], status = 0;
  *ending = (plugin_check_ending_t){.report = text};
  text[0] = 0;
  if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0)
    return false;
  pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], report);
    close(ends[0]);
    close(ends[1]);
    plugin_check_limit(seconds);
    return true;
  }
  close(ends[1]);
  while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
    continue;
  if (child > 0) {
    read_report(ends[0]);
    int number = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    ending->is_hung = number == SIGALRM || number == SIGXCPU || number == SIGKILL;
    ending->status = number != 0 ? 128 + number : WEXITSTATUS(status);
  }
  close(ends[0]);
  return false;
}
