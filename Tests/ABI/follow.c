/* promise_follow of promises with a discard block, which are settled on another path. The others: cancel.c. */
#include "support.h"

static void a_follower_has_one_source(void) {
  promise_t *source = promise_new(), *other = promise_new();
  promise_t *promise = promise_new_discardable(NULL, NULL, NULL);
  CHECK_STATUS(promise_follow(promise, source), PROMISE_OK);
  CHECK_STATUS(promise_follow(promise, other), PROMISE_EINVAL);
  promise_resolve(other, I64(2));
  CHECK_INT(promise_state(promise), PROMISE_PENDING);
  promise_resolve(source, I64(1));
  CHECK(ended(promise, PROMISE_FULFILLED, 1));
  CHECK_STATUS(promise_follow(promise, other), PROMISE_ESETTLED);
  promise_release(source);
  promise_release(other);
  promise_release(promise);
}

/* Two promises that follow each other: the second call is rejected, whichever of them have blocks. */
static void a_circle_is_refused(void) {
  for (int blocks = 0; blocks < 4; blocks++) {
    promise_t *one = blocks & 1 ? promise_new_discardable(NULL, NULL, NULL) : promise_new();
    promise_t *two = blocks & 2 ? promise_new_discardable(NULL, NULL, NULL) : promise_new();
    promise_t *child = promise_then(one, adds_one, NULL, NULL);
    CHECK_STATUS(promise_follow(one, one), PROMISE_EDEADLK);
    CHECK_STATUS(promise_follow(one, two), PROMISE_OK);
    CHECK_STATUS(promise_follow(two, one), PROMISE_EDEADLK);
    CHECK_STATUS(promise_follow(two, child), PROMISE_EDEADLK);
    promise_resolve(two, I64(1));
    CHECK(ended(child, PROMISE_FULFILLED, 2));
    promise_release(one);
    promise_release(two);
    promise_release(child);
  }
}

/* The context of a discard block is freed with the settlement, and the block is not called. */
static void a_source_that_settles_its_follower_frees_the_block(void) {
  for (int is_rejected = 0; is_rejected < 2; is_rejected++) {
    spy_t spy = {0};
    promise_t *source = promise_new(), *promise = promise_new_discardable(spy_discard, &spy, spy_free);
    CHECK_STATUS(promise_follow(promise, source), PROMISE_OK);
    CHECK_SPY(&spy, 0, 0);
    CHECK_STATUS(is_rejected ? promise_reject(source, I64(1)) : promise_resolve(source, I64(1)), PROMISE_OK);
    CHECK_SPY(&spy, 0, 1);
    CHECK(ended(promise, is_rejected ? PROMISE_REJECTED : PROMISE_FULFILLED, 1));
    promise_release(source);
    promise_release(promise);
    CHECK_SPY(&spy, 0, 1);
  }
}

static promise_t *follower;

static promise_verdict_t adopts_follower(void *ctx, const promise_value_t *in, promise_value_t *out) {
  spy_see(ctx, in);
  *out = holding(retained(follower));
  return PROMISE_ADOPT;
}

static void an_adopted_circle_is_refused_too(void) {
  spy_t spy = {0};
  promise_t *promise = promise_new();
  promise_t *child = promise_then(promise, adopts_follower, &spy, spy_free);
  follower = promise_new_discardable(NULL, NULL, NULL);
  CHECK_STATUS(promise_follow(follower, child), PROMISE_OK);
  promise_resolve(promise, I64(1));
  CHECK_SPY(&spy, 1, 1);
  CHECK(failed_with(child, PROMISE_EDEADLK));
  CHECK(failed_with(follower, PROMISE_EDEADLK));
  promise_release(promise);
  promise_release(child);
  promise_release(follower);
}

/* The source no longer settles the follower: any holder may, or make it follow another promise. */
static void a_follower_of_what_died_may_follow_another(void) {
  promise_t *source = promise_new(), *other = promise_new();
  promise_t *promise = promise_new_discardable(NULL, NULL, NULL);
  CHECK_STATUS(promise_follow(promise, source), PROMISE_OK);
  CHECK_STATUS(promise_release(source), PROMISE_OK);
  promise_t *in_its_place = promise_new();
  CHECK_STATUS(promise_follow(in_its_place, promise), PROMISE_OK);
  CHECK_STATUS(promise_follow(promise, other), PROMISE_OK);
  promise_resolve(other, I64(3));
  CHECK(ended(in_its_place, PROMISE_FULFILLED, 3));
  promise_release(other);
  promise_release(promise);
  promise_release(in_its_place);
}

int main(void) {
  RUN(a_follower_has_one_source);
  RUN(a_circle_is_refused);
  RUN(a_source_that_settles_its_follower_frees_the_block);
  RUN(an_adopted_circle_is_refused_too);
  RUN(a_follower_of_what_died_may_follow_another);
  return check_report();
}
