/* promise/json.h */
#include "../checked.h"

static promise_value_t read_json(const char *text) {
  promise_value_t value, error;
  promise_status_t status = promise_value_from_json(&value, text, strlen(text), NULL, &error);
  if (status != PROMISE_OK)
    CHECK_FAIL("promise_value_from_json() of %s returned %d, expected PROMISE_OK", text, (int)status);
  CHECK_INT(error.kind, PROMISE_KIND_VOID);
  return value;
}

static void expect_written(promise_value_t value, const char *text) {
  promise_value_t json;
  CHECK_STATUS(promise_value_to_json(&json, &value, NULL, NULL), PROMISE_OK);
  CHECK_INT(json.kind, PROMISE_KIND_STRING);
  CHECK_TEXT(promise_value_data(&json, NULL), text);
  CHECK_STATUS(promise_value_release(&json), PROMISE_OK);
  CHECK_STATUS(promise_value_release(&value), PROMISE_OK);
}

static void json_comes_back_as_it_was(void) {
  static const char *const texts[] = {"null",
                                      "true",
                                      "false",
                                      "-9223372036854775808",
                                      "9223372036854775807",
                                      "18446744073709551615",
                                      "\"a\\\"b\\\\c\"",
                                      "[]",
                                      "{}",
                                      "[1,[2,[3]],{\"z\":1,\"a\":[null]}]"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
    expect_written(read_json(texts[i]), texts[i]);
}

static void numbers_get_their_kinds(void) {
  static const struct {
    const char *text;
    promise_kind_t kind;
  } numbers[] = {{"0", PROMISE_KIND_I64},
                 {"-9223372036854775808", PROMISE_KIND_I64},
                 {"9223372036854775808", PROMISE_KIND_U64},
                 {"18446744073709551616", PROMISE_KIND_F64},
                 {"1.0", PROMISE_KIND_F64},
                 {"1e2", PROMISE_KIND_F64}};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
    CHECK_INT(read_json(numbers[i].text).kind, numbers[i].kind);
  CHECK_INT(read_json("-9223372036854775808").as.i64, INT64_MIN);
  CHECK(read_json("0.1").as.f64 == 0.1);
}

static void strings_are_decoded(void) {
  promise_value_t value = read_json(" \"\\u00e9\\ud83d\\ude00\\n\\u0000\" ");
  size_t length = 0;
  const char *data = promise_value_data(&value, &length);
  CHECK_INT(length, 8);
  CHECK(memcmp(data, "\xc3\xa9\xf0\x9f\x98\x80\n\0", 8) == 0);
  CHECK_STATUS(promise_value_release(&value), PROMISE_OK);
}

static void what_is_not_json_is_refused(void) {
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

static void options_are_kept(void) {
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

static void what_json_has_nothing_for_is_refused(void) {
  promise_value_t pointer = {.kind = PROMISE_KIND_POINTER, .as.ptr = &pointer}, out, error;
  CHECK_STATUS(promise_value_to_json(&out, &pointer, NULL, &error), PROMISE_EINVAL);
  CHECK_INT(promise_value_code(&error), PROMISE_JSON_EUNSUPPORTED);
  CHECK_STATUS(promise_value_release(&error), PROMISE_OK);
  CHECK_STATUS(promise_value_to_json(NULL, &pointer, NULL, NULL), PROMISE_EINVAL);
  CHECK_STATUS(promise_value_to_json(&out, NULL, NULL, NULL), PROMISE_EINVAL);
  CHECK_STATUS(promise_value_from_json(&out, NULL, 1, NULL, NULL), PROMISE_EINVAL);
}

CHECKS(json) = {
    RULE("what is read is written as it was, integers of 64 bits exactly", json_comes_back_as_it_was),
    RULE("numbers get their kinds: I64, else U64, else F64", numbers_get_their_kinds),
    RULE("strings are decoded", strings_are_decoded),
    RULE("what is not JSON is refused, with an ERROR of domain \"promise.json\"", what_is_not_json_is_refused),
    RULE("depth, equal keys and options are as asked for", options_are_kept),
    RULE("what JSON has nothing for is refused", what_json_has_nothing_for_is_refused),
    CHECKS_END,
};
