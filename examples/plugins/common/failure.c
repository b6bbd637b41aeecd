#include "failure.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Removes a character that is incomplete at the end of a cut text, so that a message stays well-formed UTF-8. */
static void cut_at_character(char *text, size_t length) {
  size_t start = length;
  while (start > 0 && ((unsigned char)text[start - 1] & 0xC0) == 0x80)
    start--;
  if (start == 0)
    return;
  unsigned char lead = (unsigned char)text[start - 1];
  size_t expected = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : lead >= 0xC0 ? 2 : 1;
  if (length - (start - 1) < expected)
    text[start - 1] = '\0';
}

bool failure_set(failure_t *failure, const char *domain, int64_t code, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  failure->domain = domain;
  failure->code = code;
  int length = vsnprintf(failure->message, sizeof failure->message, format, arguments);
  va_end(arguments);
  if (length >= (int)sizeof failure->message)
    cut_at_character(failure->message, sizeof failure->message - 1);
  return false;
}

bool failure_out_of_memory(failure_t *failure) {
  return failure_set(failure, "errno", ENOMEM, "out of memory");
}

bool failure_cancelled(failure_t *failure) {
  return failure_set(failure, "errno", ECANCELED, "the plugin was unloaded before the work was done");
}
