/* promise/collection.h */
#include "../checked.h"

static void release_value(promise_value_t *value) {
  CHECK_STATUS(promise_value_release(value), PROMISE_OK);
}

static void an_array_has_its_elements_in_order(void) {
  promise_value_t elements[] = {i64(1), text("two"), {.kind = PROMISE_KIND_VOID}}, array;
  CHECK_STATUS(promise_value_array(&array, elements, 3), PROMISE_OK);
  CHECK_INT(array.kind, PROMISE_KIND_ARRAY);
  CHECK_INT(promise_value_count(&array), 3);
  CHECK_INT(promise_value_at(&array, 0)->as.i64, 1);
  CHECK_TEXT(promise_value_data(promise_value_at(&array, 1), NULL), "two");
  CHECK_INT(promise_value_at(&array, 2)->kind, PROMISE_KIND_VOID);
  CHECK_POINTER(promise_value_at(&array, 3), NULL);
  CHECK_POINTER(promise_value_at(&array, SIZE_MAX), NULL);
  CHECK_POINTER(array.as.ptr, promise_value_at(&array, 0));
  CHECK_POINTER(promise_value_at(&array, 2), promise_value_at(&array, 0) + 2);
  CHECK_POINTER(promise_value_key(&array, 0, NULL), NULL);
  CHECK_POINTER(promise_value_find(&array, "two", 3), NULL);
  release_value(&array);
  CHECK_STATUS(promise_value_array(&array, NULL, 0), PROMISE_OK);
  CHECK_INT(promise_value_count(&array), 0);
  release_value(&array);
}

static promise_value_t map_of(const char *const *keys, const int64_t *numbers, size_t count) {
  promise_value_t values[16], map;
  for (size_t i = 0; i < count; i++)
    values[i] = i64(numbers[i]);
  CHECK_STATUS(promise_value_map(&map, keys, NULL, values, count), PROMISE_OK);
  CHECK_INT(map.kind, PROMISE_KIND_MAP);
  return map;
}

static void a_map_keeps_the_order_of_its_keys(void) {
  const char *const keys[] = {"zebra", "", "ape", "zebra", "gr\xc3\xbc\xc3\x9f"};
  const int64_t numbers[] = {1, 2, 3, 4, 5};
  promise_value_t map = map_of(keys, numbers, 5);
  static const char *const order[] = {"zebra", "", "ape", "gr\xc3\xbc\xc3\x9f"};
  static const int64_t values[] = {4, 2, 3, 5};
  CHECK_INT(promise_value_count(&map), 4);
  for (size_t i = 0; i < 4; i++) {
    size_t length = 0;
    CHECK_TEXT(promise_value_key(&map, i, &length), order[i]);
    CHECK_INT(length, (long long)strlen(order[i]));
    CHECK_INT(promise_value_at(&map, i)->as.i64, values[i]);
    CHECK_POINTER(promise_value_find(&map, order[i], length), promise_value_at(&map, i));
  }
  CHECK_POINTER(promise_value_key(&map, 4, NULL), NULL);
  CHECK_POINTER(promise_value_find(&map, "zeb", 3), NULL);
  CHECK_POINTER(promise_value_find(&map, NULL, 0), promise_value_at(&map, 1));
  release_value(&map);
}

static void collections_take_over_what_they_hold(void) {
  payload_t kept = {0}, refused = {0}, replaced = {0};
  promise_value_t element = object(&kept), collection;
  CHECK_STATUS(promise_value_array(&collection, &element, 1), PROMISE_OK);
  promise_value_t out = *promise_value_at(&collection, 0);
  CHECK_STATUS(promise_value_retain(&out), PROMISE_OK);
  release_value(&collection);
  CHECK_DESTROYED(&kept, 0);
  release_value(&out);
  CHECK_DESTROYED(&kept, 1);

  promise_value_t wrong[] = {object(&refused), {.kind = 4711}};
  CHECK_STATUS(promise_value_array(&collection, wrong, 2), PROMISE_EINVAL);
  CHECK_INT(collection.kind, PROMISE_KIND_VOID);
  CHECK_DESTROYED(&refused, 1);

  const char *const keys[] = {"same", "same"};
  promise_value_t values[] = {object(&replaced), i64(7)};
  CHECK_STATUS(promise_value_map(&collection, keys, NULL, values, 2), PROMISE_OK);
  CHECK_DESTROYED(&replaced, 1);
  CHECK_INT(promise_value_count(&collection), 1);
  CHECK_INT(promise_value_at(&collection, 0)->as.i64, 7);
  release_value(&collection);
}

static void what_is_no_collection_has_no_elements(void) {
  promise_value_t string = text("text");
  CHECK_INT(promise_value_count(&string), 0);
  CHECK_POINTER(promise_value_at(&string, 0), NULL);
  CHECK_INT(promise_value_count(NULL), 0);
  CHECK_POINTER(promise_value_at(NULL, 0), NULL);
  CHECK_POINTER(promise_value_key(NULL, 0, NULL), NULL);
  CHECK_POINTER(promise_value_find(NULL, "", 0), NULL);
  release_value(&string);
}

static void wrong_arguments_are_refused(void) {
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

enum { DEPTH = 100000 };

static void *nests(void *argument) {
  (void)argument;
  promise_value_t value = i64(1), outer;
  for (int i = 0; i < DEPTH; i++) {
    CHECK_STATUS(promise_value_array(&outer, &value, 1), PROMISE_OK);
    value = outer;
  }
  release_value(&value);
  return NULL;
}

static void nesting_takes_no_stack(void) {
  on_small_stack(nests, NULL);
}

CHECKS(collection) = {
    RULE("an ARRAY has its elements in order, one after the other in memory", an_array_has_its_elements_in_order),
    RULE("a MAP keeps the order of its keys, and the last value of each", a_map_keeps_the_order_of_its_keys),
    RULE("a collection takes over what it holds, on every path", collections_take_over_what_they_hold),
    RULE("what is no collection has no elements", what_is_no_collection_has_no_elements),
    RULE("wrong arguments are refused", wrong_arguments_are_refused),
    RULE("a value nested 100,000 deep is released on a stack of 512 KiB", nesting_takes_no_stack),
    CHECKS_END,
};
