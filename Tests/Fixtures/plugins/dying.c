/* Ends its process, or does harm to it, in every way and at every time. The macros select the action of a phase. */
#define _GNU_SOURCE
#include "fixture.h"

#include <dirent.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef IN_INITIALISER
#define IN_INITIALISER (void)0
#endif
#ifndef IN_ENTRY
#define IN_ENTRY (void)0
#endif
#ifndef IN_LOAD
#define IN_LOAD (void)0
#endif
#ifndef IN_UNLOAD
#define IN_UNLOAD (void)0
#endif

static const promise_host_t *host;

static inline void hang(void) {
  for (;;)
    pause();
}

static inline void lower_limit(void) {
  setrlimit(RLIMIT_NOFILE, &(struct rlimit){0, 0});
}

static inline void crash(void) {
  *(volatile int *)8 = 1;
}

/* Calls `act` with each socket of this process: only the one that is connected to the host. */
static void with_sockets(void (*act)(int socket, const void *data, size_t size), const void *data, size_t size) {
  for (int descriptor = 0; descriptor < 1024; descriptor++) {
    struct stat status;
    if (fstat(descriptor, &status) == 0 && S_ISSOCK(status.st_mode))
      act(descriptor, data, size);
  }
}

static void send_to(int socket, const void *data, size_t size) {
  if (send(socket, data, size, MSG_NOSIGNAL) < 0)
    perror("send");
}

static void close_one(int socket, const void *data, size_t size) {
  (void)data;
  (void)size;
  shutdown(socket, SHUT_RDWR);
  close(socket);
}

/* Sends `failed`: the rules of trust refuse the plugin. */
static inline void forge_refusal(void) {
  static const char frame[] = "\31\0\0\0\1\10\0\0\0\0\0\0\0\0\0\0\202\146plugin\204\152notTrusted\366\141x\141y";
  with_sockets(send_to, frame, sizeof frame - 1);
  hang();
}

/* Sends `opened` with an empty object, as the description of the plugin. */
static inline void forge_description(void) {
  static const char frame[] = "\4\0\0\0\1\4\0\0\0\0\0\0\0\0\0\0\331\240\2\200";
  with_sockets(send_to, frame, sizeof frame - 1);
  hang();
}

static void *exit_of_thread(void *context) {
  (void)context;
  exit(0);
}

static void stop_thread(int number) {
  (void)number;
  hang();
}

/* Stops all other threads: the process lives on, but no thread reads the socket any more. */
static void stop_others(void) {
  signal(SIGUSR1, stop_thread);
  DIR *threads = opendir("/proc/self/task");
  if (threads == NULL)
    abort();
  for (struct dirent *entry; (entry = readdir(threads)) != NULL;) {
    pid_t thread = atoi(entry->d_name);
    if (thread > 0 && thread != gettid())
      syscall(SYS_tgkill, getpid(), thread, SIGUSR1);
  }
}

__attribute__((constructor)) static void initialise(void) {
  IN_INITIALISER;
}

static promise_status_t load(const promise_host_t *offered, promise_value_t *error) {
  (void)error;
  host = offered;
  IN_LOAD;
  return PROMISE_OK;
}

static void unload(void) {
  IN_UNLOAD;
}

static int64_t echo(int64_t value) {
  return value;
}

static int32_t process(void) {
  return getpid();
}

static void die(promise_str_t how) {
  fprintf(stderr, "about to %.*s\n", (int)how.length, how.data);
#define HOW(name) (how.length == strlen(name) && memcmp(how.data, name, how.length) == 0)
  if (HOW("crash"))
    crash();
  if (HOW("abort"))
    abort();
  if (HOW("kill"))
    raise(SIGKILL);
  if (HOW("stop"))
    raise(SIGSTOP);
  if (HOW("exit 0"))
    exit(0);
  if (HOW("exit 77"))
    exit(77);
  if (HOW("_exit 0"))
    _exit(0);
  if (HOW("exit on a thread")) {
    pthread_t thread;
    pthread_create(&thread, NULL, exit_of_thread, NULL);
    pthread_join(thread, NULL);
  }
  if (HOW("block"))
    hang();
  if (HOW("deafen")) {
    stop_others();
    hang();
  }
  if (HOW("deafen and close")) {
    stop_others();
    with_sockets(close_one, NULL, 0);
    hang();
  }
  if (HOW("close the socket")) {
    with_sockets(close_one, NULL, 0);
    hang();
  }
  if (HOW("close all")) {
    for (int descriptor = 0; descriptor < 1024; descriptor++)
      close(descriptor);
    hang();
  }
}

