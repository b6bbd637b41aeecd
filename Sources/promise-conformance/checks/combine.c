/* promise/combine.h */
#include "../checked.h"

CHECKS(combine)

static promise_t *inputs[3];

static void make_inputs(void) {
  journal_clear();
  for (int i = 0; i < 3; i++)
    inputs[i] = promise_new();
}

static void release_inputs(promise_t *result) {
  promise_release(result);
  RELEASE_EACH(inputs, 3);
}

static promise_value_t result_of(promise_t *promise) {
  promise_value_t value;
  REQUIRE(promise_result(promise, &value) == PROMISE_OK);
  return value;
}

static void on_request(void *ctx, const promise_value_t *reason) {
  (void)reason;
  note(*(const char *)ctx);
}

RULE(all_has_the_values_in_order, "promise_all() has every value, in the order of the inputs") {
  make_inputs();
  promise_t *all = promise_all(inputs, 3, 0);
  promise_value_t word = text("two");
  promise_resolve(inputs[2], &word);
  promise_resolve(inputs[0], I64(0));
  CHECK_INT(promise_state(all), PROMISE_PENDING);
  promise_resolve(inputs[1], I64(1));
  CHECK_INT(promise_state(all), PROMISE_FULFILLED);
  promise_value_t values = result_of(all);
  CHECK_INT(values.kind, PROMISE_KIND_ARRAY);
  CHECK_INT(promise_value_count(&values), 3);
  CHECK_INT(promise_value_at(&values, 1)->as.i64, 1);
  CHECK_TEXT(promise_value_data(promise_value_at(&values, 2), NULL), "two");
  promise_value_release(&values);
  release_inputs(all);
}

RULE(all_ends_with_the_first_rejection, "promise_all() is rejected as the first that is") {
  for (int cancels = 0; cancels < 2; cancels++) {
    make_inputs();
    static const char names[] = "abc";
    for (int i = 0; i < 3; i++)
      promise_on_cancel_request(inputs[i], on_request, (void *)(uintptr_t)&names[i], NULL);
    promise_t *all = promise_all(inputs, 3, cancels ? PROMISE_COMBINE_CANCEL_OTHERS : 0);
    promise_reject(inputs[1], I64(7));
    CHECK(ended(all, PROMISE_REJECTED, 7));
    CHECK_TEXT(journal, cancels ? "ac" : "");
    promise_reject(inputs[0], I64(8));
    CHECK(ended(all, PROMISE_REJECTED, 7));
    release_inputs(all);
  }
}

RULE(all_settled_gives_each_outcome, "promise_all_settled() gives the outcome of each") {
  make_inputs();
  promise_t *all = promise_all_settled(inputs, 3, 0);
  promise_resolve(inputs[0], I64(5));
  promise_reject(inputs[1], I64(6));
  promise_discard(inputs[2]);
  promise_value_t outcomes = result_of(all);
  CHECK_INT(promise_state(all), PROMISE_FULFILLED);
  static const promise_state_t states[] = {PROMISE_FULFILLED, PROMISE_REJECTED, PROMISE_REJECTED};
  for (size_t i = 0; i < 3; i++) {
    const promise_value_t *outcome = promise_value_at(&outcomes, i);
    CHECK_INT(promise_value_find(outcome, "state", 5)->as.i64, states[i]);
    CHECK_INT(promise_value_count(outcome), 2);
  }
  CHECK_INT(promise_value_find(promise_value_at(&outcomes, 0), "value", 5)->as.i64, 5);
  CHECK_INT(promise_value_find(promise_value_at(&outcomes, 1), "reason", 6)->as.i64, 6);
  CHECK_INT(promise_value_find(promise_value_at(&outcomes, 2), "reason", 6)->kind, PROMISE_KIND_DISCARDED);
  promise_value_release(&outcomes);
  release_inputs(all);
}

