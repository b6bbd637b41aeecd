/* The version of this library, and its newest status. Rules for any implementation: checks/version.c, checks/status.c
 * of promise-conformance. */
#include "support.h"

static void library_is_not_older_than_header(void) {
  CHECK(promise_abi_version() >= PROMISE_ABI_VERSION);
}

static void version_is_text(void) {
  unsigned major = 0, minor = 0, patch = 0;
  char rest;
  CHECK_INT(sscanf(promise_version(), "%u.%u.%u%c", &major, &minor, &patch, &rest), 3);
  CHECK_INT(major, 1);
}

static void numbers_after_the_last_status_are_unknown(void) {
  static const promise_status_t numbers[] = {PROMISE_EBUSY - 1, PROMISE_EBUSY - 2};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
    CHECK_TEXT(promise_status_name(numbers[i]), "PROMISE_UNKNOWN");
}

int main(void) {
  RUN(library_is_not_older_than_header);
  RUN(version_is_text);
  RUN(numbers_after_the_last_status_are_unknown);
  return check_report();
}
