/* promise/builder.h: values piece by piece, and changed copies. */
#include "../checked.h"

CHECKS(builder)

static promise_builder_t *builder_of(promise_kind_t kind) {
  promise_builder_t *builder = promise_builder_new(kind, 0);
  REQUIRE(builder != NULL);
  CHECK_INT(promise_builder_count(builder), 0);
  return builder;
}

static promise_value_t finished(promise_builder_t *builder) {
  promise_value_t value = garbage();
  CHECK_STATUS(promise_builder_finish(builder, &value), PROMISE_OK);
  CHECK_STATUS(promise_builder_drop(builder), PROMISE_ESTALE);
  CHECK_INT(promise_builder_count(builder), PROMISE_ESTALE);
  return value;
}

/* ---- Arrays and maps ---- */

RULE(array_grows, "an ARRAY grows by elements, within and beyond its capacity") {
  static const size_t capacities[] = {0, 1, 7, 1000, 5000};
  for (size_t i = 0; i < sizeof capacities / sizeof *capacities; i++) {
    promise_builder_t *builder = promise_builder_new(PROMISE_KIND_ARRAY, capacities[i]);
    for (int64_t j = 0; j < 1000; j++)
      CHECK_STATUS(promise_builder_add(builder, I64(j)), PROMISE_OK);
    CHECK_INT(promise_builder_count(builder), 1000);
    promise_value_t value = finished(builder);
    CHECK_INT(value.kind, PROMISE_KIND_ARRAY);
    CHECK_INT(promise_value_count(&value), 1000);
    for (int64_t j = 0; j < 1000; j++)
      CHECK_INT(promise_value_at(&value, (size_t)j)->as.i64, j);
    CHECK_POINTER(value.as.ptr, promise_value_at(&value, 0));
    promise_value_release(&value);
  }
}

RULE(map_grows_and_keeps_order, "a MAP grows by keys, of which each keeps its place") {
  promise_builder_t *builder = builder_of(PROMISE_KIND_MAP);
  char key[16];
  for (int i = 0; i < 1000; i++) {
    snprintf(key, sizeof key, "key %d", i * 37 % 500);
    CHECK_STATUS(promise_builder_set(builder, key, strlen(key), I64(i)), PROMISE_OK);
    CHECK_INT(promise_builder_count(builder), i < 500 ? i + 1 : 500);
  }
  promise_value_t value = finished(builder);
  CHECK_INT(promise_value_count(&value), 500);
  for (int i = 0; i < 500; i++) {
    snprintf(key, sizeof key, "key %d", i * 37 % 500);
    CHECK_TEXT(promise_value_key(&value, (size_t)i, NULL), key);
    CHECK_INT(promise_value_find(&value, key, strlen(key))->as.i64, i + 500);
  }
  promise_value_release(&value);
}

RULE(nothing_was_added, "a builder to which nothing was added gives an empty value") {
  static const promise_kind_t kinds[] = {PROMISE_KIND_STRING, PROMISE_KIND_BYTES, PROMISE_KIND_ARRAY, PROMISE_KIND_MAP};
  for (size_t i = 0; i < 4; i++) {
    for (size_t capacity = 0; capacity < 200; capacity += 100) {
      promise_value_t value = finished(promise_builder_new(kinds[i], capacity));
      CHECK_INT(value.kind, kinds[i]);
      CHECK_INT(promise_value_count(&value), 0);
      size_t length = 4711;
      CHECK_TEXT(promise_value_data(&value, &length), kinds[i] == PROMISE_KIND_STRING ? "" : NULL);
      CHECK_INT(length, 0);
      CHECK_STATUS(promise_value_release(&value), PROMISE_OK);
    }
  }
}

