/* promise/value.h: ownership of values, checked with objects that count their destruction. */
#include "../support.h"

static void last_reference_destroys_once(void) {
  payload_t payload = {0};
  promise_value_t value = object_value(&payload);
  EXPECT_INT(value.kind, PROMISE_KIND_OBJECT);
  EXPECT_POINTER(promise_value_data(&value, NULL), &payload);
  promise_value_t copy = value;
  EXPECT_STATUS(promise_value_retain(&value), PROMISE_OK);
  EXPECT_STATUS(promise_value_release(&value), PROMISE_OK);
  EXPECT_INT(value.kind, PROMISE_KIND_VOID);
  EXPECT_DESTROYED(&payload, 0);
  EXPECT_STATUS(promise_value_release(&value), PROMISE_OK);
  EXPECT_DESTROYED(&payload, 0);
  EXPECT_STATUS(promise_value_release(&copy), PROMISE_OK);
  EXPECT_DESTROYED(&payload, 1);
}

static void promise_holds_its_value(void) {
  payload_t payload = {0};
  promise_value_t value = object_value(&payload), out;
  promise_t *promise = pending();
  EXPECT_STATUS(promise_resolve(promise, &value), PROMISE_OK);
  EXPECT_DESTROYED(&payload, 0);
  EXPECT_STATUS(promise_result(promise, &out), PROMISE_OK);
  EXPECT_STATUS(promise_value_release(&out), PROMISE_OK);
  EXPECT_DESTROYED(&payload, 0);
  EXPECT_STATUS(promise_result(promise, &out), PROMISE_OK);
  release(promise);
  EXPECT_DESTROYED(&payload, 0);
  EXPECT_POINTER(promise_value_data(&out, NULL), &payload);
  EXPECT_STATUS(promise_value_release(&out), PROMISE_OK);
  EXPECT_DESTROYED(&payload, 1);
}

static void refused_settlement_releases_the_value(void) {
  for (int rejects = 0; rejects < 2; rejects++) {
    payload_t payload = {0};
    promise_value_t value = object_value(&payload);
    promise_t *promise = fulfilled(1);
    EXPECT_STATUS((rejects ? promise_reject : promise_resolve)(promise, &value), PROMISE_ESETTLED);
    EXPECT_DESTROYED(&payload, 1);
    release(promise);
    value = object_value(&payload);
    EXPECT_STATUS((rejects ? promise_reject : promise_resolve)(promise, &value), PROMISE_ESTALE);
    EXPECT_DESTROYED(&payload, 2);
    value = object_value(&payload);
    EXPECT_STATUS((rejects ? promise_reject : promise_resolve)(NULL, &value), PROMISE_EINVAL);
    EXPECT_DESTROYED(&payload, 3);
  }
}

static void derived_promises_share_the_value(void) {
  payload_t payload = {0};
  promise_value_t reason = object_value(&payload);
  promise_t *promise = pending();
  promise_t *child = promise_then(promise, adds_one, NULL, NULL);
  EXPECT_STATUS(promise_reject(promise, &reason), PROMISE_OK);
  release(promise);
  EXPECT_DESTROYED(&payload, 0);
  EXPECT_STATUS(promise_result(child, &reason), PROMISE_OK);
  EXPECT_POINTER(promise_value_data(&reason, NULL), &payload);
  EXPECT_STATUS(promise_value_release(&reason), PROMISE_OK);
  release(child);
  EXPECT_DESTROYED(&payload, 1);
}

static void what_handlers_leave_is_taken_over(void) {
  payload_t payload = {0}, refused = {0};
  spy_t spy = {.verdict = PROMISE_FULFILL, .answer = object_value(&payload)};
  spy_t wrong = {.verdict = 4711, .answer = object_value(&refused)};
  promise_t *promise = fulfilled(1);
  promise_t *child = promise_then(promise, spy_handler, &spy, spy_free);
  EXPECT_DESTROYED(&payload, 0);
  release(child);
  EXPECT_DESTROYED(&payload, 1);
  child = promise_then(promise, spy_handler, &wrong, spy_free);
  EXPECT_DESTROYED(&refused, 1);
  release(child);
  release(promise);
}

static void object_needs_a_type(void) {
  payload_t payload = {0};
  promise_value_t value = i64_value(1);
  promise_value_t good = object_value(&payload);
  const promise_type_t *type = promise_value_type(&good);
  EXPECT_STATUS(promise_value_release(&good), PROMISE_OK);
  EXPECT_DESTROYED(&payload, 1);
  EXPECT_STATUS(promise_value_object(&value, NULL, &payload), PROMISE_EINVAL);
  EXPECT_INT(value.kind, PROMISE_KIND_VOID);
  EXPECT_STATUS(promise_value_object(NULL, type, &payload), PROMISE_EINVAL);
  EXPECT_STATUS(promise_value_object(&value, (const promise_type_t *)(const void *)&payload, &payload), PROMISE_ESTALE);
  EXPECT_DESTROYED(&payload, 1);
  EXPECT_STATUS(promise_value_object(&value, type, NULL), PROMISE_OK);
  EXPECT_POINTER(promise_value_data(&value, NULL), NULL);
}

static void the_maker_may_say_how_it_is_freed(void) {
  payload_t payload = {0};
  spy_t spy = {0};
  promise_value_t good = object_value(&payload), value;
  const promise_type_t *type = promise_value_type(&good);
  EXPECT_STATUS(promise_value_release(&good), PROMISE_OK);
  EXPECT_STATUS(promise_value_object_with(&value, type, &payload, &spy, spy_free), PROMISE_OK);
  EXPECT_POINTER(promise_value_data(&value, NULL), &payload);
  EXPECT(promise_value_is(&value, type));
  EXPECT_STATUS(promise_value_release(&value), PROMISE_OK);
  EXPECT_SPY(&spy, 0, 1);
  EXPECT_DESTROYED(&payload, 1);
  EXPECT_STATUS(promise_value_object_with(&value, NULL, &payload, &spy, spy_free), PROMISE_EINVAL);
  EXPECT_SPY(&spy, 0, 2);
}

const check_t object_checks[] = {
    {"the last reference to an OBJECT destroys its payload, once", last_reference_destroys_once},
    {"a promise holds its value, and promise_result() gives a reference more", promise_holds_its_value},
    {"a settling call takes over its value when it is refused too", refused_settlement_releases_the_value},
    {"a reason that passes through is shared", derived_promises_share_the_value},
    {"what a handler leaves in *out is taken over, whatever its verdict", what_handlers_leave_is_taken_over},
    {"without a registered type an OBJECT is refused, and the payload left alone", object_needs_a_type},
    {"promise_value_object_with() has a destructor of its own", the_maker_may_say_how_it_is_freed},
    {NULL, NULL},
};
