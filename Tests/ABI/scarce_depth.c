/* Deep structures that are cancelled and released while there is no memory at all, without recursion. */
#include "scarce.h"
#include "streams.h"

enum { DEPTH = 20000 };

/* Nests promise_all() in promise_all(), DEPTH levels around `*innermost`. Returns the outermost promise. The caller has
 * a reference to the outermost and one to the innermost promise. */
static promise_t *nested(promise_t **innermost) {
  promise_t *promise = *innermost = promise_new();
  for (int i = 0; i < DEPTH; i++) {
    promise_t *outer = promise_all(&promise, 1, 0);
    REQUIRE(outer != NULL);
    if (i > 0)
      promise_release(promise);
    promise = outer;
  }
  return promise;
}

/* Runs `body` with the outermost promise on a small stack, without a free cell. */
static void without_memory(void *(*body)(void *outermost), int32_t is_cancelled) {
  promise_t *innermost, *outermost = nested(&innermost);
  scarce_begin();
  atomic_store(&scarce_full_for_all, true);
  scarce_take_all();
  on_small_stack(body, outermost);
  CHECK_INT(promise_state(innermost), PROMISE_PENDING);
  CHECK_INT(promise_cancel_requested(innermost), is_cancelled);
  promise_release(innermost);
  atomic_store(&scarce_full_for_all, false);
  scarce_end();
}

static void *requests_cancel(void *outermost) {
  scarce_blocks = 0;
  CHECK_STATUS(promise_request_cancel(outermost, NULL), PROMISE_OK);
  CHECK_STATUS(promise_release(outermost), PROMISE_OK);
  return NULL;
}
TEST_BY(cancels, without_memory(requests_cancel, 1))

static void *discards(void *outermost) {
  scarce_blocks = 0;
  CHECK_STATUS(promise_discard(outermost), PROMISE_OK);
  CHECK_STATUS(promise_release(outermost), PROMISE_OK);
  return NULL;
}
TEST_BY(discards_the_outermost, without_memory(discards, 0))

static void *releases(void *outermost) {
  scarce_blocks = 0;
  CHECK_STATUS(promise_release(outermost), PROMISE_OK);
  return NULL;
}
TEST_BY(releases_the_outermost, without_memory(releases, 0))

/* ---- Contexts that own the next promise ---- */

static promise_t *source;
static spy_t innermost;

static void release_context(void *promise) {
  promise_release(promise);
}

/* Returns a derived promise that was asked to cancel. Its release frees its context, `next`. */
static promise_t *asked_above(promise_t *next) {
  promise_t *promise = next == NULL ? promise_then(source, spy_handler, &innermost, spy_free)
                                    : promise_then(source, spy_handler, next, release_context);
  CHECK_STATUS(promise_request_cancel(promise, NULL), PROMISE_OK);
  return promise;
}

/* Returns a follower with a discard block. Its release discards it and frees the context of the block, `next`. */
static promise_t *discardable_above(promise_t *next) {
  promise_t *promise = next == NULL ? promise_new_discardable(spy_discard, &innermost, spy_free)
                                    : promise_new_discardable(spy_discard, next, release_context);
  CHECK_STATUS(promise_follow(promise, source), PROMISE_OK);
  return promise;
}

static void contexts_are_freed_in_turn(promise_t *(*above)(promise_t *next)) {
  promise_t *last = NULL;
  innermost = (spy_t){0};
  source = promise_new();
  for (int i = 0; i < DEPTH; i++)
    last = above(last);
  scarce_begin();
  atomic_store(&scarce_full_for_all, true);
  scarce_take_all();
  on_small_stack(releases, last);
  CHECK_SPY(&innermost, 0, 1);
  atomic_store(&scarce_full_for_all, false);
  scarce_end();
  promise_release(source);
}

TEST_BY(contexts_of_reactions, contexts_are_freed_in_turn(asked_above))
TEST_BY(contexts_of_discard_blocks, contexts_are_freed_in_turn(discardable_above))

/* ---- Back-pressure ---- */

static void *requests_one(void *subscriber) {
  scarce_blocks = 0;
  CHECK_STATUS(promise_subscriber_request(subscriber, 1), PROMISE_OK);
  return NULL;
}

/* Merges of merges: each has two sources, which become full and not full together. The deep source is the second. */
TEST(back_pressure_propagates_upstream) {
  listener_t listener = {0};
  promise_publisher_t *top = publisher_new(0), *other = publisher_new(0), *last = top;
  for (int i = 0; i < DEPTH; i++) {
    promise_publisher_t *both[] = {other, last};
    promise_publisher_t *merged = promise_publisher_merge(both, 2);
    REQUIRE(merged != NULL);
    if (i > 0)
      promise_publisher_release(last);
    last = merged;
  }
  promise_subscription_t wish = everything(&listener);
  wish.capacity = 1, wish.demand = 0;
  promise_subscriber_t *subscriber = subscribe(last, wish);
  promise_publisher_release(last);
  CHECK_STATUS(promise_publisher_publish(top, I64(1)), PROMISE_EFULL);
  promise_t *ready = promise_publisher_ready(other);
  CHECK_INT(promise_state(ready), PROMISE_PENDING);
  scarce_begin();
  atomic_store(&scarce_full_for_all, true);
  scarce_take_all();
  on_small_stack(requests_one, subscriber);
  CHECK_INT(promise_state(ready), PROMISE_FULFILLED);
  atomic_store(&scarce_full_for_all, false);
  scarce_end();
  CHECK_TEXT(listener.log, "1 ");
  promise_release(ready);
  promise_subscriber_release(subscriber);
  promise_publisher_release(top), promise_publisher_release(other);
}
