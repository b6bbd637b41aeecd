/* cancel.h: handlers whose token is destroyed before them. */
#include "growth.h"

/* The object that ends first: the token, its generation, or the derived promise. */
enum { NOTHING, TOKEN_RELEASED, TOKEN_INVALIDATED, DERIVED_DISCARDED, DERIVED_RELEASED };

TEST(context_is_freed_once_in_each_order) {
  for (int first = NOTHING; first <= DERIVED_RELEASED; first++) {
    for (int deadline = 0; deadline < 2; deadline++) {
      for (int settles = 0; settles < 2; settles++) {
        spy_t spy = {0};
        promise_t *source = promise_new();
        promise_token_t *token = promise_token_new(0);
        if (deadline)
          CHECK_STATUS(promise_token_set_deadline(token, NULL, INT64_MAX - 1), PROMISE_OK);
        promise_t *derived = guarded(source, token, &spy);
        if (first == TOKEN_INVALIDATED)
          CHECK_STATUS(promise_token_invalidate(token, NULL), PROMISE_OK);
        if (first == DERIVED_DISCARDED)
          CHECK_STATUS(promise_discard(derived), PROMISE_OK);
        if (first == DERIVED_RELEASED)
          promise_release(derived);
        if (first != NOTHING)
          promise_token_release(token);
        if (settles)
          CHECK_STATUS(promise_resolve(source, I64(1)), PROMISE_OK);
        if (first != DERIVED_RELEASED)
          promise_release(derived);
        promise_release(source);
        CHECK_INT(atomic_load(&spy.frees), 1);
        CHECK_INT(atomic_load(&spy.calls), settles && first != TOKEN_INVALIDATED && first != DERIVED_DISCARDED);
        if (first == NOTHING)
          promise_token_release(token);
      }
    }
  }
}

/* Makes tokens, each of which is the parent of the one before. */
static void chains_upwards(void *ctx, long count) {
  (void)ctx;
  promise_token_t **tokens = malloc((size_t)count * sizeof *tokens);
  REQUIRE(tokens != NULL);
  for (long i = 0; i < count; i++) {
    tokens[i] = promise_token_new(0);
    if (i > 0)
      CHECK_STATUS(promise_token_chain(tokens[i - 1], tokens[i], 0), PROMISE_OK);
  }
  CHECK_STATUS(promise_token_chain(tokens[count - 1], tokens[0], 0), PROMISE_EDEADLK);
  spy_t spy = {0};
  promise_t *promise = promise_new();
  promise_on_cancel_request(promise, spy_observer, &spy, spy_free);
  CHECK_STATUS(promise_token_add(tokens[0], promise), PROMISE_OK);
  CHECK_STATUS(promise_token_invalidate(tokens[count - 1], NULL), PROMISE_OK);
  CHECK_SPY(&spy, 1, 1);
  promise_release(promise);
  for (long i = 0; i < count; i++)
    promise_token_release(tokens[i]);
  free(tokens);
}

TEST_BY(time_to_chain_upwards_is_linear, CHECK_LINEAR(chains_upwards, NULL, check_scale(20 * 1000)))

/* Adds promises to a token, all of which are alive. */
static void adds_promises(void *ctx, long count) {
  (void)ctx;
  promise_token_t *token = promise_token_new(0);
  promise_t **promises = malloc((size_t)count * sizeof *promises);
  REQUIRE(promises != NULL);
  for (long i = 0; i < count; i++) {
    promises[i] = promise_new();
    CHECK_STATUS(promise_token_add(token, promises[i]), PROMISE_OK);
  }
  RELEASE_EACH(promises, count);
  free(promises);
  promise_token_release(token);
}

TEST_BY(time_to_add_promises_is_linear, CHECK_LINEAR(adds_promises, NULL, check_scale(20 * 1000)))
