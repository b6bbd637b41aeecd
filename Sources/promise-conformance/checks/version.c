/* promise/version.h */
#include <stdio.h>

#include "../support.h"

static void version_is_told(void) {
  EXPECT(promise_abi_version() >= 1);
  EXPECT_INT(promise_abi_version(), promise_abi_version());
}

/* "1.0.0": three numbers, by semantic versioning, which may have a suffix. */
static void version_is_text(void) {
  unsigned major = 0, minor = 0, patch = 0;
  EXPECT(promise_version() != NULL);
  EXPECT_INT(sscanf(promise_version(), "%u.%u.%u", &major, &minor, &patch), 3);
  EXPECT_POINTER(promise_version(), promise_version());
}

const check_t version_checks[] = {
    {"promise_abi_version() is at least 1, and always the same", version_is_told},
    {"promise_version() has three numbers", version_is_text},
    {NULL, NULL},
};
