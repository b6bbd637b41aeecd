/* Returns other types than its signatures declare, because its functions have other prototypes. */
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

static void forged(promise_value_t *result) {
  static char text[64];
  *result = (promise_value_t){.kind = PROMISE_KIND_STRING, .reserved = 5, .as.ptr = text};
}

/* Returns a list of 7 and another value. */
static void listed(promise_value_t *result, promise_value_t other) {
  promise_value_t parts[] = {{.kind = PROMISE_KIND_I64, .as.i64 = 7}, other};
  promise_value_array(result, parts, 2);
}

static void listed_error(promise_value_t *result) {
  promise_value_t other;
  promise_value_error(&other, "test", 3, "broken");
  listed(result, other);
}

static void listed_address(promise_value_t *result) {
  listed(result, (promise_value_t){.kind = PROMISE_KIND_POINTER, .as.ptr = result});
}

static void listed_promise(promise_value_t *result) {
  promise_value_t other;
  promise_value_promise(&other, pending_promise());
  listed(result, other);
}

static void discarded(promise_value_t *result) {
  *result = (promise_value_t){.kind = PROMISE_KIND_DISCARDED};
}

static void nested(uint32_t levels, promise_value_t *result) {
  *result = (promise_value_t){.kind = PROMISE_KIND_I64, .as.i64 = 7};
  for (uint32_t level = 0; level < levels; level++) {
    promise_value_t inner = *result;
    promise_value_array(result, &inner, 1);
  }
}

/* Nests maps in each other. */
static void nested_maps(uint32_t levels, promise_value_t *result) {
  *result = (promise_value_t){.kind = PROMISE_KIND_I64, .as.i64 = 7};
  for (uint32_t level = 0; level < levels; level++) {
    promise_value_t inner = *result;
    promise_value_map(result, (const char *[]){"k"}, NULL, &inner, 1);
  }
}

static promise_t *nested_later(uint32_t levels) {
  promise_value_t value;
  nested(levels, &value);
  return promise_new_resolved(&value);
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
    FUNCTION("forged() -> value", forged),
    FUNCTION("listed_error() -> value", listed_error),
    FUNCTION("listed_address() -> value", listed_address),
    FUNCTION("listed_promise() -> value", listed_promise),
    FUNCTION("discarded() -> value", discarded),
    FUNCTION("nested(levels: u32) -> value", nested),
    FUNCTION("nested_maps(levels: u32) -> value", nested_maps),
    FUNCTION("nested_later(levels: u32) -> promise<value>", nested_later),
};

PLUGIN("test.wild", .description = NULL)
