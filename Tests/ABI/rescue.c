/* promise_rescue: clauses 2.3, 3.2.2 and 3.2.3. */
#include "support.h"

/* Rejects with `reason`. Returns whether a handler for `type` was called; if not, checks that the reason passes
 * through. */
static bool rescues(const promise_type_t *type, promise_value_t reason) {
  spy_t spy = {0};
  promise_t *promise = promise_new();
  promise_t *child = promise_rescue(promise, type, spy_handler, &spy, spy_free);
  promise_value_t expected = reason, got;
  REQUIRE(child != NULL);
  CHECK_STATUS(promise_reject(promise, &reason), PROMISE_OK);
  CHECK_INT(atomic_load(&spy.frees), 1);
  bool called = atomic_load(&spy.calls) == 1;
  CHECK_INT(promise_state(child), called ? PROMISE_FULFILLED : PROMISE_REJECTED);
  if (!called) {
    CHECK_STATUS(promise_result(child, &got), PROMISE_OK);
    CHECK(memcmp(&got, &expected, sizeof got) == 0);
    promise_value_release(&got);
  }
  RELEASE(child, promise);
  return called;
}

static promise_value_t of(const promise_type_t *type) {
  promise_value_t value;
  REQUIRE(promise_value_object(&value, type, NULL) == PROMISE_OK);
  return value;
}

TEST(type_chooses_among_kinds) {
  promise_value_t discarded = {.kind = PROMISE_KIND_DISCARDED};
  CHECK(rescues(promise_type_named("i64"), *I64(1)));
  CHECK(!rescues(promise_type_named("u64"), *I64(1)));
  CHECK(!rescues(promise_type_named("error"), *I64(1)));
  CHECK(rescues(promise_type_named("string"), text("reason")));
  CHECK(!rescues(promise_type_named("bytes"), text("reason")));
  CHECK(rescues(promise_type_named("error"), error("test", 1, "reason")));
  CHECK(!rescues(promise_type_named("discarded"), error("test", 1, "reason")));
  CHECK(!rescues(promise_type_named("object"), error("test", 1, "reason")));
  CHECK(rescues(promise_type_named("discarded"), discarded));
  CHECK(rescues(promise_type_named("error"), discarded));
  CHECK(rescues(NULL, discarded));
}

TEST(type_chooses_among_objects) {
  const promise_type_t *parent = promise_type_register("test.rescue.parent", NULL, NULL);
  const promise_type_t *child = promise_type_register("test.rescue.child", parent, NULL);
  const promise_type_t *other = promise_type_register("test.rescue.other", parent, NULL);
  const promise_type_t *failure = promise_type_register("test.rescue.failure", promise_type_named("error"), NULL);
  CHECK(rescues(child, of(child)));
  CHECK(rescues(parent, of(child)));
  CHECK(rescues(promise_type_named("object"), of(child)));
  CHECK(rescues(NULL, of(child)));
  CHECK(!rescues(other, of(child)));
  CHECK(!rescues(child, of(parent)));
  CHECK(!rescues(promise_type_named("error"), of(child)));
  CHECK(rescues(promise_type_named("error"), of(failure)));
  CHECK(!rescues(failure, error("test", 1, "reason")));
}

TEST(reason_propagates_to_the_first_handler_of_its_type) {
  const promise_type_t *type = promise_type_register("test.rescue.traveller", NULL, NULL);
  spy_t skipped = {0}, wrong = {0}, right = {0}, after = {0};
  promise_value_t reason = of(type);
  promise_t *head = promise_new();
  promise_t *first = promise_then(head, spy_handler, &skipped, spy_free);
  promise_t *second = promise_rescue(first, promise_type_named("error"), spy_handler, &wrong, spy_free);
  promise_t *third = promise_rescue(second, type, spy_handler, &right, spy_free);
  promise_t *fourth = promise_then(third, spy_handler, &after, spy_free);
  promise_reject(head, &reason);
  CHECK_SPY(&skipped, 0, 1);
  CHECK_SPY(&wrong, 0, 1);
  CHECK_SPY(&right, 1, 1);
  CHECK_SPY(&after, 1, 1);
  CHECK_INT(promise_state(second), PROMISE_REJECTED);
  CHECK(ended(third, PROMISE_FULFILLED, 0));
  CHECK(ended(fourth, PROMISE_FULFILLED, 1));
  RELEASE(head, first, second, third, fourth);
}
