/* promise/json.h - values from and to JSON (RFC 8259). Part of promise.h: read that first. */
#ifndef PROMISE_JSON_H
#define PROMISE_JSON_H

#include <stddef.h>
#include <stdint.h>

#include "value.h"

PROMISE_BEGIN_DECLS

enum {
  PROMISE_JSON_LAST_WINS = 1 << 16,     /* from_json: of equal keys the last value counts, in the place of the first */
  PROMISE_JSON_ASCII = 1 << 17,         /* to_json: characters beyond ASCII are escaped */
  PROMISE_JSON_NONFINITE_NULL = 1 << 18 /* to_json: NaN and the infinities become null */
};

/* The codes of the errors of domain "promise.json". */
enum {
  PROMISE_JSON_ESYNTAX = 1,      /* not JSON */
  PROMISE_JSON_EENCODING = 2,    /* not UTF-8, or half a surrogate pair */
  PROMISE_JSON_EDEPTH = 3,       /* nested deeper than `max_depth` */
  PROMISE_JSON_EDUPLICATE = 4,   /* a key that the object has already */
  PROMISE_JSON_ERANGE = 5,       /* a number too large for a double; NaN or an infinity */
  PROMISE_JSON_EUNSUPPORTED = 6, /* a value that JSON has nothing for */
  PROMISE_JSON_ELENGTH = 7       /* longer than `max_length` */
};

/* How to read or write. Set all to 0 but `size`, then what you want. */
typedef struct promise_json_options {
  uint32_t size;       /* sizeof(promise_json_options_t) */
  uint32_t flags;      /* PROMISE_JSON_... */
  uint32_t max_depth;  /* as deep as arrays and objects may be nested; 0: 1000 */
  uint32_t indent;     /* to_json: spaces for each level, at most 16; 0: all on one line, without spaces */
  uint64_t max_length; /* as many bytes as the text may have; 0: as memory allows */
} promise_json_options_t;

/* Makes the value that a JSON text of `length` bytes stands for:
 *   null             VOID
 *   true, false      BOOL
 *   a number         I64 if it is written as an integer (no point, no exponent) and fits; if not, U64 if it fits; F64
 *                    otherwise, the nearest one. Too large for an F64 is an error. -0 is an I64.
 *   a string         STRING; \u0000 is a character like any other; half a surrogate pair is an error
 *   an array         ARRAY
 *   an object        MAP, in the order of the text. The same key twice is an error, unless PROMISE_JSON_LAST_WINS.
 * The text is UTF-8, without a byte order mark, and nothing but white space stands before and after the value. Time and
 * memory grow with the text, whatever it is; it takes no recursion, however deep you allow.
 * `options` may be NULL: all 0. `*out` as in promise_value_string().
 * `error` may be NULL. Otherwise it becomes an ERROR of domain "promise.json" if the text is refused, yours to release:
 * its message names what was expected, what was found and where; its cause is a MAP of U64: "offset" in bytes from 0,
 * "line" and "column" in characters, from 1. VOID otherwise.
 * Returns PROMISE_OK; PROMISE_EINVAL if the text is refused, if `out` is NULL, if `text` is NULL although `length` is not
 * 0, or if `options` are of a size or have a flag or an indent that is none; PROMISE_ENOMEM.
 * [any thread] */
PROMISE_API promise_status_t promise_value_from_json(promise_value_t *PROMISE_NULLABLE out,
                                                     const char *PROMISE_NULLABLE text, size_t length,
                                                     const promise_json_options_t *PROMISE_NULLABLE options,
                                                     promise_value_t *PROMISE_NULLABLE error);

/* Writes a value as JSON: `*out` becomes a STRING.
 *   VOID             null
 *   I64, U64         every digit
 *   F64              the shortest number from which the same one is read; NaN and the infinities are an error, unless
 *                    PROMISE_JSON_NONFINITE_NULL
 *   BYTES            a string in base64, with padding
 *   ARRAY, MAP       an array, an object, in order
 *   ERROR            an object: "domain", "code", "message", and if it has them "origin" and "cause"
 *   others           an error: JSON has no pointers, promises or objects
 * Without recursion. A value that refers to the same part many times is written as often: set `max_length` where you do
 * not know it.
 * `options`, `out` and `error` as in promise_value_from_json(), but that the cause of the error is a MAP with a STRING
 * "path" to what is wrong, such as $["users"][3].
 * Returns PROMISE_OK; PROMISE_EINVAL if the value is refused, if `out` or `value` is NULL, if the value is of no known
 * kind, forged or a stale PROMISE, or for such options; PROMISE_ENOMEM.
 * [any thread] */
PROMISE_API promise_status_t promise_value_to_json(promise_value_t *PROMISE_NULLABLE out,
                                                   const promise_value_t *PROMISE_NULLABLE value,
                                                   const promise_json_options_t *PROMISE_NULLABLE options,
                                                   promise_value_t *PROMISE_NULLABLE error);

PROMISE_END_DECLS

#endif /* PROMISE_JSON_H */
