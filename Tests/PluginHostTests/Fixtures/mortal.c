/* Ends its process. HANG_IN names a place outside of calls where it never returns. `exit` there:
 * unload() exits; `thread`: a thread exits meanwhile; `destructor`: a destructor crashes; `exit handler`: unload()
 * registers one that never returns. */
#include "fixture.h"

#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static void hang_in(const char *place) {
  const char *chosen = getenv("HANG_IN");
  while (chosen != NULL && strcmp(chosen, place) == 0)
    pause();
}

__attribute__((constructor)) static void initialise(void) {
  hang_in("initialiser");
}

static promise_status_t load(const promise_host_t *host, promise_value_t *error) {
  (void)host;
  (void)error;
  hang_in("load");
  return PROMISE_OK;
}

static void *exit_there(void *nothing) {
  (void)nothing;
  exit(0);
}

static void hang_at_exit(void) {
  hang_in("exit handler");
}

static void unload(void) {
  hang_in("unload");
  atexit(hang_at_exit);
  const char *chosen = getenv("HANG_IN");
  if (chosen != NULL && strcmp(chosen, "exit") == 0)
    exit(0);
  pthread_t thread;
  if (chosen != NULL && strcmp(chosen, "thread") == 0 && pthread_create(&thread, NULL, exit_there, NULL) == 0)
    for (;;)
      pause();
}

__attribute__((destructor)) static void finish(void) {
  const char *chosen = getenv("HANG_IN");
  if (chosen != NULL && strcmp(chosen, "destructor") == 0)
    *(volatile int *)8 = 1;
}

static int64_t echo(int64_t value) {
  return value;
}

static int64_t crash(void) {
  puts("about to crash");
  fflush(stdout);
  *(volatile int *)8 = 1;
  return 0;
}

static int64_t leave(int32_t status) {
  exit(status);
}

static promise_status_t refuse(promise_value_t *error) {
  (void)error;
  return PROMISE_EINVAL;
}

static const promise_plugin_function_t functions[] = {
    FUNCTION("echo(value: i64) -> i64", echo, NULL),
    FUNCTION("crash() -> i64", crash, NULL),
    FUNCTION("refuse() !", refuse, NULL),
    FUNCTION("leave(status: i32) -> i64", leave, NULL),
};

PLUGIN_WITH_UNLOAD("org.example.mortal", NULL, load, unload, NULL, functions)