RULE(any_ends_with_the_first_value_or_all_reasons,
     "promise_any() is the first that is fulfilled, or has every reason") {
  for (int good = 0; good < 2; good++) {
    make_inputs();
    promise_t *any = promise_any(inputs, 3, 0);
    promise_reject(inputs[2], I64(2));
    promise_reject(inputs[0], I64(0));
    CHECK_INT(promise_state(any), PROMISE_PENDING);
    (good ? promise_resolve : promise_reject)(inputs[1], I64(1));
    if (good) {
      CHECK(ended(any, PROMISE_FULFILLED, 1));
    } else {
      CHECK_INT(promise_state(any), PROMISE_REJECTED);
      promise_value_t reasons = result_of(any);
      for (size_t i = 0; i < 3; i++)
        CHECK_INT(promise_value_at(&reasons, i)->as.i64, (int64_t)i);
      promise_value_release(&reasons);
    }
    release_inputs(any);
  }
}

RULE(race_ends_with_the_first, "promise_race() is the first that is settled") {
  for (int good = 0; good < 2; good++) {
    make_inputs();
    promise_t *race = promise_race(inputs, 3, 0);
    (good ? promise_resolve : promise_reject)(inputs[1], I64(1));
    promise_resolve(inputs[0], I64(0));
    CHECK(ended(race, good ? PROMISE_FULFILLED : PROMISE_REJECTED, 1));
    release_inputs(race);
  }
}

RULE(of_none_and_of_settled_ones_all_is_known_at_once,
     "a combination of none, or of settled promises, is settled at once") {
  promise_t *all = promise_all(NULL, 0, 0), *settled = promise_all_settled(NULL, 0, 0);
  promise_t *any = promise_any(NULL, 0, 0), *race = promise_race(NULL, 0, PROMISE_COMBINE_CANCEL_OTHERS);
  CHECK_INT(promise_state(all), PROMISE_FULFILLED);
  CHECK_INT(promise_state(settled), PROMISE_FULFILLED);
  promise_value_t reasons = result_of(any);
  CHECK_INT(promise_state(any), PROMISE_REJECTED);
  CHECK_INT(reasons.kind, PROMISE_KIND_ARRAY);
  CHECK_INT(promise_value_count(&reasons), 0);
  CHECK_INT(promise_cancel_requested(race), 1);
  CHECK_DISCARDED(race);
  promise_release(all), promise_release(settled), promise_release(any), promise_release(race);
  promise_value_release(&reasons);
  promise_t *same[] = {fulfilled(4), NULL};
  same[1] = same[0];
  all = promise_all(same, 2, 0);
  promise_value_t values = result_of(all);
  CHECK_INT(promise_value_at(&values, 1)->as.i64, 4);
  promise_value_release(&values);
  promise_release(all), promise_release(same[0]);
}

RULE(a_request_withdraws_interest_in_every_input,
     "a request to cancel a combination withdraws its interest in every input") {
  make_inputs();
  static const char names[] = "abc";
  for (int i = 0; i < 3; i++)
    promise_on_cancel_request(inputs[i], on_request, (void *)(uintptr_t)&names[i], NULL);
  promise_t *all = promise_all(inputs, 3, 0), *other = promise_then(inputs[1], adds_one, NULL, NULL);
  promise_request_cancel(all, NULL);
  CHECK_TEXT(journal, "ac");
  promise_request_cancel(other, NULL);
  CHECK_TEXT(journal, "acb");
  promise_release(other);
  release_inputs(all);
}

RULE(an_input_destroyed_while_pending_leaves_nothing_behind,
     "a combination may be destroyed before its inputs, and its inputs before it") {
  make_inputs();
  promise_t *all = promise_all(inputs, 3, 0), *any = promise_any(inputs, 3, 0);
  promise_resolve(inputs[0], I64(1));
  CHECK(ended(any, PROMISE_FULFILLED, 1));
  CHECK_INT(promise_state(all), PROMISE_PENDING);
  RELEASE(any, inputs[1], inputs[2]);
  CHECK_INT(promise_state(all), PROMISE_PENDING);
  promise_release(all), promise_release(inputs[0]);
}

