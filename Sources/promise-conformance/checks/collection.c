/* promise/collection.h: arrays and maps. */
#include "../checked.h"

CHECKS(collection)

/* ---- Arrays ---- */

RULE(array_has_its_elements_in_order, "an ARRAY has its elements in order, one after the other in memory") {
  promise_value_t value = garbage(), elements[] = {*I64(1), text("two"), {.kind = PROMISE_KIND_F64, .as.f64 = 3.0}};
  CHECK_STATUS(promise_value_array(&value, elements, 3), PROMISE_OK);
  CHECK_INT(value.kind, PROMISE_KIND_ARRAY);
  CHECK_INT(promise_value_count(&value), 3);
  CHECK(promise_value_is(&value, promise_type_named("array")));
  for (size_t i = 0; i < 3; i++) {
    const promise_value_t *element = promise_value_at(&value, i);
    CHECK(element != NULL && memcmp(element, &elements[i], sizeof *element) == 0);
    CHECK_POINTER(element, (const promise_value_t *)value.as.ptr + i);
  }
  CHECK_POINTER(promise_value_at(&value, 3), NULL);
  CHECK_POINTER(promise_value_at(&value, SIZE_MAX), NULL);
  CHECK_POINTER(promise_value_data(&value, NULL), NULL);
  CHECK_POINTER(promise_value_key(&value, 0, NULL), NULL);
  CHECK_POINTER(promise_value_find(&value, "", 0), NULL);
  CHECK_STATUS(promise_value_release(&value), PROMISE_OK);
  CHECK_INT(value.kind, PROMISE_KIND_VOID);
}

RULE(array_may_be_empty, "an ARRAY may be empty") {
  for (int given = 0; given < 2; given++) {
    promise_value_t value = garbage();
    CHECK_STATUS(promise_value_array(&value, given ? I64(1) : NULL, 0), PROMISE_OK);
    CHECK_INT(value.kind, PROMISE_KIND_ARRAY);
    CHECK_POINTER(value.as.ptr, NULL);
    CHECK_INT(promise_value_count(&value), 0);
    CHECK_POINTER(promise_value_at(&value, 0), NULL);
    CHECK_STATUS(promise_value_release(&value), PROMISE_OK);
  }
}

/* The output and the element may be the same object. */
RULE(array_may_replace_its_element, "an ARRAY may be stored where its element was") {
  promise_value_t value = text("inside");
  CHECK_STATUS(promise_value_array(&value, &value, 1), PROMISE_OK);
  CHECK_INT(value.kind, PROMISE_KIND_ARRAY);
  CHECK_TEXT(promise_value_data(promise_value_at(&value, 0), NULL), "inside");
  CHECK_STATUS(promise_value_release(&value), PROMISE_OK);
}

RULE(elements_are_freed_with_their_array, "a collection takes over its elements, and releases them at its end") {
  payload_t payload = {0};
  promise_t *promise = promise_new();
  promise_value_t value = ARRAY(object(&payload), holding(promise_new())), result;
  CHECK_STATUS(promise_resolve(promise, &value), PROMISE_OK);
  CHECK_STATUS(promise_result(promise, &result), PROMISE_OK);
  CHECK_STATUS(promise_release(promise), PROMISE_OK);
  promise_t *inner = promise_value_at(&result, 1)->as.ptr;
  CHECK_INT(promise_state(inner), PROMISE_PENDING);
  CHECK_INT(atomic_load(&payload.destroyed), 0);
  CHECK_STATUS(promise_value_release(&result), PROMISE_OK);
  CHECK_INT(atomic_load(&payload.destroyed), 1);
  CHECK_STATUS(promise_state(inner), PROMISE_ESTALE);
}

RULE(element_outlives_its_array_when_retained, "an element outlives its ARRAY when it is retained") {
  promise_value_t value = ARRAY(text("kept"), text("not kept"));
  promise_value_t kept = *promise_value_at(&value, 0), lost = *promise_value_at(&value, 1);
  CHECK_STATUS(promise_value_retain(&kept), PROMISE_OK);
  CHECK_STATUS(promise_value_release(&value), PROMISE_OK);
  CHECK_TEXT(promise_value_data(&kept, NULL), "kept");
  CHECK_STATUS(promise_value_release(&lost), PROMISE_EINVAL);
  CHECK_STATUS(promise_value_release(&kept), PROMISE_OK);
}

