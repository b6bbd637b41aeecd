/* promise/builder.h */
#include "../checked.h"

static promise_builder_t *builder_of(promise_kind_t kind) {
  promise_builder_t *builder = promise_builder_new(kind, 0);
  CHECK(builder != NULL);
  return builder;
}

static promise_value_t finished(promise_builder_t *builder) {
  promise_value_t value;
  CHECK_STATUS(promise_builder_finish(builder, &value), PROMISE_OK);
  CHECK_STATUS(promise_builder_drop(builder), PROMISE_ESTALE);
  return value;
}

static void text_grows(void) {
  promise_builder_t *builder = builder_of(PROMISE_KIND_STRING);
  CHECK_STATUS(promise_builder_append(builder, "gr\xc3", 3), PROMISE_OK);
  CHECK_STATUS(promise_builder_append(builder, "\xbc\xc3\x9f", 3), PROMISE_OK);
  char *room = promise_builder_room(builder, 2);
  CHECK(room != NULL);
  memcpy(room, "e!", 2);
  CHECK_STATUS(promise_builder_advance(builder, 1), PROMISE_OK);
  CHECK_INT(promise_builder_count(builder), 7);
  promise_value_t value = finished(builder);
  CHECK_INT(value.kind, PROMISE_KIND_STRING);
  CHECK_TEXT(promise_value_data(&value, NULL), "gr\xc3\xbc\xc3\x9f"
                                               "e");
  CHECK_STATUS(promise_value_release(&value), PROMISE_OK);
}

static void a_string_has_to_be_utf8_in_the_end(void) {
  promise_value_t value = i64(1);
  promise_builder_t *builder = builder_of(PROMISE_KIND_STRING);
  CHECK_STATUS(promise_builder_append(builder, "\xc3", 1), PROMISE_OK);
  CHECK_STATUS(promise_builder_finish(builder, &value), PROMISE_EINVAL);
  CHECK_INT(value.kind, PROMISE_KIND_VOID);
  CHECK_STATUS(promise_builder_drop(builder), PROMISE_ESTALE);
}

static void collections_grow(void) {
  promise_builder_t *builder = builder_of(PROMISE_KIND_ARRAY);
  for (int i = 0; i < 1000; i++) {
    promise_value_t element = i64(i);
    CHECK_STATUS(promise_builder_add(builder, &element), PROMISE_OK);
  }
  promise_value_t array = finished(builder);
  CHECK_INT(promise_value_count(&array), 1000);
  CHECK_INT(promise_value_at(&array, 999)->as.i64, 999);
  CHECK_STATUS(promise_value_release(&array), PROMISE_OK);

  payload_t replaced = {0};
  promise_value_t first = object(&replaced), second = i64(2), third = i64(3);
  builder = builder_of(PROMISE_KIND_MAP);
  CHECK_STATUS(promise_builder_set(builder, "a", 1, &first), PROMISE_OK);
  CHECK_STATUS(promise_builder_set(builder, "b", 1, &second), PROMISE_OK);
  CHECK_STATUS(promise_builder_set(builder, "a", 1, &third), PROMISE_OK);
  CHECK_DESTROYED(&replaced, 1);
  promise_value_t map = finished(builder);
  CHECK_INT(promise_value_count(&map), 2);
  CHECK_TEXT(promise_value_key(&map, 0, NULL), "a");
  CHECK_INT(promise_value_at(&map, 0)->as.i64, 3);
  CHECK_STATUS(promise_value_release(&map), PROMISE_OK);
}

static void a_changed_copy_leaves_the_original(void) {
  promise_value_t elements[] = {i64(1)}, array, more = i64(2);
  CHECK_STATUS(promise_value_array(&array, elements, 1), PROMISE_OK);
  promise_builder_t *builder = promise_builder_from(&array);
  CHECK_STATUS(promise_builder_add(builder, &more), PROMISE_OK);
  promise_value_t changed = finished(builder);
  CHECK_INT(promise_value_count(&array), 1);
  CHECK_INT(promise_value_count(&changed), 2);
  CHECK_STATUS(promise_value_release(&array), PROMISE_OK);
  CHECK_STATUS(promise_value_release(&changed), PROMISE_OK);
}

static void a_dropped_builder_releases_what_it_holds(void) {
  payload_t payload = {0};
  promise_value_t element = object(&payload);
  promise_builder_t *builder = builder_of(PROMISE_KIND_ARRAY);
  CHECK_STATUS(promise_builder_add(builder, &element), PROMISE_OK);
  CHECK_DESTROYED(&payload, 0);
  CHECK_STATUS(promise_builder_drop(builder), PROMISE_OK);
  CHECK_DESTROYED(&payload, 1);
  CHECK_INT(promise_builder_count(builder), PROMISE_ESTALE);
  CHECK_INT(promise_builder_count(NULL), PROMISE_EINVAL);
}

static void what_is_wrong_is_refused(void) {
  payload_t payload = {0};
  promise_value_t value = object(&payload);
  promise_builder_t *text = builder_of(PROMISE_KIND_STRING), *array = builder_of(PROMISE_KIND_ARRAY);
  CHECK_STATUS(promise_builder_add(text, &value), PROMISE_EINVAL);
  CHECK_DESTROYED(&payload, 1);
  value = object(&payload);
  CHECK_STATUS(promise_builder_set(array, "key", 3, &value), PROMISE_EINVAL);
  CHECK_DESTROYED(&payload, 2);
  value = object(&payload);
  CHECK_STATUS(promise_builder_add(NULL, &value), PROMISE_EINVAL);
  CHECK_DESTROYED(&payload, 3);
  CHECK_STATUS(promise_builder_append(array, "text", 4), PROMISE_EINVAL);
  CHECK_STATUS(promise_builder_append(text, NULL, 4), PROMISE_EINVAL);
  CHECK_STATUS(promise_builder_advance(text, SIZE_MAX), PROMISE_EINVAL);
  CHECK_POINTER(promise_builder_new(PROMISE_KIND_I64, 0), NULL);
  CHECK_STATUS(promise_last_status(), PROMISE_EINVAL);
  CHECK_POINTER(promise_builder_from(NULL), NULL);
  CHECK_STATUS(promise_builder_drop(NULL), PROMISE_EINVAL);
  CHECK_STATUS(promise_builder_drop(text), PROMISE_OK);
  CHECK_STATUS(promise_builder_append(text, "text", 4), PROMISE_ESTALE);
  CHECK_STATUS(promise_builder_drop(array), PROMISE_OK);
}

CHECKS(builder) = {
    RULE("a STRING grows by bytes, and by what is written into its room", text_grows),
    RULE("a STRING that is not UTF-8 in the end is refused, and its builder ended", a_string_has_to_be_utf8_in_the_end),
    RULE("an ARRAY grows by elements, a MAP by keys, of which each keeps its place", collections_grow),
    RULE("a builder of a value makes a changed copy", a_changed_copy_leaves_the_original),
    RULE("a dropped builder releases what it holds", a_dropped_builder_releases_what_it_holds),
    RULE("what is wrong is refused, and values taken over all the same", what_is_wrong_is_refused),
    CHECKS_END,
};
