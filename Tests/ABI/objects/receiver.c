/* The shared object that rescues by type. It registers the same names as the other, in another order and with its own
 * destructors. */
#include "objects.h"

static void never(void *payload) {
  ((failure_t *)payload)->code = -1;
}

const promise_type_t *receiver_type(const char *name) {
  const promise_type_t *failure = promise_type_register("org.example.failure", NULL, never);
  if (strcmp(name, "org.example.failure") == 0)
    return failure;
  return promise_type_register(name, failure, never);
}

static void release_shared(void *ctx) {
  shared_t *shared = ctx;
  atomic_fetch_add(shared->freed, 1);
  shared->freed = NULL;
}

promise_status_t receiver_share(promise_value_t *out, int code, atomic_int *freed) {
  const promise_type_t *type = promise_type_register("org.example.shared", NULL, never);
  static shared_t pool[2]; /* memory that must not be passed to free() */
  static int next;
  shared_t *shared = &pool[next++ % 2];
  *shared = (shared_t){.failure = {.code = code}, .freed = freed};
  return promise_value_object_with(out, type, &shared->failure, shared, release_shared);
}

static promise_verdict_t answer_code(void *ctx, const promise_value_t *reason, promise_value_t *out) {
  const failure_t *failure = (const failure_t *)(const void *)promise_value_data(reason, NULL);
  (void)ctx;
  *out = (promise_value_t){.kind = PROMISE_KIND_I64, .as.i64 = failure != NULL ? failure->code : -2};
  return PROMISE_FULFILL;
}

promise_t *receiver_rescue(promise_t *promise, const char *type) {
  return promise_rescue(promise, receiver_type(type), answer_code, NULL, NULL);
}
