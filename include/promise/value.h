/* promise/value.h - values: the outcomes of promises. Part of promise.h: read that first. */
#ifndef PROMISE_VALUE_H
#define PROMISE_VALUE_H

#include <stddef.h>
#include <stdint.h>

#include "status.h"

PROMISE_BEGIN_DECLS

/* A promise: an opaque token. */
typedef struct promise promise_t;

/* The kind of a value. Numbers are fixed; more may be added at the end. 0 is not a kind. */
typedef uint32_t promise_kind_t;

enum {
  PROMISE_KIND_VOID = 1,       /* no content */
  PROMISE_KIND_BOOL = 2,       /* as.b: 0, or anything else for true; the other bytes of `as` are ignored */
  PROMISE_KIND_I64 = 3,        /* as.i64 */
  PROMISE_KIND_U64 = 4,        /* as.u64 */
  PROMISE_KIND_F64 = 5,        /* as.f64 */
  PROMISE_KIND_POINTER = 6,    /* as.ptr: yours, borrowed; never freed by this library */
  PROMISE_KIND_STRING = 7,     /* UTF-8; as.ptr: its bytes, with a NUL after the last */
  PROMISE_KIND_BYTES = 8,      /* as.ptr: the bytes; NULL if there are none */
  PROMISE_KIND_ARRAY = 9,      /* values in order; as.ptr: the first of them, a const promise_value_t *, or NULL */
  PROMISE_KIND_MAP = 10,       /* values by key, in the order of insertion; as.ptr: likewise, without keys */
  PROMISE_KIND_ERROR = 11,     /* domain, code, message and more; as.ptr: the message, with a NUL after it */
  PROMISE_KIND_DISCARDED = 12, /* the reason of a discarded promise (clause 2.4.2) */
  PROMISE_KIND_PROMISE = 13,   /* as.ptr: a promise_t *, one reference of which belongs to the value */
  PROMISE_KIND_OBJECT = 14     /* your own type; as.ptr: your payload */
};

/* A value or a reason: 16 bytes, always passed by pointer.
 * Set VOID, BOOL, I64, U64, F64, POINTER, PROMISE, and DISCARDED without a cause yourself, with `reserved` 0. The
 * promise_value_... functions make the other kinds. They use `reserved`, so copy the whole struct, not its fields.
 * A value is immutable once it is made: threads read it without a lock, and it cannot contain itself.
 *
 * A value is *well-formed* if its kind is known and its content exists: a PROMISE has a token that is not stale, and a
 * value of another kind that owns memory is as this library made it. If it is not, it is *forged*. Functions refuse a
 * value that is not well-formed with PROMISE_EINVAL, unless their comments name another status. */
typedef struct promise_value {
  promise_kind_t kind;
  uint32_t reserved; /* 0 in a value that you fill: in a DISCARDED another number is refused; otherwise the library's */
  union {
    uint8_t b;
    int64_t i64;
    uint64_t u64;
    double f64;
    void *PROMISE_NULLABLE ptr;
  } as;
} promise_value_t;

/* A type of object: an opaque token that lives as long as the process. */
typedef struct promise_type promise_type_t;

/* Frees a context or payload. Called once with the pointer given as `ctx` or `payload`, when the library no longer
 * needs it, on the thread that caused that, with no lock held. A call within a destructor or another such function may
 * release the last reference to an object. The contexts and values of that object may then be freed only after the
 * outermost of these functions has returned, on the same thread. So such a function must neither free memory that they
 * refer to, nor wait for their release. */
typedef void (*promise_free_t)(void *PROMISE_NULLABLE ctx);

/* A callback without a value: a discard block, a finally handler, work for an executor. */
typedef void (*promise_callback_t)(void *PROMISE_NULLABLE ctx);

/* A callback that receives a value, borrowed until it returns, and returns nothing. */
typedef void (*promise_observer_t)(void *PROMISE_NULLABLE ctx, const promise_value_t *PROMISE_NONNULL value);

/* Adds a reference to the content of `value`; a no-op for a kind that owns nothing.
 * Returns PROMISE_OK; PROMISE_EINVAL if `value` is NULL, of no known kind, or forged; PROMISE_ESTALE if it is a PROMISE
 * whose token is stale; PROMISE_ENOMEM if it has 2^26 references.
 * [any thread] */
PROMISE_API promise_status_t promise_value_retain(const promise_value_t *PROMISE_NULLABLE value);

