/* values.h - shared by the programs about values: constructors besides those of support.h. */
#ifndef VALUES_H
#define VALUES_H

#include "support.h"

static inline promise_value_t f64(double number) {
  return (promise_value_t){.kind = PROMISE_KIND_F64, .as.f64 = number};
}

static inline promise_value_t u64(uint64_t number) {
  return (promise_value_t){.kind = PROMISE_KIND_U64, .as.u64 = number};
}

static inline promise_value_t bytes(const char *bytes) {
  promise_value_t value;
  REQUIRE(promise_value_bytes(&value, bytes, strlen(bytes)) == PROMISE_OK);
  return value;
}

#endif /* VALUES_H */
