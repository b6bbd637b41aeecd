/* Re-entrant calls by callbacks, destructors and submit functions. */
#include "support.h"

static promise_t *subject;

/* ---- Releasing the promise that is being settled ---- */

static promise_verdict_t releases_its_child(void *ctx, const promise_value_t *in, promise_value_t *out) {
  spy_see(ctx, in);
  CHECK_STATUS(promise_release(subject), PROMISE_OK);
  *out = text("dropped");
  return PROMISE_FULFILL;
}

TEST(handler_may_release_its_own_promise) {
  spy_t spy = {0}, later = {0};
  promise_t *promise = promise_new();
  subject = promise_then(promise, releases_its_child, &spy, spy_free);
  promise_t *grandchild = promise_then(subject, spy_handler, &later, spy_free);
  CHECK_STATUS(promise_resolve(promise, I64(1)), PROMISE_OK);
  CHECK_SPY(&spy, 1, 1);
  CHECK_SPY(&later, 1, 1);
  CHECK_INT(promise_state(grandchild), PROMISE_FULFILLED);
  RELEASE(grandchild, promise);
}

/* ---- Promises of later siblings ---- */

static promise_verdict_t discards_sibling(void *ctx, const promise_value_t *in, promise_value_t *out) {
  (void)out;
  spy_see(ctx, in);
  CHECK_STATUS(promise_discard(subject), PROMISE_OK);
  CHECK_STATUS(promise_release(subject), PROMISE_OK);
  return PROMISE_FULFILL;
}

TEST(handler_may_end_and_release_later_reactions) {
  spy_t first = {0}, second = {0}, observed = {0};
  promise_t *promise = promise_new();
  promise_t *child = promise_then(promise, discards_sibling, &first, spy_free);
  subject = promise_then(promise, spy_handler, &second, spy_free);
  promise_observe(subject, NULL, spy_observer, &observed, spy_free);
  promise_resolve(promise, I64(1));
  CHECK_SPY(&first, 1, 1);
  CHECK_SPY(&observed, 1, 1);
  CHECK_INT(observed.kind, PROMISE_KIND_DISCARDED);
  CHECK_SPY(&second, 1, 1);
  RELEASE(child, promise);
}

/* ---- Recursion by the user ---- */

static promise_t *links[2000];
static long link_count;
static void resolves_next(void *ctx, const promise_value_t *value) {
  long next = (long)(intptr_t)ctx + 1;
  CHECK_INT(value->as.i64, next - 1);
  if (next < link_count)
    CHECK_STATUS(promise_resolve(links[next], I64(next)), PROMISE_OK);
}

TEST(callback_may_settle_thousands_deep) {
  link_count = check_scale(2000);
  for (long i = 0; i < link_count; i++) {
    links[i] = promise_new();
    promise_observe(links[i], resolves_next, NULL, (void *)(intptr_t)i, NULL);
  }
  CHECK_STATUS(promise_resolve(links[0], I64(0)), PROMISE_OK);
  for (long i = 0; i < link_count; i++) {
    CHECK(ended(links[i], PROMISE_FULFILLED, i));
    promise_release(links[i]);
  }
}

/* ---- Destructors that call the library ---- */

static void free_settles_subject(void *ctx) {
  spy_free(ctx);
  promise_resolve(subject, I64(5));
}

TEST(context_may_settle_while_it_is_freed) {
  spy_t spy = {0}, observed = {0};
  subject = promise_new();
  promise_observe(subject, spy_observer, NULL, &observed, spy_free);
  promise_t *promise = promise_new();
  promise_observe(promise, spy_observer, NULL, &spy, free_settles_subject);
  promise_release(promise);
  CHECK_SPY(&spy, 0, 1);
  CHECK_SPY(&observed, 1, 1);
  CHECK(ended(subject, PROMISE_FULFILLED, 5));
  promise_release(subject);
}

static void free_releases_promise(void *ctx) {
  CHECK_STATUS(promise_release(ctx), PROMISE_OK);
}

TEST(context_may_be_a_promise) {
  promise_t *inner = promise_new(), *outer = promise_new();
  promise_observe(outer, spy_observer, NULL, inner, free_releases_promise);
  promise_release(outer);
  CHECK_STATUS(promise_state(inner), PROMISE_ESTALE);
}

static void destroy_attaches(void *payload) {
  payload_destroy(payload);
  promise_t *promise = promise_new();
  promise_t *child = promise_then(promise, adds_one, NULL, NULL);
  promise_resolve(promise, I64(1));
  CHECK(ended(child, PROMISE_FULFILLED, 2));
  RELEASE(child, promise);
  CHECK(promise_type_register("test.reentrancy.late", NULL, NULL) != NULL);
}

