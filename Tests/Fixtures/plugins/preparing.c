/* Writes the number of its process to the file PLACE before the entry, and appends a line in load(). */
#include "fixture.h"

#include <stdio.h>
#include <unistd.h>

static void append(const char *event, int number) {
  FILE *file = fopen(PLACE, "a");
  if (file == NULL)
    return;
  fprintf(file, "%s %d\n", event, number);
  fclose(file);
}

__attribute__((constructor)) static void begin(void) {
  append("process", getpid());
}

static promise_status_t load(const promise_host_t *table, promise_value_t *error) {
  (void)table, (void)error;
  append("load", REVISION);
  return PROMISE_OK;
}

static int32_t revision(void) {
  return REVISION;
}

static int32_t process(void) {
  return getpid();
}

static const promise_plugin_function_t functions[] = {
    FUNCTION("revision() -> i32", revision),
    FUNCTION("process() -> i32", process),
};

PLUGIN("test.preparing", .load = load)
