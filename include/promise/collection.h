/* promise/collection.h - arrays and maps. Part of promise.h: read that first. */
#ifndef PROMISE_COLLECTION_H
#define PROMISE_COLLECTION_H

#include <stddef.h>

#include "value.h"

PROMISE_BEGIN_DECLS

/* Collections are immutable. Create them at once with the functions here, or piece by piece with a builder (builder.h),
 * which also makes changed copies. A collection owns its elements. The functions below return borrowed elements, valid
 * as long as the collection; promise_value_retain() keeps an element longer.
 *
 * The elements of an ARRAY are contiguous at `value.as.ptr`, and so are the values of a MAP: you may read them there.
 *
 * Keys are UTF-8 texts compared byte by byte; the empty text is a key too. Look-up takes constant time even for keys
 * chosen by an attacker. Entries keep the order in which their keys were first set. */

/* Makes an ARRAY of `count` elements. `elements` may be NULL if `count` is 0; the memory it points to stays yours.
 * Returns PROMISE_OK; PROMISE_EINVAL if `out` is NULL, if `elements` is NULL and `count` is not 0, if `count` is larger
 * than any array, or if an element is not well-formed; PROMISE_ENOMEM.
 * Takes over the elements' references on every path. `*out` is a new reference; VOID on failure.
 * [any thread] */
PROMISE_API promise_status_t promise_value_array(promise_value_t *PROMISE_NULLABLE out,
                                                 const promise_value_t *PROMISE_NULLABLE elements, size_t count);

/* Makes a MAP of `count` entries with the keys `keys[i]` and the values `values[i]`. A key has `lengths[i]` bytes; if
 * `lengths` is NULL, it ends with a NUL. Of entries with equal keys the last value counts, at the place of the first.
 * Keys are copied. The arrays must stay unchanged until this returns, also by destructors of the values that do not
 * count. The pointers may be NULL if `count` is 0.
 * Returns PROMISE_OK; PROMISE_EINVAL if `out` is NULL, if `keys`, a key or `values` is NULL although `count` is not 0,
 * if `count` is larger than any array, if a key is not UTF-8, or if a value is not well-formed; PROMISE_ENOMEM.
 * Takes over the values' references on every path. `*out` is a new reference; VOID on failure.
 * [any thread] */
PROMISE_API promise_status_t promise_value_map(promise_value_t *PROMISE_NULLABLE out,
                                               const char *PROMISE_NULLABLE const *PROMISE_NULLABLE keys,
                                               const size_t *PROMISE_NULLABLE lengths,
                                               const promise_value_t *PROMISE_NULLABLE values, size_t count);

/* Returns the number of elements of an ARRAY or entries of a MAP; 0 for any other kind.
 * [any thread] */
PROMISE_API size_t promise_value_count(const promise_value_t *PROMISE_NULLABLE value);

/* Returns the element of an ARRAY, or the value of a MAP's entry, at `index`, borrowed; NULL if there is none, and for
 * any other kind.
 * [any thread] */
PROMISE_API const promise_value_t *PROMISE_NULLABLE promise_value_at(const promise_value_t *PROMISE_NULLABLE value,
                                                                     size_t index);

/* Returns the key of a MAP's entry at `index`, borrowed, with a NUL after it; NULL if there is no such entry, and for
 * any other kind.
 *   length   NULL, or `*length` becomes the key's size in bytes, without that NUL; 0 without a key
 * [any thread] */
PROMISE_API const char *PROMISE_NULLABLE promise_value_key(const promise_value_t *PROMISE_NULLABLE value, size_t index,
                                                           size_t *PROMISE_NULLABLE length);

/* Returns the value that a MAP has for the `length` bytes at `key`, borrowed; NULL if it has none, and for any other
 * kind. `key` may be NULL if `length` is 0.
 * [any thread] */
PROMISE_API const promise_value_t *PROMISE_NULLABLE promise_value_find(const promise_value_t *PROMISE_NULLABLE value,
                                                                       const char *PROMISE_NULLABLE key, size_t length);

PROMISE_END_DECLS

#endif /* PROMISE_COLLECTION_H */
