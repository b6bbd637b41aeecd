/* promise/cancel.h: tokens, which cancel many promises and silence handlers. */
#include "../checked.h"

CHECKS(token)

static void on_request(void *ctx, const promise_value_t *reason) {
  (void)reason;
  note(*(const char *)ctx);
}

static promise_t *named(const char *letter) {
  promise_t *promise = promise_new();
  CHECK_STATUS(promise_on_cancel_request(promise, on_request, (void *)(uintptr_t)letter, NULL), PROMISE_OK);
  return promise;
}

RULE(each_promise_is_asked_once_in_order, "a token asks its promises once, in the order of their addition") {
  promise_token_t *token = promise_token_new(0);
  promise_t *promises[] = {named("a"), named("b"), named("c")};
  for (int i = 0; i < 3; i++)
    CHECK_STATUS(promise_token_add(token, promises[i]), PROMISE_OK);
  promise_release(promises[1]);
  CHECK_STATUS(promise_token_cancel(token, I64(4)), PROMISE_OK);
  CHECK_TEXT(journal, "ac");
  CHECK_INT(promise_token_generation(token), 0);
  CHECK_STATUS(promise_token_invalidate(token, NULL), PROMISE_OK);
  CHECK_TEXT(journal, "ac");
  CHECK_INT(promise_token_generation(token), 1);
  promise_release(promises[0]), promise_release(promises[2]);
  CHECK_STATUS(promise_token_release(token), PROMISE_OK);
  CHECK_STATUS(promise_token_release(token), PROMISE_ESTALE);
}

RULE(a_token_remembers_that_it_was_cancelled, "a token remembers that it was cancelled") {
  for (int invalidates = 0; invalidates < 2; invalidates++) {
    promise_token_t *token = promise_token_new(0), *chained = promise_token_new(0), *apart = promise_token_new(0);
    CHECK_STATUS(promise_token_chain(chained, token, PROMISE_CHAIN_CANCEL), PROMISE_OK);
    CHECK_STATUS(promise_token_chain(apart, token, 0), PROMISE_OK);
    CHECK_INT(promise_token_is_cancelled(token), 0);
    CHECK_STATUS((invalidates ? promise_token_invalidate : promise_token_cancel)(token, NULL), PROMISE_OK);
    CHECK_INT(promise_token_is_cancelled(token), 1);
    CHECK_INT(promise_token_is_cancelled(chained), 1);
    CHECK_INT(promise_token_is_cancelled(apart), invalidates);
    promise_t *promise = promise_new();
    CHECK_STATUS(promise_token_add(token, promise), PROMISE_OK);
    CHECK_INT(promise_cancel_requested(promise), 0);
    CHECK_INT(promise_token_is_cancelled(token), 1);
    promise_release(promise);
    promise_token_release(token), promise_token_release(chained), promise_token_release(apart);
    CHECK_STATUS(promise_token_is_cancelled(token), PROMISE_ESTALE);
  }
}

RULE(the_last_release_invalidates_if_asked_to, "the last release of a token invalidates it if it was made so") {
  for (int automatic = 0; automatic < 2; automatic++) {
    journal_clear();
    promise_token_t *token = promise_token_new(automatic ? PROMISE_TOKEN_INVALIDATE_ON_RELEASE : 0);
    promise_t *promise = named("p"), *source = promise_new();
    spy_t spy = {.answer = *I64(3)};
    promise_t *child = guarded(source, token, &spy);
    promise_token_add(token, promise);
    CHECK_STATUS(promise_token_retain(token), PROMISE_OK);
    CHECK_STATUS(promise_token_release(token), PROMISE_OK);
    CHECK_TEXT(journal, "");
    CHECK_STATUS(promise_token_release(token), PROMISE_OK);
    CHECK_TEXT(journal, automatic ? "p" : "");
    promise_resolve(source, VOID());
    CHECK_SPY(&spy, automatic ? 0 : 1, 1); /* the handler has no reference to the token, and outlives it */
    promise_release(promise), promise_release(source), promise_release(child);
  }
}

RULE(an_invalidated_token_silences_earlier_callbacks,
     "invalidating a token silences the handlers that were attached before") {
  for (int good = 0; good < 2; good++) {
    promise_token_t *token = promise_token_new(0);
    promise_t *source = promise_new();
    spy_t silenced = {0}, heard = {.answer = *I64(3), .verdict = PROMISE_FULFILL};
    promise_t *child = guarded(source, token, &silenced);
    promise_token_invalidate(token, NULL);
    promise_t *later = guarded(source, token, &heard);
    promise_token_cancel(token, NULL);
    (good ? promise_resolve : promise_reject)(source, I64(1));
    CHECK_SPY(&silenced, 0, 1);
    CHECK_SPY(&heard, 1, 1);
    CHECK_INT(promise_state(child), PROMISE_REJECTED);
    CHECK_INT(promise_cancel_requested(child), 1); /* the token cancelled it */
    CHECK(ended(later, PROMISE_FULFILLED, 3));
    promise_release(source), promise_release(child), promise_release(later);
    promise_token_release(token);
  }
}

