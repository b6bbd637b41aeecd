/* promise_all() and its relatives: inputs that are released while they are pending. The result cannot be settled any
 * more, so the contexts that wait for it are freed. */
#include "support.h"

typedef promise_t *(*combinator_t)(promise_t *const *, size_t, uint32_t);
enum { INPUTS = 3 };

/* Makes new inputs, and attaches a spy to their combination, of which only the inputs keep a reference. */
static void combine(combinator_t combinator, promise_t **inputs, spy_t *spy) {
  for (int i = 0; i < INPUTS; i++)
    inputs[i] = promise_new();
  promise_t *result = combinator(inputs, INPUTS, 0);
  promise_t *child = promise_then(result, spy_handler, spy, spy_free);
  REQUIRE(child != NULL);
  RELEASE(child, result);
}

static void none_is_ever_settled(combinator_t combinator) {
  promise_t *inputs[INPUTS];
  spy_t spy = {0};
  combine(combinator, inputs, &spy);
  for (int i = 0; i < INPUTS; i++) {
    CHECK_SPY(&spy, 0, 0);
    promise_release(inputs[i]);
  }
  CHECK_SPY(&spy, 0, 1);
}

static void the_last_is_never_settled(combinator_t combinator, promise_status_t (*settle)(promise_t *)) {
  promise_t *inputs[INPUTS];
  spy_t spy = {0};
  combine(combinator, inputs, &spy);
  for (int i = 0; i < INPUTS - 1; i++) {
    CHECK_STATUS(settle(inputs[i]), PROMISE_OK);
    promise_release(inputs[i]);
  }
  CHECK_SPY(&spy, 0, 0);
  promise_release(inputs[INPUTS - 1]);
  CHECK_SPY(&spy, 0, 1);
}

static promise_status_t resolves(promise_t *promise) {
  return promise_resolve(promise, I64(1));
}

static promise_status_t rejects(promise_t *promise) {
  return promise_reject(promise, I64(1));
}

TEST(all_of_lost_inputs) {
  none_is_ever_settled(promise_all);
  the_last_is_never_settled(promise_all, resolves);
}

TEST(all_settled_of_lost_inputs) {
  none_is_ever_settled(promise_all_settled);
  the_last_is_never_settled(promise_all_settled, resolves);
  the_last_is_never_settled(promise_all_settled, rejects);
}

TEST(any_of_lost_inputs) {
  none_is_ever_settled(promise_any);
  the_last_is_never_settled(promise_any, rejects);
}

TEST_BY(race_of_lost_inputs, none_is_ever_settled(promise_race))
