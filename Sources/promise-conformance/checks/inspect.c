/* promise/inspect.h: equality of values, and descriptions in buffers of any size. */
#include <float.h>
#include <math.h>

#include "../checked.h"
#include "../values.h"

CHECKS(inspect)

static bool equal(promise_value_t one, promise_value_t other) {
  bool holds = values_equal(&one, &other);
  CHECK_INT(values_equal(&other, &one), holds);
  CHECK(values_equal(&one, &one));
  return holds;
}

/* Compares two values, and releases them. */
static bool equal_owned(promise_value_t one, promise_value_t other) {
  bool holds = equal(one, other);
  promise_value_release(&one);
  promise_value_release(&other);
  return holds;
}

RULE(plain_values_are_equal_by_content, "plain values are equal by content") {
  promise_value_t yes = {.kind = PROMISE_KIND_BOOL, .as.u64 = 2}, also = {.kind = PROMISE_KIND_BOOL, .as.b = 1};
  promise_value_t no = {.kind = PROMISE_KIND_BOOL, .as.u64 = 0x700}, gone = {.kind = PROMISE_KIND_DISCARDED};
  promise_value_t here = {.kind = PROMISE_KIND_POINTER, .as.ptr = journal};
  promise_value_t there = {.kind = PROMISE_KIND_POINTER, .as.ptr = journal + 1};
  CHECK(equal(*VOID(), *VOID()));
  CHECK(equal(yes, also));
  CHECK(!equal(yes, no));
  CHECK(equal(gone, gone));
  CHECK(!equal(gone, *VOID()));
  CHECK(equal(here, here));
  CHECK(!equal(here, there));
  CHECK(equal(*I64(-1), *I64(-1)));
  CHECK(!equal(*I64(0), *VOID()));
}

RULE(integers_of_different_kinds_are_equal,
     "integers of different kinds are equal by value, and never equal to an F64") {
  CHECK(equal(*I64(5), u64(5)));
  CHECK(equal(*I64(INT64_MAX), u64(INT64_MAX)));
  CHECK(!equal(*I64(-1), u64(UINT64_MAX)));
  CHECK(!equal(*I64(INT64_MIN), u64(UINT64_C(1) << 63)));
  CHECK(!equal(*I64(5), u64(6)));
  CHECK(!equal(*I64(5), f64(5)));
  CHECK(!equal(u64(5), f64(5)));
}

RULE(doubles_are_equal_as_numbers, "an F64 is equal as a number, and NaN to itself") {
  CHECK(equal(f64(0.5), f64(0.5)));
  CHECK(equal(f64(0.0), f64(-0.0)));
  CHECK(equal(f64(NAN), f64(NAN)));
  CHECK(equal(f64(NAN), f64(-NAN)));
  CHECK(equal(f64(INFINITY), f64(INFINITY)));
  CHECK(!equal(f64(INFINITY), f64(-INFINITY)));
  CHECK(!equal(f64(NAN), f64(0)));
  CHECK(!equal(f64(0.1), f64(0.1 + DBL_EPSILON / 8)));
}

RULE(texts_are_equal_by_their_bytes, "texts and bytes are equal by content, never one to the other") {
  CHECK(equal_owned(text("same"), text("same")));
  CHECK(equal_owned(text(""), text("")));
  CHECK(!equal_owned(text("same"), text("samf")));
  CHECK(!equal_owned(text("same"), text("sam")));
  CHECK(!equal_owned(text("same"), bytes("same")));
  CHECK(!equal_owned(text(""), bytes("")));
  CHECK(equal_owned(bytes(""), bytes("")));
  promise_value_t copied = bytes("some bytes"), foreign;
  CHECK_STATUS(promise_value_bytes_foreign(&foreign, "some bytes", 10, NULL, NULL), PROMISE_OK);
  CHECK(equal_owned(copied, foreign));
}