RULE(values_are_taken_over_on_every_path,
     "a builder takes over its values on every path, and releases them when it is dropped") {
  payload_t payload = {0};
  promise_builder_t *list = builder_of(PROMISE_KIND_ARRAY), *map = builder_of(PROMISE_KIND_MAP);
  promise_value_t value = object(&payload);
  CHECK_STATUS(promise_builder_add(NULL, &value), PROMISE_EINVAL);
  CHECK_INT(atomic_load(&payload.destroyed), 1);
  value = object(&payload);
  CHECK_STATUS(promise_builder_add((promise_builder_t *)stale(), &value), PROMISE_ESTALE);
  CHECK_INT(atomic_load(&payload.destroyed), 2);
  value = object(&payload);
  CHECK_STATUS(promise_builder_add(map, &value), PROMISE_EINVAL);
  CHECK_INT(atomic_load(&payload.destroyed), 3);
  value = object(&payload);
  CHECK_STATUS(promise_builder_set(list, "key", 3, &value), PROMISE_EINVAL);
  CHECK_INT(atomic_load(&payload.destroyed), 4);
  value = object(&payload);
  CHECK_STATUS(promise_builder_set(map, "\xff", 1, &value), PROMISE_EINVAL);
  CHECK_INT(atomic_load(&payload.destroyed), 5);
  value = object(&payload);
  CHECK_STATUS(promise_builder_set(map, NULL, 1, &value), PROMISE_EINVAL);
  CHECK_INT(atomic_load(&payload.destroyed), 6);
  value = object(&payload);
  CHECK_STATUS(promise_builder_set(map, "key", 3, &value), PROMISE_OK);
  value = object(&payload);
  CHECK_STATUS(promise_builder_set(map, "key", 3, &value), PROMISE_OK);
  CHECK_INT(atomic_load(&payload.destroyed), 7);
  value = object(&payload);
  CHECK_STATUS(promise_builder_add(list, &value), PROMISE_OK);
  CHECK_INT(atomic_load(&payload.destroyed), 7);
  CHECK_STATUS(promise_builder_drop(list), PROMISE_OK);
  CHECK_STATUS(promise_builder_drop(map), PROMISE_OK);
  CHECK_INT(atomic_load(&payload.destroyed), 9);
}

/* The builder that a destructor changes while the builder releases the destructor's object. */
static promise_builder_t *entered;

static void enters(void *payload) {
  (void)payload;
  for (int i = 0; i < 20; i++) {
    char key[16];
    snprintf(key, sizeof key, "more %d", i);
    CHECK_STATUS(promise_builder_set(entered, key, strlen(key), I64(i)), PROMISE_OK);
  }
}

RULE(destructor_may_use_the_builder, "a destructor may use the builder that releases its object") {
  const promise_type_t *type = promise_type_register("test.enters", NULL, enters);
  promise_value_t value;
  entered = builder_of(PROMISE_KIND_MAP);
  CHECK_STATUS(promise_value_object(&value, type, NULL), PROMISE_OK);
  CHECK_STATUS(promise_builder_set(entered, "key", 3, &value), PROMISE_OK);
  CHECK_STATUS(promise_builder_set(entered, "key", 3, I64(5)), PROMISE_OK);
  CHECK_INT(promise_builder_count(entered), 21);
  value = finished(entered);
  CHECK_INT(promise_value_at(&value, 0)->as.i64, 5);
  CHECK_INT(promise_value_find(&value, "more 19", 7)->as.i64, 19);
  promise_value_release(&value);
}

/* ---- Strings and bytes ---- */

RULE(text_is_appended_in_pieces, "a STRING grows by bytes, also in the middle of a character") {
  promise_builder_t *builder = builder_of(PROMISE_KIND_STRING);
  CHECK_STATUS(promise_builder_append(builder, "na\xc3", 3), PROMISE_OK);
  CHECK_STATUS(promise_builder_append(builder, NULL, 0), PROMISE_OK);
  CHECK_STATUS(promise_builder_append(builder, "\xafve", 3), PROMISE_OK);
  CHECK_INT(promise_builder_count(builder), 6);
  promise_value_t value = finished(builder);
  CHECK_TEXT(promise_value_data(&value, NULL), "naïve");
  promise_value_release(&value);
}

RULE(bytes_of_each_length_are_whole, "STRINGs and BYTES of each length are whole") {
  static const promise_kind_t kinds[] = {PROMISE_KIND_STRING, PROMISE_KIND_BYTES};
  char expected[300];
  for (size_t i = 0; i < sizeof expected; i++)
    expected[i] = (char)('a' + i % 26);
  for (size_t length = 1; length < 300; length++) {
    for (int i = 0; i < 2; i++) {
      promise_builder_t *builder = builder_of(kinds[i]);
      for (size_t j = 0; j < length; j++)
        CHECK_STATUS(promise_builder_append(builder, &expected[j], 1), PROMISE_OK);
      promise_value_t value = finished(builder);
      size_t size = 0;
      const char *data = promise_value_data(&value, &size);
      CHECK_INT(size, length);
      CHECK(data != NULL && memcmp(data, expected, length) == 0);
      CHECK(kinds[i] == PROMISE_KIND_BYTES || data[length] == '\0');
      CHECK_POINTER(value.as.ptr, data);
      promise_value_release(&value);
    }
  }
}

