/* Reaches for other processes. Each function returns 0, or the errno of the refusal. */
#define _GNU_SOURCE
#include "fixture.h"

#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/ipc.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

static int32_t make_pair(int32_t type) {
  int ends[2];
  if (socketpair(AF_UNIX, type, 0, ends) != 0)
    return errno;
  close(ends[0]);
  close(ends[1]);
  return 0;
}

/* Sends a byte to the socket of another process through one end of a pair. */
static int32_t send_datagram(const char *path) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends) != 0)
    return errno;
  struct sockaddr_un name = {.sun_family = AF_UNIX};
  snprintf(name.sun_path, sizeof name.sun_path, "%s", path);
  int32_t result = error_of(sendto(ends[0], "x", 1, 0, (struct sockaddr *)&name, sizeof name));
  close(ends[0]);
  close(ends[1]);
  return result;
}

/* Binds the socket to the host, the only one of this process, to a path or to an abstract address. */
static int32_t name_socket(const char *path) {
  struct stat status;
  int host = 0;
  while (host < 1024 && (fstat(host, &status) != 0 || !S_ISSOCK(status.st_mode)))
    host++;
  struct sockaddr_un name = {.sun_family = AF_UNIX};
  snprintf(name.sun_path, sizeof name.sun_path, "%s", path);
  if (path[0] == 0)
    snprintf(name.sun_path + 1, sizeof name.sun_path - 1, "test.reaching.%d", getpid());
  return error_of(bind(host, (struct sockaddr *)&name, sizeof name));
}

/* Makes a segment of shared memory, which other processes could find, and removes it. */
static int32_t make_segment(void) {
  int segment = shmget(IPC_PRIVATE, 4096, IPC_CREAT | 0600);
  if (segment < 0)
    return errno;
  return error_of(shmctl(segment, IPC_RMID, NULL));
}

/* Makes a call with the identifier of an object that does not exist. */
static int32_t use_ipc(const char *call) {
  static const struct {
    const char *name;
    int number;
  } calls[] = {{"shmat", SYS_shmat},     {"shmctl", SYS_shmctl},         {"semget", SYS_semget},
               {"semctl", SYS_semctl},   {"semtimedop", SYS_semtimedop}, {"msgget", SYS_msgget},
               {"msgctl", SYS_msgctl},   {"msgsnd", SYS_msgsnd},         {"msgrcv", SYS_msgrcv},
               {"mq_open", SYS_mq_open}, {"mq_unlink", SYS_mq_unlink}};
  for (size_t index = 0; index < sizeof calls / sizeof calls[0]; index++)
    if (strcmp(call, calls[index].name) == 0)
      return error_of(syscall(calls[index].number, -1, 0, 0, 0, 0));
  return -1;
}

/* Makes a call about the scheduling of a task. The call changes nothing. */
static int32_t schedule(const char *call, int32_t task) {
  cpu_set_t processors;
  sched_getaffinity(0, sizeof processors, &processors);
  struct sched_param none = {0};
  char attributes[56] = {56};
  if (strcmp(call, "sched_setaffinity") == 0)
    return error_of(sched_setaffinity(task, sizeof processors, &processors));
  if (strcmp(call, "sched_setscheduler") == 0)
    return error_of(sched_setscheduler(task, SCHED_OTHER, &none));
  if (strcmp(call, "sched_setparam") == 0)
    return error_of(sched_setparam(task, &none));
  if (strcmp(call, "sched_setattr") == 0)
    return error_of(syscall(SYS_sched_setattr, task, attributes, 0));
  if (strcmp(call, "setpriority") == 0)
    return error_of(setpriority(PRIO_PROCESS, (id_t)task, getpriority(PRIO_PROCESS, (id_t)task)));
  if (strcmp(call, "ioprio_set") == 0)
    return error_of(syscall(SYS_ioprio_set, 1, task, 2 << 13 | 4));
  if (strcmp(call, "tkill") == 0)
    return error_of(syscall(SYS_tkill, task, 0));
  return -1;
}

static int32_t schedule_host(const char *call) {
  return schedule(call, getppid());
}

static int32_t schedule_user(const char *call) {
  if (strcmp(call, "setpriority") == 0)
    return error_of(setpriority(PRIO_USER, 0, getpriority(PRIO_USER, 0)));
  return error_of(syscall(SYS_ioprio_set, 3, getuid(), 2 << 13 | 4));
}

static int32_t schedule_process(const char *call) {
  return schedule(call, getpid());
}

static int32_t schedule_thread(const char *call) {
  return schedule(call, (int32_t)syscall(SYS_gettid));
}

static int32_t schedule_caller(const char *call) {
  return schedule(call, 0);
}

/* Makes a child that calls for itself, by the number of its process. */
static int32_t schedule_child(void) {
  pid_t pid = fork();
  if (pid == 0)
    _exit(schedule("sched_setaffinity", getpid()));
  int status;
  if (pid < 0 || waitpid(pid, &status, 0) < 0)
    return errno;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int32_t signal_itself(void) {
  signal(SIGUSR1, SIG_IGN);
  return raise(SIGUSR1);
}

static const promise_plugin_function_t functions[] = {
    FUNCTION("make_pair(type: i32) -> i32", make_pair),
    FUNCTION("send_datagram(path: cstr) -> i32", send_datagram),
    FUNCTION("name_socket(path: cstr) -> i32", name_socket),
    FUNCTION("make_segment() -> i32", make_segment),
    FUNCTION("use_ipc(call: cstr) -> i32", use_ipc),
    FUNCTION("schedule_host(call: cstr) -> i32", schedule_host),
    FUNCTION("schedule_user(call: cstr) -> i32", schedule_user),
    FUNCTION("schedule_process(call: cstr) -> i32", schedule_process),
    FUNCTION("schedule_thread(call: cstr) -> i32", schedule_thread),
    FUNCTION("schedule_caller(call: cstr) -> i32", schedule_caller),
    FUNCTION("schedule_child() -> i32", schedule_child),
    FUNCTION("signal_itself() -> i32", signal_itself),
};

PLUGIN("test.reaching")
