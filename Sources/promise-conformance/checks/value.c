/* promise/value.h: strings, bytes, errors, and malformed values. */
#include <float.h>
#include <math.h>

#include "../checked.h"

CHECKS(value)

RULE(plain_kinds_own_nothing, "plain kinds go through a promise as they are") {
  /* Static, because the loop compares all bytes of `as`: in an automatic value the bytes beside `b` may be
   * indeterminate. */
  static promise_value_t values[] = {
      {.kind = PROMISE_KIND_VOID},
      {.kind = PROMISE_KIND_BOOL, .as.b = 1},
      {.kind = PROMISE_KIND_I64},
      {.kind = PROMISE_KIND_I64, .as.i64 = 1},
      {.kind = PROMISE_KIND_I64, .as.i64 = -1},
      {.kind = PROMISE_KIND_I64, .as.i64 = INT64_MAX},
      {.kind = PROMISE_KIND_I64, .as.i64 = INT64_MIN},
      {.kind = PROMISE_KIND_U64, .as.u64 = UINT64_MAX},
      {.kind = PROMISE_KIND_F64},
      {.kind = PROMISE_KIND_F64, .as.f64 = -0.0},
      {.kind = PROMISE_KIND_F64, .as.f64 = -0.5},
      {.kind = PROMISE_KIND_F64, .as.f64 = DBL_MIN},
      {.kind = PROMISE_KIND_F64, .as.f64 = DBL_MAX},
      {.kind = PROMISE_KIND_F64, .as.f64 = 4.9e-324},
      {.kind = PROMISE_KIND_F64, .as.f64 = INFINITY},
      {.kind = PROMISE_KIND_F64, .as.f64 = -INFINITY},
      {.kind = PROMISE_KIND_F64, .as.f64 = NAN},
      {.kind = PROMISE_KIND_POINTER, .as.ptr = &values},
      {.kind = PROMISE_KIND_DISCARDED},
  };
  for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
    promise_value_t before = values[i], after = garbage();
    CHECK_STATUS(promise_value_retain(&values[i]), PROMISE_OK);
    promise_t *promise = pending();
    CHECK_STATUS(promise_resolve(promise, &values[i]), PROMISE_OK);
    CHECK_STATUS(promise_result(promise, &after), PROMISE_OK);
    CHECK_INT(after.kind, before.kind);
    CHECK_INT((int64_t)after.as.u64, (int64_t)before.as.u64);
    CHECK_INT(after.reserved, 0);
    release(promise);
    CHECK_STATUS(promise_value_release(&after), PROMISE_OK);
    CHECK_INT(after.kind, PROMISE_KIND_VOID);
  }
}

RULE(string_is_copied, "a STRING is a copy, with a NUL behind it") {
  char text[] = "gr\xc3\xbc\xc3\x9f";
  promise_value_t value;
  size_t length = 0;
  CHECK_STATUS(promise_value_string(&value, text, strlen(text)), PROMISE_OK);
  memset(text, 'x', strlen(text));
  CHECK_INT(value.kind, PROMISE_KIND_STRING);
  CHECK_TEXT(promise_value_data(&value, &length), "gr\xc3\xbc\xc3\x9f");
  CHECK_INT(length, 6);
  CHECK_STATUS(promise_value_release(&value), PROMISE_OK);
  CHECK_STATUS(promise_value_string(&value, "with\0NUL", 8), PROMISE_OK);
  CHECK(memcmp(promise_value_data(&value, &length), "with\0NUL", 9) == 0);
  CHECK_INT(length, 8);
  CHECK_STATUS(promise_value_release(&value), PROMISE_OK);
  CHECK_STATUS(promise_value_string(&value, NULL, 0), PROMISE_OK);
  CHECK_TEXT(promise_value_data(&value, NULL), "");
  CHECK_STATUS(promise_value_release(&value), PROMISE_OK);
}

RULE(bytes_that_are_not_utf8_are_not_a_string, "bytes that are not UTF-8 are not a STRING") {
  static const char *const bad[] = {
      "\x80", /* a continuation byte alone */
      "\xbf",
      "a\x80",
      "\xc0\x80", /* overlong */
      "\xc1\xbf",
      "\xc2", /* truncated */
      "\xc2z",
      "\xe0\x80\x80",
      "\xe0\x9f\xbf",
      "\xe1\x80",
      "\xed\xa0\x80", /* a surrogate */
      "\xed\xbf\xbf",
      "\xf0\x80\x80\x80",
      "\xf0\x8f\xbf\xbf",
      "\xf0\x90\x80",
      "\xf4\x90\x80\x80", /* beyond the last character */
      "\xf5\x80\x80\x80",
      "\xf8\x88\x80\x80\x80",
      "\xfe",
      "\xff",
      "\xc0\xaf",
      "good\xe2\x82",
      "fine until here \xff",
      "\xef\xbf\xbf\xbf",
  };
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    promise_value_t value = garbage();
    CHECK_STATUS(promise_value_string(&value, bad[i], strlen(bad[i])), PROMISE_EINVAL);
    CHECK_INT(value.kind, PROMISE_KIND_VOID);
  }
}

