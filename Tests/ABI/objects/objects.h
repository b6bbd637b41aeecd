/* The types and names shared by the two shared objects and the program that loads them. */
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

/* An object's payload of "org.example.shared", with the data for freeing it. */
typedef struct shared {
  failure_t failure;
  atomic_int *freed;
} shared_t;

PROMISE_API const promise_type_t *sender_type(const char *name);
PROMISE_API promise_status_t sender_reject(promise_t *promise, const char *type, int code, atomic_int *destroyed);
PROMISE_API const promise_type_t *receiver_type(const char *name);
PROMISE_API promise_t *receiver_rescue(promise_t *promise, const char *type);

/* Both shared objects register "org.example.shared", each with its own destructor, and free their objects through a
 * context. */
PROMISE_API promise_status_t sender_share(promise_value_t *out, int code, atomic_int *freed_by_sender);
PROMISE_API promise_status_t receiver_share(promise_value_t *out, int code, atomic_int *freed_by_receiver);

#endif /* OBJECTS_H */
