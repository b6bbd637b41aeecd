/* Misuse of collections, builders, comparisons, descriptions and JSON. */
#include "misuse.h"

/* ---- Collections ---- */

MISUSE(promise_value_array) {
  promise_value_t out = {.kind = 77}, element = object(&payload);
  CHECK_STATUS(promise_value_array(&out, NULL, 1), PROMISE_EINVAL);
  CHECK_INT(out.kind, PROMISE_KIND_VOID);
  CHECK_STATUS(promise_value_array(NULL, &element, 1), PROMISE_EINVAL);
  destroyed();
  CHECK_STATUS(promise_value_array(NULL, NULL, 0), PROMISE_EINVAL);
  /* If the count is beyond the limit, no element is read. */
  CHECK_STATUS(promise_value_array(&out, I64(1), SIZE_MAX), PROMISE_EINVAL);
  CHECK_STATUS(promise_value_array(&out, I64(1), SIZE_MAX / 2), PROMISE_EINVAL);
  CHECK_STATUS(promise_value_array(&out, I64(1), SIZE_MAX / 16), PROMISE_EINVAL);
  EACH_BAD_VALUE(value) {
    promise_value_t out = {.kind = 77}, elements[] = {object(&payload), value};
    CHECK_STATUS(promise_value_array(&out, elements, 2), PROMISE_EINVAL);
    CHECK_INT(out.kind, PROMISE_KIND_VOID);
    destroyed();
  }
}

static const char *const two_keys[] = {"a", "b"};
MISUSE(promise_value_map) {
  static const size_t too_long[] = {SIZE_MAX, SIZE_MAX};
  promise_value_t out = {.kind = 77}, value = object(&payload);
  CHECK_STATUS(promise_value_map(&out, two_keys, NULL, NULL, 1), PROMISE_EINVAL);
  CHECK_INT(out.kind, PROMISE_KIND_VOID);
  CHECK_STATUS(promise_value_map(&out, NULL, NULL, &value, 1), PROMISE_EINVAL);
  destroyed();
  value = object(&payload);
  CHECK_STATUS(promise_value_map(NULL, two_keys, NULL, &value, 1), PROMISE_EINVAL);
  destroyed();
  value = object(&payload);
  CHECK_STATUS(promise_value_map(&out, two_keys, too_long, &value, 1), PROMISE_EINVAL);
  destroyed();
  CHECK_STATUS(promise_value_map(&out, two_keys, NULL, I64(1), SIZE_MAX), PROMISE_EINVAL);
  CHECK_STATUS(promise_value_map(&out, two_keys, NULL, I64(1), SIZE_MAX / 2), PROMISE_EINVAL);
  EACH_BAD_VALUE(value) {
    promise_value_t out = {.kind = 77}, values[] = {object(&payload), value};
    CHECK_STATUS(promise_value_map(&out, two_keys, NULL, values, 2), PROMISE_EINVAL);
    CHECK_INT(out.kind, PROMISE_KIND_VOID);
    destroyed();
  }
}

MISUSE(promise_value_count) {
  promise_value_t value = text("no collection");
  CHECK_INT(promise_value_count(NULL), 0);
  CHECK_INT(promise_value_count(&value), 0);
  CHECK_INT(promise_value_count(I64(3)), 0);
  promise_value_release(&value);
  EACH_BAD_VALUE(value) {
    size_t length = 4711;
    CHECK_INT(promise_value_count(&value), 0);
    CHECK_POINTER(promise_value_at(&value, 0), NULL);
    CHECK_POINTER(promise_value_find(&value, "", 0), NULL);
    CHECK_POINTER(promise_value_key(&value, 0, &length), NULL);
    CHECK_INT(length, 0);
  }
}

MISUSE(promise_value_at) {
  promise_value_t value = error("no", 1, "collection");
  CHECK_POINTER(promise_value_at(NULL, 0), NULL);
  CHECK_POINTER(promise_value_at(&value, 0), NULL);
  promise_value_release(&value);
}

MISUSE(promise_value_key) {
  size_t length = 4711;
  CHECK_POINTER(promise_value_key(NULL, 0, &length), NULL);
  CHECK_INT(length, 0);
  CHECK_POINTER(promise_value_key(NULL, SIZE_MAX, NULL), NULL);
}

