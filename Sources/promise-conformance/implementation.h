/* implementation.h - the functions of the implementation under test. Include this instead of promise.h: it replaces the
 * name of each function with the loaded one, so that checks read like any other program.
 *
 * scripts/build-conformance.sh makes functions.def from the headers and the exports map: a line FUNCTION(name, since)
 * for each function, with the ABI version that added it. It also makes functions.h, with
 * `#define name (*implementation.name_)` for each. */
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

/* The functions that implementation_load() found. A stand-in for each missing one ends the check with CHECK_LACKS. */
extern struct implementation implementation;

typedef struct implementation_function {
  const char *name;
  uint32_t since;
} implementation_function_t;

/* The number of functions in the ABI, and the table of them. */
enum {
#define FUNCTION(name, since) IMPLEMENTATION_INDEX_##name,
#include "functions.def"
#undef FUNCTION
  IMPLEMENTATION_FUNCTION_COUNT
};
extern const implementation_function_t implementation_functions[IMPLEMENTATION_FUNCTION_COUNT];

/* Returns the ABI version that added a function; 0 for an unknown name. */
uint32_t implementation_since(const char *name);

/* Loads the shared object into this process. Sets `has` to true for each function of the list that the object has;
 * `has` may be NULL. Returns NULL, or the reason why the object could not be loaded. */
const char *implementation_load(const char *path, bool *has);

#include "functions.h"

#endif /* CONFORMANCE_IMPLEMENTATION_H */
