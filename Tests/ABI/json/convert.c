/* Reads JSON documents and writes them again, for compare.py.
 *
 * In:  a line with the length in bytes, then that many bytes; repeated for each document.
 * Out: "ok", or "error" and the code of the error, on a line with the length of the rest: the document written again,
 * or the message. */
#include <stdio.h>
#include <stdlib.h>

#include "promise.h"

int main(void) {
  const promise_json_options_t options = {.size = sizeof options, .flags = PROMISE_JSON_LAST_WINS};
  size_t length;
  while (scanf("%zu", &length) == 1 && getchar() == '\n') {
    char *text = malloc(length + 1);
    promise_value_t value, again = {.kind = PROMISE_KIND_VOID}, error = {.kind = PROMISE_KIND_VOID};
    if (text == NULL || fread(text, 1, length, stdin) != length)
      return 2;
    if (promise_value_from_json(&value, text, length, &options, &error) == PROMISE_OK) {
      if (promise_value_to_json(&again, &value, NULL, &error) != PROMISE_OK)
        return 3;
      const char *data = promise_value_data(&again, &length);
      printf("ok %zu\n", length);
      fwrite(data, 1, length, stdout);
    } else {
      const char *message = promise_value_data(&error, &length);
      printf("error%lld %zu\n", (long long)promise_value_code(&error), length);
      fwrite(message, 1, length, stdout);
    }
    promise_value_release(&value);
    promise_value_release(&again);
    promise_value_release(&error);
    free(text);
  }
  return 0;
}
