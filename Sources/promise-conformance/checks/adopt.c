/* promise/callback.h: handlers that return a promise. */
#include "../checked.h"

/* Adopts its context, a promise. */
static promise_verdict_t adopts(void *ctx, const promise_value_t *in, promise_value_t *out) {
  (void)in;
  *out = holding(retained(ctx));
  return PROMISE_ADOPT;
}

static void a_follower_ends_as_the_other_does(void) {
  for (int way = 0; way < 3; way++) {
    for (int late = 0; late < 2; late++) {
      promise_t *inner = pending(), *outer = late ? pending() : fulfilled(1);
      promise_t *follower = promise_then(outer, adopts, inner, NULL);
      if (!late)
        CHECK_INT(promise_state(follower), PROMISE_PENDING);
      if (way == 2)
        CHECK_STATUS(promise_discard(inner), PROMISE_OK);
      else
        (way == 0 ? resolve : reject)(inner, 7);
      if (late)
        resolve(outer, 1);
      if (way == 2)
        CHECK_DISCARDED(follower);
      else
        CHECK_ENDED(follower, way == 0 ? PROMISE_FULFILLED : PROMISE_REJECTED, 7);
      release(follower);
      release(outer);
      release(inner);
      CHECK_STATUS(promise_state(inner), PROMISE_ESTALE);
    }
  }
}

static promise_t *subject;
static promise_verdict_t adopts_subject(void *ctx, const promise_value_t *in, promise_value_t *out) {
  (void)ctx;
  return adopts(subject, in, out);
}

static void adopting_oneself_is_a_deadlock(void) {
  promise_t *promise = pending();
  subject = promise_then(promise, adopts_subject, NULL, NULL);
  resolve(promise, 1);
  CHECK_LIBRARY_ERROR(subject, PROMISE_EDEADLK);
  release(subject);
  release(promise);
}

static void adopting_a_descendant_is_a_deadlock(void) {
  promise_t *promise = pending();
  promise_t *child = promise_then(promise, adopts_subject, NULL, NULL);
  subject = promise_then(child, adds_one, NULL, NULL);
  resolve(promise, 1);
  CHECK_LIBRARY_ERROR(child, PROMISE_EDEADLK);
  CHECK_LIBRARY_ERROR(subject, PROMISE_EDEADLK);
  release(subject);
  release(child);
  release(promise);
}

static void only_promises_can_be_adopted(void) {
  const promise_value_t wrong[] = {i64(1), {.kind = PROMISE_KIND_VOID}, holding(stale()), holding(NULL)};
  promise_t *promise = fulfilled(1);
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    spy_t spy = {.verdict = PROMISE_ADOPT, .answer = wrong[i]};
    promise_t *child = promise_then(promise, spy_handler, &spy, spy_free);
    CHECK_LIBRARY_ERROR(child, PROMISE_EINVAL);
    release(child);
  }
  release(promise);
}

static void a_promise_that_goes_leaves_its_follower_pending(void) {
  promise_t *inner = pending(), *outer = fulfilled(1);
  spy_t spy = {.verdict = PROMISE_ADOPT, .answer = holding(retained(inner))};
  promise_t *follower = promise_then(outer, spy_handler, &spy, spy_free);
  CHECK_SPY(&spy, 1, 1);
  release(outer);
  release(inner);
  CHECK_INT(promise_state(follower), PROMISE_PENDING);
  resolve(follower, 3);
  CHECK_ENDED(follower, PROMISE_FULFILLED, 3);
  release(follower);
}

CHECKS(adopt) = {
    RULE("a promise that adopts another one ends as that one does", a_follower_ends_as_the_other_does),
    RULE("to adopt oneself rejects with PROMISE_EDEADLK", adopting_oneself_is_a_deadlock),
    RULE("to adopt a promise that waits for this one rejects with PROMISE_EDEADLK",
         adopting_a_descendant_is_a_deadlock),
    RULE("to adopt what is no promise rejects with PROMISE_EINVAL", only_promises_can_be_adopted),
    RULE("a follower can be settled by other means", a_promise_that_goes_leaves_its_follower_pending),
    CHECKS_END,
};