RULE(collections_are_equal_in_depth, "collections are equal in depth, and maps in any order") {
  static const char *const same[][2] = {
      {"[]", "[]"},
      {"{}", "{}"},
      {"[1,[2,[\"x\"]]]", "[1,[2,[\"x\"]]]"},
      {"{\"a\":1,\"b\":{\"c\":null}}", "{\"b\":{\"c\":null},\"a\":1}"},
      {"[{\"k\":[1.5,true]}]", "[{\"k\":[1.5,true]}]"},
  };
  static const char *const different[][2] = {
      {"[]", "{}"},          {"[1]", "[1,1]"},           {"[1,2]", "[2,1]"},  {"{\"a\":1}", "{\"a\":2}"},
      {"[[]]", "[{}]"},      {"{\"a\":1}", "{\"b\":1}"}, {"{\"a\":1}", "{}"}, {"[1,[2,[\"x\"]]]", "[1,[2,[\"y\"]]]"},
      {"[null]", "[false]"},
  };
  for (size_t i = 0; i < sizeof same / sizeof *same; i++)
    CHECK(equal_owned(json(same[i][0]), json(same[i][1])));
  for (size_t i = 0; i < sizeof different / sizeof *different; i++)
    CHECK(!equal_owned(json(different[i][0]), json(different[i][1])));
}

RULE(errors_are_equal_by_their_content, "an ERROR is equal by domain, code, message and cause, not by origin") {
  CHECK(equal_owned(error("a", 1, "m"), error("a", 1, "m")));
  CHECK(!equal_owned(error("a", 1, "m"), error("b", 1, "m")));
  CHECK(!equal_owned(error("a", 1, "m"), error("a", 2, "m")));
  CHECK(!equal_owned(error("a", 1, "m"), error("a", 1, "n")));
  CHECK(equal_owned(caused("m", 1, "here", *I64(1)), caused("m", 1, "there", *I64(1))));
  CHECK(!equal_owned(caused("m", 1, "here", *I64(1)), caused("m", 1, "here", *I64(2))));
  CHECK(!equal_owned(caused("m", 1, "here", *I64(1)), caused("m", 1, "here", *VOID())));
  CHECK(equal_owned(caused("m", 1, NULL, error("a", 1, "m")), caused("m", 1, NULL, error("a", 1, "m"))));
}

RULE(cancellations_are_equal_by_cause, "a DISCARDED is equal by its cause") {
  promise_value_t plain = {.kind = PROMISE_KIND_DISCARDED};
  CHECK(equal_owned(cancelled(text("why")), cancelled(text("why"))));
  CHECK(!equal_owned(cancelled(text("why")), cancelled(text("else"))));
  CHECK(!equal_owned(cancelled(text("why")), plain));
}

RULE(promises_are_equal_by_identity, "a PROMISE is equal by identity") {
  promise_t *promise = fulfilled(1);
  CHECK(equal_owned(holding(retained(promise)), holding(retained(promise))));
  CHECK(!equal_owned(holding(retained(promise)), holding(fulfilled(1))));
  promise_release(promise);
}

static atomic_int comparisons;

static bool same_letter(const void *one, const void *other) {
  atomic_fetch_add(&comparisons, 1);
  return *(const char *)one == *(const char *)other;
}

RULE(objects_are_equal_as_their_type_says, "objects are equal by identity, unless their type says otherwise") {
  const promise_type_t *plain = promise_type_register("test.plain", NULL, NULL);
  const promise_type_t *letter = promise_type_register("test.letter", NULL, NULL);
  const promise_type_t *vowel = promise_type_register("test.vowel", letter, NULL);
  promise_value_t one = object_of(plain, "a");
  CHECK(equal(one, one));
  CHECK_STATUS(promise_value_release(&one), PROMISE_OK);
  CHECK(!equal_owned(object_of(plain, "a"), object_of(plain, "a")));

  CHECK_STATUS(promise_type_methods(letter, same_letter, says_letter), PROMISE_OK);
  CHECK_STATUS(promise_type_methods(letter, NULL, NULL), PROMISE_OK);
  CHECK(equal_owned(object_of(letter, "a1"), object_of(letter, "a2")));
  char buffer[64];
  promise_value_t described = object_of(letter, "a1");
  CHECK(promise_value_describe(&described, buffer, sizeof buffer) > 0);
  CHECK(strstr(buffer, "letter a") != NULL);
  CHECK_STATUS(promise_value_release(&described), PROMISE_OK);
  CHECK(!equal_owned(object_of(letter, "a1"), object_of(letter, "b1")));
  CHECK(!equal_owned(object_of(letter, "a1"), object_of(plain, "a1")));
  /* A type inherits the comparison of its parent, but objects of the two types are not equal. */
  CHECK(equal_owned(object_of(vowel, "a1"), object_of(vowel, "a2")));
  CHECK(!equal_owned(object_of(vowel, "a1"), object_of(letter, "a2")));
  CHECK(equal_owned(ARRAY(object_of(letter, "x")), ARRAY(object_of(letter, "xx"))));
  CHECK(atomic_load(&comparisons) > 0);
}

