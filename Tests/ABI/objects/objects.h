/* What the two shared objects and the program that loads them agree on. */
#ifndef OBJECTS_H
#define OBJECTS_H

#include <stdatomic.h>
#include <string.h>

#include "promise.h"

/* The payload of "org.example.failure" and of the types that descend from it. */
typedef struct failure {
  int code;
  atomic_int *destroyed_by_sender;
} failure_t;

PROMISE_API const promise_type_t *sender_type(const char *name);
PROMISE_API promise_status_t sender_reject(promise_t *promise, const char *type, int code, atomic_int *destroyed);
PROMISE_API const promise_type_t *receiver_type(const char *name);
PROMISE_API promise_t *receiver_rescue(promise_t *promise, const char *type);

#endif /* OBJECTS_H */
