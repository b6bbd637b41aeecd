/* promise/combine.h */
#include "../checked.h"

typedef promise_t *combinator_t(promise_t *const *promises, size_t count, uint32_t flags);

static promise_t *combined(combinator_t *combine, promise_t *const *promises, size_t count) {
  promise_t *promise = combine(promises, count, 0);
  CHECK(promise != NULL);
  return promise;
}

/* Expects that the promise is settled with an ARRAY of these numbers. */
static void expect_array(promise_t *promise, promise_state_t state, const int64_t *numbers, size_t count) {
  promise_value_t array;
  CHECK_INT(promise_state(promise), state);
  CHECK_STATUS(promise_result(promise, &array), PROMISE_OK);
  CHECK_INT(array.kind, PROMISE_KIND_ARRAY);
  CHECK_INT(promise_value_count(&array), (long long)count);
  for (size_t i = 0; i < count; i++)
    CHECK_INT(promise_value_at(&array, i)->as.i64, numbers[i]);
  CHECK_STATUS(promise_value_release(&array), PROMISE_OK);
}

static void release_all(promise_t *const *promises, size_t count) {
  for (size_t i = 0; i < count; i++)
    release(promises[i]);
}

static void all_has_every_value_in_order(void) {
  promise_t *inputs[] = {pending(), fulfilled(2), pending()};
  promise_t *all = combined(promise_all, inputs, 3);
  resolve(inputs[2], 3);
  CHECK_INT(promise_state(all), PROMISE_PENDING);
  resolve(inputs[0], 1);
  expect_array(all, PROMISE_FULFILLED, (int64_t[]){1, 2, 3}, 3);
  release(all);
  release_all(inputs, 3);
  all = combined(promise_all, NULL, 0);
  expect_array(all, PROMISE_FULFILLED, NULL, 0);
  release(all);
}

static void all_is_rejected_by_the_first(void) {
  promise_t *inputs[] = {pending(), pending(), pending()};
  promise_t *all = combined(promise_all, inputs, 3);
  resolve(inputs[1], 1);
  reject(inputs[2], 7);
  CHECK_ENDED(all, PROMISE_REJECTED, 7);
  reject(inputs[0], 8);
  CHECK_ENDED(all, PROMISE_REJECTED, 7);
  release(all);
  release_all(inputs, 3);
}

static int64_t number_in(const promise_value_t *map, const char *key) {
  const promise_value_t *value = promise_value_find(map, key, strlen(key));
  CHECK(value != NULL);
  return value->as.i64;
}

static void all_settled_tells_of_each(void) {
  promise_t *inputs[] = {pending(), fulfilled(2)};
  promise_t *all = combined(promise_all_settled, inputs, 2);
  CHECK_INT(promise_state(all), PROMISE_PENDING);
  reject(inputs[0], 7);
  promise_value_t array;
  CHECK_INT(promise_state(all), PROMISE_FULFILLED);
  CHECK_STATUS(promise_result(all, &array), PROMISE_OK);
  CHECK_INT(promise_value_count(&array), 2);
  CHECK_INT(number_in(promise_value_at(&array, 0), "state"), PROMISE_REJECTED);
  CHECK_INT(number_in(promise_value_at(&array, 0), "reason"), 7);
  CHECK_INT(number_in(promise_value_at(&array, 1), "state"), PROMISE_FULFILLED);
  CHECK_INT(number_in(promise_value_at(&array, 1), "value"), 2);
  CHECK_STATUS(promise_value_release(&array), PROMISE_OK);
  release(all);
  release_all(inputs, 2);
}

static void any_is_the_first_that_is_fulfilled(void) {
  promise_t *inputs[] = {pending(), pending(), pending()};
  promise_t *any = combined(promise_any, inputs, 3), *none = combined(promise_any, inputs, 2);
  reject(inputs[1], 8);
  reject(inputs[0], 7);
  CHECK_INT(promise_state(any), PROMISE_PENDING);
  expect_array(none, PROMISE_REJECTED, (int64_t[]){7, 8}, 2);
  resolve(inputs[2], 3);
  CHECK_ENDED(any, PROMISE_FULFILLED, 3);
  release(any);
  release(none);
  release_all(inputs, 3);
}

static void race_is_the_first_that_is_settled(void) {
  promise_t *inputs[] = {pending(), pending()};
  promise_t *race = combined(promise_race, inputs, 2);
  reject(inputs[1], 7);
  CHECK_ENDED(race, PROMISE_REJECTED, 7);
  resolve(inputs[0], 1);
  CHECK_ENDED(race, PROMISE_REJECTED, 7);
  release(race);
  release_all(inputs, 2);
  race = combined(promise_race, NULL, 0);
  CHECK_DISCARDED(race);
  release(race);
}

static void the_others_may_be_asked_to_cancel(void) {
  for (uint32_t flags = 0; flags <= PROMISE_COMBINE_CANCEL_OTHERS; flags += PROMISE_COMBINE_CANCEL_OTHERS) {
    promise_t *inputs[] = {pending(), pending()};
    retained(inputs[0]);
    promise_t *race = promise_race(inputs, 2, flags);
    resolve(inputs[1], 1);
    CHECK_INT(promise_cancel_requested(inputs[0]), flags == PROMISE_COMBINE_CANCEL_OTHERS);
    release(race);
    release(inputs[0]);
    release_all(inputs, 2);
  }
}

static void what_is_wrong_is_refused(void) {
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

CHECKS(combine) = {
    RULE("promise_all() has every value, in the order of the inputs", all_has_every_value_in_order),
    RULE("promise_all() is rejected as the first that is", all_is_rejected_by_the_first),
    RULE("promise_all_settled() tells how each ended", all_settled_tells_of_each),
    RULE("promise_any() is the first that is fulfilled, or has every reason", any_is_the_first_that_is_fulfilled),
    RULE("promise_race() is the first that is settled", race_is_the_first_that_is_settled),
    RULE("PROMISE_COMBINE_CANCEL_OTHERS asks the others to cancel", the_others_may_be_asked_to_cancel),
    RULE("what is wrong is refused, and no input kept", what_is_wrong_is_refused),
    CHECKS_END,
};
