/* promise/callback.h: promise_finally(), promise_tap(), promise_follow(). */
#include "../support.h"

static void finally_is_called_either_way(void) {
  for (int fulfils = 0; fulfils < 2; fulfils++) {
    spy_t spy = {0};
    promise_t *promise = pending();
    promise_t *child = promise_finally(promise, spy_block, &spy, spy_free);
    EXPECT(child != NULL);
    EXPECT_SPY(&spy, 0, 0);
    (fulfils ? resolve : reject)(promise, 7);
    EXPECT_SPY(&spy, 1, 1);
    EXPECT_ENDED(child, fulfils ? PROMISE_FULFILLED : PROMISE_REJECTED, 7);
    release(child);
    release(promise);
  }
  spy_t spy = {0};
  EXPECT_POINTER(promise_finally(NULL, spy_block, &spy, spy_free), NULL);
  EXPECT_POINTER(promise_finally(stale(), spy_block, &spy, spy_free), NULL);
  EXPECT_STATUS(promise_last_status(), PROMISE_ESTALE);
  EXPECT_SPY(&spy, 0, 2);
}

static void tap_is_called_as_an_observer_is(void) {
  for (int fulfils = 0; fulfils < 2; fulfils++) {
    spy_t spy = {0}, good = {0};
    promise_t *promise = pending();
    observe(promise, 'a');
    EXPECT_STATUS(promise_tap(promise, spy_observer, spy_observer, &spy, spy_free), PROMISE_OK);
    EXPECT_STATUS(promise_tap(promise, spy_observer, NULL, &good, spy_free), PROMISE_OK);
    (fulfils ? resolve : reject)(promise, 7);
    EXPECT_SPY(&spy, 1, 1);
    EXPECT_INT(spy.seen, 7);
    EXPECT_SPY(&good, fulfils, 1);
    release(promise);
  }
  spy_t spy = {0};
  EXPECT_STATUS(promise_tap(NULL, spy_observer, NULL, &spy, spy_free), PROMISE_EINVAL);
  EXPECT_STATUS(promise_tap(stale(), spy_observer, NULL, &spy, spy_free), PROMISE_ESTALE);
  EXPECT_SPY(&spy, 0, 2);
}

static void a_follower_ends_as_its_source(void) {
  for (int way = 0; way < 3; way++) {
    for (int late = 0; late < 2; late++) {
      promise_t *source = pending(), *promise = pending();
      if (!late)
        EXPECT_STATUS(promise_follow(promise, source), PROMISE_OK);
      if (way == 2)
        EXPECT_STATUS(promise_discard(source), PROMISE_OK);
      else
        (way == 0 ? resolve : reject)(source, 7);
      if (late)
        EXPECT_STATUS(promise_follow(promise, source), PROMISE_OK);
      if (way == 2)
        EXPECT_DISCARDED(promise);
      else
        EXPECT_ENDED(promise, way == 0 ? PROMISE_FULFILLED : PROMISE_REJECTED, 7);
      release(promise);
      release(source);
    }
  }
}

static void a_follower_may_be_settled_before(void) {
  promise_t *source = pending(), *promise = pending();
  EXPECT_STATUS(promise_follow(promise, source), PROMISE_OK);
  EXPECT_STATUS(promise_follow(promise, source), PROMISE_EINVAL);
  resolve(promise, 1);
  EXPECT_STATUS(promise_follow(promise, source), PROMISE_ESETTLED);
  reject(source, 7);
  EXPECT_ENDED(promise, PROMISE_FULFILLED, 1);
  release(promise);
  release(source);
}

static void circles_are_refused(void) {
  promise_t *promise = pending();
  promise_t *child = promise_then(promise, adds_one, NULL, NULL);
  EXPECT_STATUS(promise_follow(promise, promise), PROMISE_EDEADLK);
  EXPECT_STATUS(promise_follow(promise, child), PROMISE_EDEADLK);
  promise_t *second = pending();
  EXPECT_STATUS(promise_follow(second, promise), PROMISE_OK);
  EXPECT_STATUS(promise_follow(promise, second), PROMISE_EDEADLK);
  resolve(promise, 1);
  EXPECT_ENDED(second, PROMISE_FULFILLED, 1);
  EXPECT_ENDED(child, PROMISE_FULFILLED, 2);
  promise_t *all[] = {promise, child, second};
  for (int i = 0; i < 3; i++)
    release(all[i]);
}

static void what_is_wrong_is_refused(void) {
  promise_t *promise = pending(), *source = pending();
  promise_t *child = promise_then(promise, adds_one, NULL, NULL);
  EXPECT_STATUS(promise_follow(NULL, source), PROMISE_EINVAL);
  EXPECT_STATUS(promise_follow(promise, NULL), PROMISE_EINVAL);
  EXPECT_STATUS(promise_follow(stale(), source), PROMISE_ESTALE);
  EXPECT_STATUS(promise_follow(promise, stale()), PROMISE_ESTALE);
  EXPECT_STATUS(promise_follow(child, source), PROMISE_EINVAL);
  promise_t *all[] = {promise, child, source};
  for (int i = 0; i < 3; i++)
    release(all[i]);
}

const check_t follow_checks[] = {
    {"promise_finally() is called either way, and passes the outcome on", finally_is_called_either_way},
    {"promise_tap() calls the one callback that is due", tap_is_called_as_an_observer_is},
    {"promise_follow() settles a promise as its source", a_follower_ends_as_its_source},
    {"a promise that follows may be settled before", a_follower_may_be_settled_before},
    {"promise_follow() refuses circles with PROMISE_EDEADLK", circles_are_refused},
    {"promise_follow() refuses what is wrong", what_is_wrong_is_refused},
    {NULL, NULL},
};
