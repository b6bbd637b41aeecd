#include "late_runtime.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>

/* The names are those of the linker's option --wrap. */
#pragma GCC diagnostic ignored "-Wreserved-identifier"

typedef void *state_t(void);

state_t __real___cxa_get_globals __attribute__((weak));
state_t __wrap___cxa_get_globals, __wrap___cxa_get_globals_fast;

static state_t *state;

static void find_state(void) {
  /* RTLD_GLOBAL: in the global scope, as a library is that the program links. */
  void *library = dlopen("libstdc++.so.6", RTLD_LAZY | RTLD_GLOBAL);
  void *found = library != NULL ? dlsym(library, "__cxa_get_globals") : NULL;
  state = found != NULL ? (state_t *)found : __real___cxa_get_globals;
}

void late_runtime_load(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, find_state);
}

void *__wrap___cxa_get_globals(void) {
  late_runtime_load();
  return state();
}

void *__wrap___cxa_get_globals_fast(void) {
  return __wrap___cxa_get_globals();
}
