/* request.h - one call of the plugin: copies of its arguments, the action on the database's thread, the promise. */
#ifndef CATALOG_REQUEST_H
#define CATALOG_REQUEST_H

#include <promise_plugin.h>

#include "database.h"

enum { REQUEST_MOST_ARGUMENTS = 6 };

typedef struct request request_t;

/* Does the work and leaves its result in `*value`, which is VOID before; or fills `*failure` and returns false. */
typedef bool (*request_action_t)(request_t *request, promise_value_t *value, failure_t *failure);

/* It belongs to the database's queue until it has run, and to the promise until that is settled. */
struct request {
  job_t job;
  promise_t *promise; /* the queue's reference */
  database_t *database;
  request_action_t action;
  int64_t number;
  size_t lengths[REQUEST_MOST_ARGUMENTS];
  const char *arguments[REQUEST_MOST_ARGUMENTS]; /* in `copies`, each with a NUL after it */
  char copies[]; /* the caller may take its bytes back as soon as it has discarded the promise */
};

/* Copies the arguments, the first of which is the path of the database, and has `action` run on its thread. `*result`
 * becomes the promise of its result; discarding that cancels the request. A text with a NUL in it is refused; `binary`
 * is the index of the argument that may hold anything, or -1.
 * Returns PROMISE_OK, or the status for a function of a plugin to return, with `*error` filled. */
promise_status_t request_start(request_action_t action, const promise_bytes_t *arguments, size_t count, int binary,
                               int64_t number, promise_t **result, promise_value_t *error);

#endif /* CATALOG_REQUEST_H */