RULE(an_outcome_without_a_handler_is_not_silenced, "an outcome without a handler passes through an invalidated token") {
  promise_token_t *token = promise_token_new(0);
  promise_t *source = promise_new();
  spy_t spy = {0};
  promise_reaction_t reaction = {.size = sizeof reaction, .token = token, .on_fulfilled = spy_handler};
  reaction.ctx = &spy, reaction.free_ctx = spy_free;
  promise_t *child = promise_react(source, &reaction);
  promise_token_invalidate(token, NULL);
  promise_reject(source, I64(6));
  CHECK(ended(child, PROMISE_REJECTED, 6));
  CHECK_SPY(&spy, 0, 1);
  promise_release(source), promise_release(child);
  promise_token_release(token);
}

RULE(chained_tokens_are_cancelled_with_their_parent,
     "a chained token is invalidated with its parent, and cancelled with it if asked to") {
  promise_token_t *parent = promise_token_new(0), *first = promise_token_new(0), *second = promise_token_new(0),
                  *below = promise_token_new(0);
  CHECK_STATUS(promise_token_chain(first, parent, PROMISE_CHAIN_CANCEL), PROMISE_OK);
  CHECK_STATUS(promise_token_chain(second, parent, PROMISE_CHAIN_CANCEL), PROMISE_OK);
  CHECK_STATUS(promise_token_chain(below, first, 0), PROMISE_OK);
  promise_t *promises[] = {named("p"), named("1"), named("2"), named("b")};
  promise_token_t *tokens[] = {parent, first, second, below};
  for (int i = 0; i < 4; i++)
    promise_token_add(tokens[i], promises[i]);
  promise_token_cancel(parent, NULL);
  CHECK_TEXT(journal, "p21"); /* the latest chained first; `below` is not cancelled, only invalidated */
  promise_token_invalidate(parent, NULL);
  CHECK_TEXT(journal, "p21b");
  for (int i = 0; i < 4; i++) {
    CHECK_INT(promise_token_generation(tokens[i]), 1);
    promise_release(promises[i]);
    promise_token_release(tokens[i]);
  }
}

RULE(a_circle_is_refused, "a circle of tokens is refused with PROMISE_EDEADLK") {
  promise_token_t *one = promise_token_new(0), *two = promise_token_new(0),
                  *three = promise_token_new(PROMISE_TOKEN_INVALIDATE_ON_RELEASE);
  CHECK_STATUS(promise_token_chain(one, one, PROMISE_CHAIN_CANCEL), PROMISE_EDEADLK);
  CHECK_STATUS(promise_token_chain(two, one, PROMISE_CHAIN_CANCEL), PROMISE_OK);
  CHECK_STATUS(promise_token_chain(three, two, 0), PROMISE_OK);
  CHECK_STATUS(promise_token_chain(one, three, PROMISE_CHAIN_CANCEL), PROMISE_EDEADLK);
  promise_token_release(two); /* a destroyed token ends the chains through it */
  CHECK_STATUS(promise_token_chain(one, three, PROMISE_CHAIN_CANCEL), PROMISE_OK);
  promise_token_release(one), promise_token_release(three);
}

RULE(a_chain_of_tokens_may_be_long, "a chain of tokens may have 100,000 links") {
  enum { LINKS = 100000 };
  static promise_token_t *tokens[LINKS];
  promise_t *promise = named("e");
  for (int i = 0; i < LINKS; i++)
    tokens[i] = promise_token_new(0);
  /* Chained from the end, so that each search for a cycle is short. */
  for (int i = LINKS - 1; i > 0; i--)
    CHECK_STATUS(promise_token_chain(tokens[i - 1], tokens[i], PROMISE_CHAIN_CANCEL), PROMISE_OK);
  promise_token_add(tokens[0], promise);
  promise_token_invalidate(tokens[LINKS - 1], NULL);
  CHECK_TEXT(journal, "e");
  for (int i = 0; i < LINKS; i++)
    promise_token_release(tokens[i]);
  promise_release(promise);
}

static promise_token_t *shared_token;

