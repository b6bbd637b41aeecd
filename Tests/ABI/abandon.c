/* lifecycle.h, callback.h: a promise whose last owner releases it while it follows another. */
#include "support.h"

/* The derived promise keeps its handler, although only the released follower had a reference to it. */
TEST(a_source_with_a_handler_outlives_its_follower) {
  spy_t spy = {.verdict = PROMISE_FULFILL, .answer = *I64(3)}, request = {0};
  promise_t *source = promise_new();
  promise_t *derived = promise_then(source, spy_handler, &spy, spy_free);
  promise_t *behind = promise_then(derived, adds_one, NULL, NULL);
  promise_token_t *token = promise_token_new(0);
  CHECK_STATUS(promise_token_add(token, derived), PROMISE_OK);
  CHECK_STATUS(promise_on_cancel_request(derived, spy_observer, &request, spy_free), PROMISE_OK);
  promise_t *follower = follower_of(derived);
  RELEASE(derived, follower);
  CHECK_SPY(&spy, 0, 0);
  CHECK_STATUS(promise_resolve(source, I64(1)), PROMISE_OK);
  CHECK_SPY(&spy, 1, 1);
  CHECK_SPY(&request, 0, 1);
  CHECK(ended(behind, PROMISE_FULFILLED, 4));
  RELEASE(behind, source);
  promise_token_release(token);
}

/* The last release of a follower frees the contexts of its cancel-request handlers. */
TEST(a_follower_frees_its_request_handlers) {
  spy_t first = {0}, second = {0};
  promise_t *source = promise_new();
  promise_t *follower = follower_of(source);
  CHECK_STATUS(promise_on_cancel_request(follower, spy_observer, &first, spy_free), PROMISE_OK);
  CHECK_STATUS(promise_on_cancel_request(follower, spy_observer, &second, spy_free), PROMISE_OK);
  CHECK_STATUS(promise_release(follower), PROMISE_OK);
  CHECK_STATUS(promise_state(follower), PROMISE_ESTALE);
  CHECK_INT(first.frees, 1);
  CHECK_INT(second.frees, 1);
  CHECK_STATUS(promise_resolve(source, I64(1)), PROMISE_OK);
  promise_release(source);
}

/* A released chain of followers is detached from its last link up to the first promise that has another owner. */
TEST(a_chain_of_followers_is_released_up_to_an_owner) {
  spy_t spies[3] = {{0}, {0}, {0}};
  promise_t *source = promise_new(), *owned = follower_of(source), *middle = follower_of(owned);
  promise_t *last = follower_of(middle), *chain[] = {owned, middle, last};
  for (int i = 0; i < 3; i++)
    CHECK_STATUS(promise_on_cancel_request(chain[i], spy_observer, &spies[i], spy_free), PROMISE_OK);
  RELEASE(middle, last);
  CHECK_INT(spies[2].frees, 1);
  CHECK_INT(spies[1].frees, 1);
  CHECK_INT(spies[0].frees, 0);
  CHECK_STATUS(promise_resolve(source, I64(5)), PROMISE_OK);
  CHECK(ended(owned, PROMISE_FULFILLED, 5));
  CHECK_INT(spies[0].frees, 1);
  RELEASE(owned, source);
}

/* ---- Destructors that run because a promise was abandoned find it settled ---- */

static void ignore_request(void *ctx, const promise_value_t *reason) {
  (void)ctx, (void)reason;
}

typedef struct ending {
  void (*end)(struct ending *ending);
  promise_t *promise;
  promise_loop_t *loop;
  int calls;
} ending_t;

static void end_payload(void *payload) {
  ending_t *ending = payload;
  ending->calls++;
  ending->end(ending);
}

/* Keeps promises that are detached from `source` in its list: a detach looks past four handlers only. */
static void add_five_handlers(promise_t *source) {
  for (int i = 0; i < 5; i++)
    CHECK_STATUS(promise_on_cancel_request(source, ignore_request, NULL, NULL), PROMISE_OK);
}

/* Resolves `derived` with an object that has this destructor, and releases it: the list of its source keeps both. */
static void detach_with(promise_t *derived, ending_t *ending) {
  static const promise_type_t *type;
  if (type == NULL)
    type = promise_type_register("test.ending", NULL, end_payload);
  promise_value_t object;
  REQUIRE(promise_value_object(&object, type, ending) == PROMISE_OK);
  CHECK_STATUS(promise_resolve(derived, &object), PROMISE_OK);
  promise_release(derived);
  CHECK_INT(ending->calls, 0);
}

