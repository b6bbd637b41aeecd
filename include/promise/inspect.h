/* promise/inspect.h - whether values are equal, and what they are, for people. Part of promise.h: read that first. */
#ifndef PROMISE_INSPECT_H
#define PROMISE_INSPECT_H

#include <stdbool.h>
#include <stddef.h>

#include "type.h"
#include "value.h"

PROMISE_BEGIN_DECLS

/* Compares two values: `*equal` becomes true if they are equal. They are equal:
 *   VOID             to its like
 *   DISCARDED        by cause
 *   BOOL             if both are true or both are not
 *   I64, U64         if they are the same integer, of whichever of the two kinds; never to an F64
 *   F64              as numbers: 0.0 equals -0.0; and NaN equals NaN, so that a value equals itself
 *   POINTER          by address
 *   STRING, BYTES    by their bytes; never one to the other
 *   ARRAY            by their elements, in order
 *   MAP              by their entries, in any order
 *   ERROR            by domain, code, message and cause; not by origin
 *   PROMISE          if they are the same promise, whatever it holds
 *   OBJECT           if they are the same object; two of one type as the type compares them (promise_type_methods())
 * In depth, without recursion, in a time that grows with the size of both even where they share parts among themselves.
 * Returns PROMISE_OK; PROMISE_EINVAL if an argument is NULL, or if a value is of no known kind, forged or a stale
 * PROMISE; PROMISE_ENOMEM for what is nested or shared. `*equal` is false on failure.
 * Runs the types' comparisons.
 * [any thread] */
PROMISE_API promise_status_t promise_value_equal(const promise_value_t *PROMISE_NULLABLE one,
                                                 const promise_value_t *PROMISE_NULLABLE other,
                                                 bool *PROMISE_NULLABLE equal);

/* Writes what a value is into `buffer`, as UTF-8 with a NUL at the end, in at most `size` bytes, and returns how many
 * there are before the NUL. What does not fit is cut off, with an ellipsis; so is what is nested more than 16 deep. The
 * text is for people and logs, and may change. It looks like
 *     {"id": 7, "data": bytes(2) 0d0a, "failed": error http 404: "not found" at client.c:42}
 * It takes time in proportion to `size`, follows no promise, allocates little and never fails: a value that is none is
 * described as such, NULL as "NULL". 0 if `buffer` is NULL or `size` is 0.
 * Runs the types' descriptions.
 * [any thread] */
PROMISE_API size_t promise_value_describe(const promise_value_t *PROMISE_NULLABLE value, char *PROMISE_NULLABLE buffer,
                                          size_t size);

/* Whether two payloads of a type are equal. Called on the thread that compares, with no lock held. */
typedef bool (*promise_equal_t)(const void *PROMISE_NULLABLE one, const void *PROMISE_NULLABLE other);

/* Writes what a payload is into `buffer`, as UTF-8, in at most `size` bytes without a NUL, and returns how many. 0, more
 * than `size`, or bytes that are not UTF-8: the description is the type's name and the payload's address instead. */
typedef size_t (*promise_describe_t)(const void *PROMISE_NULLABLE payload, char *PROMISE_NONNULL buffer, size_t size);

/* Says how objects of `type`, and of types that descend from it and do not say it themselves, are compared and
 * described. Either may be NULL: as the parent does it, or by identity, and by name and address. The first call for a
 * type counts; a later one changes nothing, for one name means one way. Call it where you register the type.
 * Returns PROMISE_OK; PROMISE_EINVAL if `type` is NULL; PROMISE_ESTALE if it is no registered type; PROMISE_ENOMEM.
 * [any thread] */
PROMISE_API promise_status_t promise_type_methods(const promise_type_t *PROMISE_NULLABLE type,
                                                  promise_equal_t PROMISE_NULLABLE equal,
                                                  promise_describe_t PROMISE_NULLABLE describe);

PROMISE_END_DECLS

#endif /* PROMISE_INSPECT_H */
