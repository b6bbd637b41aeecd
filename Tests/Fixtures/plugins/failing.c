/* Functions with `!`, for every kind of result and every way to fail. The promise functions are left undefined. */
#include "fixture.h"

LOADS_HOST

static promise_status_t divide(int32_t left, int32_t right, int32_t *result, promise_value_t *error) {
  if (right == 0) {
    promise_value_error(error, "test.failing", 33, "division by zero");
    return PROMISE_EINVAL;
  }
  *result = left / right;
  return PROMISE_OK;
}

static promise_status_t check(bool good, promise_value_t *error) {
  (void)error;
  return good ? PROMISE_OK : PROMISE_ETIMEDOUT;
}

static promise_status_t repeat(promise_str_t text, size_t times, promise_str_t *result, promise_value_t *error) {
  char *memory = host->allocate(host, text.length * times);
  if (memory == NULL && text.length * times > 0)
    return PROMISE_ENOMEM;
  for (size_t i = 0; i < times; i++)
    memcpy(memory + i * text.length, text.data, text.length);
  *result = (promise_str_t){memory, text.length * times};
  /* The call succeeds, so the host must ignore the error. */
  promise_value_string(error, "ignored", 7);
  return PROMISE_OK;
}

static promise_status_t reason(promise_str_t text, promise_value_t *error) {
  promise_value_string(error, text.data, text.length);
  return -1000;
}

static promise_status_t forged(promise_value_t *error) {
  error->kind = PROMISE_KIND_STRING;
  error->as.ptr = &host;
  return PROMISE_EINVAL;
}

static promise_status_t later(bool good, promise_t **result, promise_value_t *error) {
  if (!good) {
    promise_value_error(error, "test.failing", 1, "not today");
    return PROMISE_ECLOSED;
  }
  promise_value_t value = {.kind = PROMISE_KIND_I64, .as.i64 = 42};
  *result = promise_new();
  return promise_resolve(*result, &value);
}

static const promise_plugin_function_t functions[] = {
    FUNCTION("divide(left: i32, right: i32) -> i32 !", divide),
    FUNCTION("check(good: bool) !", check),
    FUNCTION("repeat(text: str, times: usize = 2) -> own str !", repeat),
    FUNCTION("reason(text: str) !", reason),
    FUNCTION("forged() !", forged),
    FUNCTION("later(good: bool) -> promise<i32> !", later),
};

PLUGIN("test.failing", .load = load)
