/* Prints at each of its ends. */
#include "fixture.h"

#include <stdio.h>

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

static const promise_plugin_function_t functions[] = {
    FUNCTION("make() -> own(parting_drop) ptr<thing>", make, NULL),
};

PLUGIN_WITH_UNLOAD("org.example.parting", NULL, NULL, unload, NULL, functions)