RULE(bytes_written_into_the_room_are_not_copied, "bytes that are written into the room are not copied") {
  enum { LENGTH = 100000 };
  promise_builder_t *builder = promise_builder_new(PROMISE_KIND_BYTES, LENGTH);
  char *room = promise_builder_room(builder, LENGTH);
  REQUIRE(room != NULL);
  memset(room, 'r', LENGTH);
  CHECK_STATUS(promise_builder_advance(builder, LENGTH / 2), PROMISE_OK);
  CHECK_POINTER(promise_builder_room(builder, LENGTH / 2), room + LENGTH / 2);
  CHECK_STATUS(promise_builder_advance(builder, LENGTH / 2), PROMISE_OK);
  CHECK_STATUS(promise_builder_advance(builder, 1), PROMISE_EINVAL);
  CHECK_INT(promise_builder_count(builder), LENGTH);
  promise_value_t value = finished(builder);
  CHECK_POINTER(value.as.ptr, room);
  promise_value_release(&value);
}

RULE(room_grows_with_its_content, "a builder makes room for more bytes, with those that it has") {
  promise_builder_t *builder = builder_of(PROMISE_KIND_STRING);
  size_t length = 0;
  for (size_t i = 0; i < 2000; i++) {
    char *room = promise_builder_room(builder, i);
    REQUIRE(room != NULL);
    memset(room, 'a' + (int)(i % 26), i);
    CHECK_STATUS(promise_builder_advance(builder, i), PROMISE_OK);
    length += i;
  }
  promise_value_t value = finished(builder);
  size_t size = 0, wrong = 0;
  const char *data = promise_value_data(&value, &size);
  CHECK_INT(size, length);
  for (size_t i = 0; i < 2000; data += i, i++)
    for (size_t j = 0; j < i; j++)
      wrong += data[j] != 'a' + (int)(i % 26);
  CHECK_INT(wrong, 0);
  promise_value_release(&value);
}

RULE(text_that_is_not_utf8_is_not_a_value, "a STRING that is not UTF-8 in the end is refused, and its builder ended") {
  promise_builder_t *builder = builder_of(PROMISE_KIND_STRING);
  promise_value_t value = garbage();
  CHECK_STATUS(promise_builder_append(builder, "half a character: \xc3", 19), PROMISE_OK);
  CHECK_STATUS(promise_builder_finish(builder, &value), PROMISE_EINVAL);
  CHECK_INT(value.kind, PROMISE_KIND_VOID);
  CHECK_STATUS(promise_builder_drop(builder), PROMISE_ESTALE);
}

/* ---- Changed copies ---- */

RULE(copy_is_changed_and_the_original_is_not, "a builder of a value makes a changed copy") {
  promise_value_t list = ARRAY(*I64(1), text("two")), map = json("{\"a\":1,\"b\":[2]}");
  promise_value_t string = text("text, and more of it than fits into a cell");
  promise_builder_t *builder = promise_builder_from(&list);
  CHECK_STATUS(promise_builder_add(builder, I64(3)), PROMISE_OK);
  promise_value_t changed = finished(builder);
  CHECK_INT(promise_value_count(&list), 2);
  CHECK_INT(promise_value_count(&changed), 3);
  CHECK_TEXT(promise_value_data(promise_value_at(&changed, 1), NULL), "two");
  promise_value_release(&changed);

  builder = promise_builder_from(&map);
  CHECK_STATUS(promise_builder_set(builder, "a", 1, I64(7)), PROMISE_OK);
  CHECK_STATUS(promise_builder_set(builder, "c", 1, I64(8)), PROMISE_OK);
  changed = finished(builder);
  CHECK_INT(promise_value_find(&map, "a", 1)->as.i64, 1);
  CHECK_INT(promise_value_find(&changed, "a", 1)->as.i64, 7);
  CHECK_POINTER(promise_value_find(&changed, "b", 1)->as.ptr, promise_value_find(&map, "b", 1)->as.ptr);
  CHECK_TEXT(promise_value_key(&changed, 2, NULL), "c");
  promise_value_release(&changed);

  builder = promise_builder_from(&string);
  CHECK_STATUS(promise_builder_append(builder, "!", 1), PROMISE_OK);
  changed = finished(builder);
  CHECK_TEXT(promise_value_data(&changed, NULL), "text, and more of it than fits into a cell!");
  promise_value_release(&changed);
  promise_value_t *all[] = {&list, &map, &string};
  for (int i = 0; i < 3; i++)
    CHECK_STATUS(promise_value_release(all[i]), PROMISE_OK);
}

