/* Prints at each of its ends. */
#include "fixture.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

static void at_exit(void) {
  puts("exit handler");
}

__attribute__((destructor)) static void finish(void) {
  puts("destructor");
  printf("last");
}

static void *make(void) {
  atexit(at_exit);
  return malloc(1);
}

/* Exported, for `own`. */
void parting_drop(void *thing) {
  puts("drop");
  free(thing);
}

static void unload(void) {
  puts("unload");
}

static const promise_host_t *host;

static promise_status_t load(const promise_host_t *given, promise_value_t *error) {
  (void)error;
  host = given;
  return PROMISE_OK;
}

/* Returns a text of that length. */
static promise_str_t letters(uint32_t count) {
  char *text = host->allocate(host, count);
  return (promise_str_t){memset(text, 'a', count), count};
}

static void create(void *path, const promise_value_t *value) {
  (void)value;
  close(open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
}

/* Creates a file in a job of the main executor, after a timer of that executor. */
static void create_later(const char *path) {
  static promise_t *sleep;
  sleep = promise_sleep_on(promise_executor_main(), 100000000);
  promise_observe(sleep, create, NULL, strdup(path), free);
}

static const promise_plugin_function_t functions[] = {
    FUNCTION("make() -> own(parting_drop) ptr<thing>", make, NULL),
    FUNCTION("letters(count: u32) -> own str", letters, NULL),
    FUNCTION("create_later(path: cstr)", create_later, NULL),
};

PLUGIN_WITH_UNLOAD("org.example.parting", NULL, load, unload, NULL, functions)
