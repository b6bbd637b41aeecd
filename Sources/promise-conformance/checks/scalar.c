/* promise/scalar.h */
#include <float.h>
#include <math.h>

#include "../checked.h"

CHECKS(scalar)

#define CHECK_VALUE(value, expected_kind, expected_bits)                                                               \
  (CHECK_INT((value).kind, (expected_kind)), CHECK_INT((long long)(value).as.u64, (long long)(expected_bits)))

RULE(calls_make_the_values_of_initializers, "a call makes the value of an initializer") {
  int own = 0;
  promise_value_t value = garbage();
  CHECK_STATUS(promise_value_void(&value), PROMISE_OK);
  CHECK_INT(value.kind, PROMISE_KIND_VOID);
  for (int truth = 0; truth < 2; truth++) {
    value = garbage();
    CHECK_STATUS(promise_value_bool(&value, truth == 1), PROMISE_OK);
    CHECK_INT(value.kind, PROMISE_KIND_BOOL);
    CHECK((value.as.b != 0) == (truth == 1));
  }
  value = garbage();
  CHECK_STATUS(promise_value_i64(&value, INT64_MIN + 1), PROMISE_OK);
  CHECK_VALUE(value, PROMISE_KIND_I64, INT64_MIN + 1);
  value = garbage();
  CHECK_STATUS(promise_value_u64(&value, UINT64_MAX - 1), PROMISE_OK);
  CHECK_VALUE(value, PROMISE_KIND_U64, UINT64_MAX - 1);
  static const double numbers[] = {0.0, -0.0, -0.1, DBL_MAX, INFINITY, NAN};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
    value = garbage();
    CHECK_STATUS(promise_value_f64(&value, numbers[i]), PROMISE_OK);
    CHECK_INT(value.kind, PROMISE_KIND_F64);
    CHECK(memcmp(&value.as.f64, &numbers[i], sizeof numbers[i]) == 0);
  }
  value = garbage();
  CHECK_STATUS(promise_value_pointer(&value, &own), PROMISE_OK);
  CHECK_INT(value.kind, PROMISE_KIND_POINTER);
  CHECK_POINTER(value.as.ptr, &own);
  CHECK_STATUS(promise_value_release(&value), PROMISE_OK);
}

RULE(no_place_is_refused, "a value without a place is refused") {
  promise_t *promise = pending();
  CHECK_STATUS(promise_value_void(NULL), PROMISE_EINVAL);
  CHECK_STATUS(promise_value_bool(NULL, true), PROMISE_EINVAL);
  CHECK_STATUS(promise_value_i64(NULL, 1), PROMISE_EINVAL);
  CHECK_STATUS(promise_value_u64(NULL, 1), PROMISE_EINVAL);
  CHECK_STATUS(promise_value_f64(NULL, 1), PROMISE_EINVAL);
  CHECK_STATUS(promise_value_pointer(NULL, NULL), PROMISE_EINVAL);
  CHECK_STATUS(promise_value_promise(NULL, promise), PROMISE_EINVAL);
  release(promise);
}

RULE(a_promise_value_has_a_reference, "promise_value_promise() adds a reference") {
  promise_t *promise = pending();
  promise_value_t value = garbage();
  CHECK_STATUS(promise_value_promise(&value, promise), PROMISE_OK);
  CHECK_INT(value.kind, PROMISE_KIND_PROMISE);
  release(promise);
  CHECK_INT(promise_state(promise), PROMISE_PENDING);
  CHECK_STATUS(promise_value_release(&value), PROMISE_OK);
  CHECK_INT(promise_state(promise), PROMISE_ESTALE);
  value = garbage();
  CHECK_STATUS(promise_value_promise(&value, promise), PROMISE_ESTALE);
  CHECK_INT(value.kind, PROMISE_KIND_VOID);
  CHECK_STATUS(promise_value_promise(&value, NULL), PROMISE_EINVAL);
}
