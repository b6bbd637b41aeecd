/* Arrays and maps: creation, reading, sharing, release. */
#include "support.h"

/* ---- Arrays ---- */

static void array_has_its_elements_in_order(void) {
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

static void array_may_be_empty(void) {
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

/* The array may be written over its element. */
static void array_may_replace_its_element(void) {
  promise_value_t value = text("inside");
  CHECK_STATUS(promise_value_array(&value, &value, 1), PROMISE_OK);
  CHECK_INT(value.kind, PROMISE_KIND_ARRAY);
  CHECK_TEXT(promise_value_data(promise_value_at(&value, 0), NULL), "inside");
  CHECK_STATUS(promise_value_release(&value), PROMISE_OK);
}

static void elements_go_with_their_array(void) {
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

static void element_outlives_its_array_when_retained(void) {
  promise_value_t value = ARRAY(text("kept"), text("not kept"));
  promise_value_t kept = *promise_value_at(&value, 0), lost = *promise_value_at(&value, 1);
  CHECK_STATUS(promise_value_retain(&kept), PROMISE_OK);
  CHECK_STATUS(promise_value_release(&value), PROMISE_OK);
  CHECK_TEXT(promise_value_data(&kept, NULL), "kept");
  CHECK_STATUS(promise_value_release(&lost), PROMISE_EINVAL);
  CHECK_STATUS(promise_value_release(&kept), PROMISE_OK);
}

static void array_takes_its_elements_over_on_every_path(void) {
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

static void map_has_its_entries_in_order(void) {
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

static void map_may_be_empty(void) {
  promise_value_t value = garbage();
  CHECK_STATUS(promise_value_map(&value, NULL, NULL, NULL, 0), PROMISE_OK);
  CHECK_INT(value.kind, PROMISE_KIND_MAP);
  CHECK_POINTER(value.as.ptr, NULL);
  CHECK_INT(promise_value_count(&value), 0);
  CHECK_POINTER(promise_value_find(&value, "", 0), NULL);
  CHECK_POINTER(promise_value_find(&value, "a", 1), NULL);
  CHECK_STATUS(promise_value_release(&value), PROMISE_OK);
}

static void key_may_hold_any_text(void) {
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

static void same_key_keeps_its_place_and_the_last_value(void) {
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

static void map_takes_its_values_over_on_every_path(void) {
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

/* Maps with many keys: a lookup takes the same time for each key. */
static void map_of_many_finds_each(void) {
  long count = check_scale(300 * 1000), wrong = 0;
  char(*keys)[16] = malloc((size_t)count * sizeof *keys);
  const char **pointers = malloc((size_t)count * sizeof *pointers);
  promise_value_t value, *values = malloc((size_t)count * sizeof *values);
  REQUIRE(keys != NULL && pointers != NULL && values != NULL);
  for (long i = 0; i < count; i++) {
    snprintf(keys[i], sizeof keys[i], "key %ld", i * 7919 % count);
    pointers[i] = keys[i];
    values[i] = *I64(i);
  }
  CHECK_STATUS(promise_value_map(&value, pointers, NULL, values, (size_t)count), PROMISE_OK);
  for (long i = 0; i < count; i++) {
    const promise_value_t *found = promise_value_find(&value, keys[i], strlen(keys[i]));
    wrong += found == NULL || found->as.i64 != i;
    wrong += strcmp(promise_value_key(&value, (size_t)i, NULL), keys[i]) != 0;
    keys[i][0] = 'K';
    wrong += promise_value_find(&value, keys[i], strlen(keys[i])) != NULL;
  }
  CHECK_INT(wrong, 0);
  CHECK_STATUS(promise_value_release(&value), PROMISE_OK);
  free(values), free(pointers), free(keys);
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

static void deep_value_goes_without_a_stack(void) {
  payload_t payload = {0};
  on_small_stack(makes_deep_values, &payload);
}

static void wide_value_goes_whole(void) {
  payload_t payload = {0};
  long count = check_scale(300 * 1000);
  promise_value_t *elements = malloc((size_t)count * sizeof *elements);
  REQUIRE(elements != NULL);
  for (long i = 0; i < count; i++)
    elements[i] = object(&payload);
  promise_value_t value = array(elements, (size_t)count);
  free(elements);
  CHECK_STATUS(promise_value_release(&value), PROMISE_OK);
  CHECK_INT(atomic_load(&payload.destroyed), count);
}

/* ---- Threads ---- */

static promise_value_t shared;
static void *reads_and_retains(void *argument) {
  long wrong = 0, rounds = check_scale(200000);
  (void)argument;
  for (long i = 0; i < rounds; i++) {
    promise_value_t element = *promise_value_at(&shared, (size_t)i % 2);
    wrong += promise_value_retain(&element) != PROMISE_OK;
    wrong += promise_value_find(promise_value_at(&shared, 2), "key", 3)->as.i64 != 5;
    wrong += promise_value_release(&element) != PROMISE_OK;
  }
  CHECK_INT(wrong, 0);
  return NULL;
}

static void threads_read_one_value_together(void) {
  payload_t payload = {0};
  pthread_t threads[4];
  shared = ARRAY(object(&payload), text("text"), json("{\"key\":5}"));
  for (int i = 0; i < 4; i++)
    threads[i] = start(reads_and_retains, NULL);
  for (int i = 0; i < 4; i++)
    finish(threads[i]);
  CHECK_INT(atomic_load(&payload.destroyed), 0);
  CHECK_STATUS(promise_value_release(&shared), PROMISE_OK);
  CHECK_INT(atomic_load(&payload.destroyed), 1);
}

int main(void) {
  RUN(array_has_its_elements_in_order);
  RUN(array_may_be_empty);
  RUN(array_may_replace_its_element);
  RUN(elements_go_with_their_array);
  RUN(element_outlives_its_array_when_retained);
  RUN(array_takes_its_elements_over_on_every_path);
  RUN(map_has_its_entries_in_order);
  RUN(map_may_be_empty);
  RUN(key_may_hold_any_text);
  RUN(same_key_keeps_its_place_and_the_last_value);
  RUN(map_takes_its_values_over_on_every_path);
  RUN(map_of_many_finds_each);
  RUN(deep_value_goes_without_a_stack);
  RUN(wide_value_goes_whole);
  RUN(threads_read_one_value_together);
  return check_report();
}