static void *adds_and_cancels(void *unused) {
  (void)unused;
  for (int i = 0; i < 2000; i++) {
    promise_t *promise = promise_new();
    promise_token_add(shared_token, promise);
    if (i % 7 == 0)
      promise_token_invalidate(shared_token, NULL);
    promise_release(promise);
  }
  return NULL;
}

RULE(a_token_may_be_used_by_several_threads, "a token may be used by several threads") {
  shared_token = promise_token_new(PROMISE_TOKEN_INVALIDATE_ON_RELEASE);
  pthread_t threads[4];
  for (int i = 0; i < 4; i++)
    REQUIRE(pthread_create(&threads[i], NULL, adds_and_cancels, NULL) == 0);
  for (int i = 0; i < 4; i++)
    pthread_join(threads[i], NULL);
  CHECK_INT(promise_token_generation(shared_token), 4 * 286);
  promise_token_release(shared_token);
}

/* Each token is destroyed once, although it is reached by every path through a thousand diamonds. */
RULE(a_token_with_two_parents_is_freed_once, "a token that several paths reach is invalidated once") {
  promise_token_t *tokens[3001] = {promise_token_new(0)};
  int last = 0;
  for (int i = 0; i < 1000; i++, last += 3) {
    for (int j = 1; j <= 3; j++)
      tokens[last + j] = promise_token_new(0);
    CHECK_STATUS(promise_token_chain(tokens[last + 1], tokens[last], PROMISE_CHAIN_CANCEL), PROMISE_OK);
    CHECK_STATUS(promise_token_chain(tokens[last + 2], tokens[last], PROMISE_CHAIN_CANCEL), PROMISE_OK);
    CHECK_STATUS(promise_token_chain(tokens[last + 3], tokens[last + 1], PROMISE_CHAIN_CANCEL), PROMISE_OK);
    CHECK_STATUS(promise_token_chain(tokens[last + 3], tokens[last + 2], PROMISE_CHAIN_CANCEL), PROMISE_OK);
  }
  CHECK_STATUS(promise_token_chain(tokens[0], tokens[last], PROMISE_CHAIN_CANCEL), PROMISE_EDEADLK);
  CHECK_STATUS(promise_token_invalidate(tokens[0], NULL), PROMISE_OK);
  CHECK_INT(promise_token_generation(tokens[last]), 1);
  CHECK_STATUS(promise_token_invalidate(tokens[0], NULL), PROMISE_OK);
  CHECK_INT(promise_token_generation(tokens[last]), 2);
  for (int i = 0; i <= last; i++)
    promise_token_release(tokens[i]);
}

static promise_token_t *token_new(bool invalidates_on_release) {
  promise_token_t *token = promise_token_new(invalidates_on_release ? PROMISE_TOKEN_INVALIDATE_ON_RELEASE : 0);
  CHECK(token != NULL);
  return token;
}

static void release_token(promise_token_t *token) {
  CHECK_STATUS(promise_token_release(token), PROMISE_OK);
}

static promise_t *react_with(promise_token_t *token, promise_t *promise, spy_t *spy) {
  promise_reaction_t reaction = {
      .size = sizeof reaction, .token = token, .on_fulfilled = spy_handler, .ctx = spy, .free_ctx = spy_free};
  promise_t *child = promise_react(promise, &reaction);
  CHECK(child != NULL);
  return child;
}

static void discards(void *promise, const promise_value_t *reason) {
  CHECK_INT(reason->kind, PROMISE_KIND_ERROR);
  CHECK_INT(promise_value_code(reason), PROMISE_ETIMEDOUT);
  CHECK_STATUS(promise_discard(promise), PROMISE_OK);
}

RULE(cancelling_silences_nobody, "cancelling a token asks its promises, and silences no handler") {
  spy_t spy = {0}, asked = {0};
  promise_value_t reason = i64(7);
  promise_token_t *token = token_new(false);
  promise_t *promise = pending(), *added = pending();
  promise_t *child = react_with(token, promise, &spy);
  CHECK_STATUS(promise_token_add(token, added), PROMISE_OK);
  CHECK_STATUS(promise_on_cancel_request(added, spy_observer, &asked, spy_free), PROMISE_OK);
  CHECK_STATUS(promise_token_cancel(token, &reason), PROMISE_OK);
  CHECK_SPY(&asked, 1, 1);
  CHECK_INT(asked.seen, 7);
  CHECK_INT(promise_token_generation(token), 0);
  resolve(promise, 1);
  CHECK_SPY(&spy, 1, 1);
  CHECK_ENDED(child, PROMISE_FULFILLED, 2);
  RELEASE(promise, added, child);
  release_token(token);
}

