/* promise_wait where it would never return, because the waiting thread itself has to settle the promise: it returns
 * PROMISE_EDEADLK at once. */
#include "support.h"

#define DAYS (INT64_C(24) * 3600 * 1000 * MILLISECONDS)

static promise_t *targets[8];
static int target_count;

/* Waits for each target. Without a check for deadlock the wait would hang until the test's time limit. */
static void wait_for_targets(promise_status_t expected) {
  for (int i = 0; i < target_count; i++) {
    CHECK_STATUS(promise_wait(targets[i], FOR_EVER), expected);
    CHECK_STATUS(promise_wait(targets[i], 100 * DAYS), expected);
    CHECK_STATUS(promise_wait(targets[i], 1), expected);
  }
}

static promise_verdict_t waiting_handler(void *ctx, const promise_value_t *in, promise_value_t *out) {
  *out = *in;
  spy_see(ctx, in);
  wait_for_targets(PROMISE_EDEADLK);
  return PROMISE_FULFILL;
}

static void waiting_observer(void *ctx, const promise_value_t *value) {
  spy_see(ctx, value);
  wait_for_targets(PROMISE_EDEADLK);
}

static void set_targets(int count, promise_t *const *promises) {
  for (int i = 0; i < count; i++)
    targets[i] = promises[i];
  target_count = count;
}

TEST(handler_cannot_wait_for_its_own_promise_or_a_descendant) {
  spy_t spy = {0};
  promise_t *promise = promise_new();
  promise_t *child = promise_then(promise, waiting_handler, &spy, spy_free);
  promise_t *grandchild = promise_then(child, adds_one, NULL, NULL);
  promise_t *descendant = promise_rescue(grandchild, NULL, adds_one, NULL, NULL);
  set_targets(3, (promise_t *[]){child, grandchild, descendant});
  promise_resolve(promise, I64(1));
  CHECK_SPY(&spy, 1, 1);
  CHECK(ended(child, PROMISE_FULFILLED, 1));
  RELEASE(promise, child, grandchild, descendant);
}

static promise_t *released;
static promise_verdict_t releasing_handler(void *ctx, const promise_value_t *in, promise_value_t *out) {
  CHECK_STATUS(promise_release(released), PROMISE_OK);
  /* The new promise often reuses the cell of the released one. */
  promise_t *other = promise_new();
  promise_verdict_t verdict = waiting_handler(ctx, in, out);
  promise_release(other);
  return verdict;
}

TEST(handler_cannot_wait_for_its_promise_without_the_source) {
  spy_t spy = {0};
  released = promise_new();
  promise_t *child = promise_then(released, releasing_handler, &spy, spy_free);
  set_targets(1, (promise_t *[]){child});
  promise_resolve(released, I64(1));
  CHECK_SPY(&spy, 1, 1);
  CHECK(ended(child, PROMISE_FULFILLED, 1));
  promise_release(child);
}

TEST(observer_cannot_wait_for_a_later_reaction) {
  spy_t spy = {0};
  promise_t *promise = promise_new();
  promise_observe(promise, waiting_observer, NULL, &spy, spy_free);
  promise_t *child = promise_then(promise, adds_one, NULL, NULL);
  promise_t *passed = promise_rescue(promise, NULL, adds_one, NULL, NULL);
  promise_t *grandchild = promise_then(child, adds_one, NULL, NULL);
  set_targets(3, (promise_t *[]){child, grandchild, passed});
  promise_resolve(promise, I64(1));
  CHECK_SPY(&spy, 1, 1);
  CHECK(ended(child, PROMISE_FULFILLED, 2));
  promise_t *all[] = {promise, child, passed, grandchild};
  RELEASE_EACH(all, 4);
}

/* The callback is nested: it waits for a callback that is queued on the outer level. */
TEST(deeper_callback_cannot_wait_for_a_later_reaction_of_its_ancestors) {
  spy_t spy = {0};
  promise_t *promise = promise_new();
  promise_t *child = promise_then(promise, adds_one, NULL, NULL);
  promise_t *sibling = promise_then(promise, adds_one, NULL, NULL);
  promise_t *nephew = promise_then(sibling, adds_one, NULL, NULL);
  promise_observe(child, waiting_observer, NULL, &spy, spy_free);
  set_targets(2, (promise_t *[]){sibling, nephew});
  promise_resolve(promise, I64(1));
  CHECK_SPY(&spy, 1, 1);
  CHECK(ended(nephew, PROMISE_FULFILLED, 3));
  RELEASE(promise, child, sibling, nephew);
}

static promise_t *nested;
static void settles_nested(void *ctx, const promise_value_t *value) {
  (void)ctx, (void)value;
  CHECK_STATUS(promise_resolve(nested, I64(1)), PROMISE_OK);
}

