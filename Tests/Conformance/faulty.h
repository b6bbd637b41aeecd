/* faulty.h - shared by the files of the faulty implementation (faulty.c). */
#ifndef FAULTY_H
#define FAULTY_H

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "promise.h"

static inline bool is(const char *fault) {
  const char *chosen = getenv("FAULT");
  return chosen != NULL && strcmp(chosen, fault) == 0;
}

static inline void *next(const char *name) {
  void *symbol = dlsym(RTLD_NEXT, name);
  if (symbol == NULL)
    abort();
  return symbol;
}

/* The real function with the name, and with its type. */
#define REAL(name) (*(__typeof__(&name))next(#name))

#endif /* FAULTY_H */
