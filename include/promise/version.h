/* promise/version.h - the versions of the ABI and of the library. Part of promise.h: read that first. */
#ifndef PROMISE_VERSION_H
#define PROMISE_VERSION_H

#include <stdint.h>

#include "base.h"

PROMISE_BEGIN_DECLS

/* The version of this ABI that this header describes. It grows by one whenever something is added; nothing is ever
 * removed or changed, so a program built against N runs with every library of N or more. */
#define PROMISE_ABI_VERSION 1u

/* Returns the ABI version that the loaded library implements. A program built with a larger PROMISE_ABI_VERSION must
 * not use that library.
 * [any thread] */
PROMISE_API uint32_t promise_abi_version(void);

/* Returns the version of the library: "1.0.0", by semantic versioning; for display and logs. The string is static.
 * [any thread] */
PROMISE_API const char *PROMISE_NONNULL promise_version(void);

PROMISE_END_DECLS

#endif /* PROMISE_VERSION_H */
