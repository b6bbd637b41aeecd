/* promise/json.h: edge cases of RFC 8259. */
#include <math.h>

#include "../checked.h"

CHECKS(json)

static promise_value_t read_as(const char *text, promise_kind_t kind) {
  promise_value_t value = garbage(), error = garbage();
  if (!CHECK_STATUS(promise_value_from_json(&value, text, strlen(text), NULL, &error), PROMISE_OK))
    fprintf(stderr, "  for %s: %s\n", text, check_shown(promise_value_data(&error, NULL)));
  CHECK_INT(error.kind, PROMISE_KIND_VOID);
  if (!CHECK_INT(value.kind, kind))
    fprintf(stderr, "  for %s\n", text);
  return value;
}

/* Checks the JSON of a value, and takes over the value. */
static void check_written(promise_value_t value, const promise_json_options_t *options, const char *expected) {
  promise_value_t out = garbage(), error = garbage();
  CHECK_STATUS(promise_value_to_json(&out, &value, options, &error), PROMISE_OK);
  CHECK_INT(error.kind, PROMISE_KIND_VOID);
  CHECK_INT(out.kind, PROMISE_KIND_STRING);
  CHECK_TEXT(promise_value_data(&out, NULL), expected);
  promise_value_release(&out);
  promise_value_release(&value);
}

/* ---- Numbers ---- */

RULE(integers_are_exact, "JSON that was read is written unchanged, integers of 64 bits exactly") {
  static const char *const texts[] = {
      "0", "-0", "1", "-1", "9007199254740993", "9223372036854775807", "-9223372036854775808", "1234567890123456789"};
  static const int64_t numbers[] = {0, 0, 1, -1, 9007199254740993, INT64_MAX, INT64_MIN, 1234567890123456789};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    promise_value_t value = read_as(texts[i], PROMISE_KIND_I64);
    CHECK_INT(value.as.i64, numbers[i]);
    check_written(value, NULL, i == 1 ? "0" : texts[i]);
  }
  CHECK(read_as("9223372036854775808", PROMISE_KIND_U64).as.u64 == UINT64_C(1) << 63);
  CHECK(read_as("18446744073709551615", PROMISE_KIND_U64).as.u64 == UINT64_MAX);
  check_written((promise_value_t){.kind = PROMISE_KIND_U64, .as.u64 = UINT64_MAX}, NULL, "18446744073709551615");
  /* Numbers beyond the range are read as the nearest double. */
  CHECK(read_as("18446744073709551616", PROMISE_KIND_F64).as.f64 == 18446744073709551616.0);
  CHECK(read_as("-9223372036854775809", PROMISE_KIND_F64).as.f64 == -9223372036854775808.0);
  CHECK(read_as("123456789012345678901234567890", PROMISE_KIND_F64).as.f64 == 123456789012345678901234567890.0);
}

RULE(doubles_are_the_nearest_ones, "an F64 is the nearest one to its digits") {
  static const char *const texts[] = {"0.0",
                                      "-0.0",
                                      "0.1",
                                      "1.0",
                                      "1e0",
                                      "1E+2",
                                      "1e-2",
                                      "-1.5e3",
                                      "0e999999999999",
                                      "1e-400",
                                      "5e-324",
                                      "2.5e-324",
                                      "1.7976931348623157e308",
                                      "1.7976931348623158e308",
                                      "2.2250738585072014e-308",
                                      "2.2250738585072011e-308",
                                      "9007199254740993.0",
                                      "9007199254740992.99999999999999999",
                                      "0.30000000000000004",
                                      "1e22",
                                      "1e23",
                                      "1e-22",
                                      "123456789.123456789e-5",
                                      "100000000000000000000000000000000000000e-38",
                                      "0.000000000000000000000000000000001",
                                      "6929495644600919.5",
                                      "6929495644600920.5",
                                      "3.141592653589793238462643383279502884197169399375105820974944592307",
                                      "0.1000000000000000055511151231257827021181583404541015625",
                                      "0.10000000000000000832667268468867405317723751068115234375"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    double expected = strtod(texts[i], NULL), got = read_as(texts[i], PROMISE_KIND_F64).as.f64;
    if (!CHECK(memcmp(&expected, &got, sizeof got) == 0))
      fprintf(stderr, "  %s: %.17g, expected %.17g\n", texts[i], got, expected);
  }
}