/* In any order of settlement, a combination with an input destroyed while pending has no result. */
RULE(a_result_stays_pending_once_an_input_died,
     "a combination stays pending once an input that it needs was destroyed while pending") {
  for (int dies_first = 0; dies_first < 2; dies_first++) {
    make_inputs();
    promise_t *results[] = {promise_all(inputs, 3, 0), promise_all_settled(inputs, 3, 0)};
    if (dies_first)
      promise_release(inputs[1]);
    promise_resolve(inputs[0], I64(1)), promise_resolve(inputs[2], I64(1));
    if (!dies_first)
      promise_release(inputs[1]);
    for (int i = 0; i < 2; i++) {
      CHECK_INT(promise_state(results[i]), PROMISE_PENDING);
      promise_release(results[i]);
    }
    promise_release(inputs[0]), promise_release(inputs[2]);
  }
}

RULE(a_million_are_no_more_than_many, "a combination may have a million inputs") {
  size_t count = getenv("CHECK_QUICK") != NULL ? 10000 : 1000000;
  promise_t **many = malloc(count * sizeof *many);
  for (size_t i = 0; i < count; i++)
    many[i] = promise_new();
  promise_t *all = promise_all(many, count, 0);
  for (size_t i = 0; i < count; i++)
    promise_resolve(many[i], I64((int64_t)i));
  promise_value_t values = result_of(all);
  CHECK_INT(promise_value_count(&values), count);
  CHECK_INT(promise_value_at(&values, count - 1)->as.i64, (int64_t)count - 1);
  promise_value_release(&values);
  RELEASE_EACH(many, count);
  promise_release(all);
  free(many);
}

RULE(inputs_may_be_settled_on_several_threads, "the inputs may be settled on several threads") {
  for (int round = 0; round < 200; round++) {
    make_inputs();
    promise_t *all = promise_all(inputs, 3, 0), *race = promise_race(inputs, 3, 0);
    pthread_t threads[3];
    for (int i = 0; i < 3; i++)
      REQUIRE(pthread_create(&threads[i], NULL, resolve_there, inputs[i]) == 0);
    for (int i = 0; i < 3; i++)
      pthread_join(threads[i], NULL);
    CHECK(ended(race, PROMISE_FULFILLED, 1));
    CHECK_INT(promise_state(all), PROMISE_FULFILLED);
    promise_release(race);
    release_inputs(all);
  }
}

/* One input stays pending: it does not keep outcomes that come after the combination was decided. */
RULE(the_losers_of_a_race_are_not_kept, "outcomes that come after the result are released") {
  promise_t *never = promise_new();
  payload_t late = {0}, rejected = {0};
  for (int mode = 0; mode < 2; mode++) {
    promise_t *first = promise_new(), *second = promise_new();
    promise_t *three[] = {never, first, second};
    promise_t *decided = mode == 0 ? promise_race(three, 3, 0) : promise_all(three, 3, 0);
    promise_value_t value = object(&late), reason = object(&rejected);
    promise_reject(first, mode == 0 ? I64(1) : &reason);
    if (mode == 0)
      promise_value_release(&reason);
    promise_resolve(second, &value);
    CHECK(promise_state(decided) == PROMISE_REJECTED);
    promise_release(first), promise_release(second), promise_release(decided);
    CHECK_INT(atomic_load(&late.destroyed), mode + 1);
  }
  promise_release(never);
  CHECK_INT(atomic_load(&rejected.destroyed), 2);
}

typedef promise_t *combinator_t(promise_t *const *promises, size_t count, uint32_t flags);

static void release_all(promise_t *const *promises, size_t count) {
  for (size_t i = 0; i < count; i++)
    release(promises[i]);
}

