/* Values when memory runs out: at each allocation in turn. A value that a call takes over is freed in every case. */
#include <math.h>

#include "scarce.h"

/* The first registration also creates the library's own types, and so does any other test: this one is first. */
OUT_OF_MEMORY_ONCE(first_type) {
  scarce();
  promise_status_t status = of(promise_value_type(I64(1)));
  CHECK_STATUS(of(promise_type_named("i64")), status);
  return plenty(status);
}

/* Checks *out after a call: a value, or VOID after PROMISE_ENOMEM. */
static promise_status_t made(promise_status_t status, promise_value_t *out) {
  CHECK_INT(out->kind == PROMISE_KIND_VOID, status != PROMISE_OK);
  promise_value_release(out);
  return status;
}

static char const long_text[] =
    "a text that is too long to lie in the value's own cell, however large that is made one day";

OUT_OF_MEMORY(string) {
  promise_value_t out = garbage();
  scarce();
  return made(plenty(promise_value_string(&out, long_text, sizeof long_text - 1)), &out);
}

OUT_OF_MEMORY(bytes) {
  promise_value_t out = garbage();
  scarce();
  return made(plenty(promise_value_bytes(&out, long_text, sizeof long_text)), &out);
}

OUT_OF_MEMORY(bytes_foreign) {
  spy_t spy = {0};
  promise_value_t out = garbage();
  scarce();
  promise_status_t status = plenty(promise_value_bytes_foreign(&out, long_text, sizeof long_text, &spy, spy_free));
  CHECK_SPY(&spy, 0, status != PROMISE_OK);
  made(status, &out);
  CHECK_SPY(&spy, 0, 1);
  return status;
}

OUT_OF_MEMORY(object_of_a_type) {
  payload_t payload = {0};
  const promise_type_t *type = payload_type();
  promise_value_t out = garbage();
  scarce();
  promise_status_t status = plenty(promise_value_object(&out, type, &payload));
  made(status, &out);
  CHECK_INT(atomic_load(&payload.destroyed), 1);
  return status;
}

OUT_OF_MEMORY(plain_error) {
  promise_value_t out = garbage();
  scarce();
  return made(plenty(promise_value_error(&out, "a.domain", 7, long_text)), &out);
}

/* Returns a value that a call takes over, and whose destruction `payload` records. */
static payload_t payload;
static promise_value_t owned_object(void) {
  atomic_store(&payload.destroyed, 0);
  return object(&payload);
}
static promise_status_t freed_once(promise_status_t status) {
  CHECK_INT(atomic_load(&payload.destroyed), 1);
  return status;
}

OUT_OF_MEMORY(object_with) {
  spy_t spy = {0};
  const promise_type_t *type = payload_type();
  promise_value_t out = garbage();
  scarce();
  promise_status_t status = plenty(promise_value_object_with(&out, type, &payload, &spy, spy_free));
  CHECK_SPY(&spy, 0, status != PROMISE_OK);
  made(status, &out);
  CHECK_SPY(&spy, 0, 1);
  return status;
}

OUT_OF_MEMORY(error_sized) {
  promise_value_t out = garbage();
  scarce();
  return made(plenty(promise_value_error_sized(&out, "a.domain", 8, 7, long_text, sizeof long_text - 1)), &out);
}

OUT_OF_MEMORY(error_from) {
  promise_value_t out = garbage(), cause = owned_object();
  scarce();
  return freed_once(made(plenty(promise_value_error_from(&out, "a.domain", 7, long_text, long_text, &cause)), &out));
}

OUT_OF_MEMORY(discarded) {
  promise_value_t out = garbage(), cause = owned_object();
  scarce();
  return freed_once(made(plenty(promise_value_discarded(&out, &cause)), &out));
}

OUT_OF_MEMORY(value_array) {
  promise_value_t out = garbage(), elements[] = {*I64(1), owned_object(), *I64(3)};
  scarce();
  return freed_once(made(plenty(promise_value_array(&out, elements, 3)), &out));
}

OUT_OF_MEMORY(value_map) {
  static const char *const keys[] = {"one", "two", long_text};
  promise_value_t out = garbage(), values[] = {*I64(1), owned_object(), *I64(3)};
  scarce();
  return freed_once(made(plenty(promise_value_map(&out, keys, NULL, values, 3)), &out));
}

OUT_OF_MEMORY(from_json) {
  static const char source[] =
      "{\"a\": [1, 2.5, \"a text that does not fit into a cell by a long way, so it is a block\"],"
      " \"b\": {\"c\": null, \"d\": [[[[true]]]]}}";
  promise_value_t out = garbage(), error = garbage();
  scarce();
  promise_status_t status = plenty(promise_value_from_json(&out, source, sizeof source - 1, NULL, &error));
  promise_value_release(&error);
  return made(status, &out);
}