RULE(long_numbers_are_read_whole, "a number may have 100,000 digits") {
  enum { DIGITS = 100000 };
  char *text = malloc(DIGITS + 16);
  REQUIRE(text != NULL);
  memset(text, '1', DIGITS);
  memcpy(text, "0.", 2);
  text[DIGITS] = '\0';
  CHECK(read_as(text, PROMISE_KIND_F64).as.f64 == 0.1111111111111111111);
  memset(text, '0', DIGITS);
  memcpy(text, "0.", 2);
  strcpy(text + DIGITS, "7e99998");
  CHECK(read_as(text, PROMISE_KIND_F64).as.f64 == 0.7);
  free(text);
}

static double random_double(void) {
  static uint64_t state = UINT64_C(0x9e3779b97f4a7c15);
  double number;
  do {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    memcpy(&number, &state, sizeof number);
  } while (!isfinite(number));
  return number;
}

RULE(doubles_are_written_so_that_they_are_read_again,
     "an F64 is written so that it is read again, in 24 characters at most") {
  long rounds = check_scale(200000), wrong = 0;
  for (long i = 0; i < rounds; i++) {
    promise_value_t value = {.kind = PROMISE_KIND_F64, .as.f64 = random_double()}, text, again;
    REQUIRE(promise_value_to_json(&text, &value, NULL, NULL) == PROMISE_OK);
    size_t length;
    const char *data = promise_value_data(&text, &length);
    REQUIRE(promise_value_from_json(&again, data, length, NULL, NULL) == PROMISE_OK);
    wrong += memcmp(&again, &value, sizeof value) != 0 || strtod(data, NULL) != value.as.f64;
    /* At most a sign, 17 digits, a point, and an exponent of 5 characters. */
    wrong += length > 24;
    promise_value_release(&text);
  }
  CHECK_INT(wrong, 0);
}

/* ---- Texts ---- */

static void check_text_read(const char *json, const char *expected, size_t length) {
  promise_value_t value = read_as(json, PROMISE_KIND_STRING);
  size_t size = 0;
  const char *data = promise_value_data(&value, &size);
  CHECK_INT(size, length);
  CHECK(data != NULL && memcmp(data, expected, length + 1) == 0);
  promise_value_release(&value);
}

RULE(strings_are_unescaped, "strings are decoded") {
  check_text_read("\"\"", "", 0);
  check_text_read("\"plain\"", "plain", 5);
  check_text_read("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "\"\\/\b\f\n\r\t", 8);
  check_text_read("\"\\u0041\\u00e9\\u20AC\\uD83C\\uDF88\"", "Aé€🎈", 10);
  check_text_read("\"\\u0000\"", "\0", 1);
  check_text_read("\"é€🎈\x7f\"", "é€🎈\x7f", 10);
  check_text_read("\"x\\uFFFFx\\ud7ff\\ue000\"", "x\xef\xbf\xbfx\xed\x9f\xbf\xee\x80\x80", 11);
  check_text_read("\"a longer text, then \\n and more of it after that\"",
                  "a longer text, then \n and more of it after that", 47);
}

RULE(strings_are_escaped, "strings are encoded, in ASCII if asked to") {
  const promise_json_options_t ascii = {.size = sizeof ascii, .flags = PROMISE_JSON_ASCII};
  check_written(text("\"\\/\b\f\n\r\t\x01\x1f\x7f é€🎈"), NULL, "\"\\\"\\\\/\\b\\f\\n\\r\\t\\u0001\\u001f\x7f é€🎈\"");
  check_written(text("\"é€🎈\x7f\""), &ascii, "\"\\\"\\u00e9\\u20ac\\ud83c\\udf88\x7f\\\"\"");
  promise_value_t zero;
  CHECK_STATUS(promise_value_string(&zero, "a\0b", 3), PROMISE_OK);
  check_written(zero, NULL, "\"a\\u0000b\"");
}

