/* Misuse of versions, statuses, values and types. */
#include "misuse.h"

/* ---- Version and status ---- */

MISUSE(promise_version) {
  CHECK(promise_version() != NULL && strlen(promise_version()) >= strlen("1.0.0"));
}
MISUSE(promise_abi_version) {
  /* promise_abi_version() has no argument; but earlier errors must not affect it. */
  promise_retain((promise_t *)own_memory);
  CHECK(promise_abi_version() >= PROMISE_ABI_VERSION);
}

MISUSE(promise_status_name) {
  CHECK_TEXT(promise_status_name(INT32_MIN), "PROMISE_UNKNOWN");
  CHECK_TEXT(promise_status_name(INT32_MAX), "PROMISE_UNKNOWN");
  CHECK_TEXT(promise_status_name(1), "PROMISE_UNKNOWN");
}

MISUSE(promise_last_status) {
  refused(promise_then((promise_t *)own_memory, adds_one, NULL, NULL), PROMISE_ESTALE, NULL);
  refused(promise_then(NULL, adds_one, NULL, NULL), PROMISE_EINVAL, NULL);
}

/* ---- Values ---- */

MISUSE(promise_value_retain) {
  CHECK_STATUS(promise_value_retain(NULL), PROMISE_EINVAL);
  EACH_BAD_VALUE(value)
    CHECK_STATUS(promise_value_retain(&value), bad_value_status);
}

MISUSE(promise_value_release) {
  CHECK_STATUS(promise_value_release(NULL), PROMISE_EINVAL);
  EACH_BAD_VALUE(value) {
    promise_value_t before = value;
    CHECK_STATUS(promise_value_release(&value), bad_value_status);
    CHECK(memcmp(&before, &value, sizeof value) == 0);
  }
  promise_value_t value = text("once, and longer than what fits into a few words"), copy = value;
  CHECK_STATUS(promise_value_release(&value), PROMISE_OK);
  CHECK_STATUS(promise_value_release(&copy), PROMISE_EINVAL);
}

MISUSE(promise_value_string) {
  promise_value_t value = {.kind = 77};
  CHECK_STATUS(promise_value_string(NULL, "text", 4), PROMISE_EINVAL);
  CHECK_STATUS(promise_value_string(NULL, NULL, 0), PROMISE_EINVAL);
  CHECK_STATUS(promise_value_string(&value, NULL, 1), PROMISE_EINVAL);
  CHECK_INT(value.kind, PROMISE_KIND_VOID);
  CHECK_STATUS(promise_value_string(&value, NULL, SIZE_MAX), PROMISE_EINVAL);
  value.kind = 77;
  CHECK_STATUS(promise_value_string(&value, "\xff", SIZE_MAX), PROMISE_EINVAL);
  CHECK_INT(value.kind, PROMISE_KIND_VOID);
}

MISUSE(promise_value_bytes) {
  promise_value_t value = {.kind = 77};
  CHECK_STATUS(promise_value_bytes(NULL, "bytes", 5), PROMISE_EINVAL);
  CHECK_STATUS(promise_value_bytes(&value, NULL, 1), PROMISE_EINVAL);
  CHECK_INT(value.kind, PROMISE_KIND_VOID);
  value.kind = 77;
  CHECK_STATUS(promise_value_bytes(&value, "x", SIZE_MAX), PROMISE_EINVAL);
  CHECK_INT(value.kind, PROMISE_KIND_VOID);
  CHECK_STATUS(promise_value_bytes(&value, "x", SIZE_MAX / 2), PROMISE_ENOMEM);
  CHECK_STATUS(promise_value_bytes(&value, "x", SIZE_MAX / 2 + 1), PROMISE_EINVAL);
  CHECK_INT(value.kind, PROMISE_KIND_VOID);
}

MISUSE(promise_value_bytes_foreign) {
  promise_value_t value = {.kind = 77};
  spy_t spy = {0};
  CHECK_STATUS(promise_value_bytes_foreign(NULL, "bytes", 5, &spy, spy_free), PROMISE_EINVAL);
  CHECK_SPY(&spy, 0, 1);
  CHECK_STATUS(promise_value_bytes_foreign(&value, NULL, 1, &spy, spy_free), PROMISE_EINVAL);
  CHECK_SPY(&spy, 0, 2);
  CHECK_INT(value.kind, PROMISE_KIND_VOID);
  CHECK_STATUS(promise_value_bytes_foreign(&value, "x", SIZE_MAX, &spy, spy_free), PROMISE_EINVAL);
  CHECK_SPY(&spy, 0, 3);
  CHECK_STATUS(promise_value_bytes_foreign(NULL, NULL, 0, NULL, NULL), PROMISE_EINVAL);
}

