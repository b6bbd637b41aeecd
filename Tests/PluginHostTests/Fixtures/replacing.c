/* replacing.c - runs another program in place of its process, or leaves the process to a child. REPLACE_IN=load does so
 * in load(), REPLACE_IN=destructor and REPLACE_IN=atexit while the process exits. */
#include "fixture.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <sys/wait.h>
#include <unistd.h>

int execveat(int folder, const char *path, char *const argv[], char *const envp[], int flags);

static void end_with_7(void) {
  _exit(7);
}

static int replace(const char *how) {
  /* A function without an argument for the environment passes on that of the process; the others must not. */
  bool has_own = how[strlen(how) - 1] == 'e' || strcmp(how, "execveat") == 0;
  setenv("STATUS", has_own ? "9" : "7", 1);
  char *argv[] = {"sh", "-c", "exit $STATUS", NULL}, *own[] = {"STATUS=7", NULL};
  if (strcmp(how, "execve") == 0)
    return execve("/bin/sh", argv, own);
  if (strcmp(how, "execv") == 0)
    return execv("/bin/sh", argv);
  if (strcmp(how, "execvpe") == 0)
    return execvpe("sh", argv, own);
  if (strcmp(how, "execvp") == 0)
    return execvp("sh", argv);
  if (strcmp(how, "execl") == 0)
    return execl("/bin/sh", "sh", "-c", "exit $STATUS", (char *)NULL);
  if (strcmp(how, "execlp") == 0)
    return execlp("sh", "sh", "-c", "exit $STATUS", (char *)NULL);
  if (strcmp(how, "execle") == 0)
    return execle("/bin/sh", "sh", "-c", "exit $STATUS", (char *)NULL, own);
  if (strcmp(how, "fexecve") == 0)
    return fexecve(open("/bin/sh", O_RDONLY), argv, own);
  if (strcmp(how, "execveat") == 0)
    return execveat(AT_FDCWD, "/bin/sh", argv, own, 0);
  if (strcmp(how, "quick_exit") == 0 && at_quick_exit(end_with_7) == 0)
    quick_exit(0);
  if (strcmp(how, "_exit") == 0)
    _exit(0);
  if (daemon(1, 1) == 0)
    _exit(7);
  return -1;
}

static bool is_chosen(const char *place) {
  const char *chosen = getenv("REPLACE_IN");
  return chosen != NULL && strcmp(chosen, place) == 0;
}

static void replace_at_exit(void) {
  replace("execv");
}

__attribute__((destructor)) static void destroy(void) {
  if (is_chosen("destructor"))
    replace("execv");
}

static promise_status_t load(const promise_host_t *host, promise_value_t *error) {
  (void)host;
  (void)error;
  if (is_chosen("load"))
    replace("execv");
  if (is_chosen("atexit"))
    atexit(replace_at_exit);
  return PROMISE_OK;
}

static int32_t run(const char *how) {
  return replace(how);
}

static void *run_on_thread(void *how) {
  replace(how);
  return NULL;
}

static int32_t run_beside(const char *how) {
  pthread_t thread;
  pthread_create(&thread, NULL, run_on_thread, (void *)how);
  pthread_join(thread, NULL);
  return 0;
}

/* Returns the status of a child that replaces its program. */
static int32_t child(const char *how) {
  pid_t child = fork();
  if (child == 0) {
    replace(how);
    _exit(8);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* Returns the status of a child that shares the memory of its parent and runs a program. */
static int32_t sharing_child(void) {
  char *argv[] = {"sh", "-c", "exit 7", NULL};
  pid_t child = vfork();
  if (child == 0) {
    execv("/bin/sh", argv);
    _exit(8);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static const promise_plugin_function_t functions[] = {
    FUNCTION("run(how: cstr) -> i32", run, NULL),
    FUNCTION("run_beside(how: cstr) -> i32", run_beside, NULL),
    FUNCTION("child(how: cstr) -> i32", child, NULL),
    FUNCTION("sharing_child() -> i32", sharing_child, NULL),
};

PLUGIN("org.example.replacing", NULL, load, NULL, functions)
