/* Keeps implementation.h from replacing the names in this file. */
#define CONFORMANCE_FUNCTIONS_H
#include "implementation.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "check.h"

struct implementation implementation;

const implementation_function_t implementation_functions[IMPLEMENTATION_FUNCTION_COUNT] = {
#define FUNCTION(name, since) {#name, since},
#include "functions.def"
#undef FUNCTION
};

/* Stands in for a missing function of any type, which is sound because it never returns. */
static _Noreturn void lacks(const char *name) {
  snprintf(check_reported->reason, sizeof check_reported->reason, "%s", name);
  _exit(CHECK_LACKS);
}

#define FUNCTION(name, since)                                                                                          \
  static void lacks_##name(void) {                                                                                     \
    lacks(#name);                                                                                                      \
  }
#include "functions.def"
#undef FUNCTION

uint32_t implementation_since(const char *name) {
  for (size_t i = 0; i < IMPLEMENTATION_FUNCTION_COUNT; i++) {
    if (strcmp(implementation_functions[i].name, name) == 0)
      return implementation_functions[i].since;
  }
  return 0;
}

static bool find(void *library, const char *name, void (*stand_in)(void), void *function, size_t size) {
  void *symbol = dlsym(library, name);
  if (symbol == NULL)
    memcpy(function, &stand_in, size);
  else
    memcpy(function, &symbol, size);
  return symbol != NULL;
}

const char *implementation_load(const char *path, bool *has) {
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (library == NULL)
    return dlerror();
  size_t index = 0;
#define FUNCTION(name, since)                                                                                          \
  {                                                                                                                    \
    bool found = find(library, #name, lacks_##name, &implementation.name##_, sizeof implementation.name##_);           \
    if (has != NULL)                                                                                                   \
      has[index] = found;                                                                                              \
    index++;                                                                                                           \
  }
#include "functions.def"
#undef FUNCTION
  return NULL;
}
