/* promise/scalar.h - values of numbers, pointers and promises. Part of promise.h: read that first. */
#ifndef PROMISE_SCALAR_H
#define PROMISE_SCALAR_H

#include <stdbool.h>

#include "value.h"

PROMISE_BEGIN_DECLS

/* Make a value of the kind in their name, for languages without the layout of promise_value_t; a C program writes an
 * initializer.
 * Returns PROMISE_OK; PROMISE_EINVAL if `out` is NULL.
 * `*out` owns nothing, so it need not be released.
 * [any thread] */
PROMISE_API promise_status_t promise_value_void(promise_value_t *PROMISE_NULLABLE out);
PROMISE_API promise_status_t promise_value_bool(promise_value_t *PROMISE_NULLABLE out, bool value);
PROMISE_API promise_status_t promise_value_i64(promise_value_t *PROMISE_NULLABLE out, int64_t value);
PROMISE_API promise_status_t promise_value_u64(promise_value_t *PROMISE_NULLABLE out, uint64_t value);
PROMISE_API promise_status_t promise_value_f64(promise_value_t *PROMISE_NULLABLE out, double value);
PROMISE_API promise_status_t promise_value_pointer(promise_value_t *PROMISE_NULLABLE out,
                                                   void *PROMISE_NULLABLE pointer);

/* Makes a PROMISE, with a new reference to `promise`.
 * Returns PROMISE_OK; PROMISE_EINVAL if `out` or `promise` is NULL; PROMISE_ESTALE; PROMISE_ENOMEM if the promise has
 * 2^26 references.
 * `*out` is a new reference; VOID on failure.
 * [any thread] */
PROMISE_API promise_status_t promise_value_promise(promise_value_t *PROMISE_NULLABLE out,
                                                   promise_t *PROMISE_NULLABLE promise);

PROMISE_END_DECLS

#endif /* PROMISE_SCALAR_H */
