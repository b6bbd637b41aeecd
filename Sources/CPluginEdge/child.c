#define _GNU_SOURCE
#include "plugin_child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* Descriptors beyond those of the standard streams and the report, so that copies do not overwrite each other. */
enum { FIRST_SPARE = PLUGIN_CHILD_REPORT + 1 };

static bool open_pipe(int ends[2]) {
  int found[2];
  if (pipe2(found, O_CLOEXEC) != 0)
    return false;
  for (int i = 0; i < 2; i++) {
    ends[i] = fcntl(found[i], F_DUPFD_CLOEXEC, FIRST_SPARE);
    close(found[i]);
  }
  if (ends[0] >= 0 && ends[1] >= 0 && fcntl(ends[0], F_SETFL, O_NONBLOCK) == 0)
    return true;
  int error = errno;
  for (int i = 0; i < 2; i++)
    if (ends[i] >= 0)
      close(ends[i]);
  errno = error;
  return false;
}

static void close_pipe(int ends[2]) {
  int error = errno;
  close(ends[0]);
  close(ends[1]);
  errno = error;
}

static void close_from(unsigned first) {
#ifdef SYS_close_range
  if (syscall(SYS_close_range, first, ~0U, 0) == 0)
    return;
#endif
  struct rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur > 65536)
    limit.rlim_cur = 65536;
  for (unsigned descriptor = first; descriptor < limit.rlim_cur; descriptor++)
    close((int)descriptor);
}

static void default_signals(void) {
  for (int number = 1; number < NSIG; number++)
    signal(number, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
}

static void become_child(pid_t parent, int report, int output) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  /* The parent may have ended before the request. */
  if (getppid() != parent)
    syscall(SYS_exit_group, 1);
  default_signals();
  int empty = open("/dev/null", O_RDONLY | O_CLOEXEC);
  dup2(report, PLUGIN_CHILD_REPORT);
  dup2(output, STDOUT_FILENO);
  dup2(output, STDERR_FILENO);
  if (empty >= 0)
    dup2(empty, STDIN_FILENO);
  else
    close(STDIN_FILENO);
  close_from(FIRST_SPARE);
  struct rlimit none = {0, 0};
  setrlimit(RLIMIT_CORE, &none);
}

int32_t plugin_child_fork(plugin_child_t *child, plugin_activity_kind_t *place) {
  int report[2], output[2];
  if (!open_pipe(report))
    return -1;
  if (!open_pipe(output)) {
    close_pipe(report);
    return -1;
  }
  /* A process that ignores SIGCHLD, which it may have inherited, gets no status of its children. */
  signal(SIGCHLD, SIG_DFL);
  *place = 0;
  pid_t parent = getpid();
  pid_t process = fork();
  if (process < 0) {
    close_pipe(report);
    close_pipe(output);
    return -1;
  }
  if (process == 0) {
    become_child(parent, report[1], output[1]);
    plugin_activity_publish(place);
    return 0;
  }
  setpgid(process, process);
  madvise(place, (size_t)sysconf(_SC_PAGESIZE), MADV_DONTFORK);
  close(report[1]);
  close(output[1]);
  *child = (plugin_child_t){.process = process, .report = report[0], .output = output[0], .end = -1};
#ifdef SYS_pidfd_open
  child->end = (int32_t)syscall(SYS_pidfd_open, process, 0);
#endif
  return 1;
}

bool plugin_child_has_ended(pid_t process) {
  siginfo_t information = {0};
  return waitid(P_PID, (id_t)process, &information, WEXITED | WNOHANG | WNOWAIT) != 0 || information.si_pid == process;
}

int32_t plugin_child_end(plugin_child_t *child) {
  kill(-child->process, SIGKILL);
  kill(child->process, SIGKILL);
  int status = 0;
  while (waitpid(child->process, &status, 0) < 0 && errno == EINTR) {
  }
  close(child->report);
  close(child->output);
  if (child->end >= 0)
    close(child->end);
  return status;
}

plugin_activity_kind_t *plugin_child_place(void) {
  void *memory = mmap(NULL, sizeof(plugin_activity_kind_t), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  return memory == MAP_FAILED ? NULL : memory;
}

void plugin_child_free_place(plugin_activity_kind_t *place) {
  munmap(place, sizeof *place);
}

void plugin_child_adopt_orphans(void) {
  prctl(PR_SET_CHILD_SUBREAPER, 1);
}

bool plugin_child_is_left(void) {
  pid_t ended;
  do
    ended = waitpid(-1, NULL, WNOHANG);
  while (ended > 0);
  return ended == 0;
}