MISUSE(promise_value_find) {
  promise_value_t map = json("{\"a\":1}"), list = json("[1]");
  CHECK_POINTER(promise_value_find(NULL, "a", 1), NULL);
  CHECK_POINTER(promise_value_find(&map, NULL, 1), NULL);
  CHECK_POINTER(promise_value_find(&map, "a", SIZE_MAX), NULL);
  CHECK_POINTER(promise_value_find(&list, "a", 1), NULL);
  promise_value_release(&map), promise_value_release(&list);
}

/* ---- Builders ---- */

MISUSE(promise_builder_new) {
  static const promise_kind_t kinds[] = {
      0,     PROMISE_KIND_VOID, PROMISE_KIND_I64, PROMISE_KIND_ERROR, PROMISE_KIND_OBJECT, PROMISE_KIND_PROMISE,
      0x109, UINT32_MAX};
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
    refused(promise_builder_new(kinds[i], 0), PROMISE_EINVAL, NULL);
  refused(promise_builder_new(PROMISE_KIND_ARRAY, SIZE_MAX), PROMISE_ENOMEM, NULL);
}

MISUSE(promise_builder_from) {
  promise_value_t value = error("not", 1, "built");
  refused(promise_builder_from(NULL), PROMISE_EINVAL, NULL);
  refused(promise_builder_from(&value), PROMISE_EINVAL, NULL);
  refused(promise_builder_from(I64(1)), PROMISE_EINVAL, NULL);
  promise_value_release(&value);
  EACH_BAD_VALUE(value)
    refused(promise_builder_from(&value), PROMISE_EINVAL, NULL);
}

/* A builder is not a value, whichever kind the value of its handle has. */
static void builder_is_no_value(void) {
  promise_builder_t *builder = promise_builder_new(PROMISE_KIND_ARRAY, 0);
  uint32_t index = (uint32_t)(uintptr_t)builder & 0x0fffffff;
  for (uint32_t generation = 0; generation < 16; generation++) {
    for (promise_kind_t kind = 7; kind < 0x120; kind++) {
      promise_value_t value = {.kind = kind, .reserved = index | generation << 28};
      if (kind != PROMISE_KIND_DISCARDED)
        CHECK_STATUS(promise_value_retain(&value), PROMISE_EINVAL);
    }
  }
  CHECK_STATUS(promise_builder_drop(builder), PROMISE_OK);
}

MISUSE(promise_builder_add) {
  promise_builder_t *some_builder = promise_builder_new(PROMISE_KIND_ARRAY, 0);
  CHECK_STATUS(promise_builder_add(NULL, NULL), PROMISE_EINVAL);
  CHECK_STATUS(promise_builder_add(some_builder, NULL), PROMISE_EINVAL);
  EACH_BAD_VALUE(value)
    CHECK_STATUS(promise_builder_add(some_builder, &value), PROMISE_EINVAL);
  CHECK_INT(promise_builder_count(some_builder), 0);
  promise_builder_drop(some_builder);
  EACH_BAD_HANDLE(BUILDERS, builder) {
    promise_value_t value = object(&payload);
    CHECK_STATUS(promise_builder_add(builder, &value), PROMISE_ESTALE);
    destroyed();
  }
  builder_is_no_value();
}

MISUSE(promise_builder_set) {
  promise_builder_t *some_builder = promise_builder_new(PROMISE_KIND_MAP, 0);
  CHECK_STATUS(promise_builder_set(NULL, NULL, 0, NULL), PROMISE_EINVAL);
  CHECK_STATUS(promise_builder_set(some_builder, "key", 3, NULL), PROMISE_EINVAL);
  CHECK_STATUS(promise_builder_set(some_builder, "key", SIZE_MAX, I64(1)), PROMISE_EINVAL);
  EACH_BAD_VALUE(value)
    CHECK_STATUS(promise_builder_set(some_builder, "key", 3, &value), PROMISE_EINVAL);
  CHECK_INT(promise_builder_count(some_builder), 0);
  promise_builder_drop(some_builder);
  EACH_BAD_HANDLE(BUILDERS, builder) {
    promise_value_t value = object(&payload);
    CHECK_STATUS(promise_builder_set(builder, "key", 3, &value), PROMISE_ESTALE);
    destroyed();
  }
}

