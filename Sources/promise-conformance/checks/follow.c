/* promise/callback.h: promise_finally(), promise_tap(), promise_follow(). */
#include "../checked.h"

static void finally_is_called_either_way(void) {
  for (int fulfils = 0; fulfils < 2; fulfils++) {
    spy_t spy = {0};
    promise_t *promise = pending();
    promise_t *child = promise_finally(promise, spy_discard, &spy, spy_free);
    CHECK(child != NULL);
    CHECK_SPY(&spy, 0, 0);
    (fulfils ? resolve : reject)(promise, 7);
    CHECK_SPY(&spy, 1, 1);
    CHECK_ENDED(child, fulfils ? PROMISE_FULFILLED : PROMISE_REJECTED, 7);
    release(child);
    release(promise);
  }
  spy_t spy = {0};
  CHECK_POINTER(promise_finally(NULL, spy_discard, &spy, spy_free), NULL);
  CHECK_POINTER(promise_finally(stale(), spy_discard, &spy, spy_free), NULL);
  CHECK_STATUS(promise_last_status(), PROMISE_ESTALE);
  CHECK_SPY(&spy, 0, 2);
}

static void tap_is_called_as_an_observer_is(void) {
  for (int fulfils = 0; fulfils < 2; fulfils++) {
    spy_t spy = {0}, good = {0};
    promise_t *promise = pending();
    observe(promise, 'a');
    CHECK_STATUS(promise_tap(promise, spy_observer, spy_observer, &spy, spy_free), PROMISE_OK);
    CHECK_STATUS(promise_tap(promise, spy_observer, NULL, &good, spy_free), PROMISE_OK);
    (fulfils ? resolve : reject)(promise, 7);
    CHECK_SPY(&spy, 1, 1);
    CHECK_INT(spy.seen, 7);
    CHECK_SPY(&good, fulfils, 1);
    release(promise);
  }
  spy_t spy = {0};
  CHECK_STATUS(promise_tap(NULL, spy_observer, NULL, &spy, spy_free), PROMISE_EINVAL);
  CHECK_STATUS(promise_tap(stale(), spy_observer, NULL, &spy, spy_free), PROMISE_ESTALE);
  CHECK_SPY(&spy, 0, 2);
}

static void a_follower_ends_as_its_source(void) {
  for (int way = 0; way < 3; way++) {
    for (int late = 0; late < 2; late++) {
      promise_t *source = pending(), *promise = pending();
      if (!late)
        CHECK_STATUS(promise_follow(promise, source), PROMISE_OK);
      if (way == 2)
        CHECK_STATUS(promise_discard(source), PROMISE_OK);
      else
        (way == 0 ? resolve : reject)(source, 7);
      if (late)
        CHECK_STATUS(promise_follow(promise, source), PROMISE_OK);
      if (way == 2)
        CHECK_DISCARDED(promise);
      else
        CHECK_ENDED(promise, way == 0 ? PROMISE_FULFILLED : PROMISE_REJECTED, 7);
      release(promise);
      release(source);
    }
  }
}

static void a_follower_may_be_settled_before(void) {
  promise_t *source = pending(), *promise = pending();
  CHECK_STATUS(promise_follow(promise, source), PROMISE_OK);
  CHECK_STATUS(promise_follow(promise, source), PROMISE_EINVAL);
  resolve(promise, 1);
  CHECK_STATUS(promise_follow(promise, source), PROMISE_ESETTLED);
  reject(source, 7);
  CHECK_ENDED(promise, PROMISE_FULFILLED, 1);
  release(promise);
  release(source);
}

static void circles_are_refused(void) {
  promise_t *promise = pending();
  promise_t *child = promise_then(promise, adds_one, NULL, NULL);
  CHECK_STATUS(promise_follow(promise, promise), PROMISE_EDEADLK);
  CHECK_STATUS(promise_follow(promise, child), PROMISE_EDEADLK);
  promise_t *second = pending();
  CHECK_STATUS(promise_follow(second, promise), PROMISE_OK);
  CHECK_STATUS(promise_follow(promise, second), PROMISE_EDEADLK);
  resolve(promise, 1);
  CHECK_ENDED(second, PROMISE_FULFILLED, 1);
  CHECK_ENDED(child, PROMISE_FULFILLED, 2);
  promise_t *all[] = {promise, child, second};
  for (int i = 0; i < 3; i++)
    release(all[i]);
}

static void what_is_wrong_is_refused(void) {
  promise_t *promise = pending(), *source = pending();
  promise_t *child = promise_then(promise, adds_one, NULL, NULL);
  CHECK_STATUS(promise_follow(NULL, source), PROMISE_EINVAL);
  CHECK_STATUS(promise_follow(promise, NULL), PROMISE_EINVAL);
  CHECK_STATUS(promise_follow(stale(), source), PROMISE_ESTALE);
  CHECK_STATUS(promise_follow(promise, stale()), PROMISE_ESTALE);
  CHECK_STATUS(promise_follow(child, source), PROMISE_EINVAL);
  promise_t *all[] = {promise, child, source};
  for (int i = 0; i < 3; i++)
    release(all[i]);
}

CHECKS(follow) = {
    RULE("promise_finally() is called either way, and passes the outcome on", finally_is_called_either_way),
    RULE("promise_tap() calls the one callback that is due", tap_is_called_as_an_observer_is),
    RULE("promise_follow() settles a promise as its source", a_follower_ends_as_its_source),
    RULE("a promise that follows may be settled before", a_follower_may_be_settled_before),
    RULE("promise_follow() refuses circles with PROMISE_EDEADLK", circles_are_refused),
    RULE("promise_follow() refuses what is wrong", what_is_wrong_is_refused),
    CHECKS_END,
};
