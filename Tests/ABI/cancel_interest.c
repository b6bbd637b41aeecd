/* cancel.h: requests that propagate upstream because a promise was settled. */
#include "support.h"

/* A request waits until no other consumer is interested; a discard ends the interest of a consumer. */
TEST(discard_of_the_last_interested_promise_propagates_a_request) {
  spy_t above = {0};
  promise_t *source = promise_new();
  promise_on_cancel_request(source, spy_observer, &above, spy_free);
  promise_t *one = promise_then(source, adds_one, NULL, NULL);
  promise_t *two = promise_then(source, adds_one, NULL, NULL);
  CHECK_STATUS(promise_discard(one), PROMISE_OK);
  CHECK_STATUS(promise_request_cancel(two, NULL), PROMISE_OK);
  CHECK_SPY(&above, 1, 1);
  promise_release(one), promise_release(two), promise_release(source);

  spy_t later = {0};
  source = promise_new();
  promise_on_cancel_request(source, spy_observer, &later, spy_free);
  one = promise_then(source, adds_one, NULL, NULL);
  two = promise_then(source, adds_one, NULL, NULL);
  CHECK_STATUS(promise_request_cancel(one, I64(6)), PROMISE_OK);
  CHECK_SPY(&later, 0, 0);
  CHECK_STATUS(promise_discard(two), PROMISE_OK);
  CHECK_SPY(&later, 1, 1);
  CHECK_INT(later.seen, 6);
  promise_release(one), promise_release(two), promise_release(source);
}

/* Without a request, a discarded promise leaves its source alone. */
TEST(discard_alone_propagates_no_request) {
  spy_t above = {0};
  promise_t *source = promise_new();
  promise_on_cancel_request(source, spy_observer, &above, spy_free);
  promise_t *child = promise_then(source, adds_one, NULL, NULL);
  CHECK_STATUS(promise_discard(child), PROMISE_OK);
  CHECK_SPY(&above, 0, 0);
  RELEASE(child, source);
  CHECK_SPY(&above, 0, 1);
}

/* A garbage collector holds a promise until the collection: sealing it ends that interest, and propagates an earlier
 * request. */
TEST(seal_propagates_a_pending_request) {
  spy_t above = {0}, own = {0};
  promise_t *source = promise_new();
  promise_on_cancel_request(source, spy_observer, &above, spy_free);
  promise_t *wrapped = promise_then(source, adds_one, NULL, NULL), *wrapper = retained(wrapped);
  promise_on_cancel_request(wrapped, spy_observer, &own, spy_free);
  promise_t *one = promise_then(wrapped, adds_one, NULL, NULL);
  promise_t *two = promise_then(wrapped, adds_one, NULL, NULL);
  CHECK_STATUS(promise_request_cancel(one, I64(8)), PROMISE_OK);
  CHECK_STATUS(promise_seal(wrapped), PROMISE_OK);
  CHECK_SPY(&own, 0, 0); /* `two` is interested */
  promise_t *third = promise_new();
  CHECK_STATUS(promise_seal(third), PROMISE_OK); /* no request was made */
  CHECK_INT(promise_cancel_requested(third), 0);
  RELEASE(third, one, two, wrapped, wrapper, source);

  spy_t asked = {0}, root_asked = {0};
  promise_t *root = promise_new();
  promise_on_cancel_request(root, spy_observer, &root_asked, spy_free);
  wrapped = promise_then(root, adds_one, NULL, NULL), wrapper = retained(wrapped);
  promise_on_cancel_request(wrapped, spy_observer, &asked, spy_free);
  one = promise_then(wrapped, adds_one, NULL, NULL);
  CHECK_STATUS(promise_request_cancel(one, I64(8)), PROMISE_OK);
  CHECK_SPY(&asked, 0, 0);
  CHECK_STATUS(promise_seal(wrapped), PROMISE_OK);
  CHECK_SPY(&asked, 1, 1);
  CHECK_INT(asked.seen, 8);
  CHECK_SPY(&root_asked, 1, 1);
  CHECK_INT(root_asked.seen, 8);
  promise_release(one), promise_release(wrapped), promise_release(wrapper), promise_release(root);
}

