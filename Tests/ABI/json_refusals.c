/* Invalid JSON, and values that cannot be written as JSON: each error has its offset and reason. */
#include <locale.h>
#include <math.h>

#include "values.h"

/* Checks that `text` is rejected with `code`, at `offset`, with a message that contains `expected`. */
static void check_refused(const char *text, size_t length, const promise_json_options_t *options, int64_t code,
                          uint64_t offset, const char *expected) {
  promise_value_t value = garbage(), error = garbage();
  bool same = CHECK_STATUS(promise_value_from_json(&value, text, length, options, &error), PROMISE_EINVAL);
  CHECK_INT(value.kind, PROMISE_KIND_VOID);
  same &= CHECK_INT(error.kind, PROMISE_KIND_ERROR);
  same &= CHECK_TEXT(promise_value_domain(&error), "promise.json");
  same &= CHECK_INT(promise_value_code(&error), code);
  same &= CHECK_INT(u64_at(promise_value_cause(&error), "offset"), offset);
  const char *message = promise_value_data(&error, NULL);
  same &= CHECK(message != NULL && strstr(message, expected) != NULL);
  if (!same)
    fprintf(stderr, "  for %s: %s\n", text, check_shown(message));
  promise_value_release(&error);
  /* A call without an `out` for the error leaks nothing. */
  CHECK_STATUS(promise_value_from_json(&value, text, length, options, NULL), PROMISE_EINVAL);
}

typedef struct refusal {
  const char *text;
  int64_t code;
  uint64_t offset;
  const char *expected;
} refusal_t;

