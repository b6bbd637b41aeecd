/* promise/json.h: the limits of texts, and the errors: where the mistake is. */
#include <math.h>

#include "../checked.h"
#include "../values.h"

CHECKS(json_error)

RULE(an_error_has_its_place, "the error of an invalid text has its place, and names the found text") {
  static const struct {
    const char *text;
    uint64_t offset, line, column;
  } wrong[] = {
      {"[1,@]", 3, 1, 4}, {"{\n  \"na\xc3\xafve\": [1, 2],\n  \"\xe2\x98\xb9\": @\n}", 31, 3, 8}, {"@", 0, 1, 1}};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    promise_value_t value = garbage(), error = garbage();
    CHECK_STATUS(promise_value_from_json(&value, wrong[i].text, strlen(wrong[i].text), NULL, &error), PROMISE_EINVAL);
    CHECK_INT(error.kind, PROMISE_KIND_ERROR);
    const promise_value_t *place = promise_value_cause(&error);
    CHECK(place != NULL && place->kind == PROMISE_KIND_MAP);
    CHECK_INT(u64_at(place, "offset"), (long long)wrong[i].offset);
    CHECK_INT(u64_at(place, "line"), (long long)wrong[i].line);
    CHECK_INT(u64_at(place, "column"), (long long)wrong[i].column);
    /* The message names the found text. */
    CHECK(strchr(promise_value_data(&error, NULL), '@') != NULL);
    CHECK_STATUS(promise_value_release(&error), PROMISE_OK);
  }
}

RULE(an_error_has_its_path, "the error of a value that cannot be written has its path") {
  promise_value_t pointer = {.kind = PROMISE_KIND_POINTER, .as.ptr = &pointer}, out = garbage(), error = garbage();
  const char *const keys[] = {"users"};
  promise_value_t users = ARRAY(i64(0), i64(1), i64(2), pointer), value;
  CHECK_STATUS(promise_value_map(&value, keys, NULL, &users, 1), PROMISE_OK);
  CHECK_STATUS(promise_value_to_json(&out, &value, NULL, &error), PROMISE_EINVAL);
  CHECK_INT(out.kind, PROMISE_KIND_VOID);
  CHECK_TEXT(promise_value_domain(&error), "promise.json");
  CHECK_INT(promise_value_code(&error), PROMISE_JSON_EUNSUPPORTED);
  const promise_value_t *place = promise_value_cause(&error);
  CHECK(place != NULL && place->kind == PROMISE_KIND_MAP);
  CHECK_TEXT(promise_value_data(promise_value_find(place, "path", 4), NULL), "$[\"users\"][3]");
  CHECK_STATUS(promise_value_release(&error), PROMISE_OK);
  CHECK_STATUS(promise_value_release(&value), PROMISE_OK);
}

/* Reads or writes the text `[1,2,3]` with the options, and returns the code of the error; 0 if there is no error. */
static int64_t code_with(const promise_json_options_t *options, bool writes) {
  promise_value_t value = json("[1,2,3]"), out = garbage(), error = garbage();
  promise_status_t status = writes ? promise_value_to_json(&out, &value, options, &error)
                                   : promise_value_from_json(&out, "[1,2,3]", 7, options, &error);
  int64_t code = promise_value_code(&error);
  CHECK_STATUS(status, error.kind == PROMISE_KIND_VOID ? PROMISE_OK : PROMISE_EINVAL);
  CHECK_INT(out.kind, status != PROMISE_OK ? PROMISE_KIND_VOID : writes ? PROMISE_KIND_STRING : PROMISE_KIND_ARRAY);
  CHECK_STATUS(promise_value_release(&error), PROMISE_OK);
  CHECK_STATUS(promise_value_release(&out), PROMISE_OK);
  CHECK_STATUS(promise_value_release(&value), PROMISE_OK);
  return code;
}

