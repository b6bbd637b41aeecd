/* values.h - shared by the programs about values: constructors and descriptions besides those of support.h. */
#ifndef VALUES_H
#define VALUES_H

#include "support.h"

static inline promise_value_t f64(double number) {
  return (promise_value_t){.kind = PROMISE_KIND_F64, .as.f64 = number};
}

static inline promise_value_t u64(uint64_t number) {
  return (promise_value_t){.kind = PROMISE_KIND_U64, .as.u64 = number};
}

/* Returns the U64 at a key of a MAP; UINT64_MAX: there is none. */
static inline uint64_t u64_at(const promise_value_t *map, const char *key) {
  const promise_value_t *found = promise_value_find(map, key, strlen(key));
  return found != NULL && found->kind == PROMISE_KIND_U64 ? found->as.u64 : UINT64_MAX;
}

static inline promise_value_t bytes(const char *bytes) {
  promise_value_t value;
  REQUIRE(promise_value_bytes(&value, bytes, strlen(bytes)) == PROMISE_OK);
  return value;
}

static inline promise_value_t caused(const char *message, int64_t code, const char *origin, promise_value_t cause) {
  promise_value_t value;
  REQUIRE(promise_value_error_from(&value, "test", code, message, origin, &cause) == PROMISE_OK);
  return value;
}

static inline promise_value_t cancelled(promise_value_t cause) {
  promise_value_t value;
  REQUIRE(promise_value_discarded(&value, &cause) == PROMISE_OK);
  return value;
}

/* Describes an object whose payload is a letter. */
static inline size_t says_letter(const void *payload, char *buffer, size_t size) {
  int length = snprintf(buffer, size, "letter %c", *(const char *)payload);
  return length > 0 && (size_t)length < size ? (size_t)length : 0;
}

static inline promise_value_t object_of(const promise_type_t *type, const char *payload) {
  promise_value_t value;
  REQUIRE(promise_value_object(&value, type, (void *)(uintptr_t)payload) == PROMISE_OK);
  return value;
}

/* Returns arrays that hold the one below twice: a hundred levels have 2^100 paths, but only a hundred arrays. */
static inline promise_value_t doubled(promise_value_t value, int levels) {
  for (int i = 0; i < levels; i++) {
    CHECK_STATUS(promise_value_retain(&value), PROMISE_OK);
    promise_value_t pair[] = {value, value};
    value = array(pair, 2);
  }
  return value;
}

#endif /* VALUES_H */
