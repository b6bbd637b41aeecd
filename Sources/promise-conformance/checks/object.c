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

static const promise_type_t *type_of_two(void) {
  return promise_type_register("test.two", NULL, payload_destroy);
}

RULE(context_is_freed_and_not_the_payload, "promise_value_object_with() has a destructor of its own") {
  payload_t payload = {0};
  spy_t spy = {0};
  promise_value_t value = garbage();
  CHECK_STATUS(promise_value_object_with(&value, type_of_two(), &payload, &spy, spy_free), PROMISE_OK);
  CHECK_INT(value.kind, PROMISE_KIND_OBJECT);
  CHECK_POINTER(value.as.ptr, &payload);
  CHECK_POINTER(promise_value_data(&value, NULL), &payload);
  CHECK(promise_value_is(&value, type_of_two()));
  CHECK_STATUS(promise_value_retain(&value), PROMISE_OK);
  promise_value_t copy = value;
  CHECK_STATUS(promise_value_release(&value), PROMISE_OK);
  CHECK_SPY(&spy, 0, 0);
  CHECK_STATUS(promise_value_release(&copy), PROMISE_OK);
  CHECK_SPY(&spy, 0, 1);
  CHECK_INT(atomic_load(&payload.destroyed), 0);
}

RULE(objects_with_and_without_a_context_coexist, "objects of one type have their own destructor or that of the type") {
  payload_t theirs = {0}, ours = {0};
  spy_t spy = {0};
  promise_value_t one, other;
  CHECK_STATUS(promise_value_object(&one, type_of_two(), &theirs), PROMISE_OK);
  CHECK_STATUS(promise_value_object_with(&other, type_of_two(), &ours, &spy, spy_free), PROMISE_OK);
  CHECK_POINTER(promise_value_type(&one), promise_value_type(&other));
  promise_value_release(&one);
  promise_value_release(&other);
  CHECK_INT(atomic_load(&theirs.destroyed), 1);
  CHECK_INT(atomic_load(&ours.destroyed), 0);
  CHECK_SPY(&spy, 0, 1);
}

RULE(context_is_freed_when_it_fails, "promise_value_object_with() frees the context when it fails") {
  promise_value_t value = garbage();
  spy_t spies[4] = {{0}};
  CHECK_STATUS(promise_value_object_with(NULL, type_of_two(), NULL, &spies[0], spy_free), PROMISE_EINVAL);
  CHECK_STATUS(promise_value_object_with(&value, NULL, NULL, &spies[1], spy_free), PROMISE_EINVAL);
  CHECK_INT(value.kind, PROMISE_KIND_VOID);
  value = garbage();
  const promise_type_t *none = (const promise_type_t *)(const void *)&value;
  CHECK_STATUS(promise_value_object_with(&value, none, NULL, &spies[2], spy_free), PROMISE_ESTALE);
  CHECK_INT(value.kind, PROMISE_KIND_VOID);
  const promise_type_t *string = promise_type_named("string");
  CHECK_STATUS(promise_value_object_with(&value, string, NULL, &spies[3], spy_free), PROMISE_ESTALE);
  for (int i = 0; i < 4; i++)
    CHECK_SPY(&spies[i], 0, 1);
}

RULE(context_and_payload_may_be_missing, "promise_value_object_with() needs no context and no payload") {
  promise_value_t value;
  CHECK_STATUS(promise_value_object_with(&value, type_of_two(), NULL, NULL, NULL), PROMISE_OK);
  CHECK_POINTER(value.as.ptr, NULL);
  CHECK_STATUS(promise_value_release(&value), PROMISE_OK);
  spy_t spy = {0};
  CHECK_STATUS(promise_value_object_with(&value, type_of_two(), NULL, &spy, spy_free), PROMISE_OK);
  promise_value_release(&value);
  CHECK_SPY(&spy, 0, 1);
}

RULE(in_a_promise_it_is_freed_with_that, "an object with a destructor of its own is freed with its promise") {
  spy_t spy = {0};
  promise_value_t value;
  CHECK_STATUS(promise_value_object_with(&value, type_of_two(), &spy, &spy, spy_free), PROMISE_OK);
  promise_t *promise = promise_new_rejected(&value);
  promise_t *child = promise_rescue(promise, type_of_two(), adds_one, NULL, NULL);
  CHECK(ended(child, PROMISE_FULFILLED, 0));
  promise_release(child);
  CHECK_SPY(&spy, 0, 0);
  promise_release(promise);
  CHECK_SPY(&spy, 0, 1);
}

static bool same_first_byte(const void *one, const void *other) {
  return *(const char *)one == *(const char *)other;
}
static size_t describe_first_byte(const void *payload, char *buffer, size_t size) {
  if (size > 0)
    *buffer = *(const char *)payload;
  return 1;
}

RULE(methods_of_the_type_apply, "methods of a type apply to objects with destructors of their own") {
  const promise_type_t *type = promise_type_register("test.text", NULL, payload_destroy);
  CHECK_STATUS(promise_type_methods(type, same_first_byte, describe_first_byte), PROMISE_OK);
  spy_t spy = {0};
  char texts[][4] = {"abc", "axy", "bbb"};
  promise_value_t values[3];
  for (int i = 0; i < 3; i++)
    CHECK_STATUS(promise_value_object_with(&values[i], type, texts[i], &spy, spy_free), PROMISE_OK);
  CHECK(values_equal(&values[0], &values[1]));
  CHECK(!values_equal(&values[0], &values[2]));
  char description[16];
  CHECK_INT(promise_value_describe(&values[2], description, sizeof description), 1);
  CHECK_TEXT(description, "b");
  for (int i = 0; i < 3; i++)
    promise_value_release(&values[i]);
  CHECK_SPY(&spy, 0, 3);
}
