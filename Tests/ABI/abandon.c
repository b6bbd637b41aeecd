/* lifecycle.h, callback.h: a promise whose last owner releases it while it follows another. */
#include "support.h"

/* The derived promise keeps its handler, although only the released follower had a reference to it. */
TEST(a_source_with_a_handler_outlives_its_follower) {
  spy_t spy = {.verdict = PROMISE_FULFILL, .answer = *I64(3)}, request = {0};
  promise_t *source = promise_new();
  promise_t *derived = promise_then(source, spy_handler, &spy, spy_free);
  promise_t *behind = promise_then(derived, adds_one, NULL, NULL);
  promise_token_t *token = promise_token_new(0);
  CHECK_STATUS(promise_token_add(token, derived), PROMISE_OK);
  CHECK_STATUS(promise_on_cancel_request(derived, spy_observer, &request, spy_free), PROMISE_OK);
  promise_t *follower = follower_of(derived);
  CHECK_STATUS(promise_release(derived), PROMISE_OK);
  CHECK_STATUS(promise_release(follower), PROMISE_OK);
  CHECK_SPY(&spy, 0, 0);
  CHECK_STATUS(promise_resolve(source, I64(1)), PROMISE_OK);
  CHECK_SPY(&spy, 1, 1);
  CHECK_SPY(&request, 0, 1);
  CHECK(ended(behind, PROMISE_FULFILLED, 4));
  RELEASE(behind, source);
  promise_token_release(token);
}

/* The last release of a follower frees the contexts of its cancel-request handlers. */
TEST(a_follower_frees_its_request_handlers) {
  spy_t first = {0}, second = {0};
  promise_t *source = promise_new();
  promise_t *follower = follower_of(source);
  CHECK_STATUS(promise_on_cancel_request(follower, spy_observer, &first, spy_free), PROMISE_OK);
  CHECK_STATUS(promise_on_cancel_request(follower, spy_observer, &second, spy_free), PROMISE_OK);
  CHECK_STATUS(promise_release(follower), PROMISE_OK);
  CHECK_STATUS(promise_state(follower), PROMISE_ESTALE);
  CHECK_INT(first.frees, 1);
  CHECK_INT(second.frees, 1);
  CHECK_STATUS(promise_resolve(source, I64(1)), PROMISE_OK);
  promise_release(source);
}

/* A released chain of followers is detached from its last link up to the first promise that has another owner. */
TEST(a_chain_of_followers_is_released_up_to_an_owner) {
  spy_t spies[3] = {{0}, {0}, {0}};
  promise_t *source = promise_new(), *owned = follower_of(source), *middle = follower_of(owned);
  promise_t *last = follower_of(middle), *chain[] = {owned, middle, last};
  for (int i = 0; i < 3; i++)
    CHECK_STATUS(promise_on_cancel_request(chain[i], spy_observer, &spies[i], spy_free), PROMISE_OK);
  CHECK_STATUS(promise_release(middle), PROMISE_OK);
  CHECK_STATUS(promise_release(last), PROMISE_OK);
  CHECK_INT(spies[2].frees, 1);
  CHECK_INT(spies[1].frees, 1);
  CHECK_INT(spies[0].frees, 0);
  CHECK_STATUS(promise_resolve(source, I64(5)), PROMISE_OK);
  CHECK(ended(owned, PROMISE_FULFILLED, 5));
  CHECK_INT(spies[0].frees, 1);
  RELEASE(owned, source);
}