static void *compares_deep_values(void *argument) {
  (void)argument;
  long levels = check_scale(1000 * 1000);
  promise_value_t one = nest(*I64(1), levels), other = nest(*I64(1), levels), third = nest(*I64(2), levels);
  CHECK(values_equal(&one, &other));
  CHECK(!values_equal(&one, &third));
  promise_value_t *all[] = {&one, &other, &third};
  for (int i = 0; i < 3; i++)
    CHECK_STATUS(promise_value_release(all[i]), PROMISE_OK);
  return NULL;
}

RULE(deep_values_are_compared_without_a_stack, "values nested a million deep are compared on a stack of 512 KiB") {
  on_small_stack(compares_deep_values, NULL);
}

RULE(shared_parts_are_compared_once, "parts that values share are compared once") {
  CHECK(equal_owned(doubled(text("x"), 100), doubled(text("x"), 100)));
  CHECK(!equal_owned(doubled(text("x"), 100), doubled(text("y"), 100)));
  CHECK(!equal_owned(doubled(text("x"), 100), doubled(text("x"), 101)));
  CHECK(equal_owned(doubled(json("{\"a\":[1],\"b\":[1]}"), 60), doubled(json("{\"b\":[1],\"a\":[1]}"), 60)));
}

/* ---- Descriptions ---- */

/* A description in a buffer of any size has no byte beyond the size, ends with a NUL after a whole character, and has
 * an ellipsis if the text is truncated. */
RULE(description_fits_its_place, "a description fits into its buffer, for a value of every kind") {
  promise_value_t forged = {.kind = 4711};
  promise_value_t value = json("{\"naïve\":[\"☹☹☹\",1234567,\"\\u0001\\ud83c\\udf88\"]}");
  char whole[256], buffer[256];
  size_t length = promise_value_describe(&value, whole, sizeof whole);
  for (size_t size = 0; size < length + 10; size++) {
    memset(buffer, '#', sizeof buffer);
    size_t written = promise_value_describe(&value, buffer, size);
    CHECK_INT(buffer[size], '#');
    if (size == 0) {
      CHECK_INT(written, 0);
      continue;
    }
    CHECK(written < size);
    CHECK_INT(buffer[written], '\0');
    promise_value_t check = text(buffer);
    promise_value_release(&check);
    if (size > length)
      CHECK_TEXT(buffer, whole);
    if (size <= length && size > 3)
      CHECK_TEXT(buffer + written - 3, "…");
  }
  CHECK(promise_value_describe(&forged, buffer, sizeof buffer) > 0);
  CHECK(promise_value_describe(NULL, buffer, sizeof buffer) > 0);
  CHECK_INT(promise_value_describe(&value, NULL, 7), 0);
  promise_value_release(&value);
}

RULE(missing_arguments_are_refused, "values and types that are missing are refused") {
  promise_value_t one = i64(1), yes = {.kind = PROMISE_KIND_BOOL, .as.b = 1};
  bool equal = true;
  CHECK(!values_equal(&yes, &one));
  CHECK_STATUS(promise_value_equal(NULL, &one, &equal), PROMISE_EINVAL);
  CHECK(!equal);
  equal = true;
  CHECK_STATUS(promise_value_equal(&one, NULL, &equal), PROMISE_EINVAL);
  CHECK(!equal);
  CHECK_STATUS(promise_value_equal(&one, &one, NULL), PROMISE_EINVAL);
  CHECK_STATUS(promise_type_methods(NULL, same_letter, NULL), PROMISE_EINVAL);
  CHECK_STATUS(promise_type_methods((const promise_type_t *)(const void *)journal, same_letter, NULL), PROMISE_ESTALE);
}