MISUSE(promise_builder_append) {
  promise_builder_t *some_builder = promise_builder_new(PROMISE_KIND_STRING, 0);
  CHECK_STATUS(promise_builder_append(NULL, "x", 1), PROMISE_EINVAL);
  CHECK_STATUS(promise_builder_append(some_builder, NULL, 1), PROMISE_EINVAL);
  CHECK_STATUS(promise_builder_append(some_builder, "x", SIZE_MAX), PROMISE_EINVAL);
  promise_builder_drop(some_builder);
  some_builder = promise_builder_new(PROMISE_KIND_ARRAY, 0);
  CHECK_STATUS(promise_builder_append(some_builder, "x", 1), PROMISE_EINVAL);
  CHECK_STATUS(promise_builder_append(some_builder, NULL, 0), PROMISE_EINVAL);
  promise_builder_drop(some_builder);
  EACH_BAD_HANDLE(BUILDERS, builder)
    CHECK_STATUS(promise_builder_append(builder, "x", 1), PROMISE_ESTALE);
}

MISUSE(promise_builder_room) {
  promise_builder_t *some_builder = promise_builder_new(PROMISE_KIND_MAP, 0);
  refused(promise_builder_room(NULL, 1), PROMISE_EINVAL, NULL);
  refused(promise_builder_room(some_builder, 1), PROMISE_EINVAL, NULL);
  promise_builder_drop(some_builder);
  EACH_BAD_HANDLE(BUILDERS, builder)
    refused(promise_builder_room(builder, 1), PROMISE_ESTALE, NULL);
}

MISUSE(promise_builder_advance) {
  promise_builder_t *some_builder = promise_builder_new(PROMISE_KIND_BYTES, 0);
  CHECK_STATUS(promise_builder_advance(NULL, 0), PROMISE_EINVAL);
  CHECK_STATUS(promise_builder_advance(some_builder, 1), PROMISE_EINVAL);
  CHECK_STATUS(promise_builder_advance(some_builder, SIZE_MAX), PROMISE_EINVAL);
  promise_builder_drop(some_builder);
  some_builder = promise_builder_new(PROMISE_KIND_ARRAY, 10);
  CHECK_STATUS(promise_builder_advance(some_builder, 1), PROMISE_EINVAL);
  promise_builder_drop(some_builder);
  EACH_BAD_HANDLE(BUILDERS, builder)
    CHECK_STATUS(promise_builder_advance(builder, 1), PROMISE_ESTALE);
}

MISUSE_OF_HANDLE(promise_builder_count, BUILDERS)

MISUSE(promise_builder_finish) {
  promise_value_t value = object(&payload);
  promise_builder_t *some_builder = promise_builder_new(PROMISE_KIND_ARRAY, 0);
  CHECK_STATUS(promise_builder_add(some_builder, &value), PROMISE_OK);
  CHECK_STATUS(promise_builder_finish(some_builder, NULL), PROMISE_EINVAL);
  destroyed();
  CHECK_STATUS(promise_builder_finish(some_builder, NULL), PROMISE_ESTALE);
  CHECK_STATUS(promise_builder_finish(NULL, &value), PROMISE_EINVAL);
  EACH_BAD_HANDLE(BUILDERS, builder) {
    promise_value_t value = {.kind = 77};
    CHECK_STATUS(promise_builder_finish(builder, &value), PROMISE_ESTALE);
    CHECK_INT(value.kind, PROMISE_KIND_VOID);
  }
}

MISUSE_OF_HANDLE(promise_builder_drop, BUILDERS)

/* ---- Equality and descriptions ---- */

static void not_compared(const promise_value_t *one, const promise_value_t *other) {
  bool equal = true;
  CHECK_STATUS(promise_value_equal(one, other, &equal), PROMISE_EINVAL);
  CHECK(!equal);
}
MISUSE(promise_value_equal) {
  not_compared(NULL, NULL);
  not_compared(NULL, VOID());
  not_compared(VOID(), NULL);
  CHECK_STATUS(promise_value_equal(VOID(), VOID(), NULL), PROMISE_EINVAL);
  EACH_BAD_VALUE(value) {
    not_compared(&value, &value);
    not_compared(VOID(), &value);
  }
}

