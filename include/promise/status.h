/* promise/status.h - the results of calls. Part of promise.h: read that first. */
#ifndef PROMISE_STATUS_H
#define PROMISE_STATUS_H

#include <stdint.h>

#include "base.h"

PROMISE_BEGIN_DECLS

/* The result of a call: PROMISE_OK or a negative number. */
typedef int32_t promise_status_t;

/* The statuses: a call of the macro XX(name, number, text) for each. A table of them in a program:
 *
 *     #define ROW(name, number, text) {number, #name, text},
 *     static const struct { promise_status_t status; const char *name, *text; } statuses[] = {PROMISE_STATUSES(ROW)};
 *
 * A later version of the header may have more. */
#define PROMISE_STATUSES(XX)                                                                                           \
  XX(PROMISE_OK, 0, "success")                                                                                         \
  XX(PROMISE_EINVAL, -1, "an argument is NULL, of the wrong kind or out of range")                                     \
  XX(PROMISE_ESTALE, -2, "the handle was released, forged, or is not of this library or this kind")                    \
  XX(PROMISE_ESETTLED, -3, "the promise is settled already: the call changed nothing")                                 \
  XX(PROMISE_EPENDING, -4, "the promise is not settled yet")                                                           \
  XX(PROMISE_ETIMEDOUT, -5, "the time limit has passed")                                                               \
  XX(PROMISE_EDEADLK, -6, "waiting could never end: the calling thread is the one that has to do the work")            \
  XX(PROMISE_ENOMEM, -7, "no memory, or no room for one more reference")                                               \
  XX(PROMISE_ECLOSED, -8, "the executor, loop, queue or plugin that should do the work has shut down")                 \
  XX(PROMISE_EFULL, -9, "a subscriber of a stream has no room for more events")                                        \
  XX(PROMISE_EFINISHED, -10, "the stream has finished: no value follows")                                              \
  XX(PROMISE_EINTR, -11, "a signal handler ran during an interruptible wait")                                          \
  XX(PROMISE_EBUSY, -12, "another thread runs the loop, which one thread at a time may do")

enum {
#define PROMISE_STATUS_CONSTANT(name, number, text) name = number,
  PROMISE_STATUSES(PROMISE_STATUS_CONSTANT)
#undef PROMISE_STATUS_CONSTANT
};

/* Returns the name of a status, such as "PROMISE_ESTALE"; "PROMISE_UNKNOWN" for any other number. The string is static.
 * [any thread] */
PROMISE_API const char *PROMISE_NONNULL promise_status_name(promise_status_t status);

/* Returns the reason of the latest call on this thread that returned NULL in place of a handle, a type, a type's name
 * or a builder's room, and resets it: PROMISE_OK if no such call has failed since this function was last called.
 * Successful calls, and functions that return a status or a borrowed part of a value, leave it unchanged.
 * [any thread] */
PROMISE_API promise_status_t promise_last_status(void);

PROMISE_END_DECLS

#endif /* PROMISE_STATUS_H */
