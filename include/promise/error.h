/* promise/error.h - errors: domain, code, message, origin, cause. Part of promise.h: read that first. */
#ifndef PROMISE_ERROR_H
#define PROMISE_ERROR_H

#include <stddef.h>
#include <stdint.h>

#include "value.h"

PROMISE_BEGIN_DECLS

/* The place of this line in your source, for an error's origin: "file.c:42". */
#define PROMISE_HERE __FILE__ ":" PROMISE_HERE_TEXT(__LINE__)
#define PROMISE_HERE_TEXT(line) PROMISE_HERE_QUOTED(line)
#define PROMISE_HERE_QUOTED(line) #line

/* Makes an ERROR.
 *   domain    the party that defines `code`: a library, a plugin, "errno"; copied
 *   message   a sentence for display; copied
 * Returns PROMISE_OK; PROMISE_EINVAL if `out`, `domain` or `message` is NULL or not UTF-8; PROMISE_ENOMEM.
 * `*out` is a new reference; VOID on failure.
 * [any thread] */
PROMISE_API promise_status_t promise_value_error(promise_value_t *PROMISE_NULLABLE out,
                                                 const char *PROMISE_NULLABLE domain, int64_t code,
                                                 const char *PROMISE_NULLABLE message);

/* Makes an ERROR as promise_value_error() does, from texts of a given length: for languages whose strings do not end
 * with a NUL. The message may hold a NUL, the domain may not. A text may be NULL if its length is 0.
 * Returns PROMISE_OK; PROMISE_EINVAL if `out` is NULL, if a text is NULL although its length is not 0, or not UTF-8, or
 * if the domain holds a NUL; PROMISE_ENOMEM.
 * `*out` is a new reference; VOID on failure.
 * [any thread] */
PROMISE_API promise_status_t promise_value_error_sized(promise_value_t *PROMISE_NULLABLE out,
                                                       const char *PROMISE_NULLABLE domain, size_t domain_length,
                                                       int64_t code, const char *PROMISE_NULLABLE message,
                                                       size_t message_length);

/* Makes an ERROR as promise_value_error() does, with an origin and a cause, each of which may be NULL. Chains of causes
 * may be as long as memory allows.
 *   origin   the place where the error was made, for people and logs: PROMISE_HERE, a function, the id of a plugin;
 *            copied; an empty one counts as NULL
 *   cause    usually the ERROR that was caught, but any value is valid; a VOID counts as NULL
 * Returns PROMISE_OK; PROMISE_EINVAL as promise_value_error(), also if `origin` is not UTF-8, or if `*cause` is not
 * well-formed; PROMISE_ENOMEM.
 * Takes over the cause's reference on every path. `*out` is a new reference; VOID on failure.
 * [any thread] */
PROMISE_API promise_status_t promise_value_error_from(promise_value_t *PROMISE_NULLABLE out,
                                                      const char *PROMISE_NULLABLE domain, int64_t code,
                                                      const char *PROMISE_NULLABLE message,
                                                      const char *PROMISE_NULLABLE origin,
                                                      const promise_value_t *PROMISE_NULLABLE cause);

/* Returns the domain of an ERROR, borrowed and NUL-terminated; NULL for any other kind. promise_value_data() returns
 * the message.
 * [any thread] */
PROMISE_API const char *PROMISE_NULLABLE promise_value_domain(const promise_value_t *PROMISE_NULLABLE value);

/* Returns the code of an ERROR; 0 for any other kind.
 * [any thread] */
PROMISE_API int64_t promise_value_code(const promise_value_t *PROMISE_NULLABLE value);

/* Returns the origin of an ERROR, borrowed and NUL-terminated; NULL without one, and for any other kind.
 * [any thread] */
PROMISE_API const char *PROMISE_NULLABLE promise_value_origin(const promise_value_t *PROMISE_NULLABLE value);

/* Returns the cause of an ERROR or of a DISCARDED, borrowed: valid as long as the value is; NULL without one, and for
 * any other kind.
 * [any thread] */
PROMISE_API const promise_value_t *PROMISE_NULLABLE promise_value_cause(const promise_value_t *PROMISE_NULLABLE value);

PROMISE_END_DECLS

#endif /* PROMISE_ERROR_H */
