/* promise/callback.h: promise_finally(), promise_tap(), promise_follow(). */
#include "../checked.h"

CHECKS(follow)

static void count_call(void *calls) {
  ++*(int *)calls;
}

RULE(finally_is_called_either_way, "promise_finally() is called either way, and passes the outcome on") {
  for (int way = 0; way < 4; way++) {
    bool settled = way / 2 == 1, good = way % 2 == 1;
    int calls = 0;
    spy_t spy = {0};
    promise_t *promise = !settled ? pending() : good ? fulfilled(4) : rejected(4);
    promise_t *child = promise_finally(promise, count_call, &calls, NULL);
    promise_t *other = promise_finally(promise, spy_discard, &spy, spy_free);
    CHECK_INT(calls, settled);
    CHECK_SPY(&spy, settled, settled);
    if (!settled)
      (good ? resolve : reject)(promise, 4);
    CHECK_INT(calls, 1);
    CHECK_SPY(&spy, 1, 1);
    CHECK_ENDED(child, good ? PROMISE_FULFILLED : PROMISE_REJECTED, 4);
    release(child), release(other), release(promise);
  }
  spy_t spy = {0};
  CHECK_POINTER(promise_finally(NULL, spy_discard, &spy, spy_free), NULL);
  CHECK_POINTER(promise_finally(stale(), spy_discard, &spy, spy_free), NULL);
  CHECK_STATUS(promise_last_status(), PROMISE_ESTALE);
  CHECK_SPY(&spy, 0, 2);
}

RULE(tap_is_called_as_an_observer_is, "promise_tap() calls the one callback that is due") {
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

RULE(a_follower_ends_as_its_source, "promise_follow() settles a promise as its source") {
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
      RELEASE(promise, source);
    }
  }
}

RULE(a_follower_may_be_settled_before, "a promise that follows may be settled before") {
  promise_t *source = pending(), *promise = pending();
  CHECK_STATUS(promise_follow(promise, source), PROMISE_OK);
  CHECK_STATUS(promise_follow(promise, source), PROMISE_EINVAL);
  resolve(promise, 1);
  CHECK_STATUS(promise_follow(promise, source), PROMISE_ESETTLED);
  reject(source, 7);
  CHECK_STATUS(promise_follow(promise, source), PROMISE_ESETTLED);
  CHECK_ENDED(promise, PROMISE_FULFILLED, 1);
  RELEASE(promise, source);
}

RULE(invalid_arguments_are_refused, "promise_follow() refuses invalid arguments") {
  promise_t *promise = pending(), *source = pending();
  promise_t *child = promise_then(promise, adds_one, NULL, NULL);
  CHECK_STATUS(promise_follow(NULL, source), PROMISE_EINVAL);
  CHECK_STATUS(promise_follow(promise, NULL), PROMISE_EINVAL);
  CHECK_STATUS(promise_follow(stale(), source), PROMISE_ESTALE);
  CHECK_STATUS(promise_follow(promise, stale()), PROMISE_ESTALE);
  CHECK_STATUS(promise_follow(child, source), PROMISE_EINVAL);
  RELEASE(promise, child, source);
}

RULE(a_promise_of_the_library_follows_none, "promise_follow() refuses a promise that the library settles") {
  promise_publisher_t *publisher = promise_publisher_new(0);
  promise_subscription_t pulled = {.size = sizeof pulled, .overflow = PROMISE_OVERFLOW_BUFFER, .capacity = 1};
  promise_subscriber_t *subscriber = promise_publisher_subscribe(publisher, &pulled);
  promise_t *source = pending(), *input = pending(), *next = promise_subscriber_next(subscriber);
  promise_t *const settled[] = {promise_all(&input, 1, 0), promise_race(&input, 1, 0),
                                promise_sleep(INT64_C(3600) * 1000 * MILLISECONDS), next,
                                promise_subscriber_end(subscriber)};
  for (int i = 0; i < 5; i++) {
    CHECK_STATUS(promise_follow(settled[i], source), PROMISE_EINVAL);
    CHECK_INT(promise_state(settled[i]), PROMISE_PENDING);
  }
  promise_publisher_finish(publisher);
  resolve(input, 1), resolve(source, 2);
  CHECK_ENDED(settled[1], PROMISE_FULFILLED, 1);
  CHECK_STATUS(promise_discard(settled[2]), PROMISE_OK);
  for (int i = 0; i < 5; i++)
    release(settled[i]);
  RELEASE(source, input);
  CHECK_STATUS(promise_subscriber_release(subscriber), PROMISE_OK);
  CHECK_STATUS(promise_publisher_release(publisher), PROMISE_OK);
}

RULE(a_follower_has_one_source, "a promise follows one source") {
  promise_t *source = promise_new(), *other = promise_new();
  promise_t *promise = promise_new_discardable(NULL, NULL, NULL);
  CHECK_STATUS(promise_follow(promise, source), PROMISE_OK);
  CHECK_STATUS(promise_follow(promise, other), PROMISE_EINVAL);
  promise_resolve(other, I64(2));
  CHECK_INT(promise_state(promise), PROMISE_PENDING);
  promise_resolve(source, I64(1));
  CHECK(ended(promise, PROMISE_FULFILLED, 1));
  CHECK_STATUS(promise_follow(promise, other), PROMISE_ESETTLED);
  RELEASE(source, other, promise);
}

