/* promise/status.h - the results of calls. Part of promise.h: read that first. */
#ifndef PROMISE_STATUS_H
#define PROMISE_STATUS_H

#include <stdint.h>

#include "base.h"

PROMISE_BEGIN_DECLS

/* The result of a call: PROMISE_OK or a negative number. */
typedef int32_t promise_status_t;

enum {
  PROMISE_OK = 0,
  PROMISE_EINVAL = -1,     /* an argument is NULL, of the wrong kind or out of range */
  PROMISE_ESTALE = -2,     /* the handle was released, forged, or is not of this library or this kind */
  PROMISE_ESETTLED = -3,   /* the promise is settled already: the call changed nothing */
  PROMISE_EPENDING = -4,   /* the promise is not settled yet */
  PROMISE_ETIMEDOUT = -5,  /* the time limit has passed */
  PROMISE_EDEADLK = -6,    /* waiting could never end: the calling thread is the one that has to do the work */
  PROMISE_ENOMEM = -7,     /* no memory, or no room for one more reference */
  PROMISE_ECLOSED = -8,    /* the executor, loop, queue or plugin that should do the work has shut down */
  PROMISE_EFULL = -9,      /* a subscriber of a stream has no room for more events */
  PROMISE_EFINISHED = -10, /* the stream has finished: no value follows */
  PROMISE_EINTR = -11,     /* a signal handler ran during an interruptible wait */
  PROMISE_EBUSY = -12      /* another thread runs the loop, which one thread at a time may do */
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
