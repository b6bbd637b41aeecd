/* An object that is being destroyed is already invalid for the contexts and destructors that run meanwhile. */
#include "support.h"

static promise_t *subject;
static promise_value_t subject_value;
static promise_executor_t *subject_executor;

static void expect_subject_gone(void) {
  promise_value_t value;
  CHECK_STATUS(promise_state(subject), PROMISE_ESTALE);
  CHECK_STATUS(promise_retain(subject), PROMISE_ESTALE);
  CHECK_STATUS(promise_release(subject), PROMISE_ESTALE);
  CHECK_STATUS(promise_resolve(subject, I64(1)), PROMISE_ESTALE);
  CHECK_STATUS(promise_discard(subject), PROMISE_ESTALE);
  CHECK_STATUS(promise_result(subject, &value), PROMISE_ESTALE);
  CHECK_STATUS(promise_wait(subject, 0), PROMISE_ESTALE);
  CHECK_POINTER(promise_then(subject, adds_one, NULL, NULL), NULL);
}

static void free_looks_back(void *ctx) {
  spy_free(ctx);
  expect_subject_gone();
}

static void destroy_looks_back(void *payload) {
  payload_destroy(payload);
  expect_subject_gone();
  CHECK_POINTER(promise_value_data(&subject_value, NULL), NULL);
  CHECK_STATUS(promise_value_retain(&subject_value), PROMISE_EINVAL);
  CHECK_STATUS(promise_value_release(&subject_value), PROMISE_EINVAL);
}

TEST(pending_promise_is_stale_when_its_contexts_are_freed) {
  spy_t block = {0}, first = {0}, second = {0};
  subject = promise_new_discardable(spy_discard, &block, free_looks_back);
  promise_observe(subject, spy_observer, spy_observer, &first, free_looks_back);
  promise_t *child = promise_then(subject, spy_handler, &second, free_looks_back);
  CHECK_STATUS(promise_release(subject), PROMISE_OK);
  CHECK_SPY(&block, 0, 1);
  CHECK_SPY(&first, 0, 1);
  CHECK_SPY(&second, 0, 1);
  CHECK_INT(promise_state(child), PROMISE_PENDING);
  promise_release(child);
}

TEST(settled_promise_is_stale_when_its_value_is_freed) {
  payload_t payload = {0};
  const promise_type_t *type = promise_type_register("test.reentrancy.looks", NULL, destroy_looks_back);
  REQUIRE(promise_value_object(&subject_value, type, &payload) == PROMISE_OK);
  promise_value_t value = subject_value;
  subject = promise_new();
  promise_resolve(subject, &value);
  CHECK_STATUS(promise_release(subject), PROMISE_OK);
  CHECK_INT(atomic_load(&payload.destroyed), 1);
}

static void free_releases_executor(void *ctx) {
  spy_free(ctx);
  CHECK_STATUS(promise_executor_retain(subject_executor), PROMISE_ESTALE);
  CHECK_STATUS(promise_executor_release(subject_executor), PROMISE_ESTALE);
}

TEST(executor_is_stale_when_its_context_is_freed) {
  spy_t spy = {0};
  subject_executor = promise_executor_new(drop_at_once, &spy, free_releases_executor);
  CHECK_STATUS(promise_executor_release(subject_executor), PROMISE_OK);
  CHECK_SPY(&spy, 0, 1);
}

/* The release runs within a disposal, and defers its own. */
static void free_releases_subject_twice(void *ctx) {
  spy_free(ctx);
  CHECK_STATUS(promise_release(subject), PROMISE_OK);
  CHECK_STATUS(promise_release(subject), PROMISE_ESTALE);
  CHECK_STATUS(promise_state(subject), PROMISE_ESTALE);
}

TEST(release_within_a_release_is_final) {
  spy_t outer = {0}, inner = {0};
  subject = promise_new();
  promise_observe(subject, spy_observer, NULL, &inner, spy_free);
  promise_t *promise = promise_new();
  promise_observe(promise, spy_observer, NULL, &outer, free_releases_subject_twice);
  CHECK_STATUS(promise_release(promise), PROMISE_OK);
  CHECK_SPY(&outer, 0, 1);
  CHECK_SPY(&inner, 0, 1);
  CHECK_STATUS(promise_state(subject), PROMISE_ESTALE);
}

/* The free list is intact: it has no cell twice. */
TEST(nothing_is_given_out_twice) {
  pending_promise_is_stale_when_its_contexts_are_freed();
  settled_promise_is_stale_when_its_value_is_freed();
  executor_is_stale_when_its_context_is_freed();
  release_within_a_release_is_final();
  promise_t *promises[600];
  for (int i = 0; i < 600; i++) {
    promises[i] = promise_new();
    promise_resolve(promises[i], I64(i));
  }
  for (int i = 0; i < 600; i++)
    CHECK(ended(promises[i], PROMISE_FULFILLED, i));
  RELEASE_EACH(promises, 600);
}

/* The discard block's context holds the last reference to the promise that is being fulfilled. */
static void text_reader(void *ctx, const promise_value_t *value) {
  spy_see(ctx, value);
  promise_value_t other = text("a text that takes the freed one's place");
  CHECK_TEXT(promise_value_data(value, NULL), "a text that is too long to lie in a cell");
  promise_value_release(&other);
}

static void free_releases_subject(void *ctx) {
  CHECK_POINTER(ctx, NULL);
  CHECK_STATUS(promise_release(subject), PROMISE_OK);
}

TEST(context_of_the_block_may_release_the_promise) {
  spy_t observed = {0};
  promise_value_t value = text("a text that is too long to lie in a cell");
  subject = promise_new_discardable(NULL, NULL, free_releases_subject);
  promise_observe(subject, text_reader, NULL, &observed, spy_free);
  CHECK_STATUS(promise_resolve(subject, &value), PROMISE_OK);
  CHECK_SPY(&observed, 1, 1);
  CHECK_STATUS(promise_state(subject), PROMISE_ESTALE);
}