/* Two promises that follow each other: the second call is rejected, with and without discard blocks. */
RULE(a_circle_is_refused, "promise_follow() refuses circles with PROMISE_EDEADLK") {
  for (int blocks = 0; blocks < 4; blocks++) {
    promise_t *one = blocks & 1 ? promise_new_discardable(NULL, NULL, NULL) : promise_new();
    promise_t *two = blocks & 2 ? promise_new_discardable(NULL, NULL, NULL) : promise_new();
    promise_t *child = promise_then(one, adds_one, NULL, NULL);
    CHECK_STATUS(promise_follow(one, one), PROMISE_EDEADLK);
    CHECK_STATUS(promise_follow(one, child), PROMISE_EDEADLK);
    CHECK_STATUS(promise_follow(one, two), PROMISE_OK);
    CHECK_STATUS(promise_follow(two, one), PROMISE_EDEADLK);
    CHECK_STATUS(promise_follow(two, child), PROMISE_EDEADLK);
    promise_resolve(two, I64(1));
    CHECK(ended(child, PROMISE_FULFILLED, 2));
    RELEASE(one, two, child);
  }
}

/* A settlement by the source frees the context of the follower's discard block, and does not call the block. */
RULE(a_source_that_settles_its_follower_frees_the_block,
     "the source settles a promise with a discard block, and frees the context of the block") {
  for (int is_rejected = 0; is_rejected < 2; is_rejected++) {
    spy_t spy = {0};
    promise_t *source = promise_new(), *promise = promise_new_discardable(spy_discard, &spy, spy_free);
    CHECK_STATUS(promise_follow(promise, source), PROMISE_OK);
    CHECK_SPY(&spy, 0, 0);
    CHECK_STATUS(is_rejected ? promise_reject(source, I64(1)) : promise_resolve(source, I64(1)), PROMISE_OK);
    CHECK_SPY(&spy, 0, 1);
    CHECK(ended(promise, is_rejected ? PROMISE_REJECTED : PROMISE_FULFILLED, 1));
    RELEASE(source, promise);
    CHECK_SPY(&spy, 0, 1);
  }
}

static promise_t *follower;

static promise_verdict_t adopts_follower(void *ctx, const promise_value_t *in, promise_value_t *out) {
  spy_see(ctx, in);
  *out = holding(retained(follower));
  return PROMISE_ADOPT;
}

RULE(an_adopted_circle_is_refused_too, "promise_follow() refuses a circle that an adoption would close") {
  spy_t spy = {0};
  promise_t *promise = promise_new();
  promise_t *child = promise_then(promise, adopts_follower, &spy, spy_free);
  follower = promise_new_discardable(NULL, NULL, NULL);
  CHECK_STATUS(promise_follow(follower, child), PROMISE_OK);
  promise_resolve(promise, I64(1));
  CHECK_SPY(&spy, 1, 1);
  CHECK(failed_with(child, PROMISE_EDEADLK));
  CHECK(failed_with(follower, PROMISE_EDEADLK));
  RELEASE(promise, child, follower);
}

/* Once the source is destroyed, any holder may settle the follower, or make it follow another promise. */
RULE(a_follower_of_a_destroyed_promise_may_follow_another,
     "a promise whose source was destroyed while pending may follow another one") {
  promise_t *source = promise_new(), *other = promise_new();
  promise_t *promise = promise_new_discardable(NULL, NULL, NULL);
  CHECK_STATUS(promise_follow(promise, source), PROMISE_OK);
  CHECK_STATUS(promise_release(source), PROMISE_OK);
  promise_t *in_its_place = promise_new();
  CHECK_STATUS(promise_follow(in_its_place, promise), PROMISE_OK);
  CHECK_STATUS(promise_follow(promise, other), PROMISE_OK);
  promise_resolve(other, I64(3));
  CHECK(ended(in_its_place, PROMISE_FULFILLED, 3));
  RELEASE(other, promise, in_its_place);
}

RULE(a_circle_through_a_derived_promise_is_refused, "a circle through a derived promise is refused too") {
  promise_t *one = promise_new(), *two = promise_new(), *three = child_of(two);
  CHECK_STATUS(promise_follow(one, one), PROMISE_EDEADLK);
  CHECK_STATUS(promise_follow(one, three), PROMISE_OK);
  CHECK_STATUS(promise_follow(two, one), PROMISE_EDEADLK);
  CHECK_STATUS(promise_follow(three, one), PROMISE_EDEADLK);
  promise_t *other = promise_new();
  CHECK_STATUS(promise_follow(three, other), PROMISE_EINVAL); /* `three` has a source */
  promise_release(other);
  promise_resolve(two, I64(1));
  CHECK(ended(one, PROMISE_FULFILLED, 2));
  promise_release(one), promise_release(two), promise_release(three);
}

RULE(a_follower_of_a_destroyed_promise_stays_pending,
     "a promise stays pending when its source is destroyed while pending") {
  promise_t *source = promise_new(), *promise = promise_new();
  CHECK_STATUS(promise_follow(promise, source), PROMISE_OK);
  promise_release(source);
  CHECK_INT(promise_state(promise), PROMISE_PENDING);
  CHECK_STATUS(promise_resolve(promise, VOID()), PROMISE_OK);
  promise_release(promise);
}
