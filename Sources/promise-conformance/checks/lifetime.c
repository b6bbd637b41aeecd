/* promise/core.h: references. */
#include "../checked.h"

CHECKS(lifetime)

RULE(each_reference_counts, "the token is good until the last reference is given back") {
  promise_t *promise = fulfilled(1);
  for (int i = 0; i < 1000; i++)
    retained(promise);
  for (int i = 0; i < 1000; i++)
    release(promise);
  CHECK_ENDED(promise, PROMISE_FULFILLED, 1);
  release(promise);
  CHECK_STATUS(promise_release(promise), PROMISE_ESTALE);
  CHECK_STATUS(promise_retain(promise), PROMISE_ESTALE);
}

RULE(a_pending_promise_is_destroyed_without_calls,
     "a promise destroyed while pending calls nothing, frees every context, and leaves derived ones pending") {
  spy_t block = {0}, observer = {0}, handler = {0};
  promise_t *promise = promise_new_discardable(spy_discard, &block, spy_free);
  CHECK_STATUS(promise_observe(promise, spy_observer, spy_observer, &observer, spy_free), PROMISE_OK);
  promise_t *child = promise_then(promise, spy_handler, &handler, spy_free);
  release(promise);
  CHECK_SPY(&block, 0, 1);
  CHECK_SPY(&observer, 0, 1);
  CHECK_SPY(&handler, 0, 1);
  CHECK_INT(promise_state(child), PROMISE_PENDING);
  resolve(child, 1);
  release(child);
}

RULE(a_released_child_does_not_stop_the_handler, "a handler runs though its derived promise was released") {
  spy_t spy = {0};
  promise_t *promise = pending();
  promise_t *child = promise_then(promise, spy_handler, &spy, spy_free);
  release(child);
  CHECK_SPY(&spy, 0, 0);
  resolve(promise, 1);
  CHECK_SPY(&spy, 1, 1);
  CHECK_STATUS(promise_state(child), PROMISE_ESTALE);
  release(promise);
}

/* The program cannot release the library's reference to a derived promise. */
RULE(a_release_too_many_is_refused,
     "a release too many of a pending promise is refused, and takes no reference of the library's") {
  spy_t spy = {0};
  promise_t *promise = pending();
  promise_t *child = promise_then(promise, spy_handler, &spy, spy_free);
  release(child);
  for (int i = 0; i < 3; i++) {
    promise_value_t value = holding(child);
    CHECK_STATUS(promise_release(child), PROMISE_ESTALE);
    CHECK_STATUS(promise_value_release(&value), PROMISE_ESTALE);
    CHECK_INT(value.kind, PROMISE_KIND_VOID);
  }
  CHECK_SPY(&spy, 0, 0);
  resolve(promise, 1);
  CHECK_SPY(&spy, 1, 1);
  release(promise);
}

static void releases_itself(void *ctx, const promise_value_t *value) {
  CHECK_INT(value->as.i64, 7);
  CHECK_STATUS(promise_release(ctx), PROMISE_OK);
  CHECK_INT(value->as.i64, 7);
}

RULE(the_last_reference_may_be_released_in_a_callback, "the last reference may be given back within a callback") {
  spy_t behind = {0};
  promise_t *promise = pending();
  CHECK_STATUS(promise_observe(promise, releases_itself, NULL, promise, NULL), PROMISE_OK);
  CHECK_STATUS(promise_observe(promise, spy_observer, NULL, &behind, spy_free), PROMISE_OK);
  resolve(promise, 7);
  CHECK_SPY(&behind, 1, 1);
  CHECK_STATUS(promise_state(promise), PROMISE_ESTALE);
}

enum { LINKS = 100000 };

static promise_t *chain(promise_t *first) {
  promise_t *last = retained(first);
  for (int i = 0; i < LINKS; i++) {
    promise_t *next = promise_then(last, adds_one, NULL, NULL);
    CHECK(next != NULL);
    release(last);
    last = next;
  }
  return last;
}

static void *settles_a_chain(void *argument) {
  (void)argument;
  promise_t *first = pending(), *last = chain(first);
  resolve(first, 0);
  CHECK_ENDED(last, PROMISE_FULFILLED, LINKS);
  RELEASE(first, last);
  return NULL;
}

static void *abandons_a_chain(void *argument) {
  (void)argument;
  promise_t *first = pending(), *last = chain(first);
  RELEASE(last, first);
  CHECK_STATUS(promise_state(first), PROMISE_ESTALE);
  return NULL;
}

RULE(long_chains_take_no_stack, "a chain of 100,000 links settles, and is destroyed, on a stack of 512 KiB") {
  on_small_stack(settles_a_chain, NULL);
  on_small_stack(abandons_a_chain, NULL);
}
