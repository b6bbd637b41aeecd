/* promise/core.h: discarding, and discard blocks. */
#include "../checked.h"

static void the_block_is_called_once(void) {
  spy_t spy = {0};
  promise_t *promise = promise_new_discardable(spy_discard, &spy, spy_free);
  CHECK(promise != NULL);
  CHECK_INT(promise_state(promise), PROMISE_PENDING);
  CHECK_SPY(&spy, 0, 0);
  CHECK_STATUS(promise_discard(promise), PROMISE_OK);
  CHECK_SPY(&spy, 1, 1);
  CHECK_STATUS(promise_discard(promise), PROMISE_ESETTLED);
  release(promise);
  CHECK_SPY(&spy, 1, 1);
}

static void settlement_makes_the_block_superfluous(void) {
  for (int rejects = 0; rejects < 2; rejects++) {
    spy_t spy = {0};
    promise_t *promise = promise_new_discardable(spy_discard, &spy, spy_free);
    (rejects ? reject : resolve)(promise, 1);
    CHECK_SPY(&spy, 0, 1);
    CHECK_STATUS(promise_discard(promise), PROMISE_ESETTLED);
    release(promise);
    CHECK_SPY(&spy, 0, 1);
  }
}

static promise_t *subject;

static void block_in_order(void *ctx) {
  note_block(ctx);
  CHECK_DISCARDED(subject);
}

static void the_block_runs_between_rejection_and_callbacks(void) {
  subject = promise_new_discardable(block_in_order, LETTER('b'), NULL);
  observe(subject, 'o');
  promise_t *child = promise_rescue(subject, promise_type_named("discarded"), note_handler, LETTER('r'), NULL);
  CHECK_STATUS(promise_discard(subject), PROMISE_OK);
  CHECK_TEXT(journal, "bor");
  CHECK_INT(promise_state(child), PROMISE_FULFILLED);
  release(child);
  release(subject);
}

static void the_block_may_be_missing(void) {
  spy_t spy = {0};
  promise_t *promise = promise_new_discardable(NULL, &spy, spy_free);
  CHECK_STATUS(promise_discard(promise), PROMISE_OK);
  CHECK_SPY(&spy, 0, 1);
  CHECK_DISCARDED(promise);
  release(promise);
  promise = promise_new_discardable(spy_discard, &spy, NULL);
  atomic_store(&spy.frees, 0);
  CHECK_STATUS(promise_discard(promise), PROMISE_OK);
  CHECK_SPY(&spy, 1, 0);
  release(promise);
}

static void discarding_a_child_leaves_its_parent(void) {
  spy_t block = {0}, handler = {0};
  promise_t *promise = promise_new_discardable(spy_discard, &block, spy_free);
  promise_t *child = promise_then(promise, spy_handler, &handler, spy_free);
  CHECK_STATUS(promise_discard(child), PROMISE_OK);
  CHECK_DISCARDED(child);
  CHECK_INT(promise_state(promise), PROMISE_PENDING);
  CHECK_SPY(&block, 0, 0);
  CHECK_SPY(&handler, 0, 1);
  resolve(promise, 1);
  CHECK_SPY(&handler, 0, 1);
  CHECK_DISCARDED(child);
  release(child);
  release(promise);
}

static void the_reason_reaches_derived_promises(void) {
  promise_t *promise = pending();
  promise_t *child = promise_then(promise, adds_one, NULL, NULL);
  promise_t *grandchild = promise_then(child, adds_one, NULL, NULL);
  CHECK_STATUS(promise_discard(promise), PROMISE_OK);
  CHECK_DISCARDED(child);
  CHECK_DISCARDED(grandchild);
  release(promise);
  release(child);
  release(grandchild);
}

static void a_discard_may_have_a_cause(void) {
  promise_t *promise = pending();
  promise_value_t cause = i64(7), reason;
  CHECK_STATUS(promise_discard_with(promise, &cause), PROMISE_OK);
  CHECK_STATUS(promise_discard_with(promise, &cause), PROMISE_ESETTLED);
  CHECK_STATUS(promise_result(promise, &reason), PROMISE_OK);
  CHECK_INT(reason.kind, PROMISE_KIND_DISCARDED);
  const promise_value_t *lent = promise_value_cause(&reason);
  CHECK(lent != NULL && lent->kind == PROMISE_KIND_I64 && lent->as.i64 == 7);
  CHECK_STATUS(promise_value_release(&reason), PROMISE_OK);
  release(promise);
}

CHECKS(discard) = {
    RULE("a discard block is called once, and its context freed", the_block_is_called_once),
    RULE("a settlement makes the block superfluous: its context is freed, it is not called",
         settlement_makes_the_block_superfluous),
    RULE("the block runs after the promise is rejected and before its callbacks",
         the_block_runs_between_rejection_and_callbacks),
    RULE("the block, and its free_ctx, may be missing", the_block_may_be_missing),
    RULE("a derived promise is discarded alone, and its handler is detached", discarding_a_child_leaves_its_parent),
    RULE("promise_discard_with() puts the cause into the DISCARDED", a_discard_may_have_a_cause),
    RULE("a DISCARDED passes to derived promises as any reason does", the_reason_reaches_derived_promises),
    CHECKS_END,
};