RULE(array_takes_its_elements_over_on_every_path,
     "a call that makes an ARRAY takes over its elements when it fails too") {
  payload_t payload = {0};
  promise_value_t value = garbage();
  promise_value_t elements[] = {object(&payload), {.kind = 77}, object(&payload)};
  CHECK_STATUS(promise_value_array(&value, elements, 3), PROMISE_EINVAL);
  CHECK_INT(value.kind, PROMISE_KIND_VOID);
  CHECK_INT(atomic_load(&payload.destroyed), 2);
  elements[0] = object(&payload);
  CHECK_STATUS(promise_value_array(NULL, elements, 1), PROMISE_EINVAL);
  CHECK_INT(atomic_load(&payload.destroyed), 3);
}

/* ---- Maps ---- */

RULE(map_has_its_entries_in_order, "a MAP keeps the order of its keys") {
  const char *const keys[] = {"zeta", "", "alpha", "naïve ☹"};
  promise_value_t value = garbage(), values[] = {*I64(1), text("two"), *VOID(), *I64(4)};
  CHECK_STATUS(promise_value_map(&value, keys, NULL, values, 4), PROMISE_OK);
  CHECK_INT(value.kind, PROMISE_KIND_MAP);
  CHECK_INT(promise_value_count(&value), 4);
  CHECK_POINTER(promise_value_data(&value, NULL), NULL);
  for (size_t i = 0; i < 4; i++) {
    size_t length = 4711;
    const char *key = promise_value_key(&value, i, &length);
    CHECK_TEXT(key, keys[i]);
    CHECK(key != keys[i]);
    CHECK_INT(length, strlen(keys[i]));
    CHECK_POINTER(promise_value_key(&value, i, NULL), key);
    const promise_value_t *found = promise_value_find(&value, keys[i], strlen(keys[i]));
    CHECK(found != NULL && memcmp(found, &values[i], sizeof *found) == 0);
    CHECK_POINTER(found, promise_value_at(&value, i));
    CHECK_POINTER(found, (const promise_value_t *)value.as.ptr + i);
  }
  size_t length = 4711;
  CHECK_POINTER(promise_value_key(&value, 4, &length), NULL);
  CHECK_INT(length, 0);
  CHECK_POINTER(promise_value_at(&value, 4), NULL);
  CHECK_POINTER(promise_value_find(&value, "alph", 4), NULL);
  CHECK_POINTER(promise_value_find(&value, "alpha", 4), NULL);
  CHECK_POINTER(promise_value_find(&value, "alpha", 6), NULL);
  CHECK_POINTER(promise_value_find(&value, NULL, 0), promise_value_at(&value, 1));
  CHECK_STATUS(promise_value_release(&value), PROMISE_OK);
}

RULE(map_may_be_empty, "a MAP may be empty") {
  promise_value_t value = garbage();
  CHECK_STATUS(promise_value_map(&value, NULL, NULL, NULL, 0), PROMISE_OK);
  CHECK_INT(value.kind, PROMISE_KIND_MAP);
  CHECK_POINTER(value.as.ptr, NULL);
  CHECK_INT(promise_value_count(&value), 0);
  CHECK_POINTER(promise_value_find(&value, "", 0), NULL);
  CHECK_POINTER(promise_value_find(&value, "a", 1), NULL);
  CHECK_STATUS(promise_value_release(&value), PROMISE_OK);
}

RULE(key_may_hold_any_text, "a key may hold a NUL") {
  const char *const keys[] = {"a\0b", "a\0c", "a"};
  const size_t lengths[] = {3, 3, 1};
  promise_value_t value, values[] = {*I64(0), *I64(1), *I64(2)};
  CHECK_STATUS(promise_value_map(&value, keys, lengths, values, 3), PROMISE_OK);
  CHECK_INT(promise_value_count(&value), 3);
  for (int i = 0; i < 3; i++) {
    const promise_value_t *found = promise_value_find(&value, keys[i], lengths[i]);
    CHECK(found != NULL && found->as.i64 == i);
  }
  CHECK_STATUS(promise_value_release(&value), PROMISE_OK);
}

RULE(same_key_keeps_its_place_and_the_last_value, "of equal keys the first place and the last value count") {
  payload_t payload = {0};
  const char *const keys[] = {"first", "second", "first"};
  promise_value_t value, values[] = {object(&payload), *I64(2), *I64(3)};
  CHECK_STATUS(promise_value_map(&value, keys, NULL, values, 3), PROMISE_OK);
  CHECK_INT(atomic_load(&payload.destroyed), 1);
  CHECK_INT(promise_value_count(&value), 2);
  CHECK_TEXT(promise_value_key(&value, 0, NULL), "first");
  CHECK_INT(promise_value_at(&value, 0)->as.i64, 3);
  CHECK_STATUS(promise_value_release(&value), PROMISE_OK);
}