MISUSE(promise_value_error) {
  promise_value_t value = {.kind = 77};
  CHECK_STATUS(promise_value_error(NULL, "domain", 1, "message"), PROMISE_EINVAL);
  CHECK_STATUS(promise_value_error(&value, NULL, 1, "message"), PROMISE_EINVAL);
  CHECK_INT(value.kind, PROMISE_KIND_VOID);
  value.kind = 77;
  CHECK_STATUS(promise_value_error(&value, "domain", 1, NULL), PROMISE_EINVAL);
  CHECK_INT(value.kind, PROMISE_KIND_VOID);
  CHECK_STATUS(promise_value_error(&value, "\xff", 1, "message"), PROMISE_EINVAL);
  CHECK_STATUS(promise_value_error(&value, "domain", 1, "\xff"), PROMISE_EINVAL);
}

MISUSE(promise_value_error_from) {
  static const char *const texts[][3] = {
      {NULL, "message", "origin"},  {"domain", NULL, "origin"},    {"\xff", "message", "origin"},
      {"domain", "\xff", "origin"}, {"domain", "message", "\xff"},
  };
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    promise_value_t value = {.kind = 77}, cause = object(&payload);
    CHECK_STATUS(promise_value_error_from(&value, texts[i][0], 1, texts[i][1], texts[i][2], &cause), PROMISE_EINVAL);
    CHECK_INT(value.kind, PROMISE_KIND_VOID);
    destroyed();
  }
  promise_value_t cause = object(&payload);
  CHECK_STATUS(promise_value_error_from(NULL, "domain", 1, "message", "origin", &cause), PROMISE_EINVAL);
  destroyed();
  EACH_BAD_VALUE(cause) {
    promise_value_t value = {.kind = 77};
    CHECK_STATUS(promise_value_error_from(&value, "domain", 1, "message", "origin", &cause), PROMISE_EINVAL);
    CHECK_INT(value.kind, PROMISE_KIND_VOID);
  }
}

MISUSE(promise_value_error_sized) {
  promise_value_t value = {.kind = 77};
  CHECK_STATUS(promise_value_error_sized(NULL, "domain", 6, 1, "message", 7), PROMISE_EINVAL);
  static const struct {
    const char *domain;
    size_t domain_length;
    const char *message;
    size_t message_length;
  } bad[] = {
      {NULL, 1, "message", 7},       {"domain", 6, NULL, 1},      {"\xff", 1, "message", 7},
      {"domain", 6, "\xc3", 1},      {"domain", SIZE_MAX, "", 0}, {"domain", 6, "message", SIZE_MAX},
      {"do\0main", 7, "message", 7},
  };
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    value.kind = 77;
    CHECK_STATUS(promise_value_error_sized(&value, bad[i].domain, bad[i].domain_length, 1, bad[i].message,
                                           bad[i].message_length),
                 PROMISE_EINVAL);
    CHECK_INT(value.kind, PROMISE_KIND_VOID);
  }
}

static void object_with_bad_type(void *type) {
  promise_value_t value = {.kind = 77};
  CHECK_STATUS(promise_value_object_with(&value, type, &payload, &spy, spy_free), PROMISE_ESTALE);
  CHECK_INT(value.kind, PROMISE_KIND_VOID);
  freed_uncalled();
}
MISUSE(promise_value_object_with) {
  promise_value_t value = {.kind = 77};
  CHECK_STATUS(promise_value_object_with(NULL, payload_type(), &payload, &spy, spy_free), PROMISE_EINVAL);
  CHECK_SPY(&spy, 0, 1);
  CHECK_STATUS(promise_value_object_with(&value, NULL, &payload, &spy, spy_free), PROMISE_EINVAL);
  CHECK_INT(value.kind, PROMISE_KIND_VOID);
  CHECK_SPY(&spy, 0, 2);
  atomic_store(&spy.frees, 0);
  EACH_BAD_HANDLE(TYPES, type)
    object_with_bad_type(type);
  object_with_bad_type((void *)(uintptr_t)promise_type_named("string"));
  object_with_bad_type((void *)(uintptr_t)promise_type_named("error"));
  CHECK_INT(atomic_load(&payload.destroyed), 0);
}

