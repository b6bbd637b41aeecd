/* library.h - the promises to measure: the four functions that the floor and libpromise.so both have, and the completion
 * queue, which only the latter has. */
#ifndef BENCHMARKS_LIBRARY_H
#define BENCHMARKS_LIBRARY_H

#include "promise.h"

/* Called through pointers that dlsym() gave, as a language binding calls them, so both libraries pay the same for a call. */
typedef struct library {
  const char *name;
  promise_t *(*new_promise)(void);
  promise_t *(*then)(promise_t *, promise_handler_t, void *, promise_free_t);
  promise_status_t (*resolve)(promise_t *, const promise_value_t *);
  promise_status_t (*release)(promise_t *);
  /* Of the floor: NULL. */
  promise_queue_t *(*queue_new)(void);
  promise_status_t (*queue_free)(promise_queue_t *);
  promise_status_t (*queue_watch)(promise_queue_t *, promise_t *, uint64_t);
  promise_t *(*queue_then)(promise_queue_t *, promise_t *, uint64_t);
  int64_t (*queue_take)(promise_queue_t *, promise_event_t *, size_t, int64_t);
} library_t;

/* Loads the shared object at `path`, whose functions are called `prefix`_new, _then, _resolve and _release. Ends the program
 * with a message if that cannot be done. */
library_t library_load(const char *name, const char *path, const char *prefix);

#endif
