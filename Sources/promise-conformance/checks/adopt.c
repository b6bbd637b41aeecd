/* PROMISE_ADOPT: a handler returns a promise that its own promise follows (clauses 2.2 and 3.1.3). */
#include "../checked.h"

CHECKS(adopt)

/* Returns a promise whose handler adopts `inner`. Takes over a reference to `inner`. */
static promise_t *adopting(promise_t *outer, promise_t *inner, spy_t *spy) {
  spy->verdict = PROMISE_ADOPT;
  spy->answer = holding(inner);
  return promise_then(outer, spy_handler, spy, spy_free);
}

RULE(a_follower_ends_as_the_other_does, "a promise that adopts another one ends as that one does") {
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
      RELEASE(follower, outer, inner);
      CHECK_STATUS(promise_state(inner), PROMISE_ESTALE);
    }
  }
}

RULE(rescue_may_adopt_too, "the handler of promise_rescue() may adopt a promise too") {
  spy_t spy = {.verdict = PROMISE_ADOPT};
  promise_t *inner = promise_new(), *outer = promise_new();
  spy.answer = holding(retained(inner));
  promise_t *child = promise_rescue(outer, NULL, spy_handler, &spy, spy_free);
  promise_reject(outer, I64(1));
  promise_resolve(inner, I64(2));
  CHECK(ended(child, PROMISE_FULFILLED, 2));
  RELEASE(inner, outer, child);
}

RULE(discarded_follower_leaves_the_inner_alone, "discarding a promise leaves the one that it adopted pending") {
  spy_t spy = {0};
  promise_t *inner = promise_new(), *outer = fulfilled(1);
  promise_t *child = adopting(outer, retained(inner), &spy);
  CHECK_STATUS(promise_discard(child), PROMISE_OK);
  CHECK_INT(promise_state(inner), PROMISE_PENDING);
  CHECK_STATUS(promise_resolve(inner, I64(2)), PROMISE_OK);
  CHECK_INT(promise_state(child), PROMISE_REJECTED);
  RELEASE(inner, outer, child);
}

/* The handler has the only reference to the inner promise, which is destroyed while pending; the follower stays
 * pending. */
RULE(last_reference_to_a_pending_inner, "a follower can be settled by other means") {
  spy_t spy = {0};
  promise_t *inner = promise_new(), *outer = fulfilled(1);
  promise_t *child = adopting(outer, inner, &spy);
  CHECK_SPY(&spy, 1, 1);
  CHECK_INT(promise_state(child), PROMISE_PENDING);
  CHECK_STATUS(promise_resolve(child, I64(3)), PROMISE_OK);
  CHECK(ended(child, PROMISE_FULFILLED, 3));
  RELEASE(outer, child);
}

RULE(released_follower_does_not_matter, "an adopted promise is settled although the one that adopted it was released") {
  spy_t spy = {0};
  promise_t *inner = promise_new(), *outer = fulfilled(1);
  promise_t *child = adopting(outer, retained(inner), &spy);
  CHECK_STATUS(promise_release(child), PROMISE_OK);
  CHECK_STATUS(promise_resolve(inner, I64(1)), PROMISE_OK);
  RELEASE(inner, outer);
}

RULE(many_follow_one, "many promises may adopt one") {
  enum { COUNT = 500 };
  static spy_t spies[COUNT];
  promise_t *children[COUNT], *inner = promise_new(), *outer = fulfilled(1);
  for (int i = 0; i < COUNT; i++)
    children[i] = adopting(outer, retained(inner), &spies[i]);
  promise_resolve(inner, I64(2));
  for (int i = 0; i < COUNT; i++) {
    CHECK(ended(children[i], PROMISE_FULFILLED, 2));
    promise_release(children[i]);
  }
  RELEASE(inner, outer);
}

RULE(value_is_shared_with_the_inner, "a promise shares the value of the one that it adopted") {
  spy_t spy = {0};
  payload_t payload = {0};
  promise_value_t value = object(&payload), got;
  promise_t *inner = promise_new(), *outer = fulfilled(1);
  promise_t *child = adopting(outer, retained(inner), &spy);
  promise_resolve(inner, &value);
  promise_release(inner);
  CHECK_INT(atomic_load(&payload.destroyed), 0);
  CHECK_STATUS(promise_result(child, &got), PROMISE_OK);
  CHECK_POINTER(promise_value_data(&got, NULL), &payload);
  promise_value_release(&got);
  RELEASE(outer, child);
  CHECK_INT(atomic_load(&payload.destroyed), 1);
}

