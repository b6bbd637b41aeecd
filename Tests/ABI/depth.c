/* Nothing recurses: a million links, observers, followers and owners, settled and released on a stack of 512 KiB. */
#include "streams.h"

static long count(void) {
  return check_scale(1000 * 1000);
}

static atomic_long calls, frees;
static promise_verdict_t counts_and_adds(void *ctx, const promise_value_t *in, promise_value_t *out) {
  (void)ctx;
  atomic_fetch_add(&calls, 1);
  *out = *I64(in->as.i64 + 1);
  return PROMISE_FULFILL;
}
static void counts_frees(void *ctx) {
  (void)ctx, atomic_fetch_add(&frees, 1);
}

static void check_counts(long expected_calls, long expected_frees) {
  CHECK_INT(atomic_load(&calls), expected_calls);
  CHECK_INT(atomic_load(&frees), expected_frees);
  atomic_store(&calls, 0);
  atomic_store(&frees, 0);
}

/* Attaches a chain of handlers to `head`; returns the last promise. */
static promise_t *chain(promise_t *head, long length) {
  promise_t *last = retained(head);
  for (long i = 0; i < length; i++) {
    promise_t *next = promise_then(last, counts_and_adds, NULL, counts_frees);
    REQUIRE(next != NULL);
    promise_release(last);
    last = next;
  }
  return last;
}

/* Fulfils `head`, checks that every handler up to `last` has run, and releases both. */
static void fulfil(promise_t *head, promise_t *last) {
  CHECK_STATUS(promise_resolve(head, I64(0)), PROMISE_OK);
  check_counts(count(), count());
  CHECK(ended(last, PROMISE_FULFILLED, count()));
  RELEASE(head, last);
}

static void *fulfil_chain(void *unused) {
  promise_t *head = promise_new();
  fulfil(head, chain(head, count()));
  return unused;
}
TEST_BY(chain_is_fulfilled, on_small_stack(fulfil_chain, NULL))

static void *reject_chain(void *unused) {
  payload_t payload = {0};
  promise_value_t reason = object(&payload);
  promise_t *head = promise_new(), *last = chain(head, count());
  CHECK_STATUS(promise_reject(head, &reason), PROMISE_OK);
  check_counts(0, count());
  CHECK_INT(promise_state(last), PROMISE_REJECTED);
  promise_release(head);
  CHECK_INT(atomic_load(&payload.destroyed), 0);
  promise_release(last);
  CHECK_INT(atomic_load(&payload.destroyed), 1);
  return unused;
}
TEST_BY(chain_is_rejected, on_small_stack(reject_chain, NULL))

static void *release_chain(void *unused) {
  promise_t *head = promise_new(), *last = chain(head, count());
  RELEASE(last, head);
  check_counts(0, count());
  CHECK_STATUS(promise_state(last), PROMISE_ESTALE);
  return unused;
}
TEST_BY(pending_chain_is_released, on_small_stack(release_chain, NULL))

static void observes(void *ctx, const promise_value_t *value) {
  (void)ctx, (void)value;
  atomic_fetch_add(&calls, 1);
}

static void *settle_observers(void *release_instead) {
  promise_t *promise = promise_new();
  for (long i = 0; i < count(); i++) {
    REQUIRE(promise_observe(promise, observes, NULL, NULL, counts_frees) == PROMISE_OK);
  }
  if (release_instead == NULL)
    CHECK_STATUS(promise_resolve(promise, I64(1)), PROMISE_OK);
  CHECK_STATUS(promise_release(promise), PROMISE_OK);
  check_counts(release_instead == NULL ? count() : 0, count());
  return NULL;
}
TEST_BY(observers_are_called, on_small_stack(settle_observers, NULL))
TEST_BY(pending_observers_are_released, on_small_stack(settle_observers, ""))

/* A comb: each promise of a chain also has an observer, so every level adds to the work list. */
static void *settle_comb(void *behind) {
  promise_t *head = promise_new(), *last = retained(head);
  for (long i = 0; i < count(); i++) {
    if (behind == NULL)
      promise_observe(last, observes, NULL, NULL, counts_frees);
    promise_t *next = promise_then(last, counts_and_adds, NULL, NULL);
    if (behind != NULL)
      promise_observe(last, observes, NULL, NULL, counts_frees);
    promise_release(last);
    last = next;
  }
  CHECK_STATUS(promise_resolve(head, I64(0)), PROMISE_OK);
  check_counts(2 * count(), count());
  CHECK(ended(last, PROMISE_FULFILLED, count()));
  RELEASE(last, head);
  return NULL;
}
TEST_BY(comb_is_settled, on_small_stack(settle_comb, NULL))
TEST_BY(comb_with_work_behind_is_settled, on_small_stack(settle_comb, ""))

/* An asynchronous loop, in which the promise of each step follows that of the next. */
static promise_t *next_step;
static promise_verdict_t follows_next_step(void *ctx, const promise_value_t *in, promise_value_t *out) {
  (void)ctx, (void)in;
  *out = holding(next_step);
  return PROMISE_ADOPT;
}
static void *run_steps(void *unused) {
  promise_t *tick = promise_new();
  promise_t *first = promise_then(tick, follows_next_step, NULL, NULL);
  for (long i = 0; i < count(); i++) {
    promise_t *next_tick = promise_new();
    next_step = promise_then(next_tick, follows_next_step, NULL, NULL);
    promise_resolve(tick, I64(i));
    promise_release(tick);
    tick = next_tick;
  }
  CHECK_INT(promise_state(first), PROMISE_PENDING);
  next_step = fulfilled(7);
  CHECK_STATUS(promise_resolve(tick, I64(0)), PROMISE_OK);
  CHECK(ended(first, PROMISE_FULFILLED, 7));
  RELEASE(tick, first);
  return unused;
}
TEST_BY(steps_that_follow_each_other, on_small_stack(run_steps, NULL))

