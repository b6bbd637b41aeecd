/* Constructors of numbers, pointers and promises as values. */
#include <float.h>
#include <math.h>

#include "support.h"

static void each_has_its_kind_and_content(void) {
  promise_value_t value = garbage();
  CHECK_STATUS(promise_value_void(&value), PROMISE_OK);
  CHECK_INT(value.kind, PROMISE_KIND_VOID);
  for (int b = 0; b < 2; b++) {
    value = garbage();
    CHECK_STATUS(promise_value_bool(&value, b), PROMISE_OK);
    CHECK(value.kind == PROMISE_KIND_BOOL && value.as.b == b);
  }
  static const int64_t integers[] = {0, -1, 1, INT64_MIN, INT64_MAX};
  for (size_t i = 0; i < sizeof integers / sizeof *integers; i++) {
    value = garbage();
    CHECK_STATUS(promise_value_i64(&value, integers[i]), PROMISE_OK);
    CHECK(value.kind == PROMISE_KIND_I64 && value.as.i64 == integers[i]);
    value = garbage();
    CHECK_STATUS(promise_value_u64(&value, (uint64_t)integers[i]), PROMISE_OK);
    CHECK(value.kind == PROMISE_KIND_U64 && value.as.u64 == (uint64_t)integers[i]);
  }
  const double numbers[] = {0.0, -0.0, 1.5, DBL_MAX, -DBL_MIN, INFINITY, NAN};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
    value = garbage();
    CHECK_STATUS(promise_value_f64(&value, numbers[i]), PROMISE_OK);
    CHECK(value.kind == PROMISE_KIND_F64 && memcmp(&value.as.f64, &numbers[i], sizeof numbers[i]) == 0);
  }
  value = garbage();
  CHECK_STATUS(promise_value_pointer(&value, &value), PROMISE_OK);
  CHECK_INT(value.kind, PROMISE_KIND_POINTER);
  CHECK_POINTER(value.as.ptr, &value);
}

/* The result equals a C initializer in every byte that counts, with nothing left of the previous content. */
static void bookkeeping_is_zero(void) {
  promise_value_t value = garbage(), expected = {.kind = PROMISE_KIND_BOOL, .as.u64 = 1};
  CHECK_STATUS(promise_value_bool(&value, true), PROMISE_OK);
  CHECK_INT(memcmp(&value, &expected, sizeof value), 0);
  promise_t *promise = promise_new_resolved(&value);
  CHECK_INT(promise_state(promise), PROMISE_FULFILLED);
  promise_release(promise);
}

static void promise_is_retained(void) {
  promise_t *promise = promise_new();
  promise_value_t value = garbage();
  CHECK_STATUS(promise_value_promise(&value, promise), PROMISE_OK);
  CHECK_INT(value.kind, PROMISE_KIND_PROMISE);
  CHECK_POINTER(value.as.ptr, promise);
  CHECK_STATUS(promise_release(promise), PROMISE_OK);
  CHECK_INT(promise_state(promise), PROMISE_PENDING);
  CHECK_STATUS(promise_value_release(&value), PROMISE_OK);
  CHECK_STATUS(promise_state(promise), PROMISE_ESTALE);
}

static promise_verdict_t adopts_by_call(void *ctx, const promise_value_t *in, promise_value_t *out) {
  (void)in;
  CHECK_STATUS(promise_value_promise(out, ctx), PROMISE_OK);
  return PROMISE_ADOPT;
}

static void promise_value_can_be_adopted(void) {
  promise_t *inner = promise_new(), *outer = promise_new_resolved(VOID());
  promise_t *child = promise_then(outer, adopts_by_call, inner, NULL);
  promise_resolve(inner, I64(5));
  CHECK(ended(child, PROMISE_FULFILLED, 5));
  promise_release(child);
  promise_release(outer);
  CHECK_STATUS(promise_release(inner), PROMISE_OK);
  CHECK_STATUS(promise_state(inner), PROMISE_ESTALE);
}

int main(void) {
  RUN(each_has_its_kind_and_content);
  RUN(bookkeeping_is_zero);
  RUN(promise_is_retained);
  RUN(promise_value_can_be_adopted);
  return check_report();
}
