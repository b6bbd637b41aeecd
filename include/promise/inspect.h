/* promise/inspect.h - equality and descriptions of values. Part of promise.h: read that first. */
#ifndef PROMISE_INSPECT_H
#define PROMISE_INSPECT_H

#include <stdbool.h>
#include <stddef.h>

#include "type.h"
#include "value.h"

PROMISE_BEGIN_DECLS

/* Compares two values: `*equal` becomes true if they are equal. They are equal:
 *   VOID             always
 *   DISCARDED        by cause
 *   BOOL             if both are true or both are not
 *   I64, U64         if they are the same integer, of whichever of the two kinds; never to an F64
 *   F64              as numbers: 0.0 equals -0.0; and NaN equals NaN, so that a value equals itself
 *   POINTER          by address
 *   STRING, BYTES    by their bytes; never one to the other
 *   ARRAY            by their elements, in order
 *   MAP              by their entries, in any order
 *   ERROR            by domain, code, message and cause; not by origin
 *   PROMISE          if they are the same promise
 *   OBJECT           if they are the same object; two of one type as the type compares them (promise_type_methods())
 * Compares in depth, without recursion, in a time linear in the size of both, also if they share parts. Runs the types'
 * comparisons.
 * Returns PROMISE_OK; PROMISE_EINVAL if an argument is NULL, or if a value is not well-formed; PROMISE_ENOMEM for
 * nested or shared parts. `*equal` is false on failure.
 * [any thread] */
PROMISE_API promise_status_t promise_value_equal(const promise_value_t *PROMISE_NULLABLE one,
                                                 const promise_value_t *PROMISE_NULLABLE other,
                                                 bool *PROMISE_NULLABLE equal);

/* Writes a description of `value` into `buffer`: UTF-8 with a NUL at the end, at most `size` bytes. Longer
 * descriptions, and parts nested more than 16 deep, are cut off with an ellipsis. The text is for display and logs, and
 * its form may change. It looks like
 *     {"id": 7, "data": bytes(2) 0d0a, "failed": error http 404: "not found" at client.c:42}
 * Never fails: an invalid value is described as such, NULL as "NULL". The time is proportional to `size`. Promises are
 * not followed. Runs the types' descriptions.
 * Returns the number of bytes before the NUL; 0 if `buffer` is NULL or `size` is 0.
 * [any thread] */
PROMISE_API size_t promise_value_describe(const promise_value_t *PROMISE_NULLABLE value, char *PROMISE_NULLABLE buffer,
                                          size_t size);

/* Returns whether two payloads of a type are equal. Called on the thread that compares, with no lock held. */
typedef bool (*promise_equal_t)(const void *PROMISE_NULLABLE one, const void *PROMISE_NULLABLE other);

/* Writes a description of a payload into `buffer`: UTF-8 without a NUL, at most `size` bytes.
 * Returns the number of bytes. For 0, more than `size`, or bytes that are not UTF-8, the type's name and the
 * payload's address are used instead. */
typedef size_t (*promise_describe_t)(const void *PROMISE_NULLABLE payload, char *PROMISE_NONNULL buffer, size_t size);

/* Sets the comparison and the description of objects of `type`, and of its descendants that have none of their own.
 * Either may be NULL: then the parent's is used; if no ancestor has one, identity, and name and address. The first call
 * for a type counts; later calls change nothing. Call it where you register the type.
 * Returns PROMISE_OK; PROMISE_EINVAL if `type` is NULL; PROMISE_ESTALE if it is not a registered type; PROMISE_ENOMEM.
 * [any thread] */
PROMISE_API promise_status_t promise_type_methods(const promise_type_t *PROMISE_NULLABLE type,
                                                  promise_equal_t PROMISE_NULLABLE equal,
                                                  promise_describe_t PROMISE_NULLABLE describe);

PROMISE_END_DECLS

#endif /* PROMISE_INSPECT_H */
