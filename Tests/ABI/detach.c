/* callback.h: a reaction is detached from a pending promise when its derived promise is abandoned. */
#include "growth.h"

typedef promise_t *(*derive_t)(promise_t *source, spy_t *spy);

static promise_t *by_then(promise_t *source, spy_t *spy) {
  return promise_then(source, spy_handler, spy, spy_free);
}

static promise_t *by_rescue(promise_t *source, spy_t *spy) {
  return promise_rescue(source, NULL, spy_handler, spy, spy_free);
}

static promise_t *by_react(promise_t *source, spy_t *spy) {
  return spied(source, NULL, NULL, spy);
}

static promise_t *by_react_on_executor(promise_t *source, spy_t *spy) {
  promise_executor_t *executor = promise_executor_serial(NULL);
  promise_reaction_t reaction = {
      .size = sizeof reaction, .executor = executor, .on_fulfilled = spy_handler, .ctx = spy, .free_ctx = spy_free};
  promise_t *derived = promise_react(source, &reaction);
  promise_executor_release(executor);
  return derived;
}

static promise_t *by_react_with_token(promise_t *source, spy_t *spy) {
  promise_token_t *token = promise_token_new(0);
  promise_reaction_t reaction = {
      .size = sizeof reaction, .token = token, .on_fulfilled = spy_handler, .ctx = spy, .free_ctx = spy_free};
  promise_t *derived = promise_react(source, &reaction);
  promise_token_release(token);
  return derived;
}

static promise_t *by_finally(promise_t *source, spy_t *spy) {
  return promise_finally(source, spy_discard, spy, spy_free);
}

static const derive_t derivations[] = {by_then,    by_rescue,           by_react, by_react_on_executor,
                                       by_finally, by_react_with_token, NULL};

enum { RESOLVED, REJECTED, DISCARDED, ASKED_AND_RELEASED, ENDS, RELEASED = ENDS };

/* Ends a derived promise, and takes over its reference. */
static void end(promise_t *derived, int how) {
  if (how == RESOLVED)
    CHECK_STATUS(promise_resolve(derived, I64(9)), PROMISE_OK);
  if (how == REJECTED)
    CHECK_STATUS(promise_reject(derived, I64(9)), PROMISE_OK);
  if (how == DISCARDED)
    CHECK_STATUS(promise_discard(derived), PROMISE_OK);
  if (how == ASKED_AND_RELEASED)
    CHECK_STATUS(promise_request_cancel(derived, NULL), PROMISE_OK);
  promise_release(derived);
}

TEST(context_is_freed_at_once) {
  for (int kind = 0; derivations[kind] != NULL; kind++) {
    for (int how = RESOLVED; how < ENDS; how++) {
      spy_t spy = {0}, other = {0};
      promise_t *source = promise_new();
      promise_t *before = promise_then(source, spy_handler, &other, spy_free);
      promise_t *derived = derivations[kind](source, &spy);
      promise_t *behind = promise_then(source, adds_one, NULL, NULL);
      end(derived, how);
      /* promise_finally() runs its handler in any case, so it stays attached after a request. */
      bool is_kept = how == ASKED_AND_RELEASED && derivations[kind] == by_finally;
      CHECK_SPY(&spy, 0, !is_kept);
      CHECK_STATUS(promise_resolve(source, I64(1)), PROMISE_OK);
      CHECK_SPY(&spy, is_kept, 1);
      CHECK_SPY(&other, 1, 1);
      CHECK(ended(before, PROMISE_FULFILLED, 2));
      CHECK(ended(behind, PROMISE_FULFILLED, 2));
      promise_release(before), promise_release(behind), promise_release(source);
    }
  }
}

TEST(releasing_alone_lets_the_handler_run) {
  for (int kind = 0; derivations[kind] != NULL; kind++) {
    if (derivations[kind] == by_react_on_executor || derivations[kind] == by_rescue)
      continue;
    spy_t spy = {0};
    promise_t *source = promise_new();
    promise_release(derivations[kind](source, &spy));
    CHECK_SPY(&spy, 0, 0);
    CHECK_STATUS(promise_resolve(source, I64(1)), PROMISE_OK);
    CHECK_SPY(&spy, 1, 1);
    promise_release(source);
  }
}