/* Chains of combinations, and of promises with discard blocks that follow each other: so deep that recursion would
 * overflow the stack. */
static void *asks_from_above(void *ctx) {
  long depth = check_scale(200 * 1000);
  for (int follow = 0; follow < 2; follow++) {
    spy_t *asked = (spy_t *)ctx + follow;
    promise_t *source = promise_new(), *outermost = retained(source);
    promise_on_cancel_request(source, spy_observer, asked, spy_free);
    for (long i = 0; i < depth; i++) {
      promise_t *next = follow ? promise_new_discardable(NULL, NULL, NULL) : promise_all(&outermost, 1, 0);
      if (follow)
        CHECK_STATUS(promise_follow(next, outermost), PROMISE_OK);
      promise_release(outermost);
      outermost = next;
    }
    CHECK_STATUS(promise_request_cancel(outermost, I64(7)), PROMISE_OK);
    CHECK_SPY(asked, 1, 1);
    CHECK_INT(asked->seen, 7);
    RELEASE(outermost, source);
  }
  return NULL;
}

TEST(a_request_reaches_a_deeply_nested_promise) {
  spy_t asked[2] = {{0}, {0}};
  on_small_stack(asks_from_above, asked);
}

struct input {
  promise_t *promise;
  spy_t asked;
};

static void accepts(void *ctx, const promise_value_t *reason) {
  struct input *input = ctx;
  spy_observer(&input->asked, reason);
  CHECK_STATUS(promise_discard(input->promise), PROMISE_OK);
}

static void free_input(void *ctx) {
  spy_free(&((struct input *)ctx)->asked);
}

/* The first input settles the result within the request. The second is asked all the same. The third has another
 * consumer, so it is not asked. */
TEST(all_inputs_are_asked_though_the_first_one_accepts) {
  struct input inputs[3] = {{0}};
  promise_t *sources[3];
  for (int i = 0; i < 3; i++) {
    sources[i] = inputs[i].promise = promise_new();
    CHECK_STATUS(promise_on_cancel_request(sources[i], accepts, &inputs[i], free_input), PROMISE_OK);
  }
  promise_t *consumer = promise_then(sources[2], adds_one, NULL, NULL);
  uint64_t before = statistics().gathers;
  promise_t *all = promise_all(sources, 3, 0);
  CHECK_STATUS(promise_request_cancel(all, I64(8)), PROMISE_OK);
  CHECK_INT(promise_state(all), PROMISE_REJECTED);
  for (int i = 0; i < 2; i++) {
    CHECK_SPY(&inputs[i].asked, 1, 1);
    CHECK_INT(inputs[i].asked.seen, 8);
  }
  CHECK_SPY(&inputs[2].asked, 0, 0);
  CHECK_INT(statistics().gathers, before);
  CHECK_STATUS(promise_request_cancel(consumer, I64(9)), PROMISE_OK);
  CHECK_SPY(&inputs[2].asked, 1, 1);
  CHECK_INT(inputs[2].asked.seen, 9);
  promise_release(all), promise_release(consumer);
  RELEASE_EACH(sources, 3);
}

/* The request is made before the promise follows a source. */
TEST(a_request_reaches_a_promise_followed_later) {
  spy_t above = {0};
  for (int discardable = 0; discardable < 2; discardable++) {
    promise_t *source = promise_new();
    promise_t *promise = discardable ? promise_new_discardable(NULL, NULL, NULL) : promise_new();
    CHECK_STATUS(promise_on_cancel_request(source, spy_observer, &above, NULL), PROMISE_OK);
    CHECK_STATUS(promise_request_cancel(promise, NULL), PROMISE_OK);
    CHECK_STATUS(promise_follow(promise, source), PROMISE_OK);
    CHECK_INT(promise_cancel_requested(source), 1);
    CHECK_SPY(&above, discardable + 1, 0);
    RELEASE(promise, source);
  }
}