RULE(a_deadline_cancels, "a deadline cancels the token and those chained to it, and an earlier one stays") {
  /* Static: its handler runs after the one that discards the promise, when this function may have returned. */
  static spy_t asked;
  spy_t late = {0};
  promise_token_t *token = token_new(false), *child = token_new(false), *silent = token_new(false);
  promise_t *promise = pending(), *added = pending();
  CHECK_STATUS(promise_token_chain(child, token, PROMISE_CHAIN_CANCEL), PROMISE_OK);
  CHECK_STATUS(promise_token_chain(silent, token, 0), PROMISE_OK);
  CHECK_INT(promise_token_deadline(token), INT64_MAX);
  const int64_t hour = promise_now() + 3600000 * MILLISECONDS, soon = promise_now() + MILLISECONDS;
  CHECK_STATUS(promise_token_set_deadline(token, NULL, hour), PROMISE_OK);
  CHECK_STATUS(promise_token_set_deadline(token, NULL, hour + 1), PROMISE_OK);
  CHECK_INT(promise_token_deadline(token), hour);
  CHECK_INT(promise_token_deadline(child), hour);
  CHECK_INT(promise_token_deadline(silent), INT64_MAX);
  /* This handler settles the promise when the request comes, so that the thread can wait for the request. */
  CHECK_STATUS(promise_on_cancel_request(promise, discards, promise, NULL), PROMISE_OK);
  CHECK_STATUS(promise_on_cancel_request(promise, spy_observer, &asked, spy_free), PROMISE_OK);
  CHECK_STATUS(promise_token_add(child, promise), PROMISE_OK);
  CHECK_STATUS(promise_token_set_deadline(token, NULL, soon), PROMISE_OK);
  CHECK_STATUS(promise_wait(promise, FOR_EVER), PROMISE_OK);
  CHECK(promise_now() >= soon);
  CHECK_DISCARDED(promise);
  CHECK_INT(promise_token_generation(child), 0);
  CHECK_INT(promise_token_deadline(child), soon);
  CHECK_STATUS(promise_on_cancel_request(added, spy_observer, &late, spy_free), PROMISE_OK);
  CHECK_STATUS(promise_token_add(token, added), PROMISE_OK);
  CHECK_SPY(&late, 1, 1);
  CHECK_INT(late.kind, PROMISE_KIND_ERROR);
  RELEASE(promise, added);
  release_token(token);
  release_token(child);
  release_token(silent);
}

RULE(invalid_arguments_are_refused, "an invalid token is refused") {
  promise_token_t *gone = token_new(false), *token = token_new(false);
  promise_t *promise = pending();
  release_token(gone);
  promise_token_t *const handles[] = {NULL, gone, (promise_token_t *)(void *)promise};
  for (int i = 0; i < 3; i++) {
    promise_status_t status = i == 0 ? PROMISE_EINVAL : PROMISE_ESTALE;
    CHECK_STATUS(promise_token_retain(handles[i]), status);
    CHECK_STATUS(promise_token_release(handles[i]), status);
    CHECK_STATUS(promise_token_invalidate(handles[i], NULL), status);
    CHECK_STATUS(promise_token_cancel(handles[i], NULL), status);
    CHECK_STATUS(promise_token_add(handles[i], promise), status);
    CHECK_STATUS(promise_token_chain(handles[i], token, PROMISE_CHAIN_CANCEL), status);
    CHECK_STATUS(promise_token_chain(token, handles[i], PROMISE_CHAIN_CANCEL), status);
    CHECK_INT(promise_token_generation(handles[i]), status);
    CHECK_INT(promise_token_deadline(handles[i]), status);
    CHECK_STATUS(promise_token_set_deadline(handles[i], NULL, 0), status);
  }
  CHECK_STATUS(promise_token_add(token, NULL), PROMISE_EINVAL);
  CHECK_STATUS(promise_token_add(token, stale()), PROMISE_ESTALE);
  CHECK_STATUS(promise_state((promise_t *)(void *)token), PROMISE_ESTALE);
  spy_t spy = {0};
  promise_reaction_t reaction = {
      .size = sizeof reaction, .token = gone, .on_fulfilled = spy_handler, .ctx = &spy, .free_ctx = spy_free};
  CHECK_POINTER(promise_react(promise, &reaction), NULL);
  CHECK_STATUS(promise_last_status(), PROMISE_ESTALE);
  CHECK_SPY(&spy, 0, 1);
  release(promise);
  release_token(token);
}
