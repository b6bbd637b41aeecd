/* promise/inspect.h */
#include <math.h>

#include "../checked.h"

static void numbers_compare_as_numbers(void) {
  promise_value_t one = i64(1), same = {.kind = PROMISE_KIND_U64, .as.u64 = 1};
  promise_value_t negative = i64(-1), large = {.kind = PROMISE_KIND_U64, .as.u64 = UINT64_MAX};
  promise_value_t real = {.kind = PROMISE_KIND_F64, .as.f64 = 1}, nothing = {.kind = PROMISE_KIND_F64, .as.f64 = NAN};
  promise_value_t zero = {.kind = PROMISE_KIND_F64, .as.f64 = 0}, minus = {.kind = PROMISE_KIND_F64, .as.f64 = -0.0};
  promise_value_t yes = {.kind = PROMISE_KIND_BOOL, .as.b = 1}, also = {.kind = PROMISE_KIND_BOOL, .as.b = 2};
  CHECK(values_equal(&one, &one) && values_equal(&one, &same));
  CHECK(!values_equal(&negative, &large) && !values_equal(&one, &real));
  CHECK(values_equal(&nothing, &nothing) && values_equal(&zero, &minus));
  CHECK(values_equal(&yes, &also) && !values_equal(&yes, &one));
  bool equal = true;
  CHECK_STATUS(promise_value_equal(NULL, &one, &equal), PROMISE_EINVAL);
  CHECK(!equal);
  equal = true;
  CHECK_STATUS(promise_value_equal(&one, NULL, &equal), PROMISE_EINVAL);
  CHECK(!equal);
  CHECK_STATUS(promise_value_equal(&one, &one, NULL), PROMISE_EINVAL);
}

static void content_compares_by_content(void) {
  promise_value_t string = text("text"), same = text("text"), other = text("tex"), bytes;
  CHECK_STATUS(promise_value_bytes(&bytes, "text", 4), PROMISE_OK);
  CHECK(values_equal(&string, &same) && !values_equal(&string, &other) && !values_equal(&string, &bytes));
  promise_value_t all[] = {string, same, other, bytes};
  for (int i = 0; i < 4; i++)
    CHECK_STATUS(promise_value_release(&all[i]), PROMISE_OK);
}

static promise_value_t map_of(const char *first, int64_t first_value, const char *second, int64_t second_value) {
  const char *const keys[] = {first, second};
  promise_value_t values[] = {i64(first_value), i64(second_value)}, map;
  CHECK_STATUS(promise_value_map(&map, keys, NULL, values, 2), PROMISE_OK);
  return map;
}

static void maps_compare_in_any_order(void) {
  promise_value_t one = map_of("a", 1, "b", 2), same = map_of("b", 2, "a", 1), other = map_of("a", 2, "b", 1);
  CHECK(values_equal(&one, &same) && !values_equal(&one, &other));
  promise_value_t all[] = {one, same, other};
  for (int i = 0; i < 3; i++)
    CHECK_STATUS(promise_value_release(&all[i]), PROMISE_OK);
}

static void objects_compare_by_identity(void) {
  payload_t payload = {0};
  promise_value_t one = object(&payload), other = object(&payload);
  CHECK(values_equal(&one, &one) && !values_equal(&one, &other));
  CHECK_STATUS(promise_value_release(&one), PROMISE_OK);
  CHECK_STATUS(promise_value_release(&other), PROMISE_OK);
}

static bool same_parity(const void *one, const void *other) {
  return *(const int *)one % 2 == *(const int *)other % 2;
}

static size_t says_parity(const void *payload, char *buffer, size_t size) {
  (void)size;
  memcpy(buffer, *(const int *)payload % 2 == 0 ? "even" : "odd!", 4);
  return 4;
}

static void a_type_may_say_how(void) {
  static int numbers[] = {1, 3, 4};
  const promise_type_t *type = promise_type_register("org.promises.conformance.parity", NULL, NULL);
  promise_value_t values[3];
  char buffer[64];
  CHECK_STATUS(promise_type_methods(type, same_parity, says_parity), PROMISE_OK);
  for (int i = 0; i < 3; i++)
    CHECK_STATUS(promise_value_object(&values[i], type, &numbers[i]), PROMISE_OK);
  CHECK(values_equal(&values[0], &values[1]) && !values_equal(&values[0], &values[2]));
  CHECK(promise_value_describe(&values[2], buffer, sizeof buffer) > 0);
  CHECK(strstr(buffer, "even") != NULL);
  CHECK_STATUS(promise_type_methods(NULL, same_parity, NULL), PROMISE_EINVAL);
  CHECK_STATUS(promise_type_methods((const promise_type_t *)(const void *)numbers, same_parity, NULL), PROMISE_ESTALE);
  for (int i = 0; i < 3; i++)
    CHECK_STATUS(promise_value_release(&values[i]), PROMISE_OK);
}

static void a_description_fits(void) {
  char buffer[64];
  promise_value_t map = map_of("a", 1, "b", 2), forged = {.kind = 4711};
  size_t length = promise_value_describe(&map, buffer, sizeof buffer);
  CHECK(length > 0 && length == strlen(buffer));
  for (size_t size = 1; size < 20; size++) {
    memset(buffer, 'x', sizeof buffer);
    length = promise_value_describe(&map, buffer, size);
    CHECK(length < size && buffer[length] == '\0' && buffer[size] == 'x');
  }
  CHECK(promise_value_describe(&forged, buffer, sizeof buffer) > 0);
  CHECK(promise_value_describe(NULL, buffer, sizeof buffer) > 0);
  CHECK_INT(promise_value_describe(&map, NULL, 7), 0);
  CHECK_INT(promise_value_describe(&map, buffer, 0), 0);
  CHECK_STATUS(promise_value_release(&map), PROMISE_OK);
}

CHECKS(inspect) = {
    RULE("integers are equal whatever their kind, and NaN to itself", numbers_compare_as_numbers),
    RULE("texts and bytes are equal by content, never one to the other", content_compares_by_content),
    RULE("maps are equal in any order", maps_compare_in_any_order),
    RULE("objects are equal by identity, unless their type says otherwise", objects_compare_by_identity),
    RULE("a type may say how its objects are compared and described", a_type_may_say_how),
    RULE("a description fits into its buffer, and there is one of everything", a_description_fits),
    CHECKS_END,
};
