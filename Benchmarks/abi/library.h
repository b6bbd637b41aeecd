/* library.h - the promises to measure: the four functions that the floor and libpromise.so both have, and the
 * completion queue, the hooks and the trace, which only the latter has. */
#ifndef BENCHMARKS_LIBRARY_H
#define BENCHMARKS_LIBRARY_H

#include "promise.h"

/* Called through pointers from dlsym(), as by a language binding, so a call costs the same for both libraries. */
typedef struct library {
  const char *name;
  promise_t *(*new_promise)(void);
  promise_t *(*then)(promise_t *, promise_handler_t, void *, promise_free_t);
  promise_status_t (*resolve)(promise_t *, const promise_value_t *);
  promise_status_t (*release)(promise_t *);
  /* NULL for the floor. */
  promise_queue_t *(*queue_new)(void);
  promise_status_t (*queue_free)(promise_queue_t *);
  promise_status_t (*queue_watch)(promise_queue_t *, promise_t *, uint64_t);
  promise_t *(*queue_then)(promise_queue_t *, promise_t *, uint64_t);
  int64_t (*queue_take)(promise_queue_t *, promise_event_t *, size_t, int64_t);
  promise_status_t (*set_hooks)(const promise_hooks_t *);
  promise_status_t (*trace_start)(const promise_trace_t *);
  promise_status_t (*trace_stop)(void);
} library_t;

/* Loads the shared object at `path`, whose functions are named `prefix`_new, _then, _resolve and _release. On failure,
 * ends the program with a message. */
library_t library_load(const char *name, const char *path, const char *prefix);

#endif
