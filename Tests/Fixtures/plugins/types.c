/* Every type as an argument and as the result. */
#include "fixture.h"

#include <stdbool.h>

LOADS_HOST

#define IDENTITY(name, type)                                                                                           \
  static type name(type value) {                                                                                       \
    return value;                                                                                                      \
  }

IDENTITY(b, bool)
IDENTITY(i8, int8_t)
IDENTITY(i16, int16_t)
IDENTITY(i32, int32_t)
IDENTITY(i64, int64_t)
IDENTITY(u8, uint8_t)
IDENTITY(u16, uint16_t)
IDENTITY(u32, uint32_t)
IDENTITY(u64, uint64_t)
IDENTITY(f32, float)
IDENTITY(f64, double)
IDENTITY(usize, size_t)

/* Borrowed arguments are valid only until the call returns, so the functions below return copies: two results are
 * `own`, one is static. */
static void *copy(const void *data, size_t length) {
  void *memory = host->allocate(host, length);
  if (memory != NULL)
    memcpy(memory, data, length);
  return memory;
}

static promise_str_t str(promise_str_t text) {
  return (promise_str_t){copy(text.data, text.length), text.length};
}

static promise_bytes_t bytes(promise_bytes_t data) {
  return (promise_bytes_t){copy(data.data, data.length), data.length};
}

static const char *cstr(const char *text) {
  static char kept[64];
  strncpy(kept, text, sizeof kept - 1);
  return kept;
}

/* An owned argument may be returned as an owned result. */
static promise_str_t own_str(promise_str_t text) {
  return text;
}
static promise_bytes_t own_bytes(promise_bytes_t data) {
  return data;
}

static size_t consume(promise_bytes_t data, promise_str_t text) {
  size_t sum = data.length + text.length;
  host->deallocate(host, (void *)data.data);
  host->deallocate(host, (void *)text.data);
  return sum;
}

static size_t own_then_range(promise_bytes_t data, uint8_t small) {
  size_t sum = data.length + small;
  host->deallocate(host, (void *)data.data);
  return sum;
}

static promise_str_t constant_str(void) {
  return (promise_str_t){"constant", 8};
}
static promise_bytes_t constant_bytes(void) {
  return (promise_bytes_t){(const uint8_t *)"\0\1\2", 3};
}
static void nothing(void) {}

/* Takes more arguments than there are registers, of every size. */
static double many(bool a, int8_t b, double c, uint64_t d, float e, promise_str_t f, int16_t g, promise_bytes_t h,
                   uint32_t i, double j, const char *k, int64_t l) {
  return a + b + c + (double)d + e + (double)f.length + g + (double)h.length + i + j + (double)strlen(k) + (double)l;
}

static promise_str_t not_utf8(void) {
  return (promise_str_t){"\xff\xfe", 2};
}
static promise_str_t null_str(void) {
  return (promise_str_t){NULL, 3};
}
static const char *null_cstr(void) {
  return NULL;
}
static promise_bytes_t own_not_utf8(void) {
  return (promise_bytes_t){copy("\xff", 1), 1};
}

static const promise_plugin_function_t functions[] = {
    FUNCTION("b(value: bool) -> bool", b),
    FUNCTION("i8(value: i8) -> i8", i8),
    FUNCTION("i16(value: i16) -> i16", i16),
    FUNCTION("i32(value: i32) -> i32", i32),
    FUNCTION("i64(value: i64) -> i64", i64),
    FUNCTION("u8(value: u8) -> u8", u8),
    FUNCTION("u16(value: u16) -> u16", u16),
    FUNCTION("u32(value: u32) -> u32", u32),
    FUNCTION("u64(value: u64) -> u64", u64),
    FUNCTION("f32(value: f32) -> f32", f32),
    FUNCTION("f64(value: f64) -> f64", f64),
    FUNCTION("usize(value: usize) -> usize", usize),
    FUNCTION("str(text: str) -> own str", str),
    FUNCTION("bytes(data: bytes) -> own bytes", bytes),
    FUNCTION("cstr(text: cstr) -> cstr", cstr),
    FUNCTION("own_str(text: own str) -> own str", own_str),
    FUNCTION("own_bytes(data: own bytes) -> own bytes", own_bytes),
    FUNCTION("consume(data: own bytes, text: own str) -> usize", consume),
    FUNCTION("own_then_range(data: own bytes, small: u8) -> usize", own_then_range),
    FUNCTION("constant_str() -> str", constant_str),
    FUNCTION("constant_bytes() -> bytes", constant_bytes),
    FUNCTION("nothing()", nothing),
    FUNCTION("many(a: bool, b: i8, c: f64, d: u64, e: f32, f: str, g: i16, h: bytes, i: u32, j: f64, k: cstr, l: i64)"
             " -> f64",
             many),
#ifdef DEFAULTS
    /* The plan of a function keeps the values of its defaults. */
    FUNCTION("defaults(a: bool = true, b: i8 = -1, c: f64 = 0.5, d: u64 = 18446744073709551615, e: f32 = 0.25,"
             " f: str = \"caf\\u00e9\", g: i16 = 7, h: bytes = \"abc\", i: u32 = 9, j: f64 = 1e3, k: cstr = \"xyz\","
             " l: i64 = -9223372036854775808) -> f64",
             many),
#endif
    FUNCTION("not_utf8() -> str", not_utf8),
    FUNCTION("null_str() -> str", null_str),
    FUNCTION("null_cstr() -> cstr", null_cstr),
    FUNCTION("own_not_utf8() -> own str", own_not_utf8),
};

PLUGIN("test.types", .load = load)
