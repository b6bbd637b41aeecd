/* promise/version.h */
#include <stdio.h>

#include "../checked.h"

CHECKS(version)

RULE(version_is_reported, "promise_abi_version() is at least 1, and always the same") {
  CHECK(promise_abi_version() >= 1);
  CHECK_INT(promise_abi_version(), promise_abi_version());
}

/* "1.0.0": three numbers, by semantic versioning, which may have a suffix. */
RULE(version_is_text, "promise_version() has three numbers") {
  unsigned major = 0, minor = 0, patch = 0;
  CHECK(promise_version() != NULL);
  CHECK_INT(sscanf(promise_version(), "%u.%u.%u", &major, &minor, &patch), 3);
  CHECK_POINTER(promise_version(), promise_version());
}
