/* Invariants of the JSON reader for any input, for libFuzzer (scripts/fuzz-json.sh) and for the kept corpus:
 *
 *     fuzz FILE...     without libFuzzer: checks each file once
 *
 * A text is either rejected with an offset inside it, or it is written as a text that reads as an equal value and is
 * stable when written again. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "promise.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

/* Aborts the process if an invariant is violated: libFuzzer keeps the input. */
static void must(bool holds, const char *what) {
  if (holds)
    return;
  fprintf(stderr, "fuzz: not so: %s\n", what);
  abort();
}

#define MUST(condition) must((condition), #condition)

static promise_value_t written(const promise_value_t *value, const promise_json_options_t *options) {
  promise_value_t text;
  MUST(promise_value_to_json(&text, value, options, NULL) == PROMISE_OK);
  return text;
}

static promise_value_t read_again(const promise_value_t *text) {
  promise_value_t value;
  size_t length;
  const char *data = promise_value_data(text, &length);
  MUST(promise_value_from_json(&value, data, length, NULL, NULL) == PROMISE_OK);
  return value;
}

static void check_value(const promise_value_t *value) {
  static const promise_json_options_t options[] = {
      {.size = sizeof *options},
      {.size = sizeof *options, .flags = PROMISE_JSON_ASCII},
      {.size = sizeof *options, .indent = 3},
  };
  for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
    promise_value_t text = written(value, &options[i]), again = read_again(&text);
    promise_value_t same = written(&again, &options[i]);
    bool equal = false;
    MUST(promise_value_equal(value, &again, &equal) == PROMISE_OK && equal);
    equal = false;
    MUST(promise_value_equal(&text, &same, &equal) == PROMISE_OK && equal);
    promise_value_release(&text);
    promise_value_release(&again);
    promise_value_release(&same);
  }
  char buffer[200];
  promise_value_t described;
  size_t length = promise_value_describe(value, buffer, sizeof buffer);
  MUST(length > 0 && length < sizeof buffer && buffer[length] == '\0');
  MUST(promise_value_string(&described, buffer, length) == PROMISE_OK);
  promise_value_release(&described);
}

static void check_error(const promise_value_t *error, size_t size) {
  const promise_value_t *place = promise_value_cause(error);
  const promise_value_t *offset = promise_value_find(place, "offset", 6);
  MUST(promise_value_code(error) >= PROMISE_JSON_ESYNTAX && promise_value_code(error) <= PROMISE_JSON_ELENGTH);
  MUST(offset != NULL && offset->as.u64 <= size);
  MUST(promise_value_find(place, "line", 4)->as.u64 <= size + 1);
  MUST(promise_value_find(place, "column", 6)->as.u64 <= size + 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  static const promise_json_options_t options = {.size = sizeof options, .flags = PROMISE_JSON_LAST_WINS};
  promise_value_t value, error;
  if (promise_value_from_json(&value, (const char *)bytes, size, NULL, &error) == PROMISE_OK) {
    check_value(&value);
    promise_value_release(&value);
  } else {
    check_error(&error, size);
    promise_value_release(&error);
  }
  if (promise_value_from_json(&value, (const char *)bytes, size, &options, NULL) == PROMISE_OK)
    check_value(&value);
  promise_value_release(&value);
  return 0;
}

#if !defined(FUZZ)
int main(int argc, char **argv) {
  for (int i = 1; i < argc; i++) {
    FILE *file = fopen(argv[i], "rb");
    if (file == NULL) {
      perror(argv[i]);
      return 2;
    }
    uint8_t *bytes = malloc(1 << 20);
    size_t size = bytes != NULL ? fread(bytes, 1, 1 << 20, file) : 0;
    fclose(file);
    LLVMFuzzerTestOneInput(bytes, size);
    free(bytes);
  }
  printf("%d passed, 0 failed\n", argc - 1);
  return argc > 1 ? 0 : 1;
}
#endif
