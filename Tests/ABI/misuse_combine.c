/* Misuse of combinations of promises. */
#include "misuse.h"

typedef promise_t *combine_t(promise_t *const *promises, size_t count, uint32_t flags);

static void misuse(combine_t *function) {
  promise_t *promise = promise_new();
  promise_t *promises[] = {promise, NULL};
  refused(function(NULL, 1, 0), PROMISE_EINVAL, NULL);
  refused(function(promises, 2, 0), PROMISE_EINVAL, NULL);
  refused(function(promises, 1, 2), PROMISE_EINVAL, NULL);
  refused(function(promises, 1, UINT32_MAX), PROMISE_EINVAL, NULL);
  refused(function(promises, SIZE_MAX, 0), PROMISE_EINVAL, NULL);
  /* The count is checked before the promises, of which the second is stale. */
  promises[1] = stale();
  refused(function(promises, TOO_MANY(promise_t *), 0), PROMISE_EINVAL, NULL);
  promise_release(promise);
  EACH_BAD_HANDLE(PROMISES, handle) {
    promise_t *promises[] = {live_promise, handle, live_promise};
    refused(function(promises, 3, 0), PROMISE_ESTALE, NULL);
  }
}

MISUSE(promise_all) {
  misuse(promise_all);
}
MISUSE(promise_all_settled) {
  misuse(promise_all_settled);
}
MISUSE(promise_any) {
  misuse(promise_any);
}
MISUSE(promise_race) {
  misuse(promise_race);
}
