/* The shared object that rejects with objects. The two share only the names of their types. */
#include <stdlib.h>

#include "objects.h"

static void destroy(void *payload) {
  failure_t *failure = payload;
  atomic_fetch_add(failure->destroyed_by_sender, 1);
  free(failure);
}

const promise_type_t *sender_type(const char *name) {
  const promise_type_t *failure = promise_type_register("org.example.failure", NULL, destroy);
  if (strcmp(name, "org.example.failure") == 0)
    return failure;
  return promise_type_register(name, failure, destroy);
}

static void release_shared(void *ctx) {
  shared_t *shared = ctx;
  atomic_fetch_add(shared->freed, 1);
  free(shared);
}

promise_status_t sender_share(promise_value_t *out, int code, atomic_int *freed) {
  const promise_type_t *type = promise_type_register("org.example.shared", NULL, destroy);
  shared_t *shared = malloc(sizeof *shared);
  *shared = (shared_t){.failure = {.code = code}, .freed = freed};
  return promise_value_object_with(out, type, &shared->failure, shared, release_shared);
}

promise_status_t sender_reject(promise_t *promise, const char *type, int code, atomic_int *destroyed) {
  failure_t *failure = malloc(sizeof *failure);
  promise_value_t reason;
  *failure = (failure_t){.code = code, .destroyed_by_sender = destroyed};
  promise_status_t status = promise_value_object(&reason, sender_type(type), failure);
  return status == PROMISE_OK ? promise_reject(promise, &reason) : status;
}
