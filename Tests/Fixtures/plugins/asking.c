/* Calls its caller's callback, and returns values that are nested too deeply for a frame. */
#include "fixture.h"

#include <unistd.h>

static int32_t process(void) {
  return getpid();
}

static int64_t echo(int64_t value) {
  return value;
}

static int32_t ask(int32_t (*answer)(int32_t), int32_t value) {
  return answer(value);
}

static void deep(uint32_t levels, promise_value_t *result) {
  promise_value_t value = {.kind = PROMISE_KIND_VOID};
  for (; levels > 0; levels--) {
    promise_value_t inner = value;
    promise_value_array(&value, &inner, 1);
  }
  *result = value;
}

/* Rejects with a value of so many levels. */
static promise_t *refuse(uint32_t levels) {
  promise_value_t reason;
  deep(levels, &reason);
  promise_t *promise = promise_new();
  promise_reject(promise, &reason);
  return promise;
}

static uint64_t length(promise_bytes_t data) {
  return data.length;
}

static bool has_token(promise_token_t *token) {
  return token != NULL;
}

static const promise_plugin_function_t functions[] = {
    FUNCTION("process() -> i32", process),
    FUNCTION("echo(value: i64) -> i64", echo),
    FUNCTION("ask(answer: fn(i32) -> i32, value: i32) -> i32", ask),
    FUNCTION("deep(levels: u32) -> value", deep),
    FUNCTION("refuse(levels: u32) -> promise<void>", refuse),
    FUNCTION("length(data: bytes) -> u64", length),
    FUNCTION("takes_token(token: token) -> bool", has_token),
    FUNCTION("may_take_token(token: token?) -> bool", has_token),
};

PLUGIN("test.asking")
