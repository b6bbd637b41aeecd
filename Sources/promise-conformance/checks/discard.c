/* promise/core.h: discarding, and discard blocks (clauses 2.4, 3.3.3 and 3.5). */
#include "../checked.h"

CHECKS(discard)

RULE(discarded_promise_is_rejected, "a promise is discarded once, and is rejected with a DISCARDED") { /* 2.4.2 */
  promise_t *promise = promise_new();
  CHECK_STATUS(promise_discard(promise), PROMISE_OK);
  CHECK(was_discarded(promise));
  CHECK_STATUS(promise_discard(promise), PROMISE_ESETTLED);
  promise_release(promise);
}

RULE(block_is_called_once, "a discard block is called once, and its context freed") { /* 2.4.1, 3.3.3 */
  spy_t spy = {0};
  promise_t *promise = promise_new_discardable(spy_discard, &spy, spy_free);
  CHECK(promise != NULL);
  CHECK_INT(promise_state(promise), PROMISE_PENDING);
  CHECK_SPY(&spy, 0, 0);
  CHECK_STATUS(promise_discard(promise), PROMISE_OK);
  CHECK_SPY(&spy, 1, 1);
  CHECK(was_discarded(promise));
  CHECK_STATUS(promise_discard(promise), PROMISE_ESETTLED);
  promise_release(promise);
  CHECK_SPY(&spy, 1, 1);
}

RULE(last_release_makes_the_block_superfluous,
     "the last release of a pending promise frees the context of its block, uncalled") {
  spy_t spy = {0};
  promise_t *promise = promise_new_discardable(spy_discard, &spy, spy_free);
  CHECK_STATUS(promise_release(promise), PROMISE_OK);
  CHECK_SPY(&spy, 0, 1);
}

RULE(block_may_be_missing, "the block, and its free_ctx, may be missing") {
  spy_t spy = {0};
  promise_t *promise = promise_new_discardable(NULL, &spy, spy_free);
  CHECK(promise != NULL);
  CHECK_STATUS(promise_discard(promise), PROMISE_OK);
  CHECK_SPY(&spy, 0, 1);
  CHECK(was_discarded(promise));
  promise_release(promise);

  spy_t unfreed = {0};
  promise = promise_new_discardable(spy_discard, &unfreed, NULL);
  promise_discard(promise);
  promise_release(promise);
  CHECK_SPY(&unfreed, 1, 0);

  promise = promise_new_discardable(NULL, NULL, NULL);
  CHECK_STATUS(promise_resolve(promise, I64(1)), PROMISE_OK);
  CHECK(ended(promise, PROMISE_FULFILLED, 1));
  promise_release(promise);
}

/* The promise of the discard block, which runs after the promise is rejected and before its callbacks run. */
static promise_t *of_block;

static void block_in_order(void *ctx) {
  (void)ctx;
  note('b');
  CHECK(was_discarded(of_block));
}

static void free_in_order(void *ctx) {
  (void)ctx, note('f');
}

static void observer_in_order(void *ctx, const promise_value_t *reason) {
  (void)ctx;
  note('o');
  CHECK_INT(reason->kind, PROMISE_KIND_DISCARDED);
}

static promise_verdict_t handler_in_order(void *ctx, const promise_value_t *reason, promise_value_t *out) {
  (void)ctx, (void)out;
  note('h');
  CHECK_INT(reason->kind, PROMISE_KIND_DISCARDED);
  return PROMISE_FULFILL;
}

RULE(block_runs_between_rejection_and_callbacks,
     "the block runs after the promise is rejected and before its callbacks") {
  of_block = promise_new_discardable(block_in_order, NULL, free_in_order);
  promise_observe(of_block, NULL, observer_in_order, NULL, NULL);
  promise_t *child = promise_rescue(of_block, promise_type_named("discarded"), handler_in_order, NULL, NULL);
  CHECK_STATUS(promise_discard(of_block), PROMISE_OK);
  CHECK_INT(strspn(journal, "b"), 1);
  CHECK(strcmp(journal, "bfoh") == 0 || strcmp(journal, "bofh") == 0 || strcmp(journal, "bohf") == 0);
  CHECK_INT(promise_state(child), PROMISE_FULFILLED);
  RELEASE(child, of_block);
}

/* A promise that the block discards. Calls of the block on its own promise come too late. */
static promise_t *other;

