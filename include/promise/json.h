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
  PROMISE_JSON_EUNSUPPORTED = 6, /* a value that JSON cannot represent */
  PROMISE_JSON_ELENGTH = 7       /* longer than `max_length` */
};

/* Options for reading and writing. Zero the struct, set `size`, then set the fields that you need. One struct serves
 * both directions: flags of the other one have no effect. They are invalid with a `size` less than that of version 1 or
 * more than 4096, with an unknown flag, with an `indent` above 16, or if a field unknown to this library is not 0. */
typedef struct promise_json_options {
  uint32_t size;       /* sizeof(promise_json_options_t) */
  uint32_t flags;      /* PROMISE_JSON_... */
  uint32_t max_depth;  /* maximum nesting of arrays and objects; 0: 1000 */
  uint32_t indent;     /* to_json: spaces per level, at most 16; 0: one line without spaces */
  uint64_t max_length; /* maximum bytes of the text; 0: no limit. A longer text is read to its end all the same, for
                        * the place in the error */
} promise_json_options_t;

/* Parses a JSON text of `length` bytes into a value:
 *   null             VOID
 *   true, false      BOOL
 *   a number         I64 if it is written as an integer (no point, no exponent) and fits; if not, U64 if it fits; F64
 *                    otherwise, the nearest one. Too large for an F64 is an error. -0 is an I64.
 *   a string         STRING; \u0000 is a character like any other; half a surrogate pair is an error
 *   an array         ARRAY
 *   an object        MAP, in the order of the text. A repeated key is an error, unless PROMISE_JSON_LAST_WINS is set.
 * Time and memory are linear in the length of the text. Nesting takes no recursion.
 *   text      UTF-8 without a byte order mark; only white space may stand before and after the value
 *   options   NULL: all 0
 *   error     NULL, or an invalid text sets `*error` to an ERROR of domain "promise.json". The message names the
 *             expected and the found text and the place. The cause is a MAP of U64: "offset" in bytes from 0, "line"
 *             and "column" in characters from 1. Otherwise `*error` becomes VOID.
 * Returns PROMISE_OK; PROMISE_EINVAL if the text is invalid, if `out` is NULL, if `text` is NULL although `length` is
 * not 0, or if `options` are invalid; PROMISE_ENOMEM.
 * `*out` and `*error` are new references; `*out` is VOID on failure.
 * [any thread] */
PROMISE_API promise_status_t promise_value_from_json(promise_value_t *PROMISE_NULLABLE out,
                                                     const char *PROMISE_NULLABLE text, size_t length,
                                                     const promise_json_options_t *PROMISE_NULLABLE options,
                                                     promise_value_t *PROMISE_NULLABLE error);

/* Writes a value as JSON; `*out` becomes a STRING:
 *   VOID             null
 *   I64, U64         every digit
 *   F64              the shortest number that reads back as the same double; NaN and the infinities are an error,
 *                    unless PROMISE_JSON_NONFINITE_NULL is set
 *   BYTES            a string in base64, with padding
 *   ARRAY, MAP       an array, an object, in order
 *   ERROR            an object: "domain", "code", "message", and "origin" and "cause" where it has them
 *   others           an error: JSON has no pointers, promises or objects
 * Nesting takes no recursion. A part that a value refers to many times is written as often: set `max_length` for values
 * of unknown origin.
 *   options   NULL: all 0
 *   error     NULL, or a value that cannot be written sets `*error` as an invalid text does. The cause is a MAP with a
 *             STRING "path" to the offending part, such as $["users"][3].
 * Returns PROMISE_OK; PROMISE_EINVAL if the value cannot be written, if `out` or `value` is NULL, if the value is not
 * well-formed, or if `options` are invalid; PROMISE_ENOMEM.
 * `*out` and `*error` are new references; `*out` is VOID on failure.
 * [any thread] */
PROMISE_API promise_status_t promise_value_to_json(promise_value_t *PROMISE_NULLABLE out,
                                                   const promise_value_t *PROMISE_NULLABLE value,
                                                   const promise_json_options_t *PROMISE_NULLABLE options,
                                                   promise_value_t *PROMISE_NULLABLE error);

PROMISE_END_DECLS

#endif /* PROMISE_JSON_H */