RULE(bytes_are_copied, "BYTES are a copy; empty ones are NULL") {
  unsigned char bytes[256], expected[256];
  for (int i = 0; i < 256; i++)
    bytes[i] = expected[i] = (unsigned char)i;
  promise_value_t value = garbage();
  size_t length = 0;
  CHECK_STATUS(promise_value_bytes(&value, bytes, sizeof bytes), PROMISE_OK);
  memset(bytes, 0, sizeof bytes);
  CHECK_INT(value.kind, PROMISE_KIND_BYTES);
  const char *data = promise_value_data(&value, &length);
  CHECK_INT(length, 256);
  CHECK(data != NULL && memcmp(data, expected, 256) == 0);
  CHECK_POINTER(value.as.ptr, data);
  CHECK_STATUS(promise_value_release(&value), PROMISE_OK);
  for (int given = 0; given < 2; given++) {
    value = garbage();
    length = 4711;
    CHECK_STATUS(promise_value_bytes(&value, given ? "x" : NULL, 0), PROMISE_OK);
    CHECK_INT(value.kind, PROMISE_KIND_BYTES);
    CHECK_POINTER(value.as.ptr, NULL);
    CHECK_POINTER(promise_value_data(&value, &length), NULL);
    CHECK_INT(length, 0);
    promise_value_t copy = value;
    CHECK_STATUS(promise_value_retain(&copy), PROMISE_OK);
    CHECK_STATUS(promise_value_release(&copy), PROMISE_OK);
    CHECK_STATUS(promise_value_release(&value), PROMISE_OK);
  }
}

RULE(foreign_bytes_are_not_copied, "foreign BYTES are not copied, and freed once") {
  static const char bytes[] = "foreign";
  spy_t spy = {0};
  promise_value_t value, copy;
  size_t length = 0;
  CHECK_STATUS(promise_value_bytes_foreign(&value, bytes, 7, &spy, spy_free), PROMISE_OK);
  CHECK_INT(value.kind, PROMISE_KIND_BYTES);
  CHECK_POINTER(promise_value_data(&value, &length), bytes);
  CHECK_INT(length, 7);
  copy = value;
  CHECK_STATUS(promise_value_retain(&copy), PROMISE_OK);
  CHECK_STATUS(promise_value_release(&value), PROMISE_OK);
  CHECK_INT(atomic_load(&spy.frees), 0);
  CHECK_STATUS(promise_value_release(&copy), PROMISE_OK);
  CHECK_INT(atomic_load(&spy.frees), 1);
  CHECK_STATUS(promise_value_bytes_foreign(&value, NULL, 7, &spy, spy_free), PROMISE_EINVAL);
  CHECK_INT(value.kind, PROMISE_KIND_VOID);
  CHECK_INT(atomic_load(&spy.frees), 2);
  CHECK_STATUS(promise_value_bytes_foreign(NULL, bytes, 7, &spy, spy_free), PROMISE_EINVAL);
  CHECK_INT(atomic_load(&spy.frees), 3);
}

RULE(error_has_its_parts, "an ERROR has a domain, a code and a message") {
  char domain[] = "org.example", message[] = "broken";
  promise_value_t value;
  size_t length = 0;
  CHECK_STATUS(promise_value_error(&value, domain, INT64_MIN, message), PROMISE_OK);
  domain[0] = message[0] = 'x';
  CHECK_INT(value.kind, PROMISE_KIND_ERROR);
  CHECK_TEXT(promise_value_domain(&value), "org.example");
  CHECK_INT(promise_value_code(&value), INT64_MIN);
  CHECK_TEXT(promise_value_data(&value, &length), "broken");
  CHECK_INT(length, 6);
  CHECK_STATUS(promise_value_release(&value), PROMISE_OK);
  CHECK_STATUS(promise_value_error(&value, NULL, 1, "message"), PROMISE_EINVAL);
  CHECK_STATUS(promise_value_error(&value, "domain", 1, NULL), PROMISE_EINVAL);
  CHECK_STATUS(promise_value_error(&value, "\xff", 1, "message"), PROMISE_EINVAL);
  CHECK_STATUS(promise_value_error(&value, "domain", 1, "\xff"), PROMISE_EINVAL);
  CHECK_INT(value.kind, PROMISE_KIND_VOID);
  CHECK_STATUS(promise_value_error(NULL, "domain", 1, "message"), PROMISE_EINVAL);
}

