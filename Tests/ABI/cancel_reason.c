/* cancel.h: the reason of a request, which a promise keeps for handlers that are attached later. */
#include "support.h"

static promise_t *make(bool is_discardable) {
  return is_discardable ? promise_new_discardable(NULL, NULL, NULL) : promise_new();
}

enum { RELEASED, RESOLVED, DISCARDED, SOURCE_RESOLVED, SOURCE_RELEASED, ENDS };

TEST(reason_is_freed_with_the_promise_at_every_end) {
  for (int kind = 0; kind < 2; kind++) {
    for (int order = 0; order < 2; order++) {
      for (int end = RELEASED; end < ENDS; end++) {
        payload_t payload = {0};
        promise_value_t reason = object(&payload);
        promise_t *source = promise_new(), *promise = make(kind == 1);
        if (order == 0)
          CHECK_STATUS(promise_follow(promise, source), PROMISE_OK);
        CHECK_STATUS(promise_request_cancel(promise, &reason), PROMISE_OK);
        promise_value_release(&reason);
        if (order == 1)
          CHECK_STATUS(promise_follow(promise, source), PROMISE_OK);
        if (end == RESOLVED)
          CHECK_STATUS(promise_resolve(promise, I64(1)), PROMISE_OK);
        if (end == DISCARDED)
          CHECK_STATUS(promise_discard(promise), PROMISE_OK);
        if (end == SOURCE_RESOLVED)
          CHECK_STATUS(promise_resolve(source, I64(1)), PROMISE_OK);
        if (end == SOURCE_RELEASED) {
          RELEASE(source, promise);
        } else {
          RELEASE(promise, source);
        }
        CHECK_INT(atomic_load(&payload.destroyed), 1);
      }
    }
  }
}

/* Each promise to which the request propagates keeps the reason. */
TEST(reason_is_freed_with_each_promise_upstream) {
  for (int end = 0; end < 3; end++) {
    payload_t payload = {0};
    promise_value_t reason = object(&payload);
    promise_t *source = promise_new();
    promise_t *derived = promise_then(source, adds_one, NULL, NULL);
    promise_t *following = promise_new_discardable(NULL, NULL, NULL);
    CHECK_STATUS(promise_follow(following, derived), PROMISE_OK);
    promise_release(derived);
    CHECK_STATUS(promise_request_cancel(following, &reason), PROMISE_OK);
    promise_value_release(&reason);
    CHECK_INT(promise_cancel_requested(source), 1);
    if (end == 0)
      CHECK_STATUS(promise_resolve(source, I64(1)), PROMISE_OK);
    if (end == 1)
      CHECK_STATUS(promise_discard(following), PROMISE_OK);
    RELEASE(following, source);
    CHECK_INT(atomic_load(&payload.destroyed), 1);
  }
}

/* The input of a race keeps the reason until it decides the race. */
TEST(reason_is_freed_with_a_deciding_input) {
  payload_t payload = {0};
  promise_value_t reason = object(&payload);
  promise_t *source = promise_new();
  promise_t *result = promise_race(&source, 1, 0);
  CHECK_STATUS(promise_request_cancel(result, &reason), PROMISE_OK);
  promise_value_release(&reason);
  CHECK_STATUS(promise_resolve(source, I64(1)), PROMISE_OK);
  CHECK(ended(result, PROMISE_FULFILLED, 1));
  RELEASE(result, source);
  CHECK_INT(atomic_load(&payload.destroyed), 1);
}

/* A promise keeps the reason of a request until it follows a settled promise. */
TEST(reason_is_freed_with_a_link_to_a_settled_promise) {
  payload_t payload = {0};
  promise_value_t reason = object(&payload);
  promise_t *source = fulfilled(1);
  promise_t *following = promise_new_discardable(NULL, NULL, NULL);
  CHECK_STATUS(promise_request_cancel(following, &reason), PROMISE_OK);
  promise_value_release(&reason);
  CHECK_STATUS(promise_follow(following, source), PROMISE_OK);
  CHECK(ended(following, PROMISE_FULFILLED, 1));
  RELEASE(following, source);
  CHECK_INT(atomic_load(&payload.destroyed), 1);
}