TEST(destructor_may_call_anything) {
  payload_t payload = {0};
  const promise_type_t *type = promise_type_register("test.reentrancy.object", NULL, destroy_attaches);
  promise_value_t value;
  REQUIRE(promise_value_object(&value, type, &payload) == PROMISE_OK);
  promise_t *promise = promise_new();
  promise_reject(promise, &value);
  promise_release(promise);
  CHECK_INT(atomic_load(&payload.destroyed), 1);
}

static void destroy_releases_subject(void *payload) {
  payload_destroy(payload);
  CHECK_STATUS(promise_release(subject), PROMISE_OK);
}

/* The value that promise_resolve() rejects holds the last reference to the promise. */
TEST(refused_value_may_release_the_last_reference) {
  payload_t payload = {0};
  const promise_type_t *type = promise_type_register("test.reentrancy.owner", NULL, destroy_releases_subject);
  promise_value_t value;
  REQUIRE(promise_value_object(&value, type, &payload) == PROMISE_OK);
  subject = fulfilled(1);
  CHECK_STATUS(promise_resolve(subject, &value), PROMISE_ESETTLED);
  CHECK_INT(atomic_load(&payload.destroyed), 1);
  CHECK_STATUS(promise_state(subject), PROMISE_ESTALE);
}

/* ---- Retaining within ---- */

static void retains_subject(void *ctx, const promise_value_t *value) {
  spy_see(ctx, value);
  CHECK_STATUS(promise_retain(subject), PROMISE_OK);
}

TEST(callback_may_keep_the_settling_promise) {
  spy_t spy = {0};
  subject = promise_new();
  promise_observe(subject, retains_subject, NULL, &spy, spy_free);
  promise_resolve(subject, I64(1));
  CHECK_STATUS(promise_release(subject), PROMISE_OK);
  CHECK(ended(subject, PROMISE_FULFILLED, 1));
  CHECK_STATUS(promise_release(subject), PROMISE_OK);
  CHECK_STATUS(promise_release(subject), PROMISE_ESTALE);
}

/* ---- The array of a combination ---- */

static promise_t *inputs[3];

static void clears_its_place(void *ctx, const promise_value_t *reason) {
  spy_see(ctx, reason);
  CHECK_STATUS(promise_release(inputs[1]), PROMISE_OK);
  inputs[1] = NULL;
}

TEST(cancel_handler_may_change_the_array_of_a_combination) {
  typedef promise_t *combinator_t(promise_t *const *, size_t, uint32_t);
  combinator_t *const combinators[] = {promise_all, promise_any, promise_race};
  for (int i = 0; i < 3; i++) {
    spy_t spy = {0};
    inputs[0] = i == 0 ? rejected(1) : fulfilled(1), inputs[1] = promise_new(), inputs[2] = promise_new();
    promise_t *asked = inputs[1];
    promise_on_cancel_request(asked, clears_its_place, &spy, spy_free);
    promise_t *result = combinators[i](inputs, 3, PROMISE_COMBINE_CANCEL_OTHERS);
    CHECK(ended(result, i == 0 ? PROMISE_REJECTED : PROMISE_FULFILLED, 1));
    CHECK_SPY(&spy, 1, 1);
    CHECK_STATUS(promise_state(asked), PROMISE_ESTALE);
    RELEASE(result, inputs[0], inputs[2]);
  }
}

/* ---- Adding to the token that is being invalidated ---- */

static promise_token_t *parent, *chained;

static void adds_to_parent(void *ctx, const promise_value_t *reason) {
  spy_see(ctx, reason);
  CHECK_STATUS(promise_token_add(parent, subject), PROMISE_OK);
  CHECK_STATUS(promise_token_chain(chained, parent, 0), PROMISE_OK);
}

TEST(added_promise_and_token_wait_for_the_next_invalidation) {
  spy_t adding = {0}, added = {0}, downstream = {0};
  parent = promise_token_new(0);
  chained = promise_token_new(0);
  promise_t *first = promise_new(), *last = promise_new();
  subject = promise_new();
  promise_on_cancel_request(first, adds_to_parent, &adding, spy_free);
  promise_on_cancel_request(subject, spy_observer, &added, spy_free);
  promise_on_cancel_request(last, spy_observer, &downstream, spy_free);
  CHECK_STATUS(promise_token_add(parent, first), PROMISE_OK);
  CHECK_STATUS(promise_token_add(chained, last), PROMISE_OK);
  for (int calls = 0; calls < 2; calls++) {
    CHECK_STATUS(promise_token_invalidate(parent, NULL), PROMISE_OK);
    CHECK_INT(atomic_load(&adding.calls), 1);
    CHECK_INT(atomic_load(&added.calls), calls);
    CHECK_INT(atomic_load(&downstream.calls), calls);
  }
  RELEASE(first, subject, last);
  promise_token_release(chained);
  promise_token_release(parent);
}
