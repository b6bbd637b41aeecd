/* Makes and uses promises through symbols of libpromise, with a library that defines them or without one. Its id is
 * -DID=... */
#include "fixture.h"

static promise_verdict_t increment(void *ctx, const promise_value_t *in, promise_value_t *out) {
  (void)ctx;
  *out = *in;
  out->as.i64++;
  return PROMISE_FULFILL;
}

static promise_t *next(promise_t *number) {
  return promise_then(number, increment, NULL, NULL);
}

/* Returns the address of a type, the same for each caller. */
static uint64_t type(void) {
  return (uint64_t)(uintptr_t)promise_type_register("test.shares.type", NULL, NULL);
}

static promise_t *object(void) {
  promise_value_t reason;
  promise_value_object(&reason, promise_type_register("test.shares.type", NULL, NULL), NULL);
  promise_t *promise = promise_new();
  promise_reject(promise, &reason);
  return promise;
}

static promise_verdict_t rescued(void *ctx, const promise_value_t *in, promise_value_t *out) {
  (void)ctx, (void)in;
  *out = (promise_value_t){.kind = PROMISE_KIND_I64, .as.i64 = 1};
  return PROMISE_FULFILL;
}

static promise_t *rescue(promise_t *promise) {
  return promise_rescue(promise, promise_type_named("test.shares.type"), rescued, NULL, NULL);
}

static const promise_plugin_function_t functions[] = {
    FUNCTION("next(number: promise<i64>) -> promise<i64>", next),
    FUNCTION("type() -> u64", type),
    FUNCTION("object() -> promise<i64>", object),
    FUNCTION("rescue(promise: promise<i64>) -> promise<i64>", rescue),
};

PLUGIN(ID, .description = NULL)