TEST(texts_that_are_not_json_are_refused) {
  static const refusal_t refusals[] = {
      {"", PROMISE_JSON_ESYNTAX, 0, "expected a value, found the end of the text"},
      {"  ", PROMISE_JSON_ESYNTAX, 2, "the end of the text"},
      {"1 2", PROMISE_JSON_ESYNTAX, 2, "expected nothing after the value, found '2'"},
      {"[1]]", PROMISE_JSON_ESYNTAX, 3, "expected nothing after the value, found ']'"},
      {"\xef\xbb\xbf[]", PROMISE_JSON_ESYNTAX, 0, "expected a value"},
      {"nul", PROMISE_JSON_ESYNTAX, 3, "expected 'true', 'false' or 'null', found the end"},
      {"nulL", PROMISE_JSON_ESYNTAX, 3, "found 'L'"},
      {"True", PROMISE_JSON_ESYNTAX, 0, "expected a value, found 'T'"},
      {"truex", PROMISE_JSON_ESYNTAX, 4, "found 'x'"},
      {"NaN", PROMISE_JSON_ESYNTAX, 0, "found 'N'"},
      {"Infinity", PROMISE_JSON_ESYNTAX, 0, "found 'I'"},
      {"-Infinity", PROMISE_JSON_ESYNTAX, 1, "expected a digit, found 'I'"},
      {"'a'", PROMISE_JSON_ESYNTAX, 0, "found '''"},
      {"☹", PROMISE_JSON_ESYNTAX, 0, "found '☹'"},
      {"\x01", PROMISE_JSON_ESYNTAX, 0, "found the byte 0x01"},
      {"\xff", PROMISE_JSON_ESYNTAX, 0, "found the byte 0xff"},
      {"\x7f", PROMISE_JSON_ESYNTAX, 0, "found the byte 0x7f"},
      {"\xc2\x9b", PROMISE_JSON_ESYNTAX, 0, "found the byte 0xc2"}, /* moves a terminal's cursor, as ESC [ does */
      {"\xc2\xa0", PROMISE_JSON_ESYNTAX, 0, "found '\xc2\xa0'"},
      {"// no comment\n1", PROMISE_JSON_ESYNTAX, 0, "found '/'"},
      /* Arrays and objects */
      {"[", PROMISE_JSON_ESYNTAX, 1, "expected a value, found the end"},
      {"[1", PROMISE_JSON_ESYNTAX, 2, "expected ',' or ']' after an element of an array, found the end"},
      {"[1,]", PROMISE_JSON_ESYNTAX, 3, "expected a value, found ']'"},
      {"[,1]", PROMISE_JSON_ESYNTAX, 1, "expected a value, found ','"},
      {"[1 2]", PROMISE_JSON_ESYNTAX, 3, "found '2'"},
      {"[1}", PROMISE_JSON_ESYNTAX, 2, "expected ',' or ']' after an element of an array, found '}'"},
      {"{", PROMISE_JSON_ESYNTAX, 1, "expected '\"', the beginning of a key, found the end"},
      {"{]", PROMISE_JSON_ESYNTAX, 1, "found ']'"},
      {"{1:2}", PROMISE_JSON_ESYNTAX, 1, "the beginning of a key, found '1'"},
      {"{\"a\"}", PROMISE_JSON_ESYNTAX, 4, "expected ':' after a key, found '}'"},
      {"{\"a\":}", PROMISE_JSON_ESYNTAX, 5, "expected a value, found '}'"},
      {"{\"a\":1", PROMISE_JSON_ESYNTAX, 6, "expected ',' or '}' after an entry of an object"},
      {"{\"a\":1,}", PROMISE_JSON_ESYNTAX, 7, "the beginning of a key, found '}'"},
      {"{\"a\":1]", PROMISE_JSON_ESYNTAX, 6, "found ']'"},
      {"{\"a\" \"b\"}", PROMISE_JSON_ESYNTAX, 5, "expected ':' after a key"},
      /* Numbers */
      {"-", PROMISE_JSON_ESYNTAX, 1, "expected a digit, found the end"},
      {"+1", PROMISE_JSON_ESYNTAX, 0, "found '+'"},
      {".5", PROMISE_JSON_ESYNTAX, 0, "found '.'"},
      {"5.", PROMISE_JSON_ESYNTAX, 2, "expected a digit"},
      {"[5.]", PROMISE_JSON_ESYNTAX, 3, "expected a digit, found ']'"},
      {"01", PROMISE_JSON_ESYNTAX, 1, "expected no digit after a leading zero, found '1'"},
      {"-01", PROMISE_JSON_ESYNTAX, 2, "leading zero"},
      {"1e", PROMISE_JSON_ESYNTAX, 2, "expected a digit of an exponent"},
      {"1e+", PROMISE_JSON_ESYNTAX, 3, "expected a digit of an exponent"},
      {"1.e5", PROMISE_JSON_ESYNTAX, 2, "expected a digit, found 'e'"},
      {"0x10", PROMISE_JSON_ESYNTAX, 1, "found 'x'"},
      {"1_000", PROMISE_JSON_ESYNTAX, 1, "found '_'"},
      {"1e400", PROMISE_JSON_ERANGE, 0, "expected a number that a double can hold"},
      {"[-1.8e308]", PROMISE_JSON_ERANGE, 1, "a double can hold"},
      {"1e99999999999999999999", PROMISE_JSON_ERANGE, 0, "a double can hold"},
      /* Strings */
      {"\"", PROMISE_JSON_ESYNTAX, 1, "expected '\"', the end of a string"},
      {"\"abc", PROMISE_JSON_ESYNTAX, 4, "the end of a string"},
      {"\"a\nb\"", PROMISE_JSON_ESYNTAX, 2, "expected no control character in a string: write it as \\u00.., found"},
      {"\"a\x1f\"", PROMISE_JSON_ESYNTAX, 2, "found the byte 0x1f"},
      {"\"\\", PROMISE_JSON_ESYNTAX, 2, "after '\\', found the end"},
      {"\"\\x41\"", PROMISE_JSON_ESYNTAX, 2, "after '\\', found 'x'"},
      {"\"\\u12g4\"", PROMISE_JSON_ESYNTAX, 5, "four hexadecimal digits after '\\u', found 'g'"},
      {"\"\\u123", PROMISE_JSON_ESYNTAX, 6, "four hexadecimal digits"},
      {"\"\\u@AAA\"", PROMISE_JSON_ESYNTAX, 3, "four hexadecimal digits"},
      {"\"\\ud800\"", PROMISE_JSON_EENCODING, 1, "expected both halves of a surrogate pair"},
      {"\"\\ud800\\n\"", PROMISE_JSON_EENCODING, 1, "both halves"},
      {"\"\\ud800\\u0041\"", PROMISE_JSON_EENCODING, 1, "both halves"},
      {"\"x\\udc00\\ud800\"", PROMISE_JSON_EENCODING, 2, "both halves"},
      {"\"\\udc00\\udc00\"", PROMISE_JSON_EENCODING, 1, "both halves"},
      {"\"\\ud800\\ud800\"", PROMISE_JSON_EENCODING, 1, "both halves"},
      {"\"abc\xff\"", PROMISE_JSON_EENCODING, 4, "expected UTF-8, found the byte 0xff"},
      {"\"\xc0\x80\"", PROMISE_JSON_EENCODING, 1, "expected UTF-8"},
      {"\"\xe2\x82(\"", PROMISE_JSON_EENCODING, 1, "expected UTF-8"},
      {"\"\xf0\x9f\x8e(\"", PROMISE_JSON_EENCODING, 1, "expected UTF-8"},
      {"\"\xf0\x9f(\x88\"", PROMISE_JSON_EENCODING, 1, "expected UTF-8"},
      {"\"\xed\xa0\x80\"", PROMISE_JSON_EENCODING, 1, "expected UTF-8"},
      {"{\"a\\n\xf0\x9f\x8e\":1}", PROMISE_JSON_EENCODING, 5, "expected UTF-8"},
      /* Keys */
      {"{\"a\":1,\"a\":2}", PROMISE_JSON_EDUPLICATE, 7, "expected a key that the object does not have yet"},
      {"[{\"b\":{}, \"a\":1,\"\\u0061\":2}]", PROMISE_JSON_EDUPLICATE, 16, "expected a key"},
  };
  for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
    const refusal_t *refusal = &refusals[i];
    check_refused(refusal->text, strlen(refusal->text), NULL, refusal->code, refusal->offset, refusal->expected);
  }
  check_refused("1\0", 2, NULL, PROMISE_JSON_ESYNTAX, 1, "found the byte 0x00");
}

