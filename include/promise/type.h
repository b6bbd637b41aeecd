/* promise/type.h - the types of values, and how to register one. Part of promise.h: read that first. */
#ifndef PROMISE_TYPE_H
#define PROMISE_TYPE_H

#include <stdbool.h>

#include "value.h"

PROMISE_BEGIN_DECLS

/* Registers a type of object, or finds it: the same `name` gives the same type, from whichever shared object it is
 * called, so a reason made by one plugin can be rescued by type in another.
 * `parent` may be NULL; of the built-in types "object" and "error" can be one. An object of a type that descends from
 * "error" is rescued as one, and is an OBJECT all the same: look at `kind` before you read a message. `destroy` may be
 * NULL; it is called with an object's payload when the last reference goes. When the name is registered already, the
 * first `destroy` stays: one name means one layout of the payload. Makers that free payloads in ways of their own use
 * promise_value_object_with(). The name is copied. By convention it is qualified: "org.example.http.timeout". Returns NULL if `name` is NULL, empty, not UTF-8 or the name
 * of a built-in type, or if the name is registered with another parent or `parent` can be none (PROMISE_EINVAL; a NULL
 * `parent` agrees with any), if `parent` is no type (PROMISE_ESTALE), or PROMISE_ENOMEM.
 * [any thread] */
PROMISE_API const promise_type_t *PROMISE_NULLABLE promise_type_register(const char *PROMISE_NULLABLE name,
                                                                         const promise_type_t *PROMISE_NULLABLE parent,
                                                                         promise_free_t PROMISE_NULLABLE destroy);

/* The type registered under `name`, or one of the built-in ones, which are the kinds: "void", "bool", "i64", "u64",
 * "f64", "pointer", "string", "bytes", "array", "map", "error", "discarded" (its parent is "error"), "promise",
 * "object" (an ancestor of every registered type that has no parent).
 * NULL: PROMISE_EINVAL if `name` is NULL or there is none; PROMISE_ENOMEM, before the first of them is there.
 * [any thread] */
PROMISE_API const promise_type_t *PROMISE_NULLABLE promise_type_named(const char *PROMISE_NULLABLE name);

/* The name of a type, borrowed, for ever valid; NULL if `type` is NULL (PROMISE_EINVAL) or not a type (PROMISE_ESTALE).
 * [any thread] */
PROMISE_API const char *PROMISE_NULLABLE promise_type_name(const promise_type_t *PROMISE_NULLABLE type);

/* Whether `value` is of `type` or of a type that descends from it. False if either is NULL, stale or forged.
 * [any thread] */
PROMISE_API bool promise_value_is(const promise_value_t *PROMISE_NULLABLE value,
                                  const promise_type_t *PROMISE_NULLABLE type);

/* The type of a value: a built-in one, or that of an OBJECT. NULL if `value` is NULL, of no known kind, forged,
 * or a stale PROMISE (PROMISE_EINVAL).
 * [any thread] */
PROMISE_API const promise_type_t *PROMISE_NULLABLE promise_value_type(const promise_value_t *PROMISE_NULLABLE value);

PROMISE_END_DECLS

#endif /* PROMISE_TYPE_H */
