/* implementation.h - the functions of the implementation under test. Include this in place of promise.h: it makes the name of
 * each function stand for the one that was loaded, so that checks read like any other program.
 *
 * functions.def is made by scripts/build-conformance.sh from the headers and the exports map: a line FUNCTION(name, since) for
 * each function, with the ABI version that brought it. So is functions.h, which has `#define name (*implementation.name_)`. */
#ifndef CONFORMANCE_IMPLEMENTATION_H
#define CONFORMANCE_IMPLEMENTATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "promise.h"

struct implementation {
#define FUNCTION(name, since) __typeof__(name) *name##_;
#include "functions.def"
#undef FUNCTION
};

/* What implementation_load() found. A function that is not there is a stand-in that ends the check: CHECK_LACKS. */
extern struct implementation implementation;

typedef struct implementation_function {
  const char *name;
  uint32_t since;
} implementation_function_t;

/* How many functions the ABI has, and which. */
enum {
#define FUNCTION(name, since) IMPLEMENTATION_INDEX_##name,
#include "functions.def"
#undef FUNCTION
  IMPLEMENTATION_FUNCTION_COUNT
};
extern const implementation_function_t implementation_functions[IMPLEMENTATION_FUNCTION_COUNT];

/* The ABI version that brought a function; 0 for a name that is none. */
uint32_t implementation_since(const char *name);

/* Loads the shared object into this process. `has` becomes true for each function of the list that it has; may be NULL.
 * Returns NULL, or why it could not be loaded. */
const char *implementation_load(const char *path, bool *has);

#include "functions.h"

#endif /* CONFORMANCE_IMPLEMENTATION_H */