/* The outer settlement runs on this thread too. */
TEST(nested_settlement_cannot_wait_for_the_outer_one) {
  spy_t spy = {0};
  promise_t *promise = promise_new();
  nested = promise_new();
  promise_observe(promise, settles_nested, NULL, NULL, NULL);
  promise_t *behind = promise_then(promise, adds_one, NULL, NULL);
  promise_observe(nested, waiting_observer, NULL, &spy, spy_free);
  set_targets(1, (promise_t *[]){behind});
  promise_resolve(promise, I64(1));
  CHECK_SPY(&spy, 1, 1);
  promise_t *all[] = {promise, nested, behind};
  RELEASE_EACH(all, 3);
}

TEST(follower_of_its_own_promise_is_a_descendant) {
  spy_t spy = {0}, adopting = {.verdict = PROMISE_ADOPT};
  promise_t *promise = promise_new(), *outer = fulfilled(1);
  promise_t *child = promise_then(promise, waiting_handler, &spy, spy_free);
  adopting.answer = holding(retained(child));
  promise_t *follower = promise_then(outer, spy_handler, &adopting, spy_free);
  set_targets(2, (promise_t *[]){child, follower});
  promise_resolve(promise, I64(1));
  CHECK_SPY(&spy, 1, 1);
  CHECK(ended(follower, PROMISE_FULFILLED, 1));
  RELEASE(promise, outer, child, follower);
}

static void waiting_block(void *ctx) {
  atomic_fetch_add(&((spy_t *)ctx)->calls, 1);
  wait_for_targets(PROMISE_EDEADLK);
}

TEST(discard_block_cannot_wait_for_its_callbacks) {
  spy_t spy = {0};
  promise_t *promise = promise_new_discardable(waiting_block, &spy, spy_free);
  promise_t *child = promise_then(promise, adds_one, NULL, NULL);
  set_targets(1, (promise_t *[]){child});
  promise_discard(promise);
  CHECK_SPY(&spy, 1, 1);
  CHECK_STATUS(promise_wait(promise, FOR_EVER), PROMISE_OK);
  RELEASE(child, promise);
}

TEST(handler_attached_after_the_settlement_cannot_wait_for_its_own_promise) {
  spy_t spy = {0};
  promise_t *promise = fulfilled(1), *other = promise_new();
  promise_t *behind = promise_then(other, waiting_handler, &spy, spy_free);
  promise_t *grandchild = promise_then(behind, adds_one, NULL, NULL);
  set_targets(1, (promise_t *[]){grandchild});
  CHECK_STATUS(promise_resolve(other, I64(1)), PROMISE_OK);
  CHECK_SPY(&spy, 1, 1);
  RELEASE(promise, other, behind, grandchild);
}

/* Frees the context of a discard block, which happens before the callbacks run. */
static void waiting_free(void *ctx) {
  spy_free(ctx);
  wait_for_targets(PROMISE_EDEADLK);
}

TEST(context_of_a_block_cannot_wait_for_callbacks) {
  spy_t spy = {0};
  promise_t *promise = promise_new_discardable(NULL, &spy, waiting_free);
  promise_t *child = promise_then(promise, adds_one, NULL, NULL);
  set_targets(1, (promise_t *[]){child});
  promise_resolve(promise, I64(1));
  CHECK_SPY(&spy, 0, 1);
  RELEASE(child, promise);
}

static promise_job_t *kept_job;

/* The context of a dropped job is freed before its promise is rejected, by the same thread. */
TEST(context_of_a_dropped_job_cannot_wait_for_its_promise) {
  spy_t spy = {0};
  promise_executor_t *executor = promise_executor_new(keep_job, &kept_job, NULL);
  promise_reaction_t reaction = {.size = sizeof reaction, .executor = executor, .on_fulfilled = adds_one};
  reaction.ctx = &spy;
  reaction.free_ctx = waiting_free;
  promise_t *promise = promise_new();
  promise_t *child = promise_react(promise, &reaction);
  set_targets(1, (promise_t *[]){child});
  promise_resolve(promise, I64(1));
  CHECK_STATUS(promise_job_drop(kept_job), PROMISE_OK);
  CHECK_SPY(&spy, 0, 1);
  CHECK(failed_with(child, PROMISE_ECLOSED));
  promise_executor_release(executor);
  RELEASE(child, promise);
}

/* A chain between the handler and the promise that it waits for may have any length. */
TEST(far_descendant_is_found) {
  long length = check_scale(300 * 1000);
  spy_t spy = {0};
  promise_t *promise = promise_new();
  promise_t *last = promise_then(promise, waiting_handler, &spy, spy_free);
  for (long i = 0; i < length; i++) {
    promise_t *next = promise_then(last, adds_one, NULL, NULL);
    promise_release(last);
    last = next;
  }
  set_targets(1, (promise_t *[]){last});
  promise_resolve(promise, I64(1));
  CHECK_SPY(&spy, 1, 1);
  CHECK(ended(last, PROMISE_FULFILLED, 1 + length));
  RELEASE(last, promise);
}

static promise_t *handled, *outside;

static void *follows_later(void *ctx) {
  gate_wait(ctx);
  CHECK_STATUS(promise_follow(outside, handled), PROMISE_OK);
  return NULL;
}

