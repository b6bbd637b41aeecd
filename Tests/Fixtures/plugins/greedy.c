/* Asks for rights. Each function returns 0, or the errno of the refusal. */
#define _GNU_SOURCE
#include "fixture.h"

#include <fcntl.h>
#include <linux/fs.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#ifndef IN_INITIALISER
#define IN_INITIALISER (void)0
#endif

extern char **environ;

static inline int32_t opened(int descriptor) {
  if (descriptor < 0)
    return errno;
  close(descriptor);
  return 0;
}

__attribute__((constructor)) static void initialise(void) {
  IN_INITIALISER;
}

static int32_t echo(int32_t value) {
  return value;
}

static int32_t process(void) {
  return getpid();
}

static int32_t read_file(const char *path) {
  return opened(open(path, O_RDONLY));
}

static int32_t open_with(const char *path, int32_t flags) {
  return opened(open(path, flags, 0600));
}

static int32_t read_relative(const char *folder, const char *path) {
  int descriptor = open(folder, O_PATH | O_DIRECTORY);
  if (descriptor < 0)
    return -1;
  int32_t result = opened(openat(descriptor, path, O_RDONLY));
  close(descriptor);
  return result;
}

/* Opens a file by openat2(), whose flags are in memory. */
static int32_t read_by_structure(const char *path) {
  const uint64_t how[3] = {O_RDONLY | O_CLOEXEC, 0, 0};
  return opened((int)syscall(SYS_openat2, AT_FDCWD, path, how, sizeof how));
}

static int32_t write_file(const char *path) {
  return opened(open(path, O_WRONLY | O_CREAT, 0600));
}

/* Opens a file through the name of one of its descriptors. */
static int32_t reopen(const char *path, int access) {
  char name[32];
  int descriptor = open(path, O_PATH);
  if (descriptor < 0)
    return -1;
  snprintf(name, sizeof name, "/proc/self/fd/%d", descriptor);
  int32_t result = opened(open(name, access));
  close(descriptor);
  return result;
}

static int32_t reopen_to_read(const char *path) {
  return reopen(path, O_RDONLY);
}

static int32_t reopen_to_write(const char *path) {
  return reopen(path, O_WRONLY);
}

static int32_t watch_files(void) {
  return opened(inotify_init1(IN_CLOEXEC));
}

/* Makes a symbolic link at a path, in place of a file or a folder. */
static int32_t put_link(const char *target, const char *path) {
  char old[4096];
  snprintf(old, sizeof old, "%s.old", path);
  if (rename(path, old) != 0 && errno != ENOENT)
    return errno;
  return error_of(symlink(target, path));
}

/* Changes a file that is open for this access. */
static int32_t change_open(const char *path, int32_t access, const char *call, uint32_t argument) {
  int result = -1, descriptor = open(path, access);
  if (descriptor < 0)
    return -1;
  if (strcmp(call, "fchmod") == 0)
    result = fchmod(descriptor, argument);
  else if (strcmp(call, "fchown") == 0)
    result = fchown(descriptor, argument, (gid_t)-1);
  else if (strcmp(call, "fsetxattr") == 0)
    result = fsetxattr(descriptor, "user.test", "x", 1, 0);
  else if (strcmp(call, "fremovexattr") == 0)
    result = fremovexattr(descriptor, "user.test");
  else if (strcmp(call, "ioctl") == 0)
    result = ioctl(descriptor, FS_IOC_SETFLAGS, &argument);
  int32_t error = error_of(result);
  close(descriptor);
  return error;
}

static int32_t unlink_file(const char *path) {
  return error_of(unlink(path));
}

static int32_t change_mode(const char *path) {
  return error_of(chmod(path, 0777));
}

static int32_t read_attribute(const char *path) {
  char value[64];
  return getxattr(path, "user.secret", value, sizeof value) < 0 ? errno : 0;
}

static int32_t list_attributes(const char *path) {
  char names[64];
  return llistxattr(path, names, sizeof names) < 0 ? errno : 0;
}