RULE(map_takes_its_values_over_on_every_path, "a call that makes a MAP takes over its values when it fails too") {
  payload_t payload = {0};
  const char *const good[] = {"a", "b"}, *const bad[] = {"a", "\xff"}, *const missing[] = {"a", NULL};
  promise_value_t value = garbage(), values[] = {object(&payload), object(&payload)};
  CHECK_STATUS(promise_value_map(&value, bad, NULL, values, 2), PROMISE_EINVAL);
  CHECK_INT(value.kind, PROMISE_KIND_VOID);
  CHECK_INT(atomic_load(&payload.destroyed), 2);
  values[0] = object(&payload), values[1] = object(&payload);
  CHECK_STATUS(promise_value_map(&value, missing, NULL, values, 2), PROMISE_EINVAL);
  CHECK_INT(atomic_load(&payload.destroyed), 4);
  values[0] = object(&payload), values[1] = *I64(1);
  values[1].kind = 77;
  CHECK_STATUS(promise_value_map(&value, good, NULL, values, 2), PROMISE_EINVAL);
  CHECK_INT(atomic_load(&payload.destroyed), 5);
  values[0] = object(&payload);
  CHECK_STATUS(promise_value_map(NULL, good, NULL, values, 1), PROMISE_EINVAL);
  CHECK_INT(atomic_load(&payload.destroyed), 6);
  values[0] = object(&payload);
  CHECK_STATUS(promise_value_map(&value, NULL, NULL, values, 1), PROMISE_EINVAL);
  CHECK_INT(atomic_load(&payload.destroyed), 7);
}

/* ---- Depth ---- */

static void *makes_deep_values(void *argument) {
  payload_t *payload = argument;
  long levels = check_scale(1000 * 1000);
  promise_value_t value = nest(object(payload), levels);
  const promise_value_t *inside = &value;
  long found = 0;
  while (inside->kind == PROMISE_KIND_ARRAY)
    inside = promise_value_at(inside, 0), found++;
  CHECK_INT(found, levels);
  CHECK_STATUS(promise_value_release(&value), PROMISE_OK);
  CHECK_INT(atomic_load(&payload->destroyed), 1);

  value = object(payload);
  const char *const key = "next";
  for (long i = 0; i < levels; i++)
    REQUIRE(promise_value_map(&value, &key, NULL, &value, 1) == PROMISE_OK);
  promise_t *promise = promise_new();
  CHECK_STATUS(promise_resolve(promise, &value), PROMISE_OK);
  CHECK_STATUS(promise_release(promise), PROMISE_OK);
  CHECK_INT(atomic_load(&payload->destroyed), 2);
  return NULL;
}

RULE(deep_value_is_freed_without_a_stack, "a value nested a million deep is released on a stack of 512 KiB") {
  payload_t payload = {0};
  on_small_stack(makes_deep_values, &payload);
}

static void release_value(promise_value_t *value) {
  CHECK_STATUS(promise_value_release(value), PROMISE_OK);
}

RULE(a_value_that_is_not_a_collection_has_no_elements, "a value that is not a collection has no elements") {
  promise_value_t string = text("text");
  CHECK_INT(promise_value_count(&string), 0);
  CHECK_POINTER(promise_value_at(&string, 0), NULL);
  CHECK_INT(promise_value_count(NULL), 0);
  CHECK_POINTER(promise_value_at(NULL, 0), NULL);
  CHECK_POINTER(promise_value_key(NULL, 0, NULL), NULL);
  CHECK_POINTER(promise_value_find(NULL, "", 0), NULL);
  release_value(&string);
}

RULE(wrong_arguments_are_refused, "wrong arguments are refused") {
  const char *const keys[] = {"\xff"}, *const missing[] = {NULL};
  promise_value_t number = i64(1), out;
  CHECK_STATUS(promise_value_array(NULL, &number, 1), PROMISE_EINVAL);
  CHECK_STATUS(promise_value_array(&out, NULL, 1), PROMISE_EINVAL);
  CHECK_STATUS(promise_value_map(&out, keys, NULL, &number, 1), PROMISE_EINVAL);
  CHECK_STATUS(promise_value_map(&out, missing, NULL, &number, 1), PROMISE_EINVAL);
  CHECK_STATUS(promise_value_map(&out, NULL, NULL, &number, 1), PROMISE_EINVAL);
  CHECK_STATUS(promise_value_map(&out, keys, NULL, NULL, 1), PROMISE_EINVAL);
  CHECK_INT(out.kind, PROMISE_KIND_VOID);
}
