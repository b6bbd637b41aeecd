/* promise/callback.h: promise_react(). */
#include "../checked.h"

CHECKS(react)

static promise_verdict_t on_good(void *ctx, const promise_value_t *in, promise_value_t *out) {
  note('g');
  return spy_handler(ctx, in, out);
}

static promise_verdict_t on_bad(void *ctx, const promise_value_t *in, promise_value_t *out) {
  note('b');
  return spy_handler(ctx, in, out);
}

/* Attaches the handlers that `which` names by letter, settles the promise, and checks the derived one. Returns the
 * letters of the handlers that ran. */
static const char *reacts(const char *which, const promise_type_t *type, bool good, bool settled, bool runs) {
  spy_t spy = {0};
  promise_reaction_t reaction = {.size = sizeof reaction,
                                 .on_fulfilled = strchr(which, 'g') != NULL ? on_good : NULL,
                                 .on_rejected = strchr(which, 'b') != NULL ? on_bad : NULL,
                                 .type = type,
                                 .ctx = &spy,
                                 .free_ctx = spy_free};
  promise_t *promise = !settled ? promise_new() : good ? fulfilled(1) : rejected(1);
  journal_clear();
  promise_t *child = promise_react(promise, &reaction);
  memset(&reaction, 0xff, sizeof reaction); /* read during the call only */
  REQUIRE(child != NULL);
  if (!settled)
    CHECK_STATUS((good ? promise_resolve : promise_reject)(promise, I64(1)), PROMISE_OK);
  CHECK_SPY(&spy, runs ? 1 : 0, 1);
  CHECK(ended(child, runs || good ? PROMISE_FULFILLED : PROMISE_REJECTED, runs ? 2 : 1));
  RELEASE(child, promise);
  return journal;
}

RULE(right_handler_runs_and_the_rest_passes_through, "promise_react() is promise_then() and promise_rescue() in one") {
  for (int settled = 0; settled < 2; settled++) {
    CHECK_TEXT(reacts("gb", NULL, true, settled, true), "g");
    CHECK_TEXT(reacts("gb", NULL, false, settled, true), "b");
    CHECK_TEXT(reacts("g", NULL, true, settled, true), "g");
    CHECK_TEXT(reacts("g", NULL, false, settled, false), "");
    CHECK_TEXT(reacts("b", NULL, true, settled, false), "");
    CHECK_TEXT(reacts("b", NULL, false, settled, true), "b");
  }
}

RULE(type_is_for_the_rejection_handler, "promise_react() looks at the type for rejections alone") {
  for (int settled = 0; settled < 2; settled++) {
    CHECK_TEXT(reacts("gb", promise_type_named("i64"), false, settled, true), "b");
    CHECK_TEXT(reacts("gb", promise_type_named("error"), false, settled, false), "");
    CHECK_TEXT(reacts("gb", promise_type_named("error"), true, settled, true), "g");
  }
}

static void never_submitted(void *ctx, promise_job_t *job) {
  (void)ctx;
  CHECK(job == NULL);
}

/* "What passes through does so at once, on the settling thread." */
RULE(an_outcome_without_a_handler_needs_no_executor, "an outcome that passes through needs no executor") {
  spy_t owner = {0};
  promise_executor_t *executor = promise_executor_new(never_submitted, &owner, spy_free);
  for (int good = 0; good < 2; good++) {
    for (int typed = 0; typed < 2; typed++) {
      spy_t spy = {0};
      promise_reaction_t reaction = {.size = sizeof reaction, .executor = executor, .ctx = &spy, .free_ctx = spy_free};
      if (good || typed)
        reaction.on_rejected = on_bad;
      if (!good)
        reaction.on_fulfilled = on_good;
      if (typed)
        reaction.type = promise_type_named("discarded");
      promise_t *promise = promise_new();
      promise_t *child = promise_react(promise, &reaction);
      CHECK_STATUS((good ? promise_resolve : promise_reject)(promise, I64(1)), PROMISE_OK);
      CHECK_SPY(&spy, 0, 1);
      CHECK(ended(child, good ? PROMISE_FULFILLED : PROMISE_REJECTED, 1));
      RELEASE(child, promise);
    }
  }
  promise_executor_release(executor);
  CHECK_SPY(&owner, 0, 1);
}

/* A newer caller's struct is longer: accepted if the fields unknown to this library are 0. */
RULE(longer_struct_of_zeros_is_accepted,
     "promise_react() takes a longer struct, of a newer version, whose new fields are 0") {
  struct {
    promise_reaction_t reaction;
    char later[64];
  } newer = {.reaction = {.on_fulfilled = on_good}};
  spy_t spy = {0};
  newer.reaction.ctx = &spy;
  newer.reaction.free_ctx = spy_free;
  promise_t *promise = fulfilled(1);
  for (uint32_t size = sizeof newer.reaction; size <= sizeof newer; size += 8) {
    newer.reaction.size = size;
    promise_t *child = promise_react(promise, &newer.reaction);
    CHECK(ended(child, PROMISE_FULFILLED, 2));
    promise_release(child);
    atomic_store(&spy.frees, 0);
  }
  promise_release(promise);
}

RULE(context_is_freed_with_a_pending_promise,
     "the context of a reaction is freed when its promise is destroyed while pending") {
  spy_t spy = {0};
  promise_reaction_t reaction = {
      .size = sizeof reaction, .on_fulfilled = on_good, .on_rejected = on_bad, .ctx = &spy, .free_ctx = spy_free};
  promise_t *promise = promise_new();
  promise_t *child = promise_react(promise, &reaction);
  promise_release(promise);
  CHECK_SPY(&spy, 0, 1);
  CHECK_INT(promise_state(child), PROMISE_PENDING);
  promise_release(child);
}

RULE(released_child_does_not_stop_the_handler,
     "a handler of promise_react() runs although its derived promise was released") {
  spy_t spy = {0};
  promise_reaction_t reaction = {
      .size = sizeof reaction, .on_fulfilled = on_good, .on_rejected = on_bad, .ctx = &spy, .free_ctx = spy_free};
  promise_t *promise = promise_new();
  promise_release(promise_react(promise, &reaction));
  promise_resolve(promise, I64(1));
  CHECK_SPY(&spy, 1, 1);
  promise_release(promise);
}

static void refused(promise_t *promise, const promise_reaction_t *reaction, promise_status_t status, spy_t *spy) {
  atomic_store(&spy->frees, 0);
  CHECK_POINTER(promise_react(promise, reaction), NULL);
  CHECK_STATUS(promise_last_status(), status);
  CHECK_SPY(spy, 0, 1);
}

RULE(invalid_arguments_are_refused, "promise_react() refuses invalid arguments, and frees the context") {
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