/* Sets `*value` to VOID, then releases its reference to the content: a second release is a no-op. The last reference to
 * an OBJECT runs its destructor, which may free the memory of `*value`; the last one to a promise acts as
 * promise_release() does.
 * Returns PROMISE_OK; PROMISE_EINVAL or PROMISE_ESTALE as promise_value_retain(), without a change to `*value`;
 * PROMISE_ESTALE, also if promise_release() refuses the promise of a PROMISE, with `*value` set to VOID.
 * [any thread] */
PROMISE_API promise_status_t promise_value_release(promise_value_t *PROMISE_NULLABLE value);

/* Makes a STRING from `length` bytes at `utf8`, which are copied. `utf8` may be NULL if `length` is 0.
 * Returns PROMISE_OK; PROMISE_EINVAL if `out` is NULL, if `utf8` is NULL and `length` is not 0, or if the bytes are not
 * UTF-8; PROMISE_ENOMEM.
 * `*out` is a new reference; VOID on failure.
 * [any thread] */
PROMISE_API promise_status_t promise_value_string(promise_value_t *PROMISE_NULLABLE out,
                                                  const char *PROMISE_NULLABLE utf8, size_t length);

/* Makes a BYTES from `length` bytes at `bytes`, which are copied. `bytes` may be NULL if `length` is 0.
 * Returns PROMISE_OK; PROMISE_EINVAL if `out` is NULL, or if `bytes` is NULL and `length` is not 0; PROMISE_ENOMEM.
 * `*out` is a new reference; VOID on failure.
 * [any thread] */
PROMISE_API promise_status_t promise_value_bytes(promise_value_t *PROMISE_NULLABLE out,
                                                 const void *PROMISE_NULLABLE bytes, size_t length);

/* Makes a BYTES of memory that stays yours: nothing is copied. The bytes must not move or change until free_ctx(ctx) is
 * called. `bytes` may be NULL if `length` is 0.
 * Returns as promise_value_bytes().
 * `*out` is a new reference; VOID on failure. free_ctx(ctx) is called exactly once: on the thread that releases the
 * last reference, or before this returns if it fails. Then, and not before, the memory is yours again.
 * [any thread] */
PROMISE_API promise_status_t promise_value_bytes_foreign(promise_value_t *PROMISE_NULLABLE out,
                                                         const void *PROMISE_NULLABLE bytes, size_t length,
                                                         void *PROMISE_NULLABLE ctx,
                                                         promise_free_t PROMISE_NULLABLE free_ctx);

/* Makes an OBJECT of `type` around `payload`, which may be NULL.
 * Returns PROMISE_OK; PROMISE_EINVAL if `out` or `type` is NULL; PROMISE_ESTALE if `type` is not a registered type;
 * PROMISE_ENOMEM.
 * `*out` is a new reference; VOID on failure. The value takes over the payload: the type's `destroy` is called with it
 * when the last reference is released, and if this call fails with PROMISE_ENOMEM. With PROMISE_EINVAL or
 * PROMISE_ESTALE the payload stays yours, because no type is known to destroy it.
 * [any thread] */
PROMISE_API promise_status_t promise_value_object(promise_value_t *PROMISE_NULLABLE out,
                                                  const promise_type_t *PROMISE_NULLABLE type,
                                                  void *PROMISE_NULLABLE payload);

/* Makes an OBJECT of `type` around `payload`, which may be NULL, with a destructor of its own. Use it wherever several
 * languages or plugins make objects of one type: the type describes the payload, and each maker frees its own payloads.
 * Comparison and description stay the type's (promise_type_methods()).
 * Returns as promise_value_object().
 * `*out` is a new reference; VOID on failure. free_ctx(ctx) is called exactly once: on the thread that releases the
 * last reference, or before this returns if it fails. The type's `destroy` is not called.
 * [any thread] */
PROMISE_API promise_status_t promise_value_object_with(promise_value_t *PROMISE_NULLABLE out,
                                                       const promise_type_t *PROMISE_NULLABLE type,
                                                       void *PROMISE_NULLABLE payload, void *PROMISE_NULLABLE ctx,
                                                       promise_free_t PROMISE_NULLABLE free_ctx);

/* Finds the content of a STRING or BYTES, the message of an ERROR, or the payload of an OBJECT.
 *   length   NULL, or `*length` becomes the size in bytes, without the NUL after a STRING and a message; 0 for an
 *            OBJECT
 * Returns the content, borrowed: valid as long as the value is; NULL for any other kind, for a forged value, and for
 * empty BYTES.
 * [any thread] */
PROMISE_API const char *PROMISE_NULLABLE promise_value_data(const promise_value_t *PROMISE_NULLABLE value,
                                                            size_t *PROMISE_NULLABLE length);

PROMISE_END_DECLS

#endif /* PROMISE_VALUE_H */
