/* request.h - one call of the plugin: copies of its arguments, the action on the database's thread, the promise. */
#ifndef CATALOG_REQUEST_H
#define CATALOG_REQUEST_H

#include <promise_plugin.h>

#include "database.h"

enum { REQUEST_MOST_ARGUMENTS = 6 };

typedef struct request request_t;

/* Does the work and stores its result in `*value`, which is VOID before; or fills `*failure` and returns false. */
typedef bool (*request_action_t)(request_t *request, promise_value_t *value, failure_t *failure);

/* The database's queue has a reference until the request has run, the promise has one until it is settled. */
struct request {
  job_t job;
  promise_t *promise;   /* the queue's reference */
  database_t *database; /* likewise */
  request_action_t action;
  int64_t number;
  size_t lengths[REQUEST_MOST_ARGUMENTS];
  const char *arguments[REQUEST_MOST_ARGUMENTS]; /* in `copies`, each with a NUL after it */
  char copies[]; /* copied, because the caller may free its bytes once it has discarded the promise */
};

/* Copies the arguments, the first of which is the path of the database, and submits `action` to the database's thread.
 * Stores the promise of the result in `*result`; discarding the promise cancels the request. Refuses text that contains
 * a NUL; `binary` is the index of the argument that may have any bytes, or -1.
 * Returns PROMISE_OK, or the status for the plugin's function to return, with `*error` filled. */
promise_status_t request_start(request_action_t action, const promise_bytes_t *arguments, size_t count, int binary,
                               int64_t number, promise_t **result, promise_value_t *error);

#endif /* CATALOG_REQUEST_H */