/* A token asks a promise to cancel that nobody holds. The request propagates to the source, whose end still calls the
 * handler. */
TEST(a_request_alone_lets_the_handler_run) {
  spy_t spy = {0};
  promise_t *source = promise_new();
  promise_token_t *token = promise_token_new(0);
  promise_t *derived = by_react(source, &spy);
  CHECK_STATUS(promise_token_add(token, derived), PROMISE_OK);
  promise_release(derived);
  CHECK_STATUS(promise_token_cancel(token, NULL), PROMISE_OK);
  CHECK_INT(promise_cancel_requested(source), 1);
  CHECK_SPY(&spy, 0, 0);
  CHECK_STATUS(promise_discard(source), PROMISE_OK);
  CHECK_SPY(&spy, 1, 1);
  promise_token_release(token);
  promise_release(source);
}

/* A promise that still has a waiter is not abandoned. */
TEST(a_promise_with_a_waiter_stays) {
  spy_t spy = {0}, observed = {0}, tapped = {0};
  promise_t *source = promise_new();
  promise_t *derived = by_then(source, &spy);
  CHECK_STATUS(promise_observe(derived, spy_observer, spy_observer, &observed, spy_free), PROMISE_OK);
  end(derived, ASKED_AND_RELEASED);
  CHECK_SPY(&spy, 0, 0);
  promise_t *other = by_then(source, &(spy_t){0});
  promise_t *follower = promise_new();
  CHECK_STATUS(promise_follow(follower, source), PROMISE_OK);
  CHECK_STATUS(promise_tap(follower, spy_observer, spy_observer, &tapped, spy_free), PROMISE_OK);
  RELEASE(follower, other);
  CHECK_STATUS(promise_resolve(source, I64(1)), PROMISE_OK);
  CHECK_SPY(&spy, 1, 1);
  CHECK_SPY(&observed, 1, 1);
  CHECK_INT(observed.seen, 2);
  CHECK_SPY(&tapped, 1, 1);
  promise_release(source);
}

/* A chain whose links were cancelled and released is detached as a whole, at any length, directly or through
 * contexts. */
static void release_context(void *ctx) {
  promise_release(ctx);
}

static void *leaves_as_a_whole(void *ctx) {
  long depth = check_scale(200 * 1000);
  spy_t *spy = ctx;
  promise_t *source = promise_new(), *last = retained(source);
  for (long i = 0; i < depth; i++) {
    promise_t *next = by_then(last, spy);
    promise_release(last);
    last = next;
  }
  end(last, ASKED_AND_RELEASED);
  CHECK_INT(atomic_load(&spy->frees), (int)depth);
  CHECK_INT(promise_state(source), PROMISE_PENDING);
  promise_release(source);
  CHECK_SPY(spy, 0, (int)depth);

  return NULL;
}

static promise_t *owns_by_then(promise_t *source, promise_t *owned) {
  return promise_then(source, adds_one, owned, release_context);
}

static promise_t *owns_by_react(promise_t *source, promise_t *owned) {
  promise_reaction_t reaction = {
      .size = sizeof reaction, .on_fulfilled = adds_one, .ctx = owned, .free_ctx = release_context};
  return promise_react(source, &reaction);
}

/* Each context has the last reference to the promise before. */
static void *contexts_leave_in_turn(void *owns) {
  long depth = check_scale(200 * 1000);
  spy_t spy = {0};
  promise_t *source = promise_new(), *last = by_then(source, &spy);
  for (long i = 0; i < depth; i++) {
    CHECK_STATUS(promise_request_cancel(last, NULL), PROMISE_OK);
    last = (*(promise_t * (**)(promise_t *, promise_t *)) owns)(source, last);
  }
  CHECK_STATUS(promise_discard(last), PROMISE_OK);
  CHECK_SPY(&spy, 0, 1);
  RELEASE(last, source);
  return NULL;
}