RULE(other_kinds_have_no_parts, "a value that is not an ERROR has no domain, code or message") {
  promise_value_t number = i64(7), string = text("text");
  size_t length = 1;
  CHECK_POINTER(promise_value_data(&number, &length), NULL);
  CHECK_POINTER(promise_value_domain(&number), NULL);
  CHECK_POINTER(promise_value_domain(&string), NULL);
  CHECK_INT(promise_value_code(&number), 0);
  CHECK_INT(promise_value_code(&string), 0);
  CHECK_POINTER(promise_value_data(NULL, &length), NULL);
  CHECK_POINTER(promise_value_domain(NULL), NULL);
  CHECK_INT(promise_value_code(NULL), 0);
  CHECK_STATUS(promise_value_release(&string), PROMISE_OK);
}

RULE(missing_arguments_are_refused, "missing arguments are refused") {
  promise_value_t value = i64(1);
  CHECK_STATUS(promise_value_string(NULL, "text", 4), PROMISE_EINVAL);
  CHECK_STATUS(promise_value_string(&value, NULL, 4), PROMISE_EINVAL);
  CHECK_INT(value.kind, PROMISE_KIND_VOID);
  CHECK_STATUS(promise_value_bytes(NULL, "bytes", 5), PROMISE_EINVAL);
  CHECK_STATUS(promise_value_bytes(&value, NULL, 5), PROMISE_EINVAL);
  CHECK_STATUS(promise_value_retain(NULL), PROMISE_EINVAL);
  CHECK_STATUS(promise_value_release(NULL), PROMISE_EINVAL);
}

RULE(forged_values_are_refused, "forged values are refused wherever they are passed, and settle nothing") {
  static int own_memory[16];
  const promise_value_t forged[] = {
      {.kind = 0},
      {.kind = 15},
      {.kind = 256},
      {.kind = 4711},
      {.kind = UINT32_MAX},
      {.kind = PROMISE_KIND_ARRAY, .as.ptr = own_memory},
      {.kind = PROMISE_KIND_MAP, .as.ptr = own_memory},
      {.kind = PROMISE_KIND_STRING, .as.ptr = NULL},
      {.kind = PROMISE_KIND_STRING, .as.ptr = own_memory},
      {.kind = PROMISE_KIND_BYTES, .reserved = 1, .as.ptr = own_memory},
      {.kind = PROMISE_KIND_ERROR, .as.ptr = own_memory},
      {.kind = PROMISE_KIND_OBJECT, .reserved = UINT32_MAX, .as.ptr = own_memory},
      {.kind = PROMISE_KIND_PROMISE, .as.ptr = NULL},
  };
  promise_t *promise = pending();
  for (size_t i = 0; i < sizeof forged / sizeof *forged; i++) {
    promise_value_t value = forged[i];
    CHECK_STATUS(promise_value_retain(&value), PROMISE_EINVAL);
    CHECK_STATUS(promise_value_release(&value), PROMISE_EINVAL);
    CHECK_INT(value.kind, forged[i].kind);
    CHECK_POINTER(promise_value_data(&value, NULL), NULL);
    CHECK_STATUS(promise_resolve(promise, &value), PROMISE_EINVAL);
    CHECK_STATUS(promise_reject(promise, &value), PROMISE_EINVAL);
    CHECK_INT(promise_state(promise), PROMISE_PENDING);
  }
  release(promise);
}

RULE(a_promise_in_a_value_holds_a_reference, "a PROMISE holds one reference of the promise") {
  promise_t *inner = pending();
  promise_value_t value = holding(inner);
  CHECK_STATUS(promise_value_retain(&value), PROMISE_OK);
  release(inner);
  CHECK_INT(promise_state(inner), PROMISE_PENDING);
  CHECK_STATUS(promise_value_release(&value), PROMISE_OK);
  CHECK_STATUS(promise_state(inner), PROMISE_ESTALE);
  value = holding(inner);
  CHECK_STATUS(promise_value_retain(&value), PROMISE_ESTALE);
  CHECK_STATUS(promise_value_release(&value), PROMISE_ESTALE);
}
