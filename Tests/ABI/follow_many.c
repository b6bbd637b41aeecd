/* promise_follow: the search for cycles, with many promises and dependents of each kind. */
#include "growth.h"

/* Follows promises with a dependent each: `next[i]` is derived from `first[i]`, which follows `next[i - 1]`. */
static void build_from_source(void *ctx, long count) {
  (void)ctx;
  promise_t *source = promise_new(), *last = promise_then(source, adds_one, NULL, NULL);
  for (long i = 0; i < count; i++) {
    promise_t *first = promise_new(), *next = promise_then(first, adds_one, NULL, NULL);
    REQUIRE(promise_follow(first, last) == PROMISE_OK);
    promise_release(first), promise_release(last);
    last = next;
  }
  CHECK_STATUS(promise_resolve(source, I64(0)), PROMISE_OK);
  promise_release(source);
  CHECK(ended(last, PROMISE_FULFILLED, count + 1));
  promise_release(last);
}

TEST(a_chain_that_is_built_from_its_source_takes_linear_time) {
  CHECK_LINEAR(build_from_source, NULL, check_scale(40 * 1000));
}

/* `count` followers, with a dependent each, of the end of a chain of `count` promises. */
static void follow_chain(void *ctx, long count) {
  (void)ctx;
  promise_t *source = promise_new(), *last = retained(source);
  for (long i = 0; i < count; i++) {
    promise_t *next = promise_then(last, adds_one, NULL, NULL);
    promise_release(last);
    last = next;
  }
  for (long i = 0; i < count; i++) {
    promise_t *follower = promise_new();
    promise_release(promise_then(follower, adds_one, NULL, NULL));
    REQUIRE(promise_follow(follower, last) == PROMISE_OK);
    promise_release(follower);
  }
  CHECK_STATUS(promise_resolve(source, I64(0)), PROMISE_OK);
  promise_release(source);
  CHECK(ended(last, PROMISE_FULFILLED, count));
  promise_release(last);
}

TEST_BY(many_followers_of_a_long_chain_take_linear_time, CHECK_LINEAR(follow_chain, NULL, check_scale(40 * 1000)))

static void refuses_to_follow(promise_t *promise, promise_t *source) {
  CHECK_STATUS(promise_follow(promise, source), PROMISE_EDEADLK);
  CHECK_STATUS(promise_resolve(promise, I64(1)), PROMISE_OK);
  CHECK(promise_state(source) != PROMISE_PENDING);
  RELEASE(source, promise);
}

TEST(cycles_are_found_behind_any_dependent) {
  promise_t *promise = promise_new(), *first = promise_then(promise, adds_one, NULL, NULL);
  refuses_to_follow(promise, first);

  promise = promise_new();
  first = promise_then(promise, adds_one, NULL, NULL);
  promise_t *second = promise_then(first, adds_one, NULL, NULL);
  promise_release(first);
  refuses_to_follow(promise, second);

  promise = promise_new();
  promise_t *follower = promise_new_discardable(NULL, NULL, NULL);
  CHECK_STATUS(promise_follow(follower, promise), PROMISE_OK);
  refuses_to_follow(promise, follower);

  promise = promise_new();
  promise_reaction_t reaction = {.size = sizeof reaction, .on_fulfilled = adds_one};
  refuses_to_follow(promise, promise_react(promise, &reaction));

  promise = promise_new();
  first = promise_then(promise, adds_one, NULL, NULL);
  for (int i = 0; i < 40; i++)
    promise_release(promise_then(promise, adds_one, NULL, NULL));
  refuses_to_follow(promise, first);
}