/* Leaves a child behind, in the process group of this process. */
static int32_t leave_process(void) {
  pid_t child = fork();
  if (child == 0)
    hang();
  return child;
}

static void garbage(promise_bytes_t data) {
  with_sockets(send_to, data.data, data.length);
}

/* Sends bytes, and ends the process without an answer. */
static void forge(promise_bytes_t data) {
  garbage(data);
  crash();
}

static void block(void) {
  hang();
}

/* Takes a callback that it never calls: only frames sent by garbage() do. */
static promise_t *keep(int64_t (*f)(int64_t value, promise_str_t name)) {
  (void)f;
  return pending_promise();
}

static void keep_nothing(int64_t (*f)(int64_t value, promise_str_t name)) {
  (void)f;
}

static promise_t *never(void) {
  return pending_promise();
}

/* A promise that a thread settles after `milliseconds`. */
struct work {
  promise_t *promise;
  int64_t value;
  uint32_t milliseconds;
};

static void *work(void *context) {
  struct work *work = context;
  usleep(work->milliseconds * 1000);
  promise_resolve(work->promise, &(promise_value_t){.kind = PROMISE_KIND_I64, .as.i64 = work->value});
  promise_release(work->promise);
  free(work);
  return NULL;
}

static promise_t *later(int64_t value, uint32_t milliseconds) {
  struct work *given = malloc(sizeof *given);
  *given = (struct work){promise_new(), value, milliseconds};
  promise_t *promise = given->promise;
  promise_retain(promise);
  pthread_t thread;
  if (pthread_create(&thread, NULL, work, given) != 0)
    abort();
  pthread_detach(thread);
  return promise;
}

/* Leaves a child behind that keeps the inherited descriptors, in a session of its own; then kills this process. */
static void leave_child(void) {
  if (fork() == 0) {
    setsid();
    sleep(5);
    _exit(0);
  }
  raise(SIGKILL);
}

/* Writes the value of a setting to the log. */
static void log_setting(const char *key) {
  const char *value = host->configuration(host, key);
  host->log(host, PROMISE_LOG_WARNING, value == NULL ? "no value" : value);
}

struct thing {
  int64_t value;
};

static struct thing *make(int64_t value) {
  struct thing *thing = malloc(sizeof *thing);
  thing->value = value;
  return thing;
}

static int64_t look(const struct thing *thing) {
  return thing->value;
}

static const promise_plugin_function_t functions[] = {
    FUNCTION("echo(value: i64) -> i64", echo),
    FUNCTION("process() -> i32", process),
    FUNCTION("die(how: str)", die),
    FUNCTION("forge(data: bytes)", forge),
    FUNCTION("leave_process() -> i32", leave_process),
    FUNCTION("garbage(data: bytes)", garbage),
    FUNCTION("block()", block),
    FUNCTION("keep(f: fn(value: i64, name: str) -> i64 @settled) -> promise<void>", keep),
    FUNCTION("keep_call(f: fn(value: i64, name: str) -> i64 @call)", keep_nothing),
    FUNCTION("keep_once(f: fn(value: i64, name: str) -> i64 @once)", keep_nothing),
    FUNCTION("keep_forever(f: fn(value: i64, name: str) -> i64 @forever)", keep_nothing),
    FUNCTION("never() -> promise<void>", never),
    FUNCTION("later(value: i64, milliseconds: u32) -> promise<i64>", later),
    FUNCTION("leave_child()", leave_child),
    FUNCTION("log_setting(key: cstr)", log_setting),
    FUNCTION("make(value: i64) -> ptr<thing>", make),
    FUNCTION("look(thing: ptr<thing>) -> i64", look),
};

static const promise_plugin_t plugin = DESCRIPTOR("test.dying", .load = load, .unload = unload);

const promise_plugin_t *promise_plugin_entry(uint32_t host_abi) {
  (void)host_abi;
  IN_ENTRY;
  return &plugin;
}