RULE(texts_have_a_greatest_length, "a text may have a greatest length") {
  for (int writes = 0; writes < 2; writes++) {
    promise_json_options_t options = {.size = sizeof options};
    CHECK_INT(code_with(&options, writes), 0);
    options.max_length = 7;
    CHECK_INT(code_with(&options, writes), 0);
    options.max_length = 6;
    CHECK_INT(code_with(&options, writes), PROMISE_JSON_ELENGTH);
    options.max_length = 1;
    CHECK_INT(code_with(&options, writes), PROMISE_JSON_ELENGTH);
  }
}

RULE(values_are_written_up_to_a_depth, "values are written up to a depth") {
  promise_json_options_t options = {.size = sizeof options, .max_depth = 2};
  promise_value_t value = json("[[1]]"), out, error;
  CHECK_STATUS(promise_value_to_json(&out, &value, &options, NULL), PROMISE_OK);
  CHECK_STATUS(promise_value_release(&out), PROMISE_OK);
  options.max_depth = 1;
  CHECK_STATUS(promise_value_to_json(&out, &value, &options, &error), PROMISE_EINVAL);
  CHECK_INT(promise_value_code(&error), PROMISE_JSON_EDEPTH);
  CHECK_STATUS(promise_value_release(&error), PROMISE_OK);
  CHECK_STATUS(promise_value_release(&value), PROMISE_OK);
  /* The default limit is 1000 levels. */
  value = nest(i64(1), 1000);
  CHECK_STATUS(promise_value_to_json(&out, &value, NULL, NULL), PROMISE_OK);
  CHECK_STATUS(promise_value_release(&out), PROMISE_OK);
  value = nest(value, 1);
  CHECK_STATUS(promise_value_to_json(&out, &value, NULL, &error), PROMISE_EINVAL);
  CHECK_INT(out.kind, PROMISE_KIND_VOID);
  CHECK_INT(promise_value_code(&error), PROMISE_JSON_EDEPTH);
  CHECK_STATUS(promise_value_release(&error), PROMISE_OK);
  CHECK_STATUS(promise_value_release(&value), PROMISE_OK);
}

RULE(numbers_that_are_not_finite_are_null_if_asked_to, "numbers that are not finite are refused, or null if asked to") {
  const double numbers[] = {NAN, INFINITY, -INFINITY};
  const promise_json_options_t as_null = {.size = sizeof as_null, .flags = PROMISE_JSON_NONFINITE_NULL};
  for (int i = 0; i < 3; i++) {
    promise_value_t value = {.kind = PROMISE_KIND_F64, .as.f64 = numbers[i]}, out, error;
    CHECK_STATUS(promise_value_to_json(&out, &value, NULL, &error), PROMISE_EINVAL);
    CHECK_INT(promise_value_code(&error), PROMISE_JSON_ERANGE);
    CHECK_STATUS(promise_value_release(&error), PROMISE_OK);
    CHECK_STATUS(promise_value_to_json(&out, &value, &as_null, NULL), PROMISE_OK);
    CHECK_TEXT(promise_value_data(&out, NULL), "null");
    CHECK_STATUS(promise_value_release(&out), PROMISE_OK);
  }
}

RULE(a_wide_indent_is_refused, "an indent of more than 16 spaces is refused") {
  promise_json_options_t options = {.size = sizeof options, .indent = 17};
  promise_value_t value = i64(1), out;
  CHECK_STATUS(promise_value_to_json(&out, &value, &options, NULL), PROMISE_EINVAL);
  CHECK_STATUS(promise_value_from_json(&out, "1", 1, &options, NULL), PROMISE_EINVAL);
  CHECK_INT(out.kind, PROMISE_KIND_VOID);
  options.indent = 16;
  CHECK_STATUS(promise_value_to_json(&out, &value, &options, NULL), PROMISE_OK);
  CHECK_STATUS(promise_value_release(&out), PROMISE_OK);
}