TEST(chains_leave_without_recursion) {
  spy_t spy = {0};
  on_small_stack(leaves_as_a_whole, &spy);
  promise_t *(*const kinds[])(promise_t *, promise_t *) = {owns_by_then, owns_by_react};
  for (int i = 0; i < 2; i++)
    on_small_stack(contexts_leave_in_turn, (void *)&kinds[i]);
}

/* ---- Memory and time ---- */

/* The memory of a promise does not grow with short-lived waiters, a few at a time. */
TEST(memory_is_flat) {
  long rounds = check_scale(200 * 1000);
  for (int how = RESOLVED; how < ENDS; how++) {
    spy_t spy = {0};
    promise_t *source = promise_new();
    promise_observe(source, ignore_value, NULL, NULL, NULL);
    long before = 0;
    for (long i = 0; i < rounds; i++) {
      if (i == rounds / 10)
        before = resident_kilobytes();
      promise_t *first = by_then(source, &spy), *second = by_rescue(source, &spy), *third = by_react(source, &spy);
      end(second, how);
      end(first, how);
      end(third, how);
      CHECK_INT(atomic_load(&spy.frees), (int)(3 * (i + 1)));
    }
    CHECK(resident_kilobytes() - before < 1024);
    promise_release(source);
    CHECK_INT(atomic_load(&spy.calls), 0);
  }
}

typedef struct {
  int order;
  int how;
} leaving_t;

/* Detaches many waiters of one promise: the oldest first, the newest first, or every other one. */
static void many_leave(void *ctx, long count) {
  const leaving_t *leaving = ctx;
  spy_t spy = {0};
  promise_t *source = promise_new();
  promise_t **waiters = malloc((size_t)count * sizeof *waiters);
  REQUIRE(waiters != NULL);
  for (long i = 0; i < count; i++)
    waiters[i] = by_then(source, &spy);
  for (long i = 0; i < count; i++) {
    long which = leaving->order == 0 ? i : leaving->order == 1 ? count - 1 - i : i % 2 * (count / 2) + i / 2;
    end(waiters[which], leaving->how);
  }
  CHECK_SPY(&spy, 0, (int)count);
  promise_release(source);
  free(waiters);
}

TEST(time_is_linear_wherever_they_stand) {
  for (int order = 0; order < 3; order++)
    for (int how = RESOLVED; how < ENDS; how++)
      CHECK_LINEAR(many_leave, (&(leaving_t){order, how}), check_scale(40 * 1000) / 16 * 16);
}

/* ---- Reactions without a handler ---- */

TEST(followers_are_detached_when_they_are_released) {
  promise_t *source = promise_new();
  for (int discardable = 0; discardable < 2; discardable++) {
    spy_t spy = {0}, asked = {0};
    promise_t *follower = discardable ? promise_new_discardable(spy_discard, &spy, spy_free) : promise_new();
    CHECK_STATUS(promise_on_cancel_request(follower, spy_observer, &asked, spy_free), PROMISE_OK);
    CHECK_STATUS(promise_follow(follower, source), PROMISE_OK);
    promise_release(follower);
    CHECK_SPY(&asked, 0, 1);
    CHECK_SPY(&spy, 0, discardable);
  }
  promise_release(source);
}

/* A long-lived input is combined with short-lived inputs. */
TEST(combinations_are_detached_from_their_inputs) {
  typedef promise_t *(*combine_t)(promise_t *const *, size_t, uint32_t);
  const combine_t combinations[] = {promise_race, promise_any, promise_all, promise_all_settled};
  promise_t *lasting = promise_new();
  long rounds = check_scale(50 * 1000), before = 0;
  for (long i = 0; i < rounds; i++) {
    if (i == rounds / 10)
      before = resident_kilobytes();
    for (int how = 0; how < 3; how++) {
      promise_t *inputs[] = {lasting, promise_new()};
      promise_t *result = combinations[(i + how) % 4](inputs, 2, 0);
      if (how == 0)
        CHECK_STATUS(promise_discard(result), PROMISE_OK);
      if (how == 1) {
        promise_resolve(inputs[1], I64(1));
        promise_resolve(result, I64(1)); /* settled */
      }
      promise_release(result); /* abandoned, if it is pending */
      promise_release(inputs[1]);
    }
  }
  CHECK(resident_kilobytes() - before < 1024);
  promise_release(lasting);
}