OUT_OF_MEMORY(to_json) {
  promise_value_t value = json("{\"a\": [1, 2.5, \"text\"], \"b\": {\"c\": null, \"d\": [[[[true]]]]}}");
  promise_value_t out = garbage(), error = garbage();
  scarce();
  promise_status_t status = plenty(promise_value_to_json(&out, &value, NULL, &error));
  promise_value_release(&error);
  promise_value_release(&value);
  return made(status, &out);
}

/* A rejected value leaves behind neither the unfinished text nor the path for the message. */
OUT_OF_MEMORY(nan_to_json) {
  promise_value_t number = {.kind = PROMISE_KIND_F64, .as.f64 = NAN};
  const char *key = "a key that is too long for the space that a text begins with, by a long way";
  promise_value_t value = garbage(), out = garbage(), error = garbage();
  REQUIRE(promise_value_map(&value, &key, NULL, &number, 1) == PROMISE_OK);
  scarce();
  promise_status_t status = plenty(promise_value_to_json(&out, &value, NULL, &error));
  CHECK_INT(out.kind, PROMISE_KIND_VOID);
  promise_value_release(&value);
  /* There may be memory for the text, but not for the error. */
  if (status == PROMISE_EINVAL)
    status = error.kind == PROMISE_KIND_ERROR ? PROMISE_OK : PROMISE_ENOMEM;
  if (status == PROMISE_OK)
    CHECK(strstr(promise_value_data(&error, NULL), key) != NULL);
  promise_value_release(&error);
  return status;
}

/* A number with more digits than can be converted without memory. */
static const promise_value_t long_number = {.kind = PROMISE_KIND_F64, .as.f64 = -2.2250738585072014e-308};

OUT_OF_MEMORY(number_to_json) {
  promise_value_t out = garbage();
  scarce();
  promise_status_t status = plenty(promise_value_to_json(&out, &long_number, NULL, NULL));
  if (status == PROMISE_OK)
    CHECK_TEXT(promise_value_data(&out, NULL), "-2.2250738585072014e-308");
  return made(status, &out);
}

TEST(describe_number) {
  char text[64];
  scarce_begin();
  scarce_attempt.cells = scarce_attempt.blocks = 0;
  scarce();
  size_t length = promise_value_describe(&long_number, text, sizeof text);
  plenty(PROMISE_OK);
  CHECK_INT(length, 24);
  CHECK_TEXT(text, "-2.2250738585072014e-308");
  scarce_end();
}

OUT_OF_MEMORY(equal) {
  promise_value_t one = json("[[1, [2, {\"a\": [3]}]], [4]]"), other = json("[[1, [2, {\"a\": [3]}]], [4]]");
  scarce();
  bool equal = true;
  promise_status_t status = plenty(promise_value_equal(&one, &other, &equal));
  CHECK_INT(equal, status == PROMISE_OK);
  promise_value_release(&one);
  promise_value_release(&other);
  return status;
}

/* ---- Builders ---- */

OUT_OF_MEMORY(builder_new) {
  scarce();
  promise_builder_t *builder = promise_builder_new(PROMISE_KIND_ARRAY, 100);
  promise_status_t status = plenty(of(builder));
  promise_builder_drop(builder);
  return status;
}

OUT_OF_MEMORY(builder_from) {
  promise_value_t value = json("{\"a\": 1, \"b\": [2]}");
  scarce();
  promise_builder_t *builder = promise_builder_from(&value);
  promise_status_t status = plenty(of(builder));
  promise_builder_drop(builder);
  promise_value_release(&value);
  return status;
}

/* Adds elements beyond the number at which the builder has to grow. */
static promise_status_t built(promise_kind_t kind, promise_status_t (*step)(promise_builder_t *builder, int number)) {
  promise_builder_t *builder = promise_builder_new(kind, 0);
  promise_value_t out = garbage();
  promise_status_t status = PROMISE_OK;
  scarce();
  for (int i = 0; i < 40 && status == PROMISE_OK; i++)
    status = step(builder, i);
  plenty(status);
  CHECK_STATUS(promise_builder_finish(builder, &out), PROMISE_OK); /* within its capacity */
  promise_value_release(&out);
  return status;
}

static promise_value_t next_element;
static promise_status_t add(promise_builder_t *builder, int number) {
  promise_value_t element = number == 0 ? next_element : *I64(number);
  return promise_builder_add(builder, &element);
}
OUT_OF_MEMORY(builder_add) {
  next_element = owned_object();
  return freed_once(built(PROMISE_KIND_ARRAY, add));
}

static promise_status_t set(promise_builder_t *builder, int number) {
  char key[80];
  int length = snprintf(key, sizeof key, "%d, a key that is too long for the place of a short one", number);
  return promise_builder_set(builder, key, (size_t)length, I64(number));
}
OUT_OF_MEMORY_BY(builder_set, built(PROMISE_KIND_MAP, set))