/* ---- Values ---- */

RULE(values_are_read, "values of each kind are read") {
  CHECK_INT(read_as("null", PROMISE_KIND_VOID).as.u64, 0);
  CHECK_INT(read_as("true", PROMISE_KIND_BOOL).as.b, 1);
  CHECK_INT(read_as(" \t\r\nfalse \t\r\n", PROMISE_KIND_BOOL).as.b, 0);
  promise_value_t value =
      read_as(" { \"b\" : [ 1 , [ ] , { } , null ] , \"a\" : { \"\" : \"x\" } } ", PROMISE_KIND_MAP);
  CHECK_TEXT(promise_value_key(&value, 0, NULL), "b");
  CHECK_TEXT(promise_value_key(&value, 1, NULL), "a");
  const promise_value_t *list = promise_value_find(&value, "b", 1);
  CHECK_INT(promise_value_count(list), 4);
  CHECK_INT(promise_value_at(list, 1)->kind, PROMISE_KIND_ARRAY);
  CHECK_INT(promise_value_at(list, 2)->kind, PROMISE_KIND_MAP);
  CHECK_INT(promise_value_at(list, 3)->kind, PROMISE_KIND_VOID);
  const promise_value_t *map = promise_value_find(&value, "a", 1);
  CHECK_TEXT(promise_value_data(promise_value_find(map, "", 0), NULL), "x");
  promise_value_release(&value);
}

RULE(values_are_written, "values of each kind are written") {
  check_written(*VOID(), NULL, "null");
  check_written((promise_value_t){.kind = PROMISE_KIND_BOOL, .as.u64 = 0x102}, NULL, "true");
  check_written((promise_value_t){.kind = PROMISE_KIND_BOOL}, NULL, "false");
  check_written((promise_value_t){.kind = PROMISE_KIND_F64, .as.f64 = 0.1}, NULL, "0.1");
  check_written((promise_value_t){.kind = PROMISE_KIND_F64, .as.f64 = -0.0}, NULL, "-0.0");
  check_written(json("{\"b\":[1,[],{},null],\"a\":{\"\":\"x\"}}"), NULL, "{\"b\":[1,[],{},null],\"a\":{\"\":\"x\"}}");
  static const char *const plain[] = {"", "f", "fo", "foo", "foob", "fooba", "foobar"};
  static const char *const coded[] = {"\"\"",         "\"Zg==\"",     "\"Zm8=\"",    "\"Zm9v\"",
                                      "\"Zm9vYg==\"", "\"Zm9vYmE=\"", "\"Zm9vYmFy\""};
  promise_value_t value;
  for (size_t i = 0; i < 7; i++) {
    CHECK_STATUS(promise_value_bytes(&value, plain[i], i), PROMISE_OK);
    check_written(value, NULL, coded[i]);
  }
  CHECK_STATUS(promise_value_bytes(&value, "\xfb\xff\xfe\x00", 4), PROMISE_OK);
  check_written(value, NULL, "\"+//+AA==\"");
}

RULE(errors_are_written_as_objects, "an ERROR is written as an object") {
  promise_value_t cause = error("errno", 2, "no \"such\" file"), value;
  CHECK_STATUS(promise_value_error_from(&value, "test", -1, "message", "here", &cause), PROMISE_OK);
  check_written(ARRAY(value, error("a", 0, "")), NULL,
                "[{\"domain\":\"test\",\"code\":-1,\"message\":\"message\",\"origin\":\"here\",\"cause\":{\"domain\":"
                "\"errno\",\"code\":2,\"message\":\"no \\\"such\\\" file\"}},"
                "{\"domain\":\"a\",\"code\":0,\"message\":\"\"}]");
}