/* An asynchronous queue, in which each new entry follows the previous one. */
static void *run_queue(void *unused) {
  promise_t *first = promise_new(), *ready = fulfilled(1), *last = retained(first);
  for (long i = 0; i < count(); i++) {
    next_step = last;
    last = promise_then(ready, follows_next_step, NULL, NULL);
    REQUIRE(last != NULL);
  }
  CHECK_STATUS(promise_resolve(first, I64(7)), PROMISE_OK);
  CHECK(ended(last, PROMISE_FULFILLED, 7));
  RELEASE(first, ready, last);
  return unused;
}
TEST_BY(entries_that_follow_each_other, on_small_stack(run_queue, NULL))

/* Nested promises: the value of each is the one before. */
static void *release_nest(void *unused) {
  payload_t payload = {0};
  promise_value_t value = object(&payload);
  promise_t *outermost = promise_new();
  promise_resolve(outermost, &value);
  for (long i = 0; i < count(); i++) {
    value = holding(outermost);
    outermost = promise_new();
    REQUIRE(promise_resolve(outermost, &value) == PROMISE_OK);
  }
  CHECK_STATUS(promise_release(outermost), PROMISE_OK);
  CHECK_INT(atomic_load(&payload.destroyed), 1);
  return unused;
}
TEST_BY(nest_of_values_is_released, on_small_stack(release_nest, NULL))

/* A free function for contexts that own the next promise, as in bindings. */
static void releases_context(void *ctx) {
  atomic_fetch_add(&frees, 1);
  promise_release(ctx);
}
static void *release_contexts(void *unused) {
  promise_t *last = promise_new();
  for (long i = 0; i < count(); i++) {
    promise_t *promise = promise_new();
    REQUIRE(promise_observe(promise, observes, NULL, last, releases_context) == PROMISE_OK);
    last = promise;
  }
  CHECK_STATUS(promise_release(last), PROMISE_OK);
  check_counts(0, count());
  return unused;
}
TEST_BY(contexts_that_own_promises_are_released, on_small_stack(release_contexts, NULL))

/* A chain of handlers for rejections, which a value passes. */
static void *pass_through(void *unused) {
  promise_t *head = promise_new(), *last = retained(head);
  for (long i = 0; i < count(); i++) {
    promise_t *next = promise_rescue(last, promise_type_named("error"), counts_and_adds, NULL, counts_frees);
    promise_release(last);
    last = next;
  }
  CHECK_STATUS(promise_resolve(head, I64(3)), PROMISE_OK);
  CHECK(ended(last, PROMISE_FULFILLED, 3));
  check_counts(0, count());
  RELEASE(last, head);
  return unused;
}
TEST_BY(outcome_passes_through, on_small_stack(pass_through, NULL))

/* Returns the last promise of a chain whose handlers run on `executor`. */
static promise_t *chain_over(promise_executor_t *executor, promise_t *head) {
  promise_reaction_t reaction = {.size = sizeof reaction, .executor = executor, .on_fulfilled = counts_and_adds};
  reaction.free_ctx = counts_frees;
  promise_t *last = retained(head);
  for (long i = 0; i < count(); i++) {
    promise_t *next = promise_react(last, &reaction);
    REQUIRE(next != NULL);
    promise_release(last);
    last = next;
  }
  promise_executor_release(executor);
  return last;
}

static void *run_within_submit(void *unused) {
  promise_t *head = promise_new();
  fulfil(head, chain_over(promise_executor_new(run_at_once, NULL, NULL), head));
  return unused;
}
TEST_BY(chain_runs_within_submit, on_small_stack(run_within_submit, NULL))

/* The first job is dropped, and the rejection passes the other handlers. */
static void *drop_within_submit(void *unused) {
  promise_t *head = promise_new(), *last = chain_over(promise_executor_new(drop_at_once, NULL, NULL), head);
  CHECK_STATUS(promise_resolve(head, I64(0)), PROMISE_OK);
  check_counts(0, count());
  CHECK(failed_with(last, PROMISE_ECLOSED));
  RELEASE(head, last);
  return unused;
}
TEST_BY(chain_is_dropped_within_submit, on_small_stack(drop_within_submit, NULL))

static atomic_long counted;

static void counts_down(void *ctx, const promise_value_t *value) {
  atomic_fetch_add(&counted, 1);
  if (value->as.i64 > 0)
    promise_publisher_publish(ctx, I64(value->as.i64 - 1));
}

static void *republishes_a_million_times(void *unused) {
  (void)unused;
  promise_publisher_t *publisher = publisher_new(0);
  promise_subscription_t wish = everything(NULL);
  wish.on_value = counts_down, wish.ctx = publisher, wish.free_ctx = NULL;
  promise_subscriber_t *subscriber = subscribe(publisher, wish);
  long times = check_scale(1000000);
  atomic_store(&counted, 0);
  publish(publisher, times);
  CHECK_INT(atomic_load(&counted), times + 1);
  release_both(subscriber, publisher);
  return NULL;
}

TEST_BY(publishing_in_callbacks_takes_no_stack, on_small_stack(republishes_a_million_times, NULL))
