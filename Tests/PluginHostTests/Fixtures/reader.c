/* Reads files. READ_IN names a place in loading or unloading where it tries to read one, without a need for it. */
#include "fixture.h"

#include <stdio.h>

/* Returns the number of the file's bytes, at most 1,000,000; -1 if the file cannot be opened. */
static int64_t count(const char *path) {
  FILE *file = fopen(path, "rb");
  if (file == NULL)
    return -1;
  int64_t bytes = 0;
  while (bytes < 1000000 && fgetc(file) != EOF)
    bytes++;
  fclose(file);
  return bytes;
}

static void try_in(const char *place) {
  const char *chosen = getenv("READ_IN");
  if (chosen != NULL && strcmp(chosen, place) == 0)
    count("/etc/passwd");
}

__attribute__((constructor)) static void initialise(void) {
  try_in("an initialiser");
}

static promise_status_t load(const promise_host_t *host, promise_value_t *error) {
  (void)host;
  (void)error;
  try_in("load");
  return PROMISE_OK;
}

static void unload(void) {
  try_in("unload");
}

static const promise_plugin_function_t functions[] = {
    FUNCTION("count(path: cstr) -> i64", count, NULL),
};

DESCRIPTOR("org.example.reader", NULL, load, unload, NULL, functions)

const promise_plugin_t *promise_plugin_entry(uint32_t host_abi) {
  (void)host_abi;
  try_in("promise_plugin_entry()");
  return &plugin;
}
