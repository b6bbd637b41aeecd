/* promise/type.h - the types of values, and how to register one. Part of promise.h: read that first. */
#ifndef PROMISE_TYPE_H
#define PROMISE_TYPE_H

#include <stdbool.h>

#include "value.h"

PROMISE_BEGIN_DECLS

/* Registers a type of object, or finds it: every shared object of the process gets the same type for the same `name`,
 * so a reason made by one plugin can be rescued by type in another. `name` is copied; by convention it is qualified:
 * "org.example.http.timeout".
 *   parent    the parent type, or NULL. Of the built-in types, "object" and "error" can be parents. An object whose
 *             type descends from "error" is rescued as an error, but its kind is OBJECT: check `kind` before you read
 *             a message.
 *   destroy   called with the payload when the last reference to an object is released; may be NULL. The first
 *             registration of a name decides it. Makers that free payloads in ways of their own use
 *             promise_value_object_with().
 * Returns the type, which is permanent and need not be released.
 * NULL: PROMISE_EINVAL if `name` is NULL, empty, not UTF-8 or the name of a built-in type, if the name is registered
 * with another parent (a NULL `parent` agrees with any), or if `parent` cannot be one; PROMISE_ESTALE if `parent` is
 * not a type; PROMISE_ENOMEM.
 * [any thread] */
PROMISE_API const promise_type_t *PROMISE_NULLABLE promise_type_register(const char *PROMISE_NULLABLE name,
                                                                         const promise_type_t *PROMISE_NULLABLE parent,
                                                                         promise_free_t PROMISE_NULLABLE destroy);

/* Returns the type registered under `name`, or a built-in one, named as the kinds are: "void", "bool", "i64", "u64",
 * "f64", "pointer", "string", "bytes", "array", "map", "error", "discarded" (child of "error"), "promise", "object"
 * (ancestor of every registered type without a parent).
 * NULL: PROMISE_EINVAL if `name` is NULL or unknown; PROMISE_ENOMEM if the table of types could not be created.
 * [any thread] */
PROMISE_API const promise_type_t *PROMISE_NULLABLE promise_type_named(const char *PROMISE_NULLABLE name);

/* Returns the name of a type, borrowed: valid as long as the process.
 * NULL: PROMISE_EINVAL if `type` is NULL; PROMISE_ESTALE if it is not a type.
 * [any thread] */
PROMISE_API const char *PROMISE_NULLABLE promise_type_name(const promise_type_t *PROMISE_NULLABLE type);

/* Returns whether `value` is of `type` or of a type that descends from it; false if either is NULL, stale or forged.
 * [any thread] */
PROMISE_API bool promise_value_is(const promise_value_t *PROMISE_NULLABLE value,
                                  const promise_type_t *PROMISE_NULLABLE type);

/* Returns the type of a value: a built-in one, or that of an OBJECT.
 * NULL: PROMISE_EINVAL if `value` is NULL or not well-formed; PROMISE_ENOMEM.
 * [any thread] */
PROMISE_API const promise_type_t *PROMISE_NULLABLE promise_value_type(const promise_value_t *PROMISE_NULLABLE value);

PROMISE_END_DECLS

#endif /* PROMISE_TYPE_H */