RULE(empty_values_may_be_copied, "an empty value may be copied") {
  promise_value_t empty[] = {text(""), json("[]"), json("{}"), {0}};
  CHECK_STATUS(promise_value_bytes(&empty[3], NULL, 0), PROMISE_OK);
  for (int i = 0; i < 4; i++) {
    promise_value_t copy = finished(promise_builder_from(&empty[i]));
    CHECK(values_equal(&copy, &empty[i]));
    promise_value_release(&copy);
    promise_value_release(&empty[i]);
  }
}

/* ---- Memory ---- */

/* A count beyond the limit is rejected with a status, and the builder is unchanged. */
RULE(too_much_is_refused, "a size that no memory has is refused, and the builder unchanged") {
  static const promise_kind_t kinds[] = {PROMISE_KIND_STRING, PROMISE_KIND_BYTES, PROMISE_KIND_ARRAY, PROMISE_KIND_MAP};
  static const size_t sizes[] = {SIZE_MAX, SIZE_MAX / 2, SIZE_MAX / 2 + 1, SIZE_MAX / 16, SIZE_MAX / 17};
  for (size_t i = 0; i < 4; i++) {
    for (size_t j = 0; j < sizeof sizes / sizeof *sizes; j++) {
      CHECK_POINTER(promise_builder_new(kinds[i], sizes[j]), NULL);
      CHECK_STATUS(promise_last_status(), PROMISE_ENOMEM);
    }
  }
  promise_builder_t *builder = builder_of(PROMISE_KIND_BYTES);
  CHECK_STATUS(promise_builder_append(builder, "kept", 4), PROMISE_OK);
  for (size_t j = 0; j < sizeof sizes / sizeof *sizes; j++) {
    CHECK_POINTER(promise_builder_room(builder, sizes[j]), NULL);
    CHECK_STATUS(promise_last_status(), PROMISE_ENOMEM);
    CHECK_STATUS(promise_builder_advance(builder, sizes[j]), PROMISE_EINVAL);
  }
  promise_value_t value = finished(builder);
  CHECK(memcmp(promise_value_data(&value, NULL), "kept", 4) == 0);
  promise_value_release(&value);
}

/* A builder's own content, and the bytes written into its reserved space, may be appended: they move with the rest. */
RULE(its_own_bytes_may_be_appended, "the content of a builder may be appended to itself") {
  promise_builder_t *builder = promise_builder_new(PROMISE_KIND_BYTES, 0);
  char *room = promise_builder_room(builder, 100);
  memset(room, 'a', 100);
  CHECK_STATUS(promise_builder_append(builder, room, 100), PROMISE_OK);
  for (size_t count = 100; count < 3000000; count *= 2) {
    char *bytes = (char *)promise_builder_room(builder, 0) - count;
    CHECK_STATUS(promise_builder_append(builder, bytes, count), PROMISE_OK);
  }
  promise_value_t value;
  size_t length = 0, same = 0;
  REQUIRE(promise_builder_finish(builder, &value) == PROMISE_OK);
  const char *bytes = promise_value_data(&value, &length);
  for (size_t i = 0; i < length; i++)
    same += bytes[i] == 'a';
  CHECK_INT(length, 3276800);
  CHECK_INT(same, length);
  promise_value_release(&value);
}

RULE(invalid_arguments_are_refused, "invalid arguments are refused, and values taken over all the same") {
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
  CHECK_INT(promise_builder_count(NULL), PROMISE_EINVAL);
  CHECK_STATUS(promise_builder_drop(text), PROMISE_OK);
  CHECK_STATUS(promise_builder_append(text, "text", 4), PROMISE_ESTALE);
  CHECK_STATUS(promise_builder_drop(array), PROMISE_OK);
}
