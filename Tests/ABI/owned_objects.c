/* Objects with an individual destructor: promise_value_object_with(). */
#include "support.h"

static const promise_type_t *type_of_two(void) {
  return promise_type_register("test.two", NULL, payload_destroy);
}

TEST(context_is_freed_and_not_the_payload) {
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

TEST(objects_with_and_without_a_context_coexist) {
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

TEST(context_is_freed_when_it_fails) {
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

TEST(context_and_payload_may_be_missing) {
  promise_value_t value;
  CHECK_STATUS(promise_value_object_with(&value, type_of_two(), NULL, NULL, NULL), PROMISE_OK);
  CHECK_POINTER(value.as.ptr, NULL);
  CHECK_STATUS(promise_value_release(&value), PROMISE_OK);
  spy_t spy = {0};
  CHECK_STATUS(promise_value_object_with(&value, type_of_two(), NULL, &spy, spy_free), PROMISE_OK);
  promise_value_release(&value);
  CHECK_SPY(&spy, 0, 1);
}

TEST(in_a_promise_it_is_freed_with_that) {
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

TEST(methods_of_the_type_apply) {
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
