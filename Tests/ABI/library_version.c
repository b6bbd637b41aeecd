/* The version of this library, and its newest status. Rules for any implementation: checks/version.c, checks/status.c
 * of promise-conformance. */
#include "support.h"

TEST_BY(library_is_not_older_than_header, CHECK(promise_abi_version() >= PROMISE_ABI_VERSION))

TEST(version_is_text) {
  unsigned major = 0, minor = 0, patch = 0;
  char rest;
  CHECK_INT(sscanf(promise_version(), "%u.%u.%u%c", &major, &minor, &patch, &rest), 3);
  CHECK_INT(major, 1);
}

TEST(numbers_after_the_last_status_are_unknown) {
  static const promise_status_t numbers[] = {PROMISE_EBUSY - 1, PROMISE_EBUSY - 2};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
    CHECK_TEXT(promise_status_name(numbers[i]), "PROMISE_UNKNOWN");
}
