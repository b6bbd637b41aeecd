#define _GNU_SOURCE
#include "environment.h"
#include "plugin_process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static int32_t spawn(const char *path, char *const *arguments, char *const *names, bool input, int socket, int control,
                     int output, pid_t *pid) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  int32_t error = posix_spawn_file_actions_init(&actions);
  if (error != 0)
    return error;
  error = posix_spawnattr_init(&attributes);
  if (error != 0) {
    posix_spawn_file_actions_destroy(&actions);
    return error;
  }
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &all);
  /* The host's descriptors lie above the five numbers that are given new contents (plugin_process_start()). */
  if (!input)
    error = posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  if (error == 0)
    error = posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
  if (error == 0)
    error = posix_spawn_file_actions_adddup2(&actions, output, STDERR_FILENO);
  if (error == 0)
    error = posix_spawn_file_actions_adddup2(&actions, socket, PLUGIN_PROCESS_SOCKET);
  if (error == 0)
    error = posix_spawn_file_actions_adddup2(&actions, control, PLUGIN_PROCESS_CONTROL);
  if (error == 0)
    error = posix_spawn_file_actions_addclosefrom_np(&actions, PLUGIN_PROCESS_CONTROL + 1);
  char **variables = plugin_environment(names);
  if (error == 0)
    error = variables == NULL ? ENOMEM : posix_spawn(pid, path, &actions, &attributes, arguments, variables);
  free(variables);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

/* Moves a descriptor above those that the child gets. */
static bool raise_descriptor(int *descriptor) {
  if (*descriptor > PLUGIN_PROCESS_CONTROL)
    return true;
  int raised = fcntl(*descriptor, F_DUPFD_CLOEXEC, PLUGIN_PROCESS_CONTROL + 1);
  if (raised < 0)
    return false;
  close(*descriptor);
  *descriptor = raised;
  return true;
}

static void close_both(const int *ends) {
  close(ends[0]);
  close(ends[1]);
}

int32_t plugin_process_start(const char *path, char *const *arguments, char *const *names, bool input,
                             plugin_process_t *process) {
  int sockets[2], control[2], output[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) != 0)
    return errno;
  int32_t error = 0;
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, control) != 0) {
    error = errno;
    close_both(sockets);
    return error;
  }
  if (pipe2(output, O_CLOEXEC) != 0) {
    error = errno;
    close_both(sockets);
    close_both(control);
    return error;
  }
  pid_t pid = -1;
  error = raise_descriptor(&sockets[1]) && raise_descriptor(&control[1]) && raise_descriptor(&output[1])
              ? spawn(path, arguments, names, input, sockets[1], control[1], output[1], &pid)
              : errno;
  if (error != 0) {
    close_both(sockets);
    close_both(control);
    close_both(output);
    return error;
  }
  close(sockets[1]);
  close(control[1]);
  close(output[1]);
  fcntl(sockets[0], F_SETFL, O_NONBLOCK);
  fcntl(control[0], F_SETFL, O_NONBLOCK);
  fcntl(output[0], F_SETFL, O_NONBLOCK);
  *process = (plugin_process_t){pid, (int32_t)syscall(SYS_pidfd_open, pid, 0), sockets[0], control[0], output[0]};
  return 0;
}

bool plugin_process_reap(int32_t pid, plugin_process_end_t *end) {
  siginfo_t info;
  struct rusage usage = {0};
  long result;
  do {
    info.si_pid = 0;
    // waitid() of the C library gives no usage.
    result = syscall(SYS_waitid, P_PID, pid, &info, WEXITED | WNOHANG, &usage);
  } while (result != 0 && errno == EINTR);
  if (result == 0 && info.si_pid == 0)
    return false;
  int64_t microseconds = (int64_t)usage.ru_utime.tv_usec + usage.ru_stime.tv_usec;
  *end = (plugin_process_end_t){-1, -1, usage.ru_utime.tv_sec + usage.ru_stime.tv_sec + microseconds / 1000000};
  if (result == 0 && info.si_code == CLD_EXITED)
    end->status = info.si_status;
  else if (result == 0)
    end->signal = info.si_status;
  return true;
}

