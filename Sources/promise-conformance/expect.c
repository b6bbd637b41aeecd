#include "expect.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "promise/status.h"

check_report_t *expect_report;

void expect_at(const char *file, int line) {
  expect_report->file = file;
  expect_report->line = line;
}

_Noreturn void expect_failed(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(expect_report->reason, sizeof expect_report->reason, format, arguments);
  va_end(arguments);
  _exit(CHECK_FAILED);
}

/* Names from this program, since those of the implementation may be wrong. */
static const char *status_name(int32_t status) {
  switch (status) {
  case PROMISE_OK:
    return "PROMISE_OK";
  case PROMISE_EINVAL:
    return "PROMISE_EINVAL";
  case PROMISE_ESTALE:
    return "PROMISE_ESTALE";
  case PROMISE_ESETTLED:
    return "PROMISE_ESETTLED";
  case PROMISE_EPENDING:
    return "PROMISE_EPENDING";
  case PROMISE_ETIMEDOUT:
    return "PROMISE_ETIMEDOUT";
  case PROMISE_EDEADLK:
    return "PROMISE_EDEADLK";
  case PROMISE_ENOMEM:
    return "PROMISE_ENOMEM";
  case PROMISE_ECLOSED:
    return "PROMISE_ECLOSED";
  case PROMISE_EFULL:
    return "PROMISE_EFULL";
  case PROMISE_EFINISHED:
    return "PROMISE_EFINISHED";
  case PROMISE_EINTR:
    return "PROMISE_EINTR";
  case PROMISE_EBUSY:
    return "PROMISE_EBUSY";
  default:
    return "no known status";
  }
}

void expect_int(long long actual, long long expected, const char *what) {
  if (actual != expected)
    expect_failed("%s is %lld, expected %lld", what, actual, expected);
}

void expect_status(int32_t actual, int32_t expected, const char *what) {
  if (actual != expected)
    expect_failed("%s is %s (%d), expected %s (%d)", what, status_name(actual), (int)actual, status_name(expected),
                  (int)expected);
}

void expect_pointer(const void *actual, const void *expected, const char *what) {
  if (actual != expected)
    expect_failed("%s is %p, expected %p", what, actual, expected);
}

void expect_text(const char *actual, const char *expected, const char *what) {
  if (actual == NULL || strcmp(actual, expected) != 0)
    expect_failed("%s is \"%.200s\", expected \"%s\"", what, actual == NULL ? "(null)" : actual, expected);
}

void expect_that(bool holds, const char *what) {
  if (!holds)
    expect_failed("this does not hold: %s", what);
}
