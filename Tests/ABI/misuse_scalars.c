/* Misuse of the constructors of numbers, pointers and promises as values. */
#include "misuse.h"

static void value_void(void) {
  CHECK_STATUS(promise_value_void(NULL), PROMISE_EINVAL);
}
static void value_bool(void) {
  CHECK_STATUS(promise_value_bool(NULL, true), PROMISE_EINVAL);
}
static void value_i64(void) {
  CHECK_STATUS(promise_value_i64(NULL, 1), PROMISE_EINVAL);
}
static void value_u64(void) {
  CHECK_STATUS(promise_value_u64(NULL, 1), PROMISE_EINVAL);
}
static void value_f64(void) {
  CHECK_STATUS(promise_value_f64(NULL, 1), PROMISE_EINVAL);
}
static void value_pointer(void) {
  CHECK_STATUS(promise_value_pointer(NULL, own_memory), PROMISE_EINVAL);
}

static void value_of_bad_promise(void *handle) {
  promise_value_t value = {.kind = 77};
  CHECK_STATUS(promise_value_promise(&value, handle), PROMISE_ESTALE);
  CHECK_INT(value.kind, PROMISE_KIND_VOID);
}
static void value_promise(void) {
  promise_value_t value = {.kind = 77};
  promise_t *promise = promise_new();
  CHECK_STATUS(promise_value_promise(NULL, promise), PROMISE_EINVAL);
  CHECK_STATUS(promise_value_promise(&value, NULL), PROMISE_EINVAL);
  CHECK_INT(value.kind, PROMISE_KIND_VOID);
  CHECK_STATUS(promise_release(promise), PROMISE_OK);
  each_bad_handle(PROMISES, value_of_bad_promise);
}

static const misuse_t table[] = {
    {"promise_value_bool", value_bool},       {"promise_value_f64", value_f64},
    {"promise_value_i64", value_i64},         {"promise_value_pointer", value_pointer},
    {"promise_value_promise", value_promise}, {"promise_value_u64", value_u64},
    {"promise_value_void", value_void},
};

MISUSE_MAIN(table)
