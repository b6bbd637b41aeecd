/* promises.h - random calls on promises and cancellation tokens. */
#ifndef MONKEY_PROMISES_H
#define MONKEY_PROMISES_H

#include "values.h"

/* ---- Callbacks ---- */

static void observer(void *ctx, const promise_value_t *value) {
  promise_value_t copy = *value;
  if (promise_value_retain(&copy) == PROMISE_OK)
    promise_value_release(&copy);
  bond_called(ctx);
}

static promise_verdict_t handler(void *ctx, const promise_value_t *in, promise_value_t *out) {
  bond_called(ctx);
  switch (draw(5)) {
  case 0:
    *out = *in;
    if (promise_value_retain(out) != PROMISE_OK)
      *out = *VOID();
    return PROMISE_FULFILL;
  case 1: {
    int count = held_count; /* 0 outside of a move, as on a library thread */
    promise_t *promise = follows ? right(PROMISES) : NULL;
    if (promise_retain(promise) == PROMISE_OK)
      *out = holding(promise);
    let_go_of_held(count);
    return PROMISE_ADOPT;
  }
  case 2:
    *out = any_value();
    return (promise_verdict_t)draw(26);
  default:
    *out = any_value();
    return toss(2) ? PROMISE_FULFILL : PROMISE_REJECT;
  }
}

static bond_t *bond_once(void) {
  return bond_in(bonds, &bonds_used, true);
}

static bond_t *bond_often(void) {
  return bond_in(bonds, &bonds_used, false);
}

/* ---- Promises ---- */

static void make_promise(void) {
  promise_value_t value;
  bond_t *bond;
  switch (draw(5)) {
  case 0:
    value = any_value();
    keep(PROMISES, promise_new_resolved(&value));
    break;
  case 1:
    value = any_reason();
    keep(PROMISES, promise_new_rejected(&value));
    break;
  case 2:
    if ((bond = bond_once()) != NULL)
      keep(PROMISES, promise_new_discardable(toss(4) ? NULL : bond_called, bond, bond_free));
    break;
  case 3:
    if ((bond = bond_once()) != NULL)
      keep(PROMISES, promise_run(toss(3) ? NULL : any(EXECUTORS), handler, bond, bond_free));
    break;
  default:
    keep(PROMISES, promise_new());
  }
}

static void settle(promise_t *promise) {
  promise_value_t value = any_value(), values[3];
  promise_t *promises[3];
  switch (draw(6)) {
  case 0:
  case 1:
    promise_resolve(promise, &value);
    return;
  case 2:
    promise_reject(promise, &value);
    return;
  case 3:
    promise_discard_with(promise, &value);
    return;
  case 4:
    promise_value_release(&value);
    promise_discard(promise);
    return;
  default:
    values[0] = value;
    promises[0] = promise;
    for (int i = 1; i < 3; i++)
      values[i] = any_value(), promises[i] = any(PROMISES);
    promise_resolve_many(promises, values, 3, NULL);
  }
}

static void attach(promise_t *promise) {
  bond_t *bond = bond_once();
  promise_reaction_t reaction = {.size = sizeof reaction, .ctx = bond, .free_ctx = bond_free};
  if (bond == NULL)
    return;
  switch (draw(8)) {
  case 0:
    keep(PROMISES, promise_then(promise, handler, bond, bond_free));
    break;
  case 1:
    keep(PROMISES, promise_rescue(promise, toss(2) ? NULL : promise_type_named("error"), handler, bond, bond_free));
    break;
  case 2:
    promise_observe(promise, observer, toss(2) ? observer : NULL, bond, bond_free);
    break;
  case 3:
    promise_tap(promise, observer, observer, bond, bond_free);
    break;
  case 4:
    keep(PROMISES, promise_finally(promise, bond_called, bond, bond_free));
    break;
  default:
    reaction.executor = toss(3) ? NULL : any(EXECUTORS);
    reaction.token = toss(2) ? NULL : any(TOKENS);
    reaction.on_fulfilled = toss(2) ? handler : NULL;
    reaction.on_rejected = reaction.on_fulfilled == NULL || toss(2) ? handler : NULL;
    keep(PROMISES, promise_react(promise, &reaction));
  }
}

static void combine(void) {
  static promise_t *(*const combinators[])(promise_t *const *, size_t, uint32_t) = {promise_all, promise_all_settled,
                                                                                    promise_any, promise_race};
  promise_t *inputs[4];
  for (int i = 0; i < 4; i++)
    inputs[i] = right(PROMISES);
  keep(PROMISES, combinators[draw(4)](inputs, draw(5), toss(4) ? PROMISE_COMBINE_CANCEL_OTHERS : 0));
}

static void look(promise_t *promise) {
  promise_value_t value;
  promise_t *promises[] = {promise, any(PROMISES)};
  size_t index;
  switch (draw(5)) {
  case 0:
    promise_wait(promise, (int64_t)draw(50000));
    break;
  case 1:
    promise_wait_interruptible(promise, (int64_t)draw(50000));
    break;
  case 2:
    promise_wait_any(promises, 2, (int64_t)draw(50000), &index);
    break;
  case 3:
    promise_state(promise), promise_cancel_requested(promise);
    break;
  default:
    if (promise_result(promise, &value) == PROMISE_OK)
      promise_value_release(&value);
  }
}

static void promise_move(void) {
  promise_t *promise = any(PROMISES);
  switch (draw(10)) {
  case 0:
  case 1:
    make_promise();
    break;
  case 2:
    settle(promise);
    break;
  case 3:
  case 4:
  case 5:
    attach(promise);
    break;
  case 6:
    if (!follows)
      combine();
    break;
  case 7:
    look(promise);
    break;
  case 8:
    if (follows)
      promise_follow(promise, any(PROMISES));
    break;
  default:
    share(PROMISES, promise);
  }
}

/* ---- Requests to cancel, and tokens ---- */

static void request_move(void) {
  promise_t *promise = any(PROMISES);
  promise_value_t reason = any_value();
  bond_t *bond;
  switch (draw(4)) {
  case 0:
  case 1:
    promise_request_cancel(promise, toss(2) ? NULL : &reason);
    break;
  case 2:
    if ((bond = bond_once()) != NULL)
      promise_on_cancel_request(promise, observer, bond, bond_free);
    break;
  default:
    promise_seal(promise);
  }
  promise_value_release(&reason);
}

static void token_move(void) {
  promise_token_t *token = any(TOKENS);
  promise_value_t reason = *VOID();
  switch (draw(9)) {
  case 0:
  case 1:
    keep(TOKENS, promise_token_new(toss(2) ? PROMISE_TOKEN_INVALIDATE_ON_RELEASE : 0));
    break;
  case 2:
    reason = any_value();
    promise_token_invalidate(token, &reason);
    break;
  case 3:
    reason = any_value();
    promise_token_cancel(token, &reason);
    break;
  case 4:
    promise_token_add(token, any(PROMISES));
    break;
  case 5:
    promise_token_chain(token, any(TOKENS), toss(2) ? PROMISE_CHAIN_CANCEL : 0);
    break;
  case 6:
    promise_token_set_deadline(token, toss(2) ? NULL : any(EXECUTORS), promise_now() + (int64_t)draw(2 * MILLISECONDS));
    break;
  case 7:
    promise_token_deadline(token), promise_token_generation(token), promise_token_is_cancelled(token);
    break;
  default:
    share(TOKENS, token);
  }
  promise_value_release(&reason);
}

#endif /* MONKEY_PROMISES_H */