RULE(lines_are_indented, "lines are indented if asked to") {
  const promise_json_options_t two = {.size = sizeof two, .indent = 2};
  check_written(json("[]"), &two, "[]");
  check_written(json("[1,{\"a\":[],\"b\":{\"c\":null}},{}]"), &two,
                "[\n  1,\n  {\n    \"a\": [],\n    \"b\": {\n      \"c\": null\n    }\n  },\n  {}\n]");
  check_written(error("d", 1, "m"), &two, "{\n  \"domain\": \"d\",\n  \"code\": 1,\n  \"message\": \"m\"\n}");
  promise_value_t failure, cause = json("[7]");
  CHECK_STATUS(promise_value_error_from(&failure, "d", 1, "m", "o", &cause), PROMISE_OK);
  check_written(failure, &two,
                "{\n  \"domain\": \"d\",\n  \"code\": 1,\n  \"message\": \"m\",\n  \"origin\": \"o\",\n"
                "  \"cause\": [\n    7\n  ]\n}");
}

/* ---- Depth and size ---- */

static void *reads_and_writes_deep_values(void *argument) {
  promise_json_options_t options = {.size = sizeof options, .max_depth = UINT32_MAX};
  size_t levels = (size_t)check_scale(1000 * 1000);
  char *text = malloc(levels * 12 + 2), *end = text;
  (void)argument;
  REQUIRE(text != NULL);
  for (size_t i = 0; i < levels; i++)
    end = strcpy(end, i % 2 ? "{\"a\":" : "[") + (i % 2 ? 5 : 1);
  *end++ = '7';
  for (size_t i = levels; i-- > 0;)
    *end++ = i % 2 ? '}' : ']';
  *end = '\0';
  promise_value_t value, again;
  CHECK_STATUS(promise_value_from_json(&value, text, strlen(text), &options, NULL), PROMISE_OK);
  CHECK_STATUS(promise_value_to_json(&again, &value, &options, NULL), PROMISE_OK);
  CHECK(strcmp(promise_value_data(&again, NULL), text) == 0);
  promise_value_release(&value);
  promise_value_release(&again);
  /* Unclosed arrays are read without recursion too. */
  CHECK_STATUS(promise_value_from_json(&value, text, levels * 3, &options, NULL), PROMISE_EINVAL);
  free(text);
  return NULL;
}

RULE(deep_values_take_no_stack, "values nested a million deep are read and written on a stack of 512 KiB") {
  on_small_stack(reads_and_writes_deep_values, NULL);
}

RULE(many_values_are_read_and_written, "a document of many values is read and written") {
  promise_builder_t *builder = promise_builder_new(PROMISE_KIND_STRING, 0);
  long count = check_scale(200000);
  for (long i = 0; i < count; i++) {
    char entry[96];
    int length = snprintf(entry, sizeof entry, "%c{\"id\":%ld,\"name\":\"number %ld\",\"tags\":[%ld.5,null]}",
                          i == 0 ? '[' : ',', i, i, i);
    promise_builder_append(builder, entry, (size_t)length);
  }
  promise_builder_append(builder, "]", 1);
  promise_value_t text, value, again;
  CHECK_STATUS(promise_builder_finish(builder, &text), PROMISE_OK);
  size_t length;
  const char *data = promise_value_data(&text, &length);
  CHECK_STATUS(promise_value_from_json(&value, data, length, NULL, NULL), PROMISE_OK);
  CHECK_INT(promise_value_count(&value), count);
  CHECK_STATUS(promise_value_to_json(&again, &value, NULL, NULL), PROMISE_OK);
  CHECK(values_equal(&again, &text));
  promise_value_release(&value), promise_value_release(&again), promise_value_release(&text);
}

static void expect_written(promise_value_t value, const char *text) {
  promise_value_t json;
  CHECK_STATUS(promise_value_to_json(&json, &value, NULL, NULL), PROMISE_OK);
  CHECK_INT(json.kind, PROMISE_KIND_STRING);
  CHECK_TEXT(promise_value_data(&json, NULL), text);
  CHECK_STATUS(promise_value_release(&json), PROMISE_OK);
  CHECK_STATUS(promise_value_release(&value), PROMISE_OK);
}