static promise_status_t append(promise_builder_t *builder, int number) {
  (void)number;
  return promise_builder_append(builder, long_text, sizeof long_text);
}
OUT_OF_MEMORY_BY(builder_append, built(PROMISE_KIND_BYTES, append))

static promise_status_t use_room(promise_builder_t *builder, int number) {
  void *room = promise_builder_room(builder, 100);
  if (room == NULL)
    return promise_last_status();
  memset(room, number, 100);
  return promise_builder_advance(builder, 100);
}
OUT_OF_MEMORY_BY(builder_room, built(PROMISE_KIND_BYTES, use_room))

/* Finishing a builder needs no memory. */
TEST(builder_finish) {
  promise_kind_t const kinds[] = {PROMISE_KIND_STRING, PROMISE_KIND_BYTES, PROMISE_KIND_ARRAY, PROMISE_KIND_MAP};
  for (int i = 0; i < 4; i++) {
    promise_builder_t *builder = promise_builder_new(kinds[i], 100);
    promise_value_t out = garbage();
    scarce_attempt.cells = scarce_attempt.blocks = 0;
    scarce();
    CHECK_STATUS(plenty(promise_builder_finish(builder, &out)), PROMISE_OK);
    CHECK_INT(out.kind, kinds[i]);
    promise_value_release(&out);
  }
  scarce_end();
}

/* The builder is finished in a destructor: the cell of its object is not free yet. */
static promise_builder_t *unfinished;
static promise_value_t text_of_destructor;
static void finishes(void *ctx) {
  *(promise_status_t *)ctx = promise_builder_finish(unfinished, &text_of_destructor);
}
TEST(builder_finish_in_a_destructor) {
  promise_status_t status = PROMISE_EINVAL;
  promise_value_t object;
  unfinished = promise_builder_new(PROMISE_KIND_STRING, 0);
  CHECK_STATUS(promise_builder_append(unfinished, "short", 5), PROMISE_OK);
  REQUIRE(promise_value_object_with(&object, payload_type(), NULL, &status, finishes) == PROMISE_OK);
  scarce_attempt.cells = scarce_attempt.blocks = 0;
  scarce();
  promise_value_release(&object);
  CHECK_STATUS(plenty(status), PROMISE_OK);
  CHECK_TEXT(promise_value_data(&text_of_destructor, NULL), "short");
  promise_value_release(&text_of_destructor);
  scarce_end();
}

/* ---- Types ---- */

OUT_OF_MEMORY_ONCE(type_register) {
  scarce();
  return plenty(of(promise_type_register("test.scarce", NULL, payload_destroy)));
}

static const promise_type_t *types[64];
static void make_types(void) {
  char name[40];
  for (int i = 0; i < 64; i++) {
    snprintf(name, sizeof name, "test.scarce.%d", i);
    types[i] = promise_type_register(name, NULL, payload_destroy);
  }
}
static bool same(const void *one, const void *other) {
  return one == other;
}
OUT_OF_MEMORY_ONCE(type_methods) {
  static int next;
  if (next == 0)
    make_types();
  scarce();
  return plenty(promise_type_methods(types[next++], same, NULL));
}

/* If there is no cell for a type, the copy of its name is freed. */
TEST(a_type_that_is_not_registered_leaves_no_memory) {
  payload_type(); /* creates the table of types */
  scarce_begin();
  scarce_attempt.cells = 0;
  scarce_attempt.blocks = -1;
  scarce();
  long used = atomic_load(&scarce_used);
  promise_status_t status = of(promise_type_register("test.scarce.unregistered", NULL, payload_destroy));
  CHECK_INT(atomic_load(&scarce_used), used);
  CHECK_STATUS(plenty(status), PROMISE_ENOMEM);
  scarce_end();
}

/* Two calls set methods at the same time: the methods of the call that is too late are freed. */
static const promise_type_t *contested;
static bool never(const void *one, const void *other) {
  (void)one, (void)other;
  return false;
}
static void wins(void) {
  CHECK_STATUS(promise_type_methods(contested, same, NULL), PROMISE_OK);
}
TEST(methods_set_twice_at_once_are_those_of_one_call) {
  contested = promise_type_register("test.scarce.contested", NULL, NULL);
  REQUIRE(contested != NULL);
  long used = atomic_load(&scarce_used);
  scarce_meanwhile = wins;
  CHECK_STATUS(promise_type_methods(contested, never, NULL), PROMISE_OK);
  CHECK(scarce_meanwhile == NULL);
  CHECK_INT(atomic_load(&scarce_used), used + 1);
  int payload = 0;
  promise_value_t one, other;
  bool equal = false;
  CHECK_STATUS(promise_value_object(&one, contested, &payload), PROMISE_OK);
  CHECK_STATUS(promise_value_object(&other, contested, &payload), PROMISE_OK);
  CHECK_STATUS(promise_value_equal(&one, &other, &equal), PROMISE_OK);
  CHECK(equal);
  promise_value_release(&one);
  promise_value_release(&other);
}
