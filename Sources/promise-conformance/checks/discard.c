/* promise/core.h: discarding, and discard blocks. */
#include "../support.h"

static void the_block_is_called_once(void) {
  spy_t spy = {0};
  promise_t *promise = promise_new_discardable(spy_block, &spy, spy_free);
  EXPECT(promise != NULL);
  EXPECT_INT(promise_state(promise), PROMISE_PENDING);
  EXPECT_SPY(&spy, 0, 0);
  EXPECT_STATUS(promise_discard(promise), PROMISE_OK);
  EXPECT_SPY(&spy, 1, 1);
  EXPECT_STATUS(promise_discard(promise), PROMISE_ESETTLED);
  release(promise);
  EXPECT_SPY(&spy, 1, 1);
}

static void settlement_makes_the_block_superfluous(void) {
  for (int rejects = 0; rejects < 2; rejects++) {
    spy_t spy = {0};
    promise_t *promise = promise_new_discardable(spy_block, &spy, spy_free);
    (rejects ? reject : resolve)(promise, 1);
    EXPECT_SPY(&spy, 0, 1);
    EXPECT_STATUS(promise_discard(promise), PROMISE_ESETTLED);
    release(promise);
    EXPECT_SPY(&spy, 0, 1);
  }
}

static promise_t *subject;

static void block_in_order(void *ctx) {
  note_block(ctx);
  EXPECT_DISCARDED(subject);
}

static void the_block_runs_between_rejection_and_callbacks(void) {
  subject = promise_new_discardable(block_in_order, LETTER('b'), NULL);
  observe(subject, 'o');
  promise_t *child = promise_rescue(subject, promise_type_named("discarded"), note_handler, LETTER('r'), NULL);
  EXPECT_STATUS(promise_discard(subject), PROMISE_OK);
  EXPECT_TEXT(journal, "bor");
  EXPECT_INT(promise_state(child), PROMISE_FULFILLED);
  release(child);
  release(subject);
}

static void the_block_may_be_missing(void) {
  spy_t spy = {0};
  promise_t *promise = promise_new_discardable(NULL, &spy, spy_free);
  EXPECT_STATUS(promise_discard(promise), PROMISE_OK);
  EXPECT_SPY(&spy, 0, 1);
  EXPECT_DISCARDED(promise);
  release(promise);
  promise = promise_new_discardable(spy_block, &spy, NULL);
  atomic_store(&spy.frees, 0);
  EXPECT_STATUS(promise_discard(promise), PROMISE_OK);
  EXPECT_SPY(&spy, 1, 0);
  release(promise);
}

static void discarding_a_child_leaves_its_parent(void) {
  spy_t block = {0}, handler = {0};
  promise_t *promise = promise_new_discardable(spy_block, &block, spy_free);
  promise_t *child = promise_then(promise, spy_handler, &handler, spy_free);
  EXPECT_STATUS(promise_discard(child), PROMISE_OK);
  EXPECT_DISCARDED(child);
  EXPECT_INT(promise_state(promise), PROMISE_PENDING);
  EXPECT_SPY(&block, 0, 0);
  EXPECT_SPY(&handler, 0, 1);
  resolve(promise, 1);
  EXPECT_SPY(&handler, 0, 1);
  EXPECT_DISCARDED(child);
  release(child);
  release(promise);
}

static void the_reason_reaches_derived_promises(void) {
  promise_t *promise = pending();
  promise_t *child = promise_then(promise, adds_one, NULL, NULL);
  promise_t *grandchild = promise_then(child, adds_one, NULL, NULL);
  EXPECT_STATUS(promise_discard(promise), PROMISE_OK);
  EXPECT_DISCARDED(child);
  EXPECT_DISCARDED(grandchild);
  release(promise);
  release(child);
  release(grandchild);
}

static void a_discard_may_have_a_cause(void) {
  promise_t *promise = pending();
  promise_value_t cause = i64_value(7), reason;
  EXPECT_STATUS(promise_discard_with(promise, &cause), PROMISE_OK);
  EXPECT_STATUS(promise_discard_with(promise, &cause), PROMISE_ESETTLED);
  EXPECT_STATUS(promise_result(promise, &reason), PROMISE_OK);
  EXPECT_INT(reason.kind, PROMISE_KIND_DISCARDED);
  const promise_value_t *lent = promise_value_cause(&reason);
  EXPECT(lent != NULL && lent->kind == PROMISE_KIND_I64 && lent->as.i64 == 7);
  EXPECT_STATUS(promise_value_release(&reason), PROMISE_OK);
  release(promise);
}

const check_t discard_checks[] = {
    {"a discard block is called once, and its context freed", the_block_is_called_once},
    {"a settlement makes the block superfluous: its context is freed, it is not called",
     settlement_makes_the_block_superfluous},
    {"the block runs after the promise is rejected and before its callbacks",
     the_block_runs_between_rejection_and_callbacks},
    {"the block, and its free_ctx, may be missing", the_block_may_be_missing},
    {"a derived promise is discarded alone, and its handler is detached", discarding_a_child_leaves_its_parent},
    {"promise_discard_with() puts the cause into the DISCARDED", a_discard_may_have_a_cause},
    {"a DISCARDED passes to derived promises as any reason does", the_reason_reaches_derived_promises},
    {NULL, NULL},
};
