/* copy.h - a second copy of the library in one process. CHECK_COPY is its path. */
#ifndef COPY_H
#define COPY_H

#define _GNU_SOURCE
#include <dlfcn.h>

#include "support.h"

#define COPIED(EACH)                                                                                                   \
  EACH(promise_new)                                                                                                    \
  EACH(promise_release)                                                                                                \
  EACH(promise_state)                                                                                                  \
  EACH(promise_resolve)                                                                                                \
  EACH(promise_result)                                                                                                 \
  EACH(promise_then)                                                                                                   \
  EACH(promise_type_named)                                                                                             \
  EACH(promise_type_name)                                                                                              \
  EACH(promise_type_register)                                                                                          \
  EACH(promise_executor_global)                                                                                        \
  EACH(promise_executor_submit)                                                                                        \
  EACH(promise_sleep)                                                                                                  \
  EACH(promise_wait)

/* The functions of the copy. */
static struct {
#define FIELD(function) __typeof__(function) *function;
  COPIED(FIELD)
} copy;

static inline void find_functions(void *library) {
  if (library == NULL)
    fprintf(stderr, "%s\n", dlerror());
  REQUIRE(library != NULL);
#define FIND(function) REQUIRE((*(void **)&copy.function = dlsym(library, #function)) != NULL);
  COPIED(FIND)
  REQUIRE(copy.promise_new != promise_new);
}

static inline void *open_copy(void) {
  const char *path = getenv("CHECK_COPY");
  REQUIRE(path != NULL);
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  find_functions(library);
  return library;
}

#endif /* COPY_H */