RULE(the_others_may_be_asked_to_cancel, "PROMISE_COMBINE_CANCEL_OTHERS asks the others to cancel") {
  for (uint32_t flags = 0; flags <= PROMISE_COMBINE_CANCEL_OTHERS; flags += PROMISE_COMBINE_CANCEL_OTHERS) {
    promise_t *inputs[] = {pending(), pending()};
    retained(inputs[0]);
    promise_t *race = promise_race(inputs, 2, flags);
    resolve(inputs[1], 1);
    CHECK_INT(promise_cancel_requested(inputs[0]), flags == PROMISE_COMBINE_CANCEL_OTHERS);
    RELEASE(race, inputs[0]);
    release_all(inputs, 2);
  }
}

RULE(any_asks_the_others_too, "PROMISE_COMBINE_CANCEL_OTHERS of promise_any() asks them after the first value") {
  for (uint32_t flags = 0; flags <= PROMISE_COMBINE_CANCEL_OTHERS; flags += PROMISE_COMBINE_CANCEL_OTHERS) {
    promise_t *inputs[] = {pending(), pending(), pending()};
    promise_t *any = promise_any(inputs, 3, flags);
    reject(inputs[1], 1);
    CHECK_INT(promise_cancel_requested(inputs[0]), 0);
    resolve(inputs[2], 2);
    CHECK_ENDED(any, PROMISE_FULFILLED, 2);
    CHECK_INT(promise_cancel_requested(inputs[0]), flags == PROMISE_COMBINE_CANCEL_OTHERS);
    release(any);
    release_all(inputs, 3);
  }
}

/* A combination that is released has no interest in its inputs, and holds none of them. */
RULE(a_released_combination_is_detached, "a combination that is released or settled has no interest in its inputs") {
  static combinator_t *combinators[4];
  combinators[0] = promise_all, combinators[1] = promise_all_settled;
  combinators[2] = promise_any, combinators[3] = promise_race;
  for (int i = 0; i < 8; i++) {
    promise_t *inputs[] = {pending(), pending()};
    promise_t *combined = combinators[i / 2](inputs, 2, 0);
    promise_t *other = promise_then(inputs[0], adds_one, NULL, NULL);
    CHECK_STATUS(promise_request_cancel(other, NULL), PROMISE_OK);
    CHECK_INT(promise_cancel_requested(inputs[0]), 0);
    if (i % 2 == 1)
      CHECK_STATUS(promise_discard(combined), PROMISE_OK);
    release(combined);
    CHECK_STATUS(promise_state(combined), PROMISE_ESTALE);
    CHECK_INT(promise_cancel_requested(inputs[0]), 1);
    release(other);
    release_all(inputs, 2);
  }
}

RULE(invalid_arguments_are_refused, "invalid arguments are refused, and no input kept") {
  static combinator_t *combinators[4];
  combinators[0] = promise_all, combinators[1] = promise_all_settled;
  combinators[2] = promise_any, combinators[3] = promise_race;
  promise_t *inputs[] = {pending(), NULL}, *gone[] = {inputs[0], stale()};
  for (int i = 0; i < 4; i++) {
    CHECK_POINTER(combinators[i](inputs, 2, 0), NULL);
    CHECK_STATUS(promise_last_status(), PROMISE_EINVAL);
    CHECK_POINTER(combinators[i](NULL, 1, 0), NULL);
    CHECK_POINTER(combinators[i](inputs, 1, 4711), NULL);
    CHECK_STATUS(promise_last_status(), PROMISE_EINVAL);
    CHECK_POINTER(combinators[i](gone, 2, 0), NULL);
    CHECK_STATUS(promise_last_status(), PROMISE_ESTALE);
  }
  release(inputs[0]);
  CHECK_STATUS(promise_state(inputs[0]), PROMISE_ESTALE);
}