static void object_of_bad_type(void *type) {
  promise_value_t value = {.kind = 77};
  CHECK_STATUS(promise_value_object(&value, type, &payload), PROMISE_ESTALE);
  CHECK_INT(value.kind, PROMISE_KIND_VOID);
  CHECK_INT(atomic_load(&payload.destroyed), 0); /* the payload still belongs to the caller */
}
MISUSE(promise_value_object) {
  promise_value_t value = {.kind = 77};
  CHECK_STATUS(promise_value_object(NULL, payload_type(), &payload), PROMISE_EINVAL);
  CHECK_STATUS(promise_value_object(&value, NULL, &payload), PROMISE_EINVAL);
  CHECK_INT(value.kind, PROMISE_KIND_VOID);
  EACH_BAD_HANDLE(TYPES, type)
    object_of_bad_type(type);
  /* A program cannot make objects of built-in types. */
  object_of_bad_type((void *)(uintptr_t)promise_type_named("string"));
  object_of_bad_type((void *)(uintptr_t)promise_type_named("error"));
  CHECK_INT(atomic_load(&payload.destroyed), 0);
}

MISUSE(promise_value_data) {
  size_t length = 4711;
  CHECK_POINTER(promise_value_data(NULL, NULL), NULL);
  CHECK_POINTER(promise_value_data(NULL, &length), NULL);
  EACH_BAD_VALUE(value) {
    size_t length = 4711;
    CHECK_POINTER(promise_value_data(&value, &length), NULL);
    CHECK_INT(length, 0);
  }
}

MISUSE(promise_value_domain) {
  promise_value_t value = text("no error");
  CHECK_POINTER(promise_value_domain(NULL), NULL);
  CHECK_POINTER(promise_value_domain(&value), NULL);
  promise_value_release(&value);
  EACH_BAD_VALUE(value)
    CHECK_POINTER(promise_value_domain(&value), NULL);
}

MISUSE(promise_value_code) {
  CHECK_INT(promise_value_code(NULL), 0);
  CHECK_INT(promise_value_code(I64(404)), 0);
  EACH_BAD_VALUE(value)
    CHECK_INT(promise_value_code(&value), 0);
}

MISUSE(promise_value_origin) {
  CHECK_POINTER(promise_value_origin(NULL), NULL);
  CHECK_POINTER(promise_value_origin(I64(404)), NULL);
  EACH_BAD_VALUE(value)
    CHECK_POINTER(promise_value_origin(&value), NULL);
}

MISUSE(promise_value_cause) {
  promise_value_t value = text("no error");
  CHECK_POINTER(promise_value_cause(NULL), NULL);
  CHECK_POINTER(promise_value_cause(&value), NULL);
  promise_value_release(&value);
  EACH_BAD_VALUE(value)
    CHECK_POINTER(promise_value_cause(&value), NULL);
}

/* ---- Types ---- */

MISUSE(promise_type_register) {
  refused(promise_type_register(NULL, NULL, NULL), PROMISE_EINVAL, NULL);
  refused(promise_type_register("", NULL, NULL), PROMISE_EINVAL, NULL);
  refused(promise_type_register("\xff", NULL, NULL), PROMISE_EINVAL, NULL);
  static const char *const builtins[] = {"void",  "bool",  "i64", "u64",   "f64",       "pointer", "string",
                                         "bytes", "array", "map", "error", "discarded", "promise", "object"};
  for (size_t i = 0; i < sizeof builtins / sizeof *builtins; i++) {
    refused(promise_type_register(builtins[i], NULL, payload_destroy), PROMISE_EINVAL, NULL);
  }
  EACH_BAD_HANDLE(TYPES, parent)
    refused(promise_type_register("test.misuse.child", parent, NULL), PROMISE_ESTALE, NULL);
  refused(promise_type_named("test.misuse.child"), PROMISE_EINVAL, NULL);
}

MISUSE(promise_type_named) {
  refused(promise_type_named(NULL), PROMISE_EINVAL, NULL);
  refused(promise_type_named(""), PROMISE_EINVAL, NULL);
  refused(promise_type_named("String"), PROMISE_EINVAL, NULL);
  refused(promise_type_named("\xff"), PROMISE_EINVAL, NULL);
}

MISUSE_OF_HANDLE_GIVING_NULL(promise_type_name, TYPES)

MISUSE(promise_value_is) {
  CHECK(!promise_value_is(NULL, promise_type_named("i64")));
  CHECK(!promise_value_is(I64(1), NULL));
  CHECK(!promise_value_is(NULL, NULL));
  EACH_BAD_HANDLE(TYPES, type)
    CHECK(!promise_value_is(I64(1), type));
  EACH_BAD_VALUE(value) {
    CHECK(!promise_value_is(&value, promise_type_named("object")));
    CHECK(!promise_value_is(&value, promise_type_named("string")));
  }
}

MISUSE(promise_value_type) {
  refused(promise_value_type(NULL), PROMISE_EINVAL, NULL);
  EACH_BAD_VALUE(value)
    CHECK_POINTER(promise_value_type(&value), NULL);
}