TEST(place_is_given_by_line_and_column) {
  static const char text[] = "{\n  \"naïve\": [1, 2],\r\n  \"☹☹\": x\n}";
  promise_value_t value, error;
  CHECK_STATUS(promise_value_from_json(&value, text, strlen(text), NULL, &error), PROMISE_EINVAL);
  const promise_value_t *place = promise_value_cause(&error);
  CHECK_INT(u64_at(place, "line"), 3);
  CHECK_INT(u64_at(place, "column"), 9);
  CHECK_INT(u64_at(place, "offset"), strchr(text, 'x') - text);
  CHECK_TEXT(promise_value_data(&error, NULL), "expected a value, found 'x' (line 3, column 9, byte 35)");
  promise_value_release(&error);
}

/* Each proper prefix of a valid text is rejected: no byte beyond the length is read. */
TEST(beginnings_are_refused) {
  static const char text[] = "{\"k\":[true,null,-1.5e-3,\"\\ud83c\\udf88 é\",{}],\"l\":\"\"}";
  promise_value_t value;
  for (size_t length = 0; length < strlen(text); length++) {
    char *copy = malloc(length + 1);
    REQUIRE(copy != NULL);
    memcpy(copy, text, length);
    CHECK_STATUS(promise_value_from_json(&value, copy, length, NULL, NULL), PROMISE_EINVAL);
    free(copy);
  }
  CHECK_STATUS(promise_value_from_json(&value, text, strlen(text), NULL, NULL), PROMISE_OK);
  promise_value_release(&value);
}

TEST(equal_keys_may_be_allowed) {
  static const char text[] = "{\"a\":[1],\"b\":2,\"a\":[3]}";
  const promise_json_options_t options = {.size = sizeof options, .flags = PROMISE_JSON_LAST_WINS};
  promise_value_t value;
  CHECK_STATUS(promise_value_from_json(&value, text, strlen(text), &options, NULL), PROMISE_OK);
  CHECK_INT(promise_value_count(&value), 2);
  CHECK_TEXT(promise_value_key(&value, 0, NULL), "a");
  CHECK_INT(promise_value_at(promise_value_at(&value, 0), 0)->as.i64, 3);
  promise_value_release(&value);
}

TEST(limits_hold) {
  promise_json_options_t options = {.size = sizeof options, .max_depth = 2, .max_length = 10};
  promise_value_t value, out;
  CHECK_STATUS(promise_value_from_json(&value, "[{}, [1]] ", 10, &options, NULL), PROMISE_OK);
  CHECK_STATUS(promise_value_to_json(&out, &value, &options, NULL), PROMISE_OK);
  CHECK_TEXT(promise_value_data(&out, NULL), "[{},[1]]");
  promise_value_release(&out), promise_value_release(&value);
  check_refused("[[[]]]", 6, &options, PROMISE_JSON_EDEPTH, 2, "nested deeper than the caller allows, found '['");
  check_refused("[{\"a\":{}}]", 10, &options, PROMISE_JSON_EDEPTH, 6, "nested deeper");
  check_refused("          1", 11, &options, PROMISE_JSON_ELENGTH, 11,
                "longer than the caller allows (line 1, column 12");
}