/* A promise as the value of the inner promise is not followed. */
RULE(adoption_takes_one_step, "the outcome of an adopted promise is not adopted in turn if it is a PROMISE") {
  spy_t spy = {0};
  promise_value_t got;
  promise_t *innermost = promise_new(), *inner = promise_new(), *outer = fulfilled(1);
  promise_value_t value = holding(retained(innermost));
  promise_t *child = adopting(outer, retained(inner), &spy);
  promise_resolve(inner, &value);
  CHECK_INT(promise_state(child), PROMISE_FULFILLED);
  CHECK_STATUS(promise_result(child, &got), PROMISE_OK);
  CHECK_POINTER(got.as.ptr, innermost);
  promise_value_release(&got);
  RELEASE(innermost, inner, outer, child);
}

/* ---- Cycles ---- */

RULE(itself, "a promise that adopts itself is rejected with PROMISE_EDEADLK") {
  spy_t spy = {.verdict = PROMISE_ADOPT};
  promise_t *outer = promise_new();
  promise_t *child = promise_then(outer, spy_handler, &spy, spy_free);
  spy.answer = holding(retained(child));
  promise_resolve(outer, I64(1));
  CHECK(failed_with(child, PROMISE_EDEADLK));
  promise_release(child);
  CHECK_STATUS(promise_state(child), PROMISE_ESTALE);
  promise_release(outer);
}

RULE(its_own_descendant, "a promise that adopts one that waits for it is rejected with PROMISE_EDEADLK") {
  spy_t spy = {.verdict = PROMISE_ADOPT};
  promise_t *outer = promise_new();
  promise_t *child = promise_then(outer, spy_handler, &spy, spy_free), *last = retained(child);
  for (int i = 0; i < 1000; i++) {
    promise_t *next = promise_then(last, adds_one, NULL, NULL);
    promise_release(last);
    last = next;
  }
  spy.answer = holding(retained(last));
  promise_resolve(outer, I64(1));
  CHECK(failed_with(child, PROMISE_EDEADLK));
  CHECK(failed_with(last, PROMISE_EDEADLK));
  RELEASE(last, child, outer);
}

RULE(each_other, "two promises that adopt each other are rejected with PROMISE_EDEADLK") {
  spy_t first_spy = {.verdict = PROMISE_ADOPT}, second_spy = {.verdict = PROMISE_ADOPT};
  promise_t *outer = promise_new();
  promise_t *first = promise_then(outer, spy_handler, &first_spy, spy_free);
  promise_t *second = promise_then(outer, spy_handler, &second_spy, spy_free);
  first_spy.answer = holding(retained(second));
  second_spy.answer = holding(retained(first));
  promise_resolve(outer, I64(1));
  CHECK(failed_with(first, PROMISE_EDEADLK));
  CHECK(failed_with(second, PROMISE_EDEADLK));
  RELEASE(first, second, outer);
  CHECK_STATUS(promise_state(first), PROMISE_ESTALE);
  CHECK_STATUS(promise_state(second), PROMISE_ESTALE);
}

RULE(ring_of_a_hundred, "a hundred promises that adopt each other in a ring are rejected with PROMISE_EDEADLK") {
  enum { COUNT = 100 };
  static spy_t spies[COUNT];
  promise_t *ring[COUNT], *outer = promise_new();
  for (int i = 0; i < COUNT; i++) {
    spies[i].verdict = PROMISE_ADOPT;
    ring[i] = promise_then(outer, spy_handler, &spies[i], spy_free);
  }
  for (int i = 0; i < COUNT; i++)
    spies[i].answer = holding(retained(ring[(i + 1) % COUNT]));
  promise_resolve(outer, I64(1));
  for (int i = 0; i < COUNT; i++) {
    CHECK(failed_with(ring[i], PROMISE_EDEADLK));
    CHECK_SPY(&spies[i], 1, 1);
    promise_release(ring[i]);
    CHECK_STATUS(promise_state(ring[i]), PROMISE_ESTALE);
  }
  promise_release(outer);
}

