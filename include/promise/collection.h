/* promise/collection.h - arrays and maps. Part of promise.h: read that first. */
#ifndef PROMISE_COLLECTION_H
#define PROMISE_COLLECTION_H

#include <stddef.h>

#include "value.h"

PROMISE_BEGIN_DECLS

/* Collections never change once they are made: make them at once, by the functions here, or piece by piece, by a builder
 * (builder.h), which also makes a changed copy. What they hold belongs to them; what the functions below return is lent:
 * valid as long as the collection is. promise_value_retain() on an element keeps it longer.
 *
 * An ARRAY's elements lie one after the other at `value.as.ptr`, and so do a MAP's values: read them there if you like.
 *
 * Keys are texts, compared byte by byte; any text is one, the empty one too. A map finds a key in constant time, whoever
 * chose the keys, and keeps its entries in the order in which their keys came first. */

/* Makes an ARRAY of `count` elements. Their references are taken over, on every path. `elements` may be NULL if `count`
 * is 0; the memory it points to stays yours. `*out` as in promise_value_string().
 * Returns PROMISE_OK; PROMISE_EINVAL if `out` is NULL, if `elements` is NULL and `count` is not 0, or if an element is
 * of no known kind, forged, or a stale PROMISE; PROMISE_ENOMEM.
 * [any thread] */
PROMISE_API promise_status_t promise_value_array(promise_value_t *PROMISE_NULLABLE out,
                                                 const promise_value_t *PROMISE_NULLABLE elements, size_t count);

/* Makes a MAP of `count` entries: `values[i]` is what it has for `keys[i]`, a text of `lengths[i]` bytes, or one that
 * ends with a NUL if `lengths` is NULL. Of entries with the same key the last value counts, in the place of the first.
 * Keys are copied. The values' references are taken over, on every path. The pointers may be NULL if `count` is 0. `*out`
 * as in promise_value_string().
 * Returns PROMISE_OK; PROMISE_EINVAL if `out` is NULL, if `keys`, a key or `values` is NULL although `count` is not 0, if
 * a key is not UTF-8, or if a value is of no known kind, forged, or a stale PROMISE; PROMISE_ENOMEM.
 * [any thread] */
PROMISE_API promise_status_t promise_value_map(promise_value_t *PROMISE_NULLABLE out,
                                               const char *PROMISE_NULLABLE const *PROMISE_NULLABLE keys,
                                               const size_t *PROMISE_NULLABLE lengths,
                                               const promise_value_t *PROMISE_NULLABLE values, size_t count);

/* How many elements an ARRAY has, or entries a MAP; 0 for any other kind.
 * [any thread] */
PROMISE_API size_t promise_value_count(const promise_value_t *PROMISE_NULLABLE value);

/* The element of an ARRAY, or the value of a MAP's entry, at `index`, lent. NULL if there is none, or no collection.
 * [any thread] */
PROMISE_API const promise_value_t *PROMISE_NULLABLE promise_value_at(const promise_value_t *PROMISE_NULLABLE value,
                                                                     size_t index);

/* The key of a MAP's entry at `index`, lent, with a NUL after it; `*length` becomes its size in bytes, without that NUL.
 * `length` may be NULL. NULL if there is no such entry, and for any other kind; `*length` is 0 then.
 * [any thread] */
PROMISE_API const char *PROMISE_NULLABLE promise_value_key(const promise_value_t *PROMISE_NULLABLE value, size_t index,
                                                           size_t *PROMISE_NULLABLE length);

/* The value that a MAP has for the `length` bytes at `key`, lent. NULL if it has none, and for any other kind. `key` may
 * be NULL if `length` is 0.
 * [any thread] */
PROMISE_API const promise_value_t *PROMISE_NULLABLE promise_value_find(const promise_value_t *PROMISE_NULLABLE value,
                                                                       const char *PROMISE_NULLABLE key, size_t length);

PROMISE_END_DECLS

#endif /* PROMISE_COLLECTION_H */