/* Releases `unwanted`, which is abandoned, while a detached promise in its list has the last reference to an object
 * with this destructor. */
static void abandon_with(promise_t *unwanted, ending_t *ending) {
  promise_t *derived = promise_then(unwanted, adds_one, NULL, NULL);
  add_five_handlers(unwanted);
  detach_with(derived, ending);
  promise_release(unwanted);
  CHECK_INT(ending->calls, 1);
}

static void end_nothing(ending_t *ending) {
  (void)ending;
}

/* The last follower is abandoned, its source is not: a handler waits for it. */
TEST(a_source_that_outlives_its_last_follower_frees_detached_promises) {
  ending_t ending = {.end = end_nothing};
  promise_t *source = promise_new(), *kept = follower_of(source);
  promise_t *behind = promise_then(kept, adds_one, NULL, NULL), *derived = promise_then(kept, adds_one, NULL, NULL);
  promise_t *follower = follower_of(kept);
  add_five_handlers(kept);
  promise_release(kept);
  detach_with(derived, &ending);
  promise_release(follower);
  CHECK_INT(ending.calls, 1);
  CHECK_STATUS(promise_resolve(source, I64(1)), PROMISE_OK);
  CHECK(ended(behind, PROMISE_FULFILLED, 2));
  RELEASE(behind, source);
}

static void resolve_source(ending_t *ending) {
  CHECK_STATUS(promise_resolve(ending->promise, I64(1)), PROMISE_OK);
}

TEST(a_destructor_may_settle_the_source_of_an_abandoned_promise) {
  ending_t ending = {.end = resolve_source, .promise = promise_new()};
  abandon_with(follower_of(ending.promise), &ending);
  CHECK(ended(ending.promise, PROMISE_FULFILLED, 1));
  promise_release(ending.promise);
}

static void close_loop(ending_t *ending) {
  CHECK_STATUS(promise_loop_release(ending->loop), PROMISE_OK);
}

TEST(a_destructor_may_close_the_loop_of_an_abandoned_sleep) {
  ending_t ending = {.end = close_loop, .loop = promise_loop_new()};
  promise_executor_t *executor = promise_loop_executor(ending.loop);
  abandon_with(promise_sleep_on(executor, INT64_C(3600) * 1000 * MILLISECONDS), &ending);
  promise_executor_release(executor);
}

TEST(a_destructor_may_settle_an_input_of_an_abandoned_combination) {
  ending_t ending = {.end = resolve_source, .promise = promise_new()};
  abandon_with(promise_all(&ending.promise, 1, 0), &ending);
  CHECK(ended(ending.promise, PROMISE_FULFILLED, 1));
  promise_release(ending.promise);
}

/* ---- Chains of contexts ---- */

static void release_promise(void *promise) {
  promise_release(promise);
}

static void ask_inner(void *inner, const promise_value_t *reason) {
  promise_request_cancel(inner, reason);
}

typedef promise_status_t keep_t(promise_t *outer, promise_t *inner);

static promise_status_t by_request(promise_t *outer, promise_t *inner) {
  return promise_on_cancel_request(outer, ask_inner, inner, release_promise);
}

static promise_status_t by_observer(promise_t *outer, promise_t *inner) {
  return promise_tap(outer, NULL, NULL, inner, release_promise);
}

/* The handler of each follower, or an observer without a function, has the last reference to the one before. */
static void *chain_leaves(void *keep) {
  promise_t *source = promise_new(), *last = NULL;
  for (long i = check_scale(200 * 1000); i > 0; i--) {
    promise_t *outer = follower_of(source);
    if (last != NULL)
      CHECK_STATUS((*(keep_t **)keep)(outer, last), PROMISE_OK);
    last = outer;
  }
  CHECK_STATUS(promise_release(last), PROMISE_OK);
  CHECK_INT(promise_state(source), PROMISE_PENDING);
  promise_release(source);
  return NULL;
}

TEST(chains_of_handlers_leave_without_recursion) {
  keep_t *const kinds[] = {by_request, by_observer};
  for (int i = 0; i < 2; i++)
    on_small_stack(chain_leaves, (void *)&kinds[i]);
}
