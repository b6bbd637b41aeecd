/* Faults of JSON. */
#include "faulty.h"

static void lose_cause(promise_value_t *error) {
  promise_value_t bare;
  REAL(promise_value_error)(&bare, "promise.json", REAL(promise_value_code)(error), "expected something else");
  REAL(promise_value_release)(error);
  *error = bare;
}

promise_status_t promise_value_to_json(promise_value_t *out, const promise_value_t *value,
                                       const promise_json_options_t *options, promise_value_t *error) {
  promise_status_t status = REAL(promise_value_to_json)(out, value, options, error);
  if (status == PROMISE_EINVAL && error != NULL && is("error-without-path"))
    lose_cause(error);
  return status;
}

promise_status_t promise_value_from_json(promise_value_t *out, const char *text, size_t length,
                                         const promise_json_options_t *options, promise_value_t *error) {
  promise_json_options_t unlimited = {.size = sizeof unlimited};
  if (options != NULL && options->size == sizeof unlimited && is("length-unlimited")) {
    unlimited = *options, unlimited.max_length = 0;
    options = &unlimited;
  }
  promise_status_t status = REAL(promise_value_from_json)(out, text, length, options, error);
  if (status == PROMISE_EINVAL && error != NULL && is("error-without-place"))
    lose_cause(error);
  if (status == PROMISE_OK && out->kind == PROMISE_KIND_I64 && is("integers-rounded"))
    *out = (promise_value_t){.kind = PROMISE_KIND_F64, .as.f64 = (double)out->as.i64};
  return status;
}
