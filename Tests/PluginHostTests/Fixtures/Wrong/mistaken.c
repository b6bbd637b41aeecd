/* mistaken.c - a plugin with a mistake in a signature. */
#include "../fixture.h"

static int32_t two(int32_t a) {
  return a;
}

static const promise_plugin_function_t functions[] = {
    FUNCTION("one() -> i32", two, NULL),
    FUNCTION("two(a: int) -> i32", two, NULL),
};

PLUGIN("org.example.mistaken", NULL, NULL, NULL, functions)