static int32_t connect_somewhere(int32_t family) {
  return opened(socket(family, SOCK_STREAM, 0));
}

static int32_t fork_child(void) {
  pid_t pid = fork();
  if (pid == 0)
    _exit(0);
  if (pid < 0)
    return errno;
  return error_of(waitpid(pid, NULL, 0));
}

static int32_t spawn_child(void) {
  char *arguments[] = {"true", NULL};
  pid_t pid;
  int error = posix_spawn(&pid, "/bin/true", NULL, NULL, arguments, environ);
  if (error != 0)
    return error;
  int status;
  if (waitpid(pid, &status, 0) < 0)
    return errno;
  return status;
}

/* Tries to make a process whose parent is the host. */
static int32_t clone_sibling(void) {
  long pid = syscall(SYS_clone, CLONE_PARENT | SIGCHLD, NULL, NULL, NULL, NULL);
  if (pid == 0)
    _exit(0);
  return error_of(pid);
}

static int32_t signal_host(void) {
  return error_of(kill(getppid(), 0));
}

static int32_t trace_host(void) {
  return error_of(ptrace(PTRACE_ATTACH, getppid(), NULL, NULL));
}

static int32_t limit_host(void) {
  struct rlimit limit;
  return error_of(prlimit(getppid(), RLIMIT_CORE, NULL, &limit));
}

static int32_t mount_something(void) {
  return error_of(mount("none", "/mnt", "tmpfs", 0, NULL));
}

static int32_t use_ring(void) {
  return error_of(syscall(SYS_io_uring_setup, 8, NULL));
}

static void *run_thread(void *result) {
  *(int32_t *)result = 7;
  return NULL;
}

static int32_t start_thread(void) {
  pthread_t thread;
  int32_t result = 0;
  int error = pthread_create(&thread, NULL, run_thread, &result);
  if (error != 0)
    return error;
  pthread_join(thread, NULL);
  return result;
}

static int32_t allocate(uint64_t size) {
  unsigned char *memory = malloc(size);
  if (memory == NULL)
    return ENOMEM;
  memory[size - 1] = 1;
  free(memory);
  return 0;
}

/* Opens a file in a child. Returns 0 even if that is refused. */
static int32_t read_in_child(const char *path) {
  pid_t pid = fork();
  if (pid == 0) {
    opened(open(path, O_RDONLY));
    _exit(0);
  }
  return pid < 0 ? errno : error_of(waitpid(pid, NULL, 0));
}

/* The longest core file of this process. */
static uint64_t limit_of_core(void) {
  struct rlimit limit;
  return getrlimit(RLIMIT_CORE, &limit) == 0 ? limit.rlim_max : 1;
}

/* The processor time that this process may use, in seconds. */
static uint64_t limit_of_time(void) {
  struct rlimit limit;
  return getrlimit(RLIMIT_CPU, &limit) == 0 ? limit.rlim_cur : 0;
}

static int32_t burn(void) {
  for (volatile uint64_t turn = 0;; turn++)
    ;
  return 0;
}

static int32_t burn_on(void) {
  signal(SIGXCPU, SIG_IGN);
  return burn();
}

/* Opens a file on a thread that the host does not know, and rejects with the descriptor. */
static void *open_and_reject(void *context) {
  void **given = context;
  int descriptor = open(given[1], O_RDONLY);
  promise_reject(given[0], &(promise_value_t){.kind = PROMISE_KIND_I64, .as.i64 = descriptor});
  promise_release(given[0]);
  free(given[1]);
  free(given);
  return NULL;
}

static promise_t *read_elsewhere(const char *path) {
  void **given = malloc(2 * sizeof *given);
  promise_t *promise = promise_new();
  promise_retain(promise);
  given[0] = promise;
  given[1] = strdup(path);
  pthread_t thread;
  if (pthread_create(&thread, NULL, open_and_reject, given) != 0)
    abort();
  pthread_detach(thread);
  return promise;
}