/* A value with 2^100 parts, of which only a hundred are distinct: the length of the text is limited. */
TEST(limit_ends_exponential_output) {
  const promise_json_options_t options = {.size = sizeof options, .max_length = 100000};
  promise_value_t value = text("x"), out, error;
  for (int i = 0; i < 100; i++) {
    CHECK_STATUS(promise_value_retain(&value), PROMISE_OK);
    value = ARRAY(value, value);
  }
  CHECK_STATUS(promise_value_to_json(&out, &value, &options, &error), PROMISE_EINVAL);
  CHECK_INT(promise_value_code(&error), PROMISE_JSON_ELENGTH);
  promise_value_release(&error);
  promise_value_release(&value);
}

/* ---- Values that JSON cannot express ---- */

static void check_unwritable(promise_value_t value, int64_t code, const char *expected) {
  promise_value_t list = ARRAY(*I64(1), value), out = garbage(), error = garbage(), map;
  const char *const keys[] = {"ok", "a \"key\""};
  promise_value_t entries[] = {*I64(1), list};
  CHECK_STATUS(promise_value_map(&map, keys, NULL, entries, 2), PROMISE_OK);
  CHECK_STATUS(promise_value_to_json(&out, &map, NULL, &error), PROMISE_EINVAL);
  CHECK_INT(out.kind, PROMISE_KIND_VOID);
  CHECK_TEXT(promise_value_domain(&error), "promise.json");
  CHECK_INT(promise_value_code(&error), code);
  CHECK(strstr(promise_value_data(&error, NULL), expected) != NULL);
  const promise_value_t *path = promise_value_find(promise_value_cause(&error), "path", 4);
  CHECK_TEXT(promise_value_data(path, NULL), "$[\"a \\\"key\\\"\"][1]");
  promise_value_release(&error);
  CHECK_STATUS(promise_value_to_json(&out, &map, NULL, NULL), PROMISE_EINVAL);
  promise_value_release(&map);
}

TEST(values_that_json_lacks_are_refused) {
  payload_t payload = {0};
  check_unwritable((promise_value_t){.kind = PROMISE_KIND_POINTER}, PROMISE_JSON_EUNSUPPORTED, "no pointers");
  check_unwritable((promise_value_t){.kind = PROMISE_KIND_DISCARDED}, PROMISE_JSON_EUNSUPPORTED, "DISCARDED");
  check_unwritable(holding(promise_new()), PROMISE_JSON_EUNSUPPORTED, "no promises");
  check_unwritable(object(&payload), PROMISE_JSON_EUNSUPPORTED, "no objects");
  static const double numbers[] = {NAN, INFINITY, -INFINITY};
  const promise_json_options_t options = {.size = sizeof options, .flags = PROMISE_JSON_NONFINITE_NULL};
  for (int i = 0; i < 3; i++) {
    promise_value_t value = {.kind = PROMISE_KIND_F64, .as.f64 = numbers[i]}, out;
    check_unwritable(value, PROMISE_JSON_ERANGE, "NaN or infinity (at $[\"a");
    CHECK_STATUS(promise_value_to_json(&out, &value, &options, NULL), PROMISE_OK);
    CHECK_TEXT(promise_value_data(&out, NULL), "null");
    promise_value_release(&out);
  }
  promise_value_t cause = holding(promise_new()), value, out, error;
  CHECK_STATUS(promise_value_error_from(&value, "d", 1, "m", NULL, &cause), PROMISE_OK);
  CHECK_STATUS(promise_value_to_json(&out, &value, NULL, &error), PROMISE_EINVAL);
  CHECK_TEXT(promise_value_data(promise_value_find(promise_value_cause(&error), "path", 4), NULL), "$.cause");
  promise_value_release(&value), promise_value_release(&error);
}

/* ---- The locale ---- */

/* Uses a locale whose decimal point is a comma, if one is installed. */
TEST(locale_makes_no_difference) {
  static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "de_DE"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (setlocale(LC_ALL, names[i]) != NULL)
      break;
  promise_value_t value = json("[1.5,0.30000000000000004,123456789012345678901234567890.5]"), out;
  CHECK(promise_value_at(&value, 0)->as.f64 == 1.5);
  CHECK(promise_value_at(&value, 1)->as.f64 == 0.1 + 0.2);
  CHECK_STATUS(promise_value_to_json(&out, &value, NULL, NULL), PROMISE_OK);
  CHECK_TEXT(promise_value_data(&out, NULL), "[1.5,0.30000000000000004,1.2345678901234568e+29]");
  promise_value_release(&value), promise_value_release(&out);
  setlocale(LC_ALL, "C");
}
