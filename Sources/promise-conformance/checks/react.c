/* promise/callback.h: promise_react(). */
#include "../checked.h"

static promise_reaction_t reaction_to(spy_t *spy) {
  return (promise_reaction_t){.size = sizeof(promise_reaction_t),
                              .on_fulfilled = spy_handler,
                              .on_rejected = spy_handler,
                              .ctx = spy,
                              .free_ctx = spy_free};
}

static void it_is_then_and_rescue_in_one(void) {
  for (int handlers = 1; handlers < 4; handlers++) {
    for (int fulfils = 0; fulfils < 2; fulfils++) {
      spy_t spy = {0};
      promise_reaction_t reaction = reaction_to(&spy);
      reaction.on_fulfilled = handlers & 1 ? spy_handler : NULL;
      reaction.on_rejected = handlers & 2 ? spy_handler : NULL;
      bool runs = fulfils ? handlers & 1 : (handlers & 2) != 0;
      promise_t *promise = pending();
      promise_t *child = promise_react(promise, &reaction);
      CHECK(child != NULL);
      (fulfils ? resolve : reject)(promise, 7);
      CHECK_SPY(&spy, runs, 1);
      CHECK_ENDED(child, runs || fulfils ? PROMISE_FULFILLED : PROMISE_REJECTED, runs ? 8 : 7);
      release(child);
      release(promise);
    }
  }
}

static void the_type_is_for_rejections(void) {
  for (int fulfils = 0; fulfils < 2; fulfils++) {
    spy_t spy = {0};
    promise_reaction_t reaction = reaction_to(&spy);
    reaction.type = promise_type_named("error");
    promise_t *promise = fulfils ? fulfilled(7) : rejected(7);
    promise_t *child = promise_react(promise, &reaction);
    CHECK_SPY(&spy, fulfils, 1);
    CHECK_ENDED(child, fulfils ? PROMISE_FULFILLED : PROMISE_REJECTED, fulfils ? 8 : 7);
    release(child);
    release(promise);
  }
}

static void a_newer_struct_of_zeros_is_good(void) {
  struct {
    promise_reaction_t reaction;
    char later[64];
  } newer;
  memset(&newer, 0, sizeof newer);
  promise_t *promise = fulfilled(1);
  for (uint32_t size = sizeof newer.reaction; size <= sizeof newer; size += 8) {
    spy_t spy = {0};
    newer.reaction = reaction_to(&spy);
    newer.reaction.size = size;
    promise_t *child = promise_react(promise, &newer.reaction);
    CHECK_SPY(&spy, 1, 1);
    release(child);
  }
  release(promise);
}

static void refused(promise_t *promise, const promise_reaction_t *reaction, promise_status_t status, spy_t *spy) {
  atomic_store(&spy->frees, 0);
  CHECK_POINTER(promise_react(promise, reaction), NULL);
  CHECK_STATUS(promise_last_status(), status);
  CHECK_SPY(spy, 0, 1);
}

static void what_is_wrong_is_refused(void) {
  spy_t spy = {0};
  promise_t *promise = pending();
  promise_reaction_t good = reaction_to(&spy), bad = good;
  CHECK_POINTER(promise_react(promise, NULL), NULL);
  CHECK_STATUS(promise_last_status(), PROMISE_EINVAL);
  bad.on_fulfilled = bad.on_rejected = NULL;
  refused(promise, &bad, PROMISE_EINVAL, &spy);
  bad = good;
  bad.reserved = 1;
  refused(promise, &bad, PROMISE_EINVAL, &spy);
  bad = good;
  bad.size = 4097;
  CHECK_POINTER(promise_react(promise, &bad), NULL);
  bad.size = 4;
  CHECK_POINTER(promise_react(promise, &bad), NULL);
  CHECK_STATUS(promise_last_status(), PROMISE_EINVAL);
  bad = good;
  bad.executor = (promise_executor_t *)(void *)stale();
  refused(promise, &bad, PROMISE_ESTALE, &spy);
  bad = good;
  bad.type = (const promise_type_t *)(const void *)&spy;
  refused(promise, &bad, PROMISE_ESTALE, &spy);
  refused(NULL, &good, PROMISE_EINVAL, &spy);
  refused(stale(), &good, PROMISE_ESTALE, &spy);
  release(promise);
}

CHECKS(react) = {
    RULE("promise_react() is promise_then() and promise_rescue() in one", it_is_then_and_rescue_in_one),
    RULE("promise_react() looks at the type for rejections alone", the_type_is_for_rejections),
    RULE("promise_react() takes a longer struct, of a newer version, whose new fields are 0",
         a_newer_struct_of_zeros_is_good),
    RULE("promise_react() refuses what is wrong, and frees the context", what_is_wrong_is_refused),
    CHECKS_END,
};