static gate_t begun = GATE_CLOSED;

/* When the wait begins, another thread is to settle `outside`. */
static promise_verdict_t waits_for_outside(void *ctx, const promise_value_t *in, promise_value_t *out) {
  *out = *in;
  spy_see(ctx, in);
  gate_open(&begun);
  promise_t *both[] = {outside, outside};
  CHECK_STATUS(promise_wait(outside, FOR_EVER), PROMISE_EDEADLK);
  CHECK_STATUS(promise_wait_any(both, 2, FOR_EVER, NULL), PROMISE_EDEADLK);
  return PROMISE_FULFILL;
}

/* During the wait, the awaited promise begins to follow a promise that the waiting thread has to settle. */
TEST(wait_ends_when_its_promise_starts_to_follow_an_ancestor) {
  spy_t spy = {0};
  promise_t *promise = promise_new();
  outside = promise_new();
  handled = promise_then(promise, waits_for_outside, &spy, spy_free);
  pthread_t thread = start(follows_later, &begun);
  promise_resolve(promise, I64(1));
  finish(thread);
  CHECK_SPY(&spy, 1, 1);
  CHECK(ended(outside, PROMISE_FULFILLED, 1));
  RELEASE(promise, handled, outside);
}

/* The wait is refused for any settler, because a later handler of this promise could be the settler. */
TEST(handler_of_a_request_cannot_wait_for_its_promise) {
  spy_t spy = {0};
  promise_t *promise = promise_new();
  promise_t *child = promise_then(promise, adds_one, NULL, NULL);
  promise_on_cancel_request(promise, waiting_observer, &spy, spy_free);
  set_targets(2, (promise_t *[]){promise, child});
  CHECK_STATUS(promise_request_cancel(promise, NULL), PROMISE_OK);
  CHECK_SPY(&spy, 1, 1);
  RELEASE(child, promise);
}

static promise_t *asked, *born[8];
static void is_replaced(void *ctx, const promise_value_t *reason) {
  (void)ctx, (void)reason;
  CHECK_STATUS(promise_release(asked), PROMISE_OK);
  for (int i = 0; i < 8; i++)
    born[i] = promise_new();
}

static void waits_for_the_born(void *spy, const promise_value_t *reason) {
  spy_see(spy, reason);
  for (int i = 0; i < 8; i++)
    CHECK_STATUS(promise_wait(born[i], 1), PROMISE_ETIMEDOUT);
}

/* The first handler releases the last reference, and new promises reuse the cell. */
TEST(handler_of_a_request_can_wait_for_a_promise_in_the_same_cell) {
  spy_t spy = {0};
  asked = promise_new();
  promise_on_cancel_request(asked, is_replaced, NULL, NULL);
  promise_on_cancel_request(asked, waits_for_the_born, &spy, spy_free);
  CHECK_STATUS(promise_request_cancel(asked, NULL), PROMISE_OK);
  CHECK_SPY(&spy, 1, 1);
  RELEASE(born[0], born[1], born[2], born[3], born[4], born[5], born[6], born[7]);
}

/* ---- A wait in a destructor ---- */

static promise_t *behind, *elsewhere;
static int destroyed;

/* Waits in a destructor. The new promises reuse the memory of those destroyed just before. */
static void destroy_waiting(void *payload) {
  promise_t *made[16];
  (void)payload;
  destroyed++;
  for (int i = 0; i < 16; i += 2) {
    made[i] = promise_new();
    made[i + 1] = promise_then(made[i], adds_one, NULL, NULL);
  }
  CHECK_STATUS(promise_wait(behind, FOR_EVER), PROMISE_EDEADLK);
  CHECK_STATUS(promise_wait(elsewhere, 1), PROMISE_ETIMEDOUT);
  RELEASE_EACH(made, 16);
}

static promise_verdict_t gives_object(void *type, const promise_value_t *in, promise_value_t *out) {
  (void)in;
  REQUIRE(promise_value_object(out, type, &destroyed) == PROMISE_OK);
  return PROMISE_FULFILL;
}

static promise_verdict_t gives_five(void *ctx, const promise_value_t *in, promise_value_t *out) {
  (void)ctx, (void)in;
  *out = *I64(5);
  return PROMISE_FULFILL;
}

TEST(destructor_cannot_wait_for_a_later_reaction_of_its_promise) {
  const promise_type_t *type = promise_type_register("test.waits", NULL, destroy_waiting);
  promise_t *source = promise_new();
  promise_t *owner = promise_then(source, gives_object, (void *)(uintptr_t)type, NULL);
  promise_t *last = promise_then(owner, gives_five, NULL, NULL);
  behind = promise_then(last, adds_one, NULL, NULL);
  elsewhere = promise_new();
  promise_release(owner);
  CHECK_STATUS(promise_resolve(source, VOID()), PROMISE_OK);
  CHECK_INT(destroyed, 1);
  CHECK(ended(behind, PROMISE_FULFILLED, 6));
  promise_release(source), promise_release(last), promise_release(behind), promise_release(elsewhere);
}