bool plugin_process_ignores_children(void) {
  struct sigaction action;
  return sigaction(SIGCHLD, NULL, &action) == 0 &&
         (action.sa_handler == SIG_IGN || (action.sa_flags & SA_NOCLDWAIT) != 0);
}

bool plugin_process_has_ended(int32_t pid) {
  siginfo_t info;
  info.si_pid = 0;
  return waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid != 0;
}

int32_t plugin_process_unread(int32_t socket) {
  int count = 0;
  return ioctl(socket, TIOCOUTQ, &count) == 0 ? count : 0;
}

int32_t plugin_process_stop_signal(int32_t pid) {
  siginfo_t info;
  info.si_pid = 0;
  bool stopped = waitid(P_PID, (id_t)pid, &info, WSTOPPED | WNOHANG | WNOWAIT) == 0 && info.si_pid != 0;
  return stopped ? info.si_status : 0;
}

/* Sends SIGKILL through a pidfd, which no other process can have. Returns whether the kernel can do so: to a process
 * from Linux 5.1 on, to the process group that it leads from 6.9 on. */
static bool kill_by_descriptor(int32_t pidfd, bool group) {
  const unsigned process_group = 1u << 2; /* PIDFD_SIGNAL_PROCESS_GROUP */
  return pidfd >= 0 &&
         (syscall(SYS_pidfd_send_signal, pidfd, SIGKILL, NULL, group ? process_group : 0) == 0 || errno == ESRCH);
}

/* Sends SIGKILL to a child, or to the group that it leads (a negative number), while the number is reserved: the child
 * may have been reaped by other code of this process, or by the kernel if SIGCHLD is ignored. */
static void kill_by_number(int32_t child, int32_t number) {
  siginfo_t info;
  if (waitid(P_PID, (id_t)child, &info, WEXITED | WNOHANG | WNOWAIT) == 0)
    kill(number, SIGKILL);
}

void plugin_process_kill(int32_t pid, int32_t pidfd) {
  /* The group first, while the leader reserves its number. */
  if (!kill_by_descriptor(pidfd, true))
    kill_by_number(pid, -pid);
  if (!kill_by_descriptor(pidfd, false))
    kill_by_number(pid, pid);
}

void plugin_process_end_with_parent(void) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
}

/* The process that plugin_process_guard_group() starts. It has a copy of the worker's memory: only system calls. */
static _Noreturn void guard_group(int32_t worker) {
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, NULL);
  prctl(PR_SET_NAME, "plugin-guard");
  /* Otherwise the host and the worker would wait for the ends of their sockets and pipes. */
  dup2(worker, 0);
  for (int descriptor = 1; descriptor <= PLUGIN_PROCESS_CONTROL || descriptor <= worker; descriptor++)
    close(descriptor);
  struct pollfd end = {.fd = 0, .events = POLLIN};
  while (poll(&end, 1, -1) < 0 && errno == EINTR) {
  }
  /* 0 is this process's own group. Its number cannot have been reused, because this process is still a member. */
  kill(0, SIGKILL);
  for (;;)
    syscall(SYS_exit_group, 0);
}

void plugin_process_guard_group(void) {
  int32_t worker = (int32_t)syscall(SYS_pidfd_open, getpid(), 0);
  if (worker < 0 || getpgrp() != getpid()) {
    if (worker >= 0)
      close(worker);
    return;
  }
  /* Without an exit signal, so wait() does not report the child. */
  if (syscall(SYS_clone, 0, 0, 0, 0, 0) == 0)
    guard_group(worker);
  close(worker);
}

void plugin_process_exit_now(void) {
  for (;;)
    syscall(SYS_exit_group, PLUGIN_PROCESS_LOST);
}

int32_t plugin_process_new_event(void) {
  return eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
}

ptrdiff_t plugin_process_send(int32_t socket, const void *bytes, size_t count, bool waits) {
  int state;
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
  ssize_t sent = send(socket, bytes, count, MSG_NOSIGNAL | (waits ? 0 : MSG_DONTWAIT));
  int error = errno;
  pthread_setcancelstate(state, NULL);
  errno = error;
  return sent;
}

bool plugin_process_is_privileged(void) {
  return getauxval(AT_SECURE) != 0;
}