RULE(invalid_json_is_refused, "invalid JSON is refused, with an ERROR of domain \"promise.json\"") {
  static const struct {
    const char *text;
    int64_t code;
  } wrong[] = {{"", PROMISE_JSON_ESYNTAX},
               {"[1,]", PROMISE_JSON_ESYNTAX},
               {"{\"a\" 1}", PROMISE_JSON_ESYNTAX},
               {"01", PROMISE_JSON_ESYNTAX},
               {"nul", PROMISE_JSON_ESYNTAX},
               {"1 2", PROMISE_JSON_ESYNTAX},
               {"\"\x01\"", PROMISE_JSON_ESYNTAX},
               {"\"\\ud800\"", PROMISE_JSON_EENCODING},
               {"\"\xff\"", PROMISE_JSON_EENCODING},
               {"1e999", PROMISE_JSON_ERANGE},
               {"{\"a\":1,\"a\":2}", PROMISE_JSON_EDUPLICATE}};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    promise_value_t value = i64(1), error;
    promise_status_t status = promise_value_from_json(&value, wrong[i].text, strlen(wrong[i].text), NULL, &error);
    if (status != PROMISE_EINVAL)
      CHECK_FAIL("promise_value_from_json() of %s returned %d, expected PROMISE_EINVAL", wrong[i].text, (int)status);
    CHECK_INT(value.kind, PROMISE_KIND_VOID);
    CHECK_TEXT(promise_value_domain(&error), "promise.json");
    CHECK_INT(promise_value_code(&error), wrong[i].code);
    CHECK_STATUS(promise_value_release(&error), PROMISE_OK);
  }
}

RULE(options_are_kept, "depth, equal keys and options are as asked for") {
  promise_json_options_t options = {.size = sizeof options, .max_depth = 2};
  promise_value_t value, error;
  CHECK_STATUS(promise_value_from_json(&value, "[[1]]", 5, &options, NULL), PROMISE_OK);
  CHECK_STATUS(promise_value_release(&value), PROMISE_OK);
  CHECK_STATUS(promise_value_from_json(&value, "[[[1]]]", 7, &options, &error), PROMISE_EINVAL);
  CHECK_INT(promise_value_code(&error), PROMISE_JSON_EDEPTH);
  CHECK_STATUS(promise_value_release(&error), PROMISE_OK);
  options = (promise_json_options_t){.size = sizeof options, .flags = PROMISE_JSON_LAST_WINS};
  CHECK_STATUS(promise_value_from_json(&value, "{\"a\":1,\"b\":2,\"a\":3}", 19, &options, NULL), PROMISE_OK);
  expect_written(value, "{\"a\":3,\"b\":2}");
  options.flags = UINT32_C(1) << 31;
  CHECK_STATUS(promise_value_from_json(&value, "1", 1, &options, NULL), PROMISE_EINVAL);
  options = (promise_json_options_t){.size = 1};
  CHECK_STATUS(promise_value_from_json(&value, "1", 1, &options, NULL), PROMISE_EINVAL);
}

RULE(values_without_a_form_in_json_are_refused, "values without a form in JSON are refused") {
  promise_value_t pointer = {.kind = PROMISE_KIND_POINTER, .as.ptr = &pointer}, out, error;
  CHECK_STATUS(promise_value_to_json(&out, &pointer, NULL, &error), PROMISE_EINVAL);
  CHECK_INT(promise_value_code(&error), PROMISE_JSON_EUNSUPPORTED);
  CHECK_STATUS(promise_value_release(&error), PROMISE_OK);
  CHECK_STATUS(promise_value_to_json(NULL, &pointer, NULL, NULL), PROMISE_EINVAL);
  CHECK_STATUS(promise_value_to_json(&out, NULL, NULL, NULL), PROMISE_EINVAL);
  CHECK_STATUS(promise_value_from_json(&out, NULL, 1, NULL, NULL), PROMISE_EINVAL);
}
