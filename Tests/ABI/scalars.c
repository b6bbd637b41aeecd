/* Constructors of numbers, pointers and promises as values. */
#include <float.h>
#include <math.h>

#include "support.h"

/* The result equals a C initializer in every byte that counts, with nothing left of the previous content. */
TEST(bookkeeping_is_zero) {
  promise_value_t value = garbage(), expected = {.kind = PROMISE_KIND_BOOL, .as.u64 = 1};
  CHECK_STATUS(promise_value_bool(&value, true), PROMISE_OK);
  CHECK_INT(memcmp(&value, &expected, sizeof value), 0);
  promise_t *promise = promise_new_resolved(&value);
  CHECK_INT(promise_state(promise), PROMISE_FULFILLED);
  promise_release(promise);
}

static promise_verdict_t adopts_by_call(void *ctx, const promise_value_t *in, promise_value_t *out) {
  (void)in;
  CHECK_STATUS(promise_value_promise(out, ctx), PROMISE_OK);
  return PROMISE_ADOPT;
}

TEST(promise_value_can_be_adopted) {
  promise_t *inner = promise_new(), *outer = promise_new_resolved(VOID());
  promise_t *child = promise_then(outer, adopts_by_call, inner, NULL);
  promise_resolve(inner, I64(5));
  CHECK(ended(child, PROMISE_FULFILLED, 5));
  RELEASE(child, outer, inner);
  CHECK_STATUS(promise_state(inner), PROMISE_ESTALE);
}
