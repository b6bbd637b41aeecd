/* promise/cancel.h: tokens. */
#include "../checked.h"

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

static void invalidating_silences_and_asks(void) {
  spy_t before = {0}, after = {0};
  promise_token_t *token = token_new(false);
  promise_t *promise = pending(), *added = pending();
  promise_t *first = react_with(token, promise, &before);
  CHECK_STATUS(promise_token_add(token, added), PROMISE_OK);
  CHECK_INT(promise_token_generation(token), 0);
  CHECK_STATUS(promise_token_invalidate(token, NULL), PROMISE_OK);
  CHECK_INT(promise_token_generation(token), 1);
  CHECK_INT(promise_cancel_requested(added), 1);
  promise_t *second = react_with(token, promise, &after);
  resolve(promise, 1);
  CHECK_SPY(&before, 0, 1);
  CHECK_SPY(&after, 1, 1);
  CHECK_DISCARDED(first);
  CHECK_ENDED(second, PROMISE_FULFILLED, 2);
  promise_t *all[] = {promise, added, first, second};
  for (int i = 0; i < 4; i++)
    release(all[i]);
  release_token(token);
}

static void cancelling_silences_nobody(void) {
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
  promise_t *all[] = {promise, added, child};
  for (int i = 0; i < 3; i++)
    release(all[i]);
  release_token(token);
}

static void the_last_release_may_invalidate(void) {
  for (int invalidates = 0; invalidates < 2; invalidates++) {
    spy_t spy = {0};
    promise_token_t *token = token_new(invalidates != 0);
    promise_t *promise = pending(), *added = pending();
    promise_t *child = react_with(token, promise, &spy);
    CHECK_STATUS(promise_token_add(token, added), PROMISE_OK);
    CHECK_STATUS(promise_token_retain(token), PROMISE_OK);
    release_token(token);
    CHECK_INT(promise_cancel_requested(added), 0);
    release_token(token);
    CHECK_INT(promise_cancel_requested(added), invalidates);
    resolve(promise, 1);
    CHECK_SPY(&spy, !invalidates, 1);
    promise_t *all[] = {promise, added, child};
    for (int i = 0; i < 3; i++)
      release(all[i]);
  }
}

static void chained_tokens_go_along(void) {
  promise_token_t *parent = token_new(false), *both = token_new(false), *silent = token_new(false);
  CHECK_STATUS(promise_token_chain(both, parent, PROMISE_CHAIN_CANCEL), PROMISE_OK);
  CHECK_STATUS(promise_token_chain(silent, parent, 0), PROMISE_OK);
  CHECK_STATUS(promise_token_chain(parent, both, PROMISE_CHAIN_CANCEL), PROMISE_EDEADLK);
  CHECK_STATUS(promise_token_chain(parent, parent, PROMISE_CHAIN_CANCEL), PROMISE_EDEADLK);
  promise_t *with_both = pending(), *with_silent = pending();
  CHECK_STATUS(promise_token_add(both, with_both), PROMISE_OK);
  CHECK_STATUS(promise_token_add(silent, with_silent), PROMISE_OK);
  CHECK_INT(promise_token_is_cancelled(parent), 0);
  CHECK_STATUS(promise_token_cancel(parent, NULL), PROMISE_OK);
  CHECK_INT(promise_token_is_cancelled(parent), 1);
  CHECK_INT(promise_token_is_cancelled(both), 1);
  CHECK_INT(promise_token_is_cancelled(silent), 0);
  CHECK_INT(promise_cancel_requested(with_both), 1);
  CHECK_INT(promise_cancel_requested(with_silent), 0);
  CHECK_STATUS(promise_token_invalidate(parent, NULL), PROMISE_OK);
  CHECK_INT(promise_cancel_requested(with_silent), 1);
  CHECK_INT(promise_token_generation(both), 1);
  CHECK_INT(promise_token_generation(silent), 1);
  release(with_both);
  release(with_silent);
  release_token(parent);
  release_token(both);
  release_token(silent);
}

static void a_deadline_cancels(void) {
  /* Static: the thread that runs the request calls it after the discarding, when this function may have returned. */
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
  /* The handler of the request settles the promise, for which this thread can wait. */
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
  release(promise);
  release(added);
  release_token(token);
  release_token(child);
  release_token(silent);
}

static void what_is_wrong_is_refused(void) {
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

CHECKS(token) = {
    RULE("invalidating a token silences the handlers attached before, and asks its promises to cancel",
         invalidating_silences_and_asks),
    RULE("cancelling a token asks its promises, and silences nobody", cancelling_silences_nobody),
    RULE("the last release of a token invalidates it, if it was made so", the_last_release_may_invalidate),
    RULE("a chained token goes along with its parent, and a circle is PROMISE_EDEADLK", chained_tokens_go_along),
    RULE("a deadline cancels the token and those chained to it, and an earlier one stays", a_deadline_cancels),
    RULE("a token that is none is refused", what_is_wrong_is_refused),
    CHECKS_END,
};