static void block_that_interferes(void *ctx) {
  spy_t *spy = ctx;
  atomic_fetch_add(&spy->calls, 1);
  CHECK_STATUS(promise_resolve(of_block, I64(1)), PROMISE_ESETTLED);
  CHECK_STATUS(promise_reject(of_block, I64(1)), PROMISE_ESETTLED);
  CHECK_STATUS(promise_discard(of_block), PROMISE_ESETTLED);
  CHECK_STATUS(promise_discard(other), PROMISE_OK);
  CHECK_STATUS(promise_release(of_block), PROMISE_OK);
}

RULE(block_may_do_anything, "a block may release its own promise, cannot settle it again, and may discard others") {
  spy_t spy = {0}, observed = {0};
  other = promise_new();
  of_block = promise_new_discardable(block_that_interferes, &spy, spy_free);
  promise_observe(of_block, NULL, spy_observer, &observed, spy_free);
  CHECK_STATUS(promise_discard(of_block), PROMISE_OK);
  CHECK_SPY(&spy, 1, 1);
  CHECK_SPY(&observed, 1, 1);
  CHECK_STATUS(promise_state(of_block), PROMISE_ESTALE);
  CHECK(was_discarded(other));
  promise_release(other);
}

RULE(reason_reaches_derived_promises, "a DISCARDED passes to derived promises as any reason does") {
  promise_t *promise = promise_new();
  promise_t *child = promise_then(promise, adds_one, NULL, NULL);
  promise_t *grandchild = promise_then(child, adds_one, NULL, NULL);
  promise_discard(promise);
  CHECK(was_discarded(child));
  CHECK(was_discarded(grandchild));
  RELEASE(promise, child, grandchild);
}

RULE(discardable_promise_takes_many_callbacks, "a promise with a block takes many callbacks") {
  enum { COUNT = 100 };
  static spy_t spies[COUNT];
  spy_t block = {0};
  promise_t *promise = promise_new_discardable(spy_discard, &block, spy_free);
  for (int i = 0; i < COUNT; i++)
    promise_observe(promise, NULL, spy_observer, &spies[i], spy_free);
  CHECK_STATUS(promise_discard(promise), PROMISE_OK);
  for (int i = 0; i < COUNT; i++)
    CHECK_SPY(&spies[i], 1, 1);
  CHECK_SPY(&block, 1, 1);
  promise_release(promise);
}

static void block_notes_its_thread(void *ctx) {
  ((spy_t *)ctx)->thread = pthread_self();
}

static void *discard_here(void *promise) {
  CHECK_STATUS(promise_discard(promise), PROMISE_OK);
  return NULL;
}

RULE(block_runs_on_the_discarding_thread, "the block runs, and its context is freed, on the discarding thread") {
  spy_t spy = {0};
  promise_t *promise = promise_new_discardable(block_notes_its_thread, &spy, spy_free);
  pthread_t thread = start(discard_here, promise);
  finish(thread);
  CHECK(pthread_equal(spy.thread, thread));
  CHECK(pthread_equal(spy.freed_on, thread));
  promise_release(promise);
}

RULE(settlement_makes_the_block_superfluous,
     "a settlement makes the block superfluous: its context is freed, it is not called") {
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

RULE(discarding_a_child_leaves_its_parent, "a derived promise is discarded alone, and its handler is detached") {
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
  RELEASE(child, promise);
}

/* Checks that the promise was discarded for the reason 7. */
static void has_cause(promise_t *promise) {
  promise_value_t reason;
  CHECK_INT(promise_state(promise), PROMISE_REJECTED);
  CHECK_STATUS(promise_result(promise, &reason), PROMISE_OK);
  CHECK_INT(reason.kind, PROMISE_KIND_DISCARDED);
  const promise_value_t *lent = promise_value_cause(&reason);
  CHECK(lent != NULL && lent->kind == PROMISE_KIND_I64 && lent->as.i64 == 7);
  CHECK_STATUS(promise_value_release(&reason), PROMISE_OK);
}

RULE(a_discard_may_have_a_cause, "promise_discard_with() puts the cause into the DISCARDED") {
  promise_t *promise = pending(), *child = child_of(promise);
  CHECK_STATUS(promise_discard_with(promise, I64(7)), PROMISE_OK);
  has_cause(promise);
  has_cause(child);
  CHECK_STATUS(promise_discard_with(promise, I64(4)), PROMISE_ESETTLED);
  has_cause(promise);
  RELEASE(child, promise);
}