static int32_t read_often(const char *path, uint32_t count) {
  int32_t result = 0;
  for (uint32_t index = 0; index < count; index++)
    result = opened(open(path, O_RDONLY));
  return result;
}

/* The state of a thread that serves no call: it opens the files that read_by_helper() names. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static const char *wanted;

static void *help(void *context) {
  pthread_mutex_lock(&lock);
  for (;;) {
    while (wanted == NULL)
      pthread_cond_wait(&changed, &lock);
    opened(open(wanted, O_RDONLY));
    wanted = NULL;
    pthread_cond_broadcast(&changed);
  }
  return context;
}

static promise_status_t load(const promise_host_t *host, promise_value_t *error) {
  (void)host;
  (void)error;
  pthread_t thread;
  return pthread_create(&thread, NULL, help, NULL) == 0 ? PROMISE_OK : -1;
}

static int32_t read_by_helper(const char *path) {
  pthread_mutex_lock(&lock);
  wanted = path;
  pthread_cond_broadcast(&changed);
  while (wanted != NULL)
    pthread_cond_wait(&changed, &lock);
  pthread_mutex_unlock(&lock);
  return 0;
}

static int32_t read_and_die(const char *path) {
  opened(open(path, O_RDONLY));
  abort();
}

static const promise_plugin_function_t functions[] = {
    FUNCTION("echo(value: i32) -> i32", echo),
    FUNCTION("process() -> i32", process),
    FUNCTION("read_file(path: cstr) -> i32", read_file),
    FUNCTION("open_with(path: cstr, flags: i32) -> i32", open_with),
    FUNCTION("read_in_child(path: cstr) -> i32", read_in_child),
    FUNCTION("limit_of_core() -> u64", limit_of_core),
    FUNCTION("read_relative(folder: cstr, path: cstr) -> i32", read_relative),
    FUNCTION("read_by_structure(path: cstr) -> i32", read_by_structure),
    FUNCTION("write_file(path: cstr) -> i32", write_file),
    FUNCTION("reopen_to_read(path: cstr) -> i32", reopen_to_read),
    FUNCTION("reopen_to_write(path: cstr) -> i32", reopen_to_write),
    FUNCTION("watch_files() -> i32", watch_files),
    FUNCTION("put_link(target: cstr, path: cstr) -> i32", put_link),
    FUNCTION("change_open(path: cstr, access: i32, call: cstr, argument: u32) -> i32", change_open),
    FUNCTION("unlink_file(path: cstr) -> i32", unlink_file),
    FUNCTION("change_mode(path: cstr) -> i32", change_mode),
    FUNCTION("clone_sibling() -> i32", clone_sibling),
    FUNCTION("read_attribute(path: cstr) -> i32", read_attribute),
    FUNCTION("list_attributes(path: cstr) -> i32", list_attributes),
    FUNCTION("connect(family: i32) -> i32", connect_somewhere),
    FUNCTION("fork_child() -> i32", fork_child),
    FUNCTION("spawn_child() -> i32", spawn_child),
    FUNCTION("signal_host() -> i32", signal_host),
    FUNCTION("trace_host() -> i32", trace_host),
    FUNCTION("limit_host() -> i32", limit_host),
    FUNCTION("mount_something() -> i32", mount_something),
    FUNCTION("use_ring() -> i32", use_ring),
    FUNCTION("start_thread() -> i32", start_thread),
    FUNCTION("allocate(size: u64) -> i32", allocate),
    FUNCTION("read_often(path: cstr, count: u32) -> i32", read_often),
    FUNCTION("read_by_helper(path: cstr) -> i32", read_by_helper),
    FUNCTION("limit_of_time() -> u64", limit_of_time),
    FUNCTION("burn() -> i32", burn),
    FUNCTION("burn_on() -> i32", burn_on),
    FUNCTION("read_elsewhere(path: cstr) -> promise<i64>", read_elsewhere),
    FUNCTION("read_and_die(path: cstr) -> i32", read_and_die),
};

PLUGIN("test.greedy", .load = load)
