/* Promises that the library settles when memory runs out: at each allocation in turn. The status is in the reason of
 * the promise, because no call can return it. */
#include "scarce.h"

/* Returns PROMISE_OK for a fulfilled promise. Otherwise returns the code of the reason, PROMISE_ENOMEM for a VOID:
 * there was no memory for an ERROR either. */
static promise_status_t how_settled(promise_t *promise) {
  promise_value_t reason;
  promise_state_t state = promise_state(promise);
  if (state != PROMISE_REJECTED)
    return state == PROMISE_FULFILLED ? PROMISE_OK : PROMISE_EPENDING;
  CHECK_STATUS(promise_result(promise, &reason), PROMISE_OK);
  promise_status_t status =
      reason.kind == PROMISE_KIND_VOID ? PROMISE_ENOMEM : (promise_status_t)promise_value_code(&reason);
  promise_value_release(&reason);
  return status;
}

static promise_status_t combined_by(promise_t *(*combine)(promise_t *const *promises, size_t count, uint32_t flags)) {
  promise_t *inputs[] = {promise_new(), promise_new(), promise_new()};
  promise_t *result = combine(inputs, 3, 0);
  promise_resolve(inputs[0], I64(1));
  promise_reject(inputs[1], I64(2));
  scarce();
  promise_resolve(inputs[2], I64(3));
  promise_status_t status = plenty(how_settled(result));
  promise_release(result);
  RELEASE_EACH(inputs, 3);
  return status;
}
OUT_OF_MEMORY_BY(all_settled, combined_by(promise_all_settled))
