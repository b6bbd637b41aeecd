/* promise/builder.h - values that are made piece by piece. Part of promise.h: read that first. */
#ifndef PROMISE_BUILDER_H
#define PROMISE_BUILDER_H

#include <stddef.h>
#include <stdint.h>

#include "value.h"

PROMISE_BEGIN_DECLS

/* A STRING, BYTES, ARRAY or MAP under construction: an opaque token. After its end it is refused as a stale handle
 * is. Finishing copies nothing. Not thread-safe: use a builder on one thread at a time; it may move between threads. */
typedef struct promise_builder promise_builder_t;

/* Creates a builder of a STRING, BYTES, ARRAY or MAP, with room for `capacity` bytes, elements or entries. It grows as
 * needed, so 0 is valid too.
 * Returns a builder; promise_builder_finish() or promise_builder_drop() ends it.
 * NULL: PROMISE_EINVAL if `kind` is none of the four; PROMISE_ENOMEM.
 * [any thread] */
PROMISE_NODISCARD PROMISE_API promise_builder_t *PROMISE_NULLABLE promise_builder_new(promise_kind_t kind,
                                                                                      size_t capacity);

/* Creates a builder of the value's kind with a copy of the contents of `*value`, for a changed copy. The value does not
 * change.
 * Returns a builder, as promise_builder_new() does.
 * NULL: PROMISE_EINVAL if `value` is NULL, not well-formed, or of none of the four kinds; PROMISE_ENOMEM.
 * [any thread] */
PROMISE_NODISCARD PROMISE_API promise_builder_t *PROMISE_NULLABLE
promise_builder_from(const promise_value_t *PROMISE_NULLABLE value);

/* Adds an element at the end of an ARRAY.
 * Returns PROMISE_OK; PROMISE_EINVAL if `builder` or `element` is NULL, if the builder is not of an ARRAY, or if the
 * element is not well-formed; PROMISE_ESTALE if `builder` is not a builder or has ended; PROMISE_ENOMEM.
 * Takes over the element's reference on every path.
 * [one thread at a time] */
PROMISE_API promise_status_t promise_builder_add(promise_builder_t *PROMISE_NULLABLE builder,
                                                 const promise_value_t *PROMISE_NULLABLE element);

/* Sets the value of a MAP's entry for the `length` bytes at `key`, which are copied. An existing key keeps its place,
 * and its old value is released. `key` may be NULL if `length` is 0.
 * Returns PROMISE_OK; PROMISE_EINVAL as promise_builder_add(), also if the builder is not of a MAP, or if `key` is NULL
 * although `length` is not 0, or is not UTF-8; PROMISE_ESTALE; PROMISE_ENOMEM.
 * Takes over the value's reference on every path.
 * [one thread at a time] */
PROMISE_API promise_status_t promise_builder_set(promise_builder_t *PROMISE_NULLABLE builder,
                                                 const char *PROMISE_NULLABLE key, size_t length,
                                                 const promise_value_t *PROMISE_NULLABLE value);

/* Appends `length` bytes to a STRING or BYTES. `bytes` may be NULL if `length` is 0, and may point into the builder's
 * own memory. The bytes of one character of a STRING may be split between calls.
 * Returns PROMISE_OK; PROMISE_EINVAL if `builder` is NULL, if it builds neither, or if `bytes` is NULL although
 * `length` is not 0; PROMISE_ESTALE; PROMISE_ENOMEM.
 * [one thread at a time] */
PROMISE_API promise_status_t promise_builder_append(promise_builder_t *PROMISE_NULLABLE builder,
                                                    const void *PROMISE_NULLABLE bytes, size_t length);

/* Reserves room for at least `length` more bytes of a STRING or BYTES, to write them there without a copy, as read(2)
 * does. Then promise_builder_advance() counts the written bytes.
 *
 *     void *room = promise_builder_room(builder, 65536);
 *     ssize_t count = read(file, room, 65536);
 *     if (count > 0)
 *       promise_builder_advance(builder, (size_t)count);
 *
 * Returns the room, valid until the next call with this builder.
 * NULL: PROMISE_EINVAL if `builder` is NULL or builds neither; PROMISE_ESTALE; PROMISE_ENOMEM.
 * [one thread at a time] */
PROMISE_API void *PROMISE_NULLABLE promise_builder_room(promise_builder_t *PROMISE_NULLABLE builder, size_t length);

/* Appends the first `length` bytes of the memory that promise_builder_room() returned, which must be written: all of
 * them, because unwritten bytes are those of earlier users of the memory.
 * Returns PROMISE_OK; PROMISE_EINVAL if `builder` is NULL, if it builds neither STRING nor BYTES, or if `length` is
 * more than there was room for; PROMISE_ESTALE.
 * [one thread at a time] */
PROMISE_API promise_status_t promise_builder_advance(promise_builder_t *PROMISE_NULLABLE builder, size_t length);

/* Returns the number of bytes, elements or entries so far.
 * Errors: PROMISE_EINVAL if `builder` is NULL; PROMISE_ESTALE if it is not a builder or has ended.
 * [one thread at a time] */
PROMISE_API int64_t promise_builder_count(promise_builder_t *PROMISE_NULLABLE builder);

/* Makes the value, and ends the builder, on every path. Allocates nothing.
 * Returns PROMISE_OK; PROMISE_EINVAL if `builder` or `out` is NULL, or if a STRING is not UTF-8; PROMISE_ESTALE.
 * `*out` is a new reference; VOID on failure.
 * [one thread at a time] */
PROMISE_API promise_status_t promise_builder_finish(promise_builder_t *PROMISE_NULLABLE builder,
                                                    promise_value_t *PROMISE_NULLABLE out);

/* Ends a builder without a value and releases its contents.
 * Returns PROMISE_OK; PROMISE_EINVAL if `builder` is NULL; PROMISE_ESTALE.
 * [one thread at a time] */
PROMISE_API promise_status_t promise_builder_drop(promise_builder_t *PROMISE_NULLABLE builder);

PROMISE_END_DECLS

#endif /* PROMISE_BUILDER_H */
