/* ignoring.c - a plugin that changes the dispositions of signals. The place is in the environment: SIGNALS is
 * "constructor" or "load", and CHANGE is "ignore", "handle" or "default". */
#include "fixture.h"

#include <errno.h>
#include <signal.h>
#include <unistd.h>

static const promise_host_t *host;

static void handle(int number) {
  (void)number;
}

static void change(void) {
  const char *change = getenv("CHANGE");
  static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
    if (change != NULL && strcmp(change, "default") == 0)
      signal(numbers[i], SIG_DFL);
    else if (numbers[i] != SIGPIPE)
      signal(numbers[i], change != NULL && strcmp(change, "handle") == 0 ? handle : SIG_IGN);
  }
}

static void change_in(const char *place) {
  const char *chosen = getenv("SIGNALS");
  if (chosen != NULL && strcmp(chosen, place) == 0)
    change();
}

__attribute__((constructor)) static void construct(void) {
  change_in("constructor");
}

static promise_status_t load(const promise_host_t *offered, promise_value_t *error) {
  (void)error;
  host = offered;
  change_in("load");
  return PROMISE_OK;
}

static promise_t *wait_for_ever(void) {
  promise_t *promise = promise_new();
  promise_retain(promise);
  host->progress(host, promise, -1, "for ever");
  return promise;
}

static promise_t *change_and_wait(void) {
  change();
  return wait_for_ever();
}

static void change_and_block(void) {
  change();
  host->log(host, PROMISE_LOG_ERROR, "for ever");
  for (;;)
    pause();
}

/* Returns the error of a write to a pipe that nobody reads. */
static int32_t write_to_nobody(void) {
  int ends[2];
  if (pipe(ends) != 0)
    return -1;
  close(ends[0]);
  errno = 0;
  ssize_t written = write(ends[1], "x", 1);
  int32_t error = errno;
  close(ends[1]);
  return written < 0 ? error : 0;
}

static const promise_plugin_function_t functions[] = {
    FUNCTION("wait_for_ever() -> promise<void>", wait_for_ever, "Never settles."),
    FUNCTION("change_and_wait() -> promise<void>", change_and_wait, "Never settles."),
    FUNCTION("change_and_block()", change_and_block, "Never returns."),
    FUNCTION("write_to_nobody() -> i32", write_to_nobody, "Gives errno."),
};

PLUGIN("org.example.ignoring", NULL, load, NULL, functions)
