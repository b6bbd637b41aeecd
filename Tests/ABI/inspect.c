/* Equality of values, and their descriptions. */
#include <float.h>
#include <math.h>

#include "support.h"

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

static promise_value_t f64(double number) {
  return (promise_value_t){.kind = PROMISE_KIND_F64, .as.f64 = number};
}

static promise_value_t u64(uint64_t number) {
  return (promise_value_t){.kind = PROMISE_KIND_U64, .as.u64 = number};
}

static promise_value_t bytes(const char *bytes) {
  promise_value_t value;
  REQUIRE(promise_value_bytes(&value, bytes, strlen(bytes)) == PROMISE_OK);
  return value;
}

/* ---- Equality ---- */

static void plain_values_are_equal_by_content(void) {
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

static void integers_are_equal_whatever_their_kind(void) {
  CHECK(equal(*I64(5), u64(5)));
  CHECK(equal(*I64(INT64_MAX), u64(INT64_MAX)));
  CHECK(!equal(*I64(-1), u64(UINT64_MAX)));
  CHECK(!equal(*I64(INT64_MIN), u64(UINT64_C(1) << 63)));
  CHECK(!equal(*I64(5), u64(6)));
  CHECK(!equal(*I64(5), f64(5)));
  CHECK(!equal(u64(5), f64(5)));
}

static void doubles_are_equal_as_numbers(void) {
  CHECK(equal(f64(0.5), f64(0.5)));
  CHECK(equal(f64(0.0), f64(-0.0)));
  CHECK(equal(f64(NAN), f64(NAN)));
  CHECK(equal(f64(NAN), f64(-NAN)));
  CHECK(equal(f64(INFINITY), f64(INFINITY)));
  CHECK(!equal(f64(INFINITY), f64(-INFINITY)));
  CHECK(!equal(f64(NAN), f64(0)));
  CHECK(!equal(f64(0.1), f64(0.1 + DBL_EPSILON / 8)));
}

static void texts_are_equal_by_their_bytes(void) {
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

static void collections_are_equal_in_depth(void) {
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

static promise_value_t caused(const char *message, int64_t code, const char *origin, promise_value_t cause) {
  promise_value_t value;
  REQUIRE(promise_value_error_from(&value, "test", code, message, origin, &cause) == PROMISE_OK);
  return value;
}

static void errors_are_equal_by_what_they_say(void) {
  CHECK(equal_owned(error("a", 1, "m"), error("a", 1, "m")));
  CHECK(!equal_owned(error("a", 1, "m"), error("b", 1, "m")));
  CHECK(!equal_owned(error("a", 1, "m"), error("a", 2, "m")));
  CHECK(!equal_owned(error("a", 1, "m"), error("a", 1, "n")));
  CHECK(equal_owned(caused("m", 1, "here", *I64(1)), caused("m", 1, "there", *I64(1))));
  CHECK(!equal_owned(caused("m", 1, "here", *I64(1)), caused("m", 1, "here", *I64(2))));
  CHECK(!equal_owned(caused("m", 1, "here", *I64(1)), caused("m", 1, "here", *VOID())));
  CHECK(equal_owned(caused("m", 1, NULL, error("a", 1, "m")), caused("m", 1, NULL, error("a", 1, "m"))));
}

static promise_value_t cancelled(promise_value_t cause) {
  promise_value_t value;
  REQUIRE(promise_value_discarded(&value, &cause) == PROMISE_OK);
  return value;
}

static void cancellations_are_equal_by_cause(void) {
  promise_value_t plain = {.kind = PROMISE_KIND_DISCARDED};
  CHECK(equal_owned(cancelled(text("why")), cancelled(text("why"))));
  CHECK(!equal_owned(cancelled(text("why")), cancelled(text("else"))));
  CHECK(!equal_owned(cancelled(text("why")), plain));
}

static void promises_are_equal_by_identity(void) {
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

static size_t says_letter(const void *payload, char *buffer, size_t size) {
  int length = snprintf(buffer, size, "letter %c", *(const char *)payload);
  return length > 0 && (size_t)length < size ? (size_t)length : 0;
}

static promise_value_t object_of(const promise_type_t *type, const char *payload) {
  promise_value_t value;
  REQUIRE(promise_value_object(&value, type, (void *)(uintptr_t)payload) == PROMISE_OK);
  return value;
}

static void objects_are_equal_as_their_type_says(void) {
  const promise_type_t *plain = promise_type_register("test.plain", NULL, NULL);
  const promise_type_t *letter = promise_type_register("test.letter", NULL, NULL);
  const promise_type_t *vowel = promise_type_register("test.vowel", letter, NULL);
  promise_value_t one = object_of(plain, "a");
  CHECK(equal(one, one));
  CHECK_STATUS(promise_value_release(&one), PROMISE_OK);
  CHECK(!equal_owned(object_of(plain, "a"), object_of(plain, "a")));

  CHECK_STATUS(promise_type_methods(letter, same_letter, NULL), PROMISE_OK);
  CHECK_STATUS(promise_type_methods(letter, NULL, NULL), PROMISE_OK);
  CHECK(equal_owned(object_of(letter, "a1"), object_of(letter, "a2")));
  CHECK(!equal_owned(object_of(letter, "a1"), object_of(letter, "b1")));
  CHECK(!equal_owned(object_of(letter, "a1"), object_of(plain, "a1")));
  /* Inherited from the parent; but a child is not of its parent's type. */
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

static void deep_values_are_compared_without_a_stack(void) {
  on_small_stack(compares_deep_values, NULL);
}

/* Each level holds the one below twice, a hundred times: 2^100 paths, but a hundred values. */
static promise_value_t doubled(promise_value_t value, int levels) {
  for (int i = 0; i < levels; i++) {
    CHECK_STATUS(promise_value_retain(&value), PROMISE_OK);
    promise_value_t pair[] = {value, value};
    value = array(pair, 2);
  }
  return value;
}

static void shared_parts_are_compared_once(void) {
  CHECK(equal_owned(doubled(text("x"), 100), doubled(text("x"), 100)));
  CHECK(!equal_owned(doubled(text("x"), 100), doubled(text("y"), 100)));
  CHECK(!equal_owned(doubled(text("x"), 100), doubled(text("x"), 101)));
  CHECK(equal_owned(doubled(json("{\"a\":[1],\"b\":[1]}"), 60), doubled(json("{\"b\":[1],\"a\":[1]}"), 60)));
}

/* ---- Descriptions ---- */

static void check_described(promise_value_t value, const char *expected) {
  char buffer[512];
  size_t length = promise_value_describe(&value, buffer, sizeof buffer);
  CHECK_TEXT(buffer, expected);
  CHECK_INT(length, strlen(expected));
  promise_value_release(&value);
}

static void values_are_described(void) {
  check_described(*VOID(), "void");
  check_described((promise_value_t){.kind = PROMISE_KIND_BOOL, .as.b = 1}, "true");
  check_described((promise_value_t){.kind = PROMISE_KIND_BOOL}, "false");
  check_described(*I64(INT64_MIN), "-9223372036854775808");
  check_described(u64(UINT64_MAX), "18446744073709551615");
  check_described(f64(0.1), "0.1");
  check_described(f64(-2), "-2.0");
  check_described(f64(INFINITY), "inf");
  check_described((promise_value_t){.kind = PROMISE_KIND_DISCARDED}, "discarded");
  check_described((promise_value_t){.kind = PROMISE_KIND_POINTER, .as.u64 = 0xbeef}, "pointer 0xbeef");
  check_described((promise_value_t){.kind = PROMISE_KIND_POINTER}, "pointer 0x0");
  check_described(text("a \"quoted\" \\ naïve\n\t\r\x01\x7f ☹"),
                  "\"a \\\"quoted\\\" \\\\ naïve\\n\\t\\r\\u0001\\u007f ☹\"");
  check_described(text("\xc2\x9b\xc2\xa0"), "\"\\u009b\xc2\xa0\"");
  check_described(bytes("\r\n\x01\x02\x03"), "bytes(5) 0d0a0102 03");
  check_described(bytes(""), "bytes(0)");
  check_described(json("[]"), "[]");
  check_described(json("{\"a\":[1,2],\"b\":{}}"), "{\"a\": [1, 2], \"b\": {}}");
  check_described(error("http", 404, "not found"), "error http 404: \"not found\"");
  check_described(cancelled(*I64(7)), "discarded, because of 7");
  check_described(caused("m", -1, "file.c:1", *I64(7)), "error test -1: \"m\" at file.c:1, because of 7");
}

static void long_bytes_are_cut_off(void) {
  char buffer[512] = {0};
  promise_value_t value;
  CHECK_STATUS(promise_value_bytes(&value, buffer, 100), PROMISE_OK);
  promise_value_describe(&value, buffer, sizeof buffer);
  CHECK(strncmp(buffer, "bytes(100) ", 11) == 0 && strcmp(buffer + strlen(buffer) - 4, " …") == 0);
  CHECK_INT(strlen(buffer), 11 + 8 * 8 + 7 + 4);
  promise_value_release(&value);
}

static void promises_are_described_by_their_state(void) {
  promise_t *promise = promise_new();
  promise_value_t value = holding(promise);
  char buffer[64], expected[64];
  snprintf(expected, sizeof expected, "pending promise 0x%llx", (unsigned long long)(uintptr_t)promise);
  promise_value_describe(&value, buffer, sizeof buffer);
  CHECK_TEXT(buffer, expected);
  promise_resolve(promise, VOID());
  promise_value_describe(&value, buffer, sizeof buffer);
  CHECK(strncmp(buffer, "fulfilled promise", 17) == 0);
  promise_value_release(&value);
  value = holding(rejected(1));
  promise_value_describe(&value, buffer, sizeof buffer);
  CHECK(strncmp(buffer, "rejected promise", 16) == 0);
  promise_value_release(&value);
}

static size_t describes_badly(const void *payload, char *buffer, size_t size) {
  memset(buffer, 0xff, size < 4 ? size : 4);
  return *(const char *)payload == 'l' ? SIZE_MAX : *(const char *)payload == 'n' ? 0 : 4;
}

static void objects_describe_themselves(void) {
  const promise_type_t *said = promise_type_register("test.said", NULL, NULL);
  const promise_type_t *bad = promise_type_register("test.bad", NULL, NULL);
  const promise_type_t *child = promise_type_register("test.said.child", said, NULL);
  CHECK_STATUS(promise_type_methods(said, NULL, says_letter), PROMISE_OK);
  CHECK_STATUS(promise_type_methods(bad, NULL, describes_badly), PROMISE_OK);
  check_described(ARRAY(object_of(said, "q"), object_of(child, "r")), "[letter q, letter r]");
  static const char *const bad_ways[] = {"long", "none", "malformed"};
  for (int i = 0; i < 3; i++) {
    char buffer[64], expected[64];
    promise_value_t value = object_of(bad, bad_ways[i]);
    snprintf(expected, sizeof expected, "test.bad 0x%llx", (unsigned long long)(uintptr_t)bad_ways[i]);
    promise_value_describe(&value, buffer, sizeof buffer);
    CHECK_TEXT(buffer, expected);
    promise_value_release(&value);
  }
}

/* At each size: no byte beyond it, a NUL at the end, whole characters, and an ellipsis if the text is truncated. */
static void description_fits_its_place(void) {
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
  promise_value_release(&value);
}

static void *describes_deep_values(void *argument) {
  char buffer[64];
  (void)argument;
  promise_value_t deep = nest(*I64(1), check_scale(1000 * 1000)), chain = *I64(0);
  promise_value_describe(&deep, buffer, sizeof buffer);
  CHECK_TEXT(buffer, "[[[[[[[[[[[[[[[[[…]]]]]]]]]]]]]]]]]");
  for (int i = 0; i < 1000; i++)
    chain = caused("m", i, NULL, chain);
  promise_value_describe(&chain, buffer, sizeof buffer);
  CHECK(strncmp(buffer, "error test 999: \"m\", because of error", 37) == 0);
  promise_value_release(&deep);
  promise_value_release(&chain);
  /* 2^100 elements, of which only those that fit are visited. */
  promise_value_t wide = doubled(*I64(1), 100);
  CHECK(promise_value_describe(&wide, buffer, sizeof buffer) < sizeof buffer);
  promise_value_release(&wide);
  return NULL;
}

static void deep_values_are_described_in_short(void) {
  on_small_stack(describes_deep_values, NULL);
}

int main(void) {
  RUN(plain_values_are_equal_by_content);
  RUN(integers_are_equal_whatever_their_kind);
  RUN(doubles_are_equal_as_numbers);
  RUN(texts_are_equal_by_their_bytes);
  RUN(collections_are_equal_in_depth);
  RUN(errors_are_equal_by_what_they_say);
  RUN(cancellations_are_equal_by_cause);
  RUN(promises_are_equal_by_identity);
  RUN(objects_are_equal_as_their_type_says);
  RUN(deep_values_are_compared_without_a_stack);
  RUN(shared_parts_are_compared_once);
  RUN(values_are_described);
  RUN(long_bytes_are_cut_off);
  RUN(promises_are_described_by_their_state);
  RUN(objects_describe_themselves);
  RUN(description_fits_its_place);
  RUN(deep_values_are_described_in_short);
  return check_report();
}
