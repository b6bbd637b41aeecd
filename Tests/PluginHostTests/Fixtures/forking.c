/* forking.c - forks where FORK_IN says, and the child goes on as the parent does. FORK_BY=_Fork runs no handlers. */
#include "fixture.h"

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static bool is_chosen(const char *name, const char *value) {
  const char *given = getenv(name);
  return given != NULL && strcmp(given, value) == 0;
}

/* Forks if FORK_IN names this place. Waits for the child in the parent, and returns whether this is the child. */
static bool fork_in(const char *place) {
  if (!is_chosen("FORK_IN", place))
    return false;
  pid_t child = is_chosen("FORK_BY", "_Fork") ? _Fork() : fork();
  if (child > 0)
    waitpid(child, NULL, 0);
  return child == 0;
}

static const promise_host_t *host_table;

__attribute__((constructor)) static void initialise(void) {
  fork_in("initialiser");
}

static promise_status_t load(const promise_host_t *host, promise_value_t *error) {
  (void)error;
  host_table = host;
  fork_in("load");
  return PROMISE_OK;
}

static void unload(void) {
  fork_in("unload");
}

static int32_t answer(void) {
  fork_in("call");
  return 5;
}

static int32_t ask(int32_t (*f)(int32_t x)) {
  bool is_child = fork_in("callback");
  int32_t answer = f(5);
  if (is_child)
    _exit(0);
  return answer;
}

/* Settles a promise, after a child has settled its copy of it. */
static void *settle_twice(void *context) {
  promise_t *promise = context;
  pid_t child = fork();
  if (child == 0) {
    host_table->log(host_table, PROMISE_LOG_ERROR, "from the child");
    _exit(promise_resolve(promise, &(promise_value_t){.kind = PROMISE_KIND_I64, .as.i64 = 666}) == PROMISE_OK ? 7 : 8);
  }
  int status = 0;
  waitpid(child, &status, 0);
  promise_resolve(promise, &(promise_value_t){.kind = PROMISE_KIND_I64, .as.i64 = WEXITSTATUS(status)});
  promise_release(promise);
  return NULL;
}

static promise_t *settle(void) {
  promise_t *promise = promise_new();
  promise_retain(promise);
  pthread_t thread;
  if (pthread_create(&thread, NULL, settle_twice, promise) == 0)
    pthread_detach(thread);
  return promise;
}

/* Leaves a child running, writes its process number, and does not return. */
static void leave_child(void) {
  pid_t child = fork();
  if (child > 0)
    dprintf(STDERR_FILENO, "child %d.\n", child);
  for (;;)
    pause();
}

static void ignore_children(void) {
  signal(SIGCHLD, SIG_IGN);
}

static void *wait_for_all(void *context) {
  while (waitpid(-1, NULL, 0) > 0) {
  }
  return context;
}

/* Takes the statuses of all children of the process, on a thread. */
static void take_children(void) {
  pthread_t thread;
  if (pthread_create(&thread, NULL, wait_for_all, NULL) == 0)
    pthread_detach(thread);
}

/* Returns the status of a child that runs a program, or ends by itself. */
static int32_t child_of(const char *end) {
  pid_t child = fork();
  if (child == 0 && strcmp(end, "exec") == 0)
    execl("/bin/sh", "sh", "-c", "exit 7", (char *)NULL);
  if (child == 0)
    _exit(7);
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static const promise_plugin_function_t functions[] = {
    FUNCTION("answer() -> i32", answer, NULL),
    FUNCTION("ask(f: fn(x: i32) -> i32) -> i32", ask, NULL),
    FUNCTION("child_of(end: cstr) -> i32", child_of, NULL),
    FUNCTION("settle() -> promise<i64>", settle, NULL),
    FUNCTION("leave_child()", leave_child, NULL),
    FUNCTION("ignore_children()", ignore_children, NULL),
    FUNCTION("take_children()", take_children, NULL),
};

DESCRIPTOR("org.example.forking", NULL, load, unload, NULL, functions)

const promise_plugin_t *promise_plugin_entry(uint32_t host_abi) {
  (void)host_abi;
  fork_in("entry");
  return &plugin;
}
