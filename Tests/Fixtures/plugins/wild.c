/* Returns other types than its signatures say, by functions of other prototypes. */
#include "fixture.h"

static uint8_t wild_bool(void) {
  return 2;
}

static promise_str_t endless_str(void) {
  return (promise_str_t){"text", SIZE_MAX};
}

static promise_bytes_t endless_bytes(void) {
  return (promise_bytes_t){(const uint8_t *)"text", SIZE_MAX / 2};
}

static promise_bytes_t null_bytes(void) {
  return (promise_bytes_t){NULL, 1};
}

struct part {
  promise_str_t text;
};

static struct part negative_part(void) {
  return (struct part){{"text", SIZE_MAX}};
}

static struct part endless_part(void) {
  return (struct part){{"text", SIZE_MAX / 2}};
}

static void *wild_promise(void) {
  static int64_t no_promise[16];
  return no_promise;
}

static promise_status_t wild_out(uint8_t *result, promise_value_t *error) {
  (void)error;
  *result = 0xFF;
  return PROMISE_OK;
}

static const promise_plugin_function_t functions[] = {
    FUNCTION("wild_bool() -> bool", wild_bool),
    FUNCTION("endless_str() -> str", endless_str),
    FUNCTION("endless_bytes() -> bytes", endless_bytes),
    FUNCTION("null_bytes() -> bytes", null_bytes),
    FUNCTION("negative_part() -> {text: str}", negative_part),
    FUNCTION("endless_part() -> {text: str}", endless_part),
    FUNCTION("wild_promise() -> promise<i32>", wild_promise),
    FUNCTION("wild_out() -> bool !", wild_out),
};

PLUGIN("test.wild", .description = NULL)
