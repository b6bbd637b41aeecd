/* Misuse of the constructors of numbers, pointers and promises as values. */
#include "misuse.h"

MISUSE(promise_value_void) {
  CHECK_STATUS(promise_value_void(NULL), PROMISE_EINVAL);
}
MISUSE(promise_value_bool) {
  CHECK_STATUS(promise_value_bool(NULL, true), PROMISE_EINVAL);
}
MISUSE(promise_value_i64) {
  CHECK_STATUS(promise_value_i64(NULL, 1), PROMISE_EINVAL);
}
MISUSE(promise_value_u64) {
  CHECK_STATUS(promise_value_u64(NULL, 1), PROMISE_EINVAL);
}
MISUSE(promise_value_f64) {
  CHECK_STATUS(promise_value_f64(NULL, 1), PROMISE_EINVAL);
}
MISUSE(promise_value_pointer) {
  CHECK_STATUS(promise_value_pointer(NULL, own_memory), PROMISE_EINVAL);
}

MISUSE(promise_value_promise) {
  promise_value_t value = {.kind = 77};
  promise_t *promise = promise_new();
  CHECK_STATUS(promise_value_promise(NULL, promise), PROMISE_EINVAL);
  CHECK_STATUS(promise_value_promise(&value, NULL), PROMISE_EINVAL);
  CHECK_INT(value.kind, PROMISE_KIND_VOID);
  CHECK_STATUS(promise_release(promise), PROMISE_OK);
  EACH_BAD_HANDLE(PROMISES, handle) {
    promise_value_t value = {.kind = 77};
    CHECK_STATUS(promise_value_promise(&value, handle), PROMISE_ESTALE);
    CHECK_INT(value.kind, PROMISE_KIND_VOID);
  }
}
