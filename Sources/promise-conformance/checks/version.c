/* promise/version.h */
#include "../support.h"

static void version_is_told(void) {
  EXPECT(promise_abi_version() >= 1);
  EXPECT_INT(promise_abi_version(), promise_abi_version());
}

const check_t version_checks[] = {
    {"promise_abi_version() is at least 1, and always the same", version_is_told},
    {NULL, NULL},
};
