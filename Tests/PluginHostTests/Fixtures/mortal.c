/* Ends its process. */
#include "fixture.h"

#include <stdio.h>

static int64_t echo(int64_t value) {
  return value;
}

static int64_t crash(void) {
  puts("about to crash");
  fflush(stdout);
  *(volatile int *)8 = 1;
  return 0;
}

static int64_t leave(int32_t status) {
  exit(status);
}

static const promise_plugin_function_t functions[] = {
    FUNCTION("echo(value: i64) -> i64", echo, NULL),
    FUNCTION("crash() -> i64", crash, NULL),
    FUNCTION("leave(status: i32) -> i64", leave, NULL),
};

PLUGIN("org.example.mortal", NULL, NULL, NULL, functions)
