/* promise/cancel.h: tokens. */
#include "../support.h"

static promise_token_t *token_new(bool invalidates_on_release) {
  promise_token_t *token = promise_token_new(invalidates_on_release ? PROMISE_TOKEN_INVALIDATE_ON_RELEASE : 0);
  EXPECT(token != NULL);
  return token;
}

static void release_token(promise_token_t *token) {
  EXPECT_STATUS(promise_token_release(token), PROMISE_OK);
}

static promise_t *react_with(promise_token_t *token, promise_t *promise, spy_t *spy) {
  promise_reaction_t reaction = {
      .size = sizeof reaction, .token = token, .on_fulfilled = spy_handler, .ctx = spy, .free_ctx = spy_free};
  promise_t *child = promise_react(promise, &reaction);
  EXPECT(child != NULL);
  return child;
}

static void discards(void *promise, const promise_value_t *reason) {
  EXPECT_INT(reason->kind, PROMISE_KIND_ERROR);
  EXPECT_INT(promise_value_code(reason), PROMISE_ETIMEDOUT);
  EXPECT_STATUS(promise_discard(promise), PROMISE_OK);
}

static void invalidating_silences_and_asks(void) {
  spy_t before = {0}, after = {0};
  promise_token_t *token = token_new(false);
  promise_t *promise = pending(), *added = pending();
  promise_t *first = react_with(token, promise, &before);
  EXPECT_STATUS(promise_token_add(token, added), PROMISE_OK);
  EXPECT_INT(promise_token_generation(token), 0);
  EXPECT_STATUS(promise_token_invalidate(token, NULL), PROMISE_OK);
  EXPECT_INT(promise_token_generation(token), 1);
  EXPECT_INT(promise_cancel_requested(added), 1);
  promise_t *second = react_with(token, promise, &after);
  resolve(promise, 1);
  EXPECT_SPY(&before, 0, 1);
  EXPECT_SPY(&after, 1, 1);
  EXPECT_DISCARDED(first);
  EXPECT_ENDED(second, PROMISE_FULFILLED, 2);
  promise_t *all[] = {promise, added, first, second};
  for (int i = 0; i < 4; i++)
    release(all[i]);
  release_token(token);
}

static void cancelling_silences_nobody(void) {
  spy_t spy = {0}, asked = {0};
  promise_value_t reason = i64_value(7);
  promise_token_t *token = token_new(false);
  promise_t *promise = pending(), *added = pending();
  promise_t *child = react_with(token, promise, &spy);
  EXPECT_STATUS(promise_token_add(token, added), PROMISE_OK);
  EXPECT_STATUS(promise_on_cancel_request(added, spy_observer, &asked, spy_free), PROMISE_OK);
  EXPECT_STATUS(promise_token_cancel(token, &reason), PROMISE_OK);
  EXPECT_SPY(&asked, 1, 1);
  EXPECT_INT(asked.seen, 7);
  EXPECT_INT(promise_token_generation(token), 0);
  resolve(promise, 1);
  EXPECT_SPY(&spy, 1, 1);
  EXPECT_ENDED(child, PROMISE_FULFILLED, 2);
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
    EXPECT_STATUS(promise_token_add(token, added), PROMISE_OK);
    EXPECT_STATUS(promise_token_retain(token), PROMISE_OK);
    release_token(token);
    EXPECT_INT(promise_cancel_requested(added), 0);
    release_token(token);
    EXPECT_INT(promise_cancel_requested(added), invalidates);
    resolve(promise, 1);
    EXPECT_SPY(&spy, !invalidates, 1);
    promise_t *all[] = {promise, added, child};
    for (int i = 0; i < 3; i++)
      release(all[i]);
  }
}

