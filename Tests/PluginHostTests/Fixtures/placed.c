/* Reports facts of the process that it runs in. ABORT_PLACED: its initialiser calls abort(). PLACED_LOG: its
 * initialiser adds a line to that file. */
#include "fixture.h"

#include <signal.h>
#include <stdio.h>
#include <unistd.h>

__attribute__((constructor)) static void initialise(void) {
  if (getenv("ABORT_PLACED") != NULL)
    abort();
  const char *path = getenv("PLACED_LOG");
  FILE *log = path == NULL ? NULL : fopen(path, "a");
  if (log != NULL) {
    fputs("mapped\n", log);
    fclose(log);
  }
}

int32_t placed_process(void);

int32_t placed_process(void) {
  return getpid();
}

static int32_t bytes(const char *path) {
  FILE *file = fopen(path, "r");
  if (file == NULL)
    return -1;
  int32_t count = 0;
  while (getc(file) != EOF)
    count++;
  fclose(file);
  return count;
}

static int32_t input(void) {
  int32_t count = 0;
  while (getchar() != EOF)
    count++;
  return count;
}

static int32_t number(const char *variable) {
  const char *text = getenv(variable);
  return text == NULL ? -1 : atoi(text);
}

static int32_t run(const char *command) {
  return system(command);
}

static int32_t use_terminal(void) {
  raise(SIGTTIN);
  return 0;
}

static int32_t hang(void) {
  while (getpid() > 0)
    pause();
  return 0;
}

static int32_t thing = 7;

static int32_t *make(void) {
  return &thing;
}

static int32_t value(const int32_t *given) {
  return *given;
}

static int32_t crash(void) {
  abort();
}

static const promise_plugin_function_t functions[] = {
    FUNCTION("process() -> i32", placed_process, "The number of the process."),
    FUNCTION("bytes(path: cstr) -> i32", bytes, "The bytes of a file, or -1."),
    FUNCTION("input() -> i32", input, "The bytes of standard input."),
    FUNCTION("number(variable: cstr) -> i32", number, "A variable of the environment, or -1."),
    FUNCTION("run(command: cstr) -> i32", run, "The status of a command."),
    FUNCTION("use_terminal() -> i32", use_terminal, "Is stopped as by reading the terminal."),
    FUNCTION("make() -> ptr<thing>", make, "A handle."),
    FUNCTION("value(given: ptr<thing>) -> i32", value, "The value behind a handle."),
    FUNCTION("crash() -> i32", crash, "Calls abort()."),
    FUNCTION("hang() -> i32", hang, "Never returns."),
};

PLUGIN("org.example.placed", NULL, NULL, NULL, functions)
