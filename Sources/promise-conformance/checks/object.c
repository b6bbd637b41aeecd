/* promise/value.h: ownership of values, checked with objects that count their destruction. */
#include "../checked.h"

CHECKS(object)

RULE(last_reference_destroys_once, "the last reference to an OBJECT destroys its payload, once") {
  payload_t payload = {0};
  promise_value_t value = object(&payload);
  CHECK_INT(value.kind, PROMISE_KIND_OBJECT);
  CHECK_POINTER(promise_value_data(&value, NULL), &payload);
  promise_value_t copy = value;
  CHECK_STATUS(promise_value_retain(&value), PROMISE_OK);
  CHECK_STATUS(promise_value_release(&value), PROMISE_OK);
  CHECK_INT(value.kind, PROMISE_KIND_VOID);
  CHECK_DESTROYED(&payload, 0);
  CHECK_STATUS(promise_value_release(&value), PROMISE_OK);
  CHECK_DESTROYED(&payload, 0);
  CHECK_STATUS(promise_value_release(&copy), PROMISE_OK);
  CHECK_DESTROYED(&payload, 1);
}

RULE(promise_holds_its_value, "a promise holds its value, and promise_result() gives a reference more") {
  payload_t payload = {0};
  promise_value_t value = object(&payload), out;
  promise_t *promise = pending();
  CHECK_STATUS(promise_resolve(promise, &value), PROMISE_OK);
  CHECK_DESTROYED(&payload, 0);
  CHECK_STATUS(promise_result(promise, &out), PROMISE_OK);
  CHECK_STATUS(promise_value_release(&out), PROMISE_OK);
  CHECK_DESTROYED(&payload, 0);
  CHECK_STATUS(promise_result(promise, &out), PROMISE_OK);
  release(promise);
  CHECK_DESTROYED(&payload, 0);
  CHECK_POINTER(promise_value_data(&out, NULL), &payload);
  CHECK_STATUS(promise_value_release(&out), PROMISE_OK);
  CHECK_DESTROYED(&payload, 1);
}

RULE(refused_settlement_releases_the_value, "a settling call takes over its value when it is refused too") {
  for (int rejects = 0; rejects < 2; rejects++) {
    payload_t payload = {0};
    promise_value_t value = object(&payload);
    promise_t *promise = fulfilled(1);
    CHECK_STATUS((rejects ? promise_reject : promise_resolve)(promise, &value), PROMISE_ESETTLED);
    CHECK_DESTROYED(&payload, 1);
    release(promise);
    value = object(&payload);
    CHECK_STATUS((rejects ? promise_reject : promise_resolve)(promise, &value), PROMISE_ESTALE);
    CHECK_DESTROYED(&payload, 2);
    value = object(&payload);
    CHECK_STATUS((rejects ? promise_reject : promise_resolve)(NULL, &value), PROMISE_EINVAL);
    CHECK_DESTROYED(&payload, 3);
  }
}

RULE(derived_promises_share_the_value, "a reason that passes through is shared") {
  payload_t payload = {0};
  promise_value_t reason = object(&payload);
  promise_t *promise = pending();
  promise_t *child = promise_then(promise, adds_one, NULL, NULL);
  CHECK_STATUS(promise_reject(promise, &reason), PROMISE_OK);
  release(promise);
  CHECK_DESTROYED(&payload, 0);
  CHECK_STATUS(promise_result(child, &reason), PROMISE_OK);
  CHECK_POINTER(promise_value_data(&reason, NULL), &payload);
  CHECK_STATUS(promise_value_release(&reason), PROMISE_OK);
  release(child);
  CHECK_DESTROYED(&payload, 1);
}

RULE(values_that_handlers_leave_are_taken_over,
     "the value that a handler leaves in *out is taken over, with every verdict") {
  payload_t payload = {0}, refused = {0};
  spy_t spy = {.verdict = PROMISE_FULFILL, .answer = object(&payload)};
  spy_t wrong = {.verdict = 4711, .answer = object(&refused)};
  promise_t *promise = fulfilled(1);
  promise_t *child = promise_then(promise, spy_handler, &spy, spy_free);
  CHECK_DESTROYED(&payload, 0);
  release(child);
  CHECK_DESTROYED(&payload, 1);
  child = promise_then(promise, spy_handler, &wrong, spy_free);
  CHECK_DESTROYED(&refused, 1);
  RELEASE(child, promise);
}

RULE(object_needs_a_type, "without a registered type an OBJECT is refused, and the payload left alone") {
  payload_t payload = {0};
  promise_value_t value = i64(1);
  promise_value_t good = object(&payload);
  const promise_type_t *type = promise_value_type(&good);
  CHECK_STATUS(promise_value_release(&good), PROMISE_OK);
  CHECK_DESTROYED(&payload, 1);
  CHECK_STATUS(promise_value_object(&value, NULL, &payload), PROMISE_EINVAL);
  CHECK_INT(value.kind, PROMISE_KIND_VOID);
  CHECK_STATUS(promise_value_object(NULL, type, &payload), PROMISE_EINVAL);
  CHECK_STATUS(promise_value_object(&value, (const promise_type_t *)(const void *)&payload, &payload), PROMISE_ESTALE);
  CHECK_DESTROYED(&payload, 1);
  CHECK_STATUS(promise_value_object(&value, type, NULL), PROMISE_OK);
  CHECK_POINTER(promise_value_data(&value, NULL), NULL);
  CHECK_STATUS(promise_value_release(&value), PROMISE_OK);
}

RULE(the_maker_may_say_how_it_is_freed, "promise_value_object_with() has a destructor of its own") {
  payload_t payload = {0};
  spy_t spy = {0};
  promise_value_t good = object(&payload), value;
  const promise_type_t *type = promise_value_type(&good);
  CHECK_STATUS(promise_value_release(&good), PROMISE_OK);
  CHECK_STATUS(promise_value_object_with(&value, type, &payload, &spy, spy_free), PROMISE_OK);
  CHECK_POINTER(promise_value_data(&value, NULL), &payload);
  CHECK(promise_value_is(&value, type));
  CHECK_STATUS(promise_value_release(&value), PROMISE_OK);
  CHECK_SPY(&spy, 0, 1);
  CHECK_DESTROYED(&payload, 1);
  CHECK_STATUS(promise_value_object_with(&value, NULL, &payload, &spy, spy_free), PROMISE_EINVAL);
  CHECK_SPY(&spy, 0, 2);
}