static void chained_tokens_go_along(void) {
  promise_token_t *parent = token_new(false), *both = token_new(false), *silent = token_new(false);
  EXPECT_STATUS(promise_token_chain(both, parent, PROMISE_CHAIN_CANCEL), PROMISE_OK);
  EXPECT_STATUS(promise_token_chain(silent, parent, 0), PROMISE_OK);
  EXPECT_STATUS(promise_token_chain(parent, both, PROMISE_CHAIN_CANCEL), PROMISE_EDEADLK);
  EXPECT_STATUS(promise_token_chain(parent, parent, PROMISE_CHAIN_CANCEL), PROMISE_EDEADLK);
  promise_t *with_both = pending(), *with_silent = pending();
  EXPECT_STATUS(promise_token_add(both, with_both), PROMISE_OK);
  EXPECT_STATUS(promise_token_add(silent, with_silent), PROMISE_OK);
  EXPECT_INT(promise_token_is_cancelled(parent), 0);
  EXPECT_STATUS(promise_token_cancel(parent, NULL), PROMISE_OK);
  EXPECT_INT(promise_token_is_cancelled(parent), 1);
  EXPECT_INT(promise_token_is_cancelled(both), 1);
  EXPECT_INT(promise_token_is_cancelled(silent), 0);
  EXPECT_INT(promise_cancel_requested(with_both), 1);
  EXPECT_INT(promise_cancel_requested(with_silent), 0);
  EXPECT_STATUS(promise_token_invalidate(parent, NULL), PROMISE_OK);
  EXPECT_INT(promise_cancel_requested(with_silent), 1);
  EXPECT_INT(promise_token_generation(both), 1);
  EXPECT_INT(promise_token_generation(silent), 1);
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
  EXPECT_STATUS(promise_token_chain(child, token, PROMISE_CHAIN_CANCEL), PROMISE_OK);
  EXPECT_STATUS(promise_token_chain(silent, token, 0), PROMISE_OK);
  EXPECT_INT(promise_token_deadline(token), INT64_MAX);
  const int64_t hour = promise_now() + 3600000 * MILLISECOND, soon = promise_now() + MILLISECOND;
  EXPECT_STATUS(promise_token_set_deadline(token, NULL, hour), PROMISE_OK);
  EXPECT_STATUS(promise_token_set_deadline(token, NULL, hour + 1), PROMISE_OK);
  EXPECT_INT(promise_token_deadline(token), hour);
  EXPECT_INT(promise_token_deadline(child), hour);
  EXPECT_INT(promise_token_deadline(silent), INT64_MAX);
  /* The handler of the request settles the promise, for which this thread can wait. */
  EXPECT_STATUS(promise_on_cancel_request(promise, discards, promise, NULL), PROMISE_OK);
  EXPECT_STATUS(promise_on_cancel_request(promise, spy_observer, &asked, spy_free), PROMISE_OK);
  EXPECT_STATUS(promise_token_add(child, promise), PROMISE_OK);
  EXPECT_STATUS(promise_token_set_deadline(token, NULL, soon), PROMISE_OK);
  EXPECT_STATUS(promise_wait(promise, FOR_EVER), PROMISE_OK);
  EXPECT(promise_now() >= soon);
  EXPECT_DISCARDED(promise);
  EXPECT_INT(promise_token_generation(child), 0);
  EXPECT_INT(promise_token_deadline(child), soon);
  EXPECT_STATUS(promise_on_cancel_request(added, spy_observer, &late, spy_free), PROMISE_OK);
  EXPECT_STATUS(promise_token_add(token, added), PROMISE_OK);
  EXPECT_SPY(&late, 1, 1);
  EXPECT_INT(late.kind, PROMISE_KIND_ERROR);
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
    EXPECT_STATUS(promise_token_retain(handles[i]), status);
    EXPECT_STATUS(promise_token_release(handles[i]), status);
    EXPECT_STATUS(promise_token_invalidate(handles[i], NULL), status);
    EXPECT_STATUS(promise_token_cancel(handles[i], NULL), status);
    EXPECT_STATUS(promise_token_add(handles[i], promise), status);
    EXPECT_STATUS(promise_token_chain(handles[i], token, PROMISE_CHAIN_CANCEL), status);
    EXPECT_STATUS(promise_token_chain(token, handles[i], PROMISE_CHAIN_CANCEL), status);
    EXPECT_INT(promise_token_generation(handles[i]), status);
    EXPECT_INT(promise_token_deadline(handles[i]), status);
    EXPECT_STATUS(promise_token_set_deadline(handles[i], NULL, 0), status);
  }
  EXPECT_STATUS(promise_token_add(token, NULL), PROMISE_EINVAL);
  EXPECT_STATUS(promise_token_add(token, stale()), PROMISE_ESTALE);
  EXPECT_STATUS(promise_state((promise_t *)(void *)token), PROMISE_ESTALE);
  spy_t spy = {0};
  promise_reaction_t reaction = {
      .size = sizeof reaction, .token = gone, .on_fulfilled = spy_handler, .ctx = &spy, .free_ctx = spy_free};
  EXPECT_POINTER(promise_react(promise, &reaction), NULL);
  EXPECT_STATUS(promise_last_status(), PROMISE_ESTALE);
  EXPECT_SPY(&spy, 0, 1);
  release(promise);
  release_token(token);
}

const check_t token_checks[] = {
    {"invalidating a token silences the handlers attached before, and asks its promises to cancel",
     invalidating_silences_and_asks},
    {"cancelling a token asks its promises, and silences nobody", cancelling_silences_nobody},
    {"the last release of a token invalidates it, if it was made so", the_last_release_may_invalidate},
    {"a chained token goes along with its parent, and a circle is PROMISE_EDEADLK", chained_tokens_go_along},
    {"a deadline cancels the token and those chained to it, and an earlier one stays", a_deadline_cancels},
    {"a token that is none is refused", what_is_wrong_is_refused},
    {NULL, NULL},
};
