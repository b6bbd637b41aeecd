#include "request.h"

#include <stdlib.h>
#include <string.h>

#include "files.h"

static void run(job_t *job) {
  request_t *request = (request_t *)job;
  promise_value_t value = {.kind = PROMISE_KIND_VOID};
  failure_t failure;
  bool good = job_is_cancelled(job) ? failure_cancelled(&failure) : request->action(request, &value, &failure);
  /* If the promise was discarded meanwhile, settling it only releases the value. */
  if (good) {
    promise_resolve(request->promise, &value);
  } else {
    promise_value_error(&value, failure.domain, failure.code, failure.message);
    promise_reject(request->promise, &value);
  }
  promise_release(request->promise);
  database_release(request->database);
}

static void destroy(job_t *job) {
  free(job);
}

static request_t *request_new(const promise_bytes_t *arguments, size_t count) {
  size_t size = sizeof(request_t);
  for (size_t i = 0; i < count; i++) {
    if (arguments[i].length >= SIZE_MAX / 2 - size)
      return NULL;
    size += arguments[i].length + 1;
  }
  request_t *request = malloc(size);
  if (request == NULL)
    return NULL;
  job_init(&request->job, run, destroy);
  char *at = request->copies;
  for (size_t i = 0; i < count; i++) {
    size_t length = arguments[i].length;
    if (length > 0)
      memcpy(at, arguments[i].data, length);
    at[length] = '\0';
    request->arguments[i] = at;
    request->lengths[i] = length;
    at += length + 1;
  }
  return request;
}

/* Refuses a NUL in text, because SQLite's functions for text would ignore the rest. */
static bool check(const request_t *request, size_t count, int binary, failure_t *failure) {
  for (size_t i = 0; i < count; i++) {
    if ((int)i == binary || strlen(request->arguments[i]) == request->lengths[i])
      continue;
    return failure_set(failure, CATALOG_DOMAIN, CATALOG_EARGUMENT,
                       "argument %zu: expected text without a NUL, which is its byte %zu", i + 1,
                       strlen(request->arguments[i]));
  }
  if (request->lengths[0] > 0)
    return true;
  return failure_set(failure, CATALOG_DOMAIN, CATALOG_EARGUMENT, "database: expected the path of a file, not nothing");
}

promise_status_t request_start(request_action_t action, const promise_bytes_t *arguments, size_t count, int binary,
                               int64_t number, promise_t **result, promise_value_t *error) {
  request_t *request = request_new(arguments, count);
  if (request == NULL)
    return PROMISE_ENOMEM;
  failure_t failure;
  request->action = action;
  request->number = number;
  request->database = check(request, count, binary, &failure) ? database_at(request->arguments[0], &failure) : NULL;
  if (request->database == NULL) {
    promise_value_error(error, failure.domain, failure.code, failure.message);
    job_release(&request->job);
    return PROMISE_EINVAL;
  }
  request->promise = promise_new_discardable(job_cancel, job_retain(&request->job), job_release);
  if (request->promise == NULL || promise_retain(request->promise) != PROMISE_OK) {
    promise_release(request->promise);
    database_release(request->database);
    job_release(&request->job);
    return PROMISE_ENOMEM;
  }
  *result = request->promise;
  database_submit(request->database, &request->job);
  return PROMISE_OK;
}