/* A follower of a settled promise closes no cycle. */
RULE(broken_ring_is_not_a_ring, "a promise may adopt its descendant if that was settled by other means") {
  spy_t spy = {.verdict = PROMISE_ADOPT};
  promise_t *outer = promise_new();
  promise_t *child = promise_then(outer, spy_handler, &spy, spy_free);
  promise_t *grandchild = promise_then(child, adds_one, NULL, NULL);
  promise_resolve(grandchild, I64(5));
  spy.answer = holding(retained(grandchild));
  promise_resolve(outer, I64(1));
  CHECK(ended(child, PROMISE_FULFILLED, 5));
  RELEASE(outer, child, grandchild);
}

/* ---- Handles of other objects than promises ---- */

RULE(answer_that_is_not_a_promise, "adopting a handle that is not a promise rejects with PROMISE_EINVAL") {
  payload_t payload = {0};
  static int own;
  const promise_value_t answers[] = {
      {.kind = PROMISE_KIND_VOID},
      {.kind = PROMISE_KIND_I64, .as.i64 = 1},
      {.kind = 0},
      {.kind = PROMISE_KIND_PROMISE, .as.ptr = NULL},
      {.kind = PROMISE_KIND_STRING, .as.ptr = &own},
      object(&payload),
  };
  for (size_t i = 0; i < sizeof answers / sizeof *answers; i++) {
    spy_t spy = {.verdict = PROMISE_ADOPT, .answer = answers[i]};
    promise_t *outer = fulfilled(1);
    promise_t *child = promise_then(outer, spy_handler, &spy, spy_free);
    CHECK(failed_with(child, PROMISE_EINVAL));
    CHECK_SPY(&spy, 1, 1);
    RELEASE(child, outer);
  }
  CHECK_INT(atomic_load(&payload.destroyed), 1);
}

RULE(answer_that_is_a_stale_promise, "adopting a stale token rejects with PROMISE_EINVAL") {
  static int own;
  void *const tokens[] = {stale(), &own, (void *)UINTPTR_MAX, (void *)1, (void *)(uintptr_t)payload_type()};
  for (size_t i = 0; i < sizeof tokens / sizeof *tokens; i++) {
    spy_t spy = {.verdict = PROMISE_ADOPT, .answer = holding(tokens[i])};
    promise_t *outer = fulfilled(1);
    promise_t *child = promise_then(outer, spy_handler, &spy, spy_free);
    CHECK_INT(promise_state(child), PROMISE_REJECTED);
    CHECK(failed_with(child, PROMISE_EINVAL) || failed_with(child, PROMISE_ESTALE));
    CHECK_SPY(&spy, 1, 1);
    RELEASE(child, outer);
  }
}

static promise_verdict_t settles_its_promise(void *ctx, const promise_value_t *in, promise_value_t *out) {
  spy_t *spy = ctx;
  CHECK_STATUS(promise_resolve(spy->promise, I64(4)), PROMISE_OK);
  return spy_handler(ctx, in, out);
}

RULE(adopting_into_a_settled_child_releases_the_inner,
     "a promise that was settled meanwhile releases the one that its handler adopts") {
  spy_t spy = {.verdict = PROMISE_ADOPT};
  promise_t *inner = promise_new(), *outer = promise_new();
  promise_t *child = spy.promise = promise_then(outer, settles_its_promise, &spy, spy_free);
  spy.answer = holding(inner);
  promise_resolve(outer, I64(1));
  CHECK(ended(child, PROMISE_FULFILLED, 4));
  CHECK_STATUS(promise_state(inner), PROMISE_ESTALE);
  RELEASE(outer, child);
}

/* A PROMISE as a value is not followed, but a promise that held itself would never be destroyed. */
RULE(handler_cannot_make_its_promise_hold_itself, "a handler cannot make its promise hold itself") {
  promise_verdict_t verdicts[] = {PROMISE_FULFILL, PROMISE_REJECT};
  for (int i = 0; i < 2; i++) {
    spy_t spy = {.verdict = verdicts[i]};
    promise_t *promise = promise_new();
    promise_t *child = promise_then(promise, spy_handler, &spy, spy_free);
    spy.answer = holding(retained(child));
    promise_resolve(promise, I64(1));
    CHECK_SPY(&spy, 1, 1);
    CHECK(failed_with(child, PROMISE_EINVAL));
    RELEASE(promise, child);
    CHECK_STATUS(promise_state(child), PROMISE_ESTALE);
  }
}