MISUSE(promise_value_describe) {
  char buffer[64] = "#";
  CHECK_INT(promise_value_describe(NULL, NULL, 64), 0);
  CHECK_INT(promise_value_describe(I64(1), NULL, 64), 0);
  CHECK_INT(promise_value_describe(I64(1), buffer, 0), 0);
  CHECK_INT(buffer[0], '#');
  CHECK_INT(promise_value_describe(NULL, buffer, sizeof buffer), 4);
  CHECK_TEXT(buffer, "NULL");
  CHECK_INT(promise_value_describe(I64(1), buffer, SIZE_MAX), 1);
  EACH_BAD_VALUE(value) {
    char buffer[64];
    promise_value_describe(&value, buffer, sizeof buffer);
    CHECK(strncmp(buffer, "no value: kind ", 15) == 0);
  }
}

static void methods_of_bad_type(void *type) {
  CHECK_STATUS(promise_type_methods(type, NULL, NULL), PROMISE_ESTALE);
}
MISUSE(promise_type_methods) {
  CHECK_STATUS(promise_type_methods(NULL, NULL, NULL), PROMISE_EINVAL);
  EACH_BAD_HANDLE(TYPES, type)
    methods_of_bad_type(type);
  methods_of_bad_type((void *)(uintptr_t)promise_type_named("object"));
}

/* ---- JSON ---- */

/* Calls `body` with invalid options. */
static void each_bad_options(void (*body)(const promise_json_options_t *options)) {
  struct larger {
    promise_json_options_t known;
    uint64_t unknown;
  } larger = {.known = {.size = sizeof larger}, .unknown = 1};
  const promise_json_options_t bad[] = {
      {.size = 0},
      {.size = sizeof bad[0] - 1},
      {.size = 4097},
      {.size = UINT32_MAX},
      {.size = sizeof bad[0], .flags = PROMISE_PUBLISHER_STATEFUL},
      {.size = sizeof bad[0], .flags = UINT32_MAX},
      {.size = sizeof bad[0], .indent = 17},
  };
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    body(&bad[i]);
  body(&larger.known);
}

static void read_with_bad_options(const promise_json_options_t *options) {
  promise_value_t value = {.kind = 77}, error = {.kind = 77};
  CHECK_STATUS(promise_value_from_json(&value, "1", 1, options, &error), PROMISE_EINVAL);
  CHECK_INT(value.kind, PROMISE_KIND_VOID);
  CHECK_INT(error.kind, PROMISE_KIND_VOID);
}
MISUSE(promise_value_from_json) {
  promise_value_t value = {.kind = 77}, error = {.kind = 77};
  CHECK_STATUS(promise_value_from_json(NULL, "1", 1, NULL, &error), PROMISE_EINVAL);
  CHECK_INT(error.kind, PROMISE_KIND_VOID);
  CHECK_STATUS(promise_value_from_json(&value, NULL, 1, NULL, NULL), PROMISE_EINVAL);
  CHECK_INT(value.kind, PROMISE_KIND_VOID);
  CHECK_STATUS(promise_value_from_json(&value, "1", SIZE_MAX, NULL, NULL), PROMISE_EINVAL);
  each_bad_options(read_with_bad_options);
}

static void write_with_bad_options(const promise_json_options_t *options) {
  promise_value_t out = {.kind = 77}, error = {.kind = 77};
  CHECK_STATUS(promise_value_to_json(&out, I64(1), options, &error), PROMISE_EINVAL);
  CHECK_INT(out.kind, PROMISE_KIND_VOID);
  CHECK_INT(error.kind, PROMISE_KIND_VOID);
}
MISUSE(promise_value_to_json) {
  promise_value_t out = {.kind = 77};
  CHECK_STATUS(promise_value_to_json(NULL, I64(1), NULL, NULL), PROMISE_EINVAL);
  CHECK_STATUS(promise_value_to_json(&out, NULL, NULL, NULL), PROMISE_EINVAL);
  CHECK_INT(out.kind, PROMISE_KIND_VOID);
  each_bad_options(write_with_bad_options);
  EACH_BAD_VALUE(value) {
    promise_value_t out = {.kind = 77};
    CHECK_STATUS(promise_value_to_json(&out, &value, NULL, NULL), PROMISE_EINVAL);
    CHECK_INT(out.kind, PROMISE_KIND_VOID);
  }
}