TEST(an_ended_combination_holds_back_no_request) {
  for (int how = 0; how < 3; how++) {
    spy_t asked = {0};
    promise_t *inputs[] = {promise_new(), promise_new()};
    promise_on_cancel_request(inputs[0], spy_observer, &asked, spy_free);
    promise_t *waiter = promise_then(inputs[0], adds_one, NULL, NULL);
    promise_t *result = promise_race(inputs, 2, 0);
    promise_request_cancel(waiter, NULL);
    CHECK_SPY(&asked, 0, 0);
    if (how == 0)
      promise_resolve(inputs[1], I64(1));
    if (how == 1)
      promise_discard(result);
    promise_release(result);
    CHECK_SPY(&asked, 1, 1);
    promise_release(waiter), promise_release(inputs[0]), promise_release(inputs[1]);
  }
}

TEST(timers_stop_when_they_are_released) {
  long rounds = check_scale(50 * 1000), before = 0;
  promise_t *lasting = promise_new();
  for (long i = 0; i < rounds; i++) {
    if (i == rounds / 10)
      before = resident_kilobytes();
    promise_release(promise_timeout(lasting, 3600 * 1000 * MILLISECONDS));
    promise_release(promise_sleep(3600 * 1000 * MILLISECONDS));
    promise_release(promise_delay(lasting, 3600 * 1000 * MILLISECONDS));
    promise_t *timed = promise_timeout(lasting, 3600 * 1000 * MILLISECONDS);
    promise_discard(timed);
    promise_release(timed);
  }
  CHECK(resident_kilobytes() - before < 1024);
  promise_release(lasting);
}

/* ---- promise_delay() ---- */

enum { BEFORE_SOURCE, AFTER_SOURCE };

TEST(delay_stops_when_it_is_released) {
  for (int when = BEFORE_SOURCE; when <= AFTER_SOURCE; when++) {
    for (int how = RESOLVED; how <= RELEASED; how++) {
      payload_t payload = {0};
      promise_value_t value = object(&payload);
      promise_t *source = promise_new();
      promise_t *delayed = promise_delay(source, 3600 * 1000 * MILLISECONDS);
      if (when == AFTER_SOURCE)
        CHECK_STATUS(promise_resolve(source, &value), PROMISE_OK);
      end(delayed, how);
      if (when == BEFORE_SOURCE)
        CHECK_STATUS(promise_resolve(source, &value), PROMISE_OK);
      promise_release(source);
      CHECK_INT(atomic_load(&payload.destroyed), 1);
    }
  }
}

/* A waiter keeps a released delay alive. */
TEST(delay_with_a_callback_stays) {
  spy_t spy = {0};
  promise_t *source = promise_new();
  promise_t *delayed = promise_delay(source, MILLISECONDS);
  promise_t *derived = by_then(delayed, &spy);
  promise_release(delayed);
  CHECK_STATUS(promise_resolve(source, I64(4)), PROMISE_OK);
  CHECK_STATUS(promise_wait(derived, FOR_EVER), PROMISE_OK);
  CHECK_SPY(&spy, 1, 1);
  RELEASE(derived, source);
}

TEST(delay_with_another_reference_continues) {
  promise_t *source = fulfilled(4);
  promise_t *delayed = promise_delay(source, 5 * MILLISECONDS);
  promise_t *derived = promise_then(delayed, adds_one, NULL, NULL);
  promise_request_cancel(delayed, NULL);
  promise_release(delayed);
  CHECK_STATUS(promise_wait(derived, FOR_EVER), PROMISE_OK);
  CHECK(ended(derived, PROMISE_FULFILLED, 5));
  RELEASE(derived, source);
}
