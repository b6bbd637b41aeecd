/* Misuse of promises. */
#include "misuse.h"

/* ---- Promises ---- */

MISUSE(promise_new) {
  /* promise_new() has no argument; but earlier misuse must not have corrupted the allocator. */
  for (int i = 0; i < 100; i++) {
    promise_t *promise = promise_new(), *other = promise_new();
    CHECK(promise != NULL && other != NULL && promise != other);
    CHECK_STATUS(promise_release(promise), PROMISE_OK);
    CHECK_STATUS(promise_release(promise), PROMISE_ESTALE);
    CHECK_STATUS(promise_release(other), PROMISE_OK);
    CHECK_STATUS(promise_release(promise), PROMISE_ESTALE);
  }
}

MISUSE(promise_new_discardable) {
  promise_t *promise = promise_new_discardable(NULL, NULL, NULL);
  CHECK(promise != NULL);
  CHECK_STATUS(promise_discard(promise), PROMISE_OK);
  CHECK_STATUS(promise_release(promise), PROMISE_OK);
  CHECK_STATUS(promise_discard(promise), PROMISE_ESTALE);
  promise = promise_new_discardable(NULL, &spy, spy_free);
  CHECK_STATUS(promise_release(promise), PROMISE_OK);
  CHECK_STATUS(promise_release(promise), PROMISE_ESTALE);
  CHECK_SPY(&spy, 0, 1);
}

static void misuse_maker(promise_t *(*maker)(const promise_value_t *)) {
  refused(maker(NULL), PROMISE_EINVAL, NULL);
  EACH_BAD_VALUE(value)
    refused(maker(&value), PROMISE_EINVAL, NULL);
}
MISUSE_BY(misuse_maker, promise_new_resolved)
MISUSE_BY(misuse_maker, promise_new_rejected)

MISUSE(promise_discard_with) {
  promise_value_t cause = object(&payload);
  CHECK_STATUS(promise_discard_with(NULL, &cause), PROMISE_EINVAL);
  destroyed();
  CHECK_STATUS(promise_discard_with(NULL, NULL), PROMISE_EINVAL);
  EACH_BAD_HANDLE(PROMISES, handle) {
    promise_value_t cause = object(&payload);
    CHECK_STATUS(promise_discard_with(handle, &cause), PROMISE_ESTALE);
    destroyed();
    CHECK_STATUS(promise_discard_with(handle, NULL), PROMISE_ESTALE);
  }
  EACH_BAD_VALUE(cause) {
    promise_t *promise = promise_new();
    CHECK_STATUS(promise_discard_with(promise, &cause), PROMISE_EINVAL);
    CHECK_INT(promise_state(promise), PROMISE_PENDING);
    promise_release(promise);
  }
}

MISUSE_OF_HANDLE(promise_retain, PROMISES)
MISUSE_OF_HANDLE(promise_release, PROMISES)

static void check_settling(promise_status_t (*settle)(promise_t *, const promise_value_t *)) {
  promise_value_t value = object(&payload);
  CHECK_STATUS(settle(NULL, &value), PROMISE_EINVAL);
  destroyed();
  CHECK_STATUS(settle(NULL, NULL), PROMISE_EINVAL);
  promise_t *promise = promise_new();
  CHECK_STATUS(settle(promise, NULL), PROMISE_EINVAL);
  CHECK_INT(promise_state(promise), PROMISE_PENDING);
  promise_release(promise);
  EACH_BAD_HANDLE(PROMISES, handle) {
    promise_value_t value = object(&payload);
    CHECK_STATUS(settle(handle, &value), PROMISE_ESTALE);
    destroyed();
  }
  EACH_BAD_VALUE(value) {
    promise_t *promise = promise_new();
    CHECK_STATUS(settle(promise, &value), PROMISE_EINVAL);
    CHECK_INT(promise_state(promise), PROMISE_PENDING);
    CHECK(settle(NULL, &value) < 0);
    CHECK(settle((promise_t *)own_memory, &value) < 0);
    promise_release(promise);
  }
}

MISUSE_BY(check_settling, promise_resolve)
MISUSE_BY(check_settling, promise_reject)
MISUSE_OF_HANDLE(promise_discard, PROMISES)
MISUSE_OF_HANDLE(promise_state, PROMISES)

MISUSE(promise_result) {
  promise_value_t value = {.kind = 77};
  CHECK_STATUS(promise_result(NULL, &value), PROMISE_EINVAL);
  CHECK_INT(value.kind, PROMISE_KIND_VOID);
  promise_t *promise = fulfilled(1);
  CHECK_STATUS(promise_result(promise, NULL), PROMISE_EINVAL);
  CHECK_STATUS(promise_result(NULL, NULL), PROMISE_EINVAL);
  promise_release(promise);
  EACH_BAD_HANDLE(PROMISES, handle) {
    promise_value_t value = {.kind = 77};
    CHECK_STATUS(promise_result(handle, &value), PROMISE_ESTALE);
    CHECK_INT(value.kind, PROMISE_KIND_VOID);
  }
}

MISUSE(promise_wait) {
  CHECK_STATUS(promise_wait(NULL, -1), PROMISE_EINVAL);
  CHECK_STATUS(promise_wait(NULL, 0), PROMISE_EINVAL);
  EACH_BAD_HANDLE(PROMISES, handle) {
    CHECK_STATUS(promise_wait(handle, -1), PROMISE_ESTALE);
    CHECK_STATUS(promise_wait(handle, 0), PROMISE_ESTALE);
  }
}

MISUSE(promise_wait_interruptible) {
  CHECK_STATUS(promise_wait_interruptible(NULL, -1), PROMISE_EINVAL);
  EACH_BAD_HANDLE(PROMISES, handle)
    CHECK_STATUS(promise_wait_interruptible(handle, -1), PROMISE_ESTALE);
}

MISUSE(promise_wait_any) {
  promise_t *good = fulfilled(1);
  promise_t *const promises[] = {good, NULL};
  size_t index = 0;
  CHECK_STATUS(promise_wait_any(NULL, 1, -1, &index), PROMISE_EINVAL);
  CHECK_STATUS(promise_wait_any(promises, 0, -1, &index), PROMISE_EINVAL);
  CHECK_STATUS(promise_wait_any(promises, SIZE_MAX, -1, &index), PROMISE_EINVAL);
  CHECK_STATUS(promise_wait_any(promises, TOO_MANY(promise_t *), -1, &index), PROMISE_EINVAL);
  CHECK_INT(index, 0);
  CHECK_STATUS(promise_wait_any(promises, 2, -1, &index), PROMISE_EINVAL);
  CHECK_INT(index, 1);
  promise_release(good);
  EACH_BAD_HANDLE(PROMISES, handle) {
    promise_t *const promises[] = {live_promise, live_promise, handle, live_promise};
    size_t index = 0;
    CHECK_STATUS(promise_wait_any(promises, 4, -1, &index), PROMISE_ESTALE);
    CHECK_INT(index, 2);
    CHECK_STATUS(promise_wait_any(promises, 3, 0, NULL), PROMISE_ESTALE);
  }
}

MISUSE(promise_resolve_many) {
  promise_t *promise = promise_new();
  promise_t *const promises[] = {promise, NULL};
  promise_status_t statuses[2] = {1, 1};
  CHECK_STATUS(promise_resolve_many(NULL, NULL, 0, NULL), PROMISE_OK);
  CHECK_STATUS(promise_resolve_many(promises, NULL, SIZE_MAX, NULL), PROMISE_EINVAL);
  CHECK_STATUS(promise_resolve_many(NULL, NULL, TOO_MANY(promise_value_t) - 1, NULL), PROMISE_EINVAL);
  CHECK_STATUS(promise_resolve_many(NULL, NULL, 2, statuses), PROMISE_EINVAL);
  CHECK_STATUS(statuses[1], PROMISE_EINVAL);
  CHECK_STATUS(promise_resolve_many(promises, NULL, 2, NULL), PROMISE_EINVAL);
  CHECK_STATUS(promise_resolve_many((promise_t *[]){stale(), promise}, NULL, 2, NULL), PROMISE_EINVAL);
  payload_t payloads[2] = {0};
  promise_value_t values[] = {object(&payloads[0]), object(&payloads[1])};
  CHECK_STATUS(promise_resolve_many(promises, values, TOO_MANY(promise_value_t), NULL), PROMISE_EINVAL);
  CHECK_INT(promise_state(promise), PROMISE_PENDING);
  CHECK_STATUS(promise_resolve_many(NULL, values, 2, NULL), PROMISE_EINVAL);
  CHECK_INT(atomic_load(&payloads[0].destroyed) + atomic_load(&payloads[1].destroyed), 2);
  values[0] = garbage();
  values[1] = *VOID();
  CHECK_STATUS(promise_resolve_many(promises, values, 2, statuses), PROMISE_EINVAL);
  CHECK_STATUS(statuses[0], PROMISE_EINVAL);
  CHECK_STATUS(statuses[1], PROMISE_EINVAL);
  CHECK_INT(promise_state(promise), PROMISE_PENDING);
  promise_release(promise);
  EACH_BAD_HANDLE(PROMISES, handle) {
    promise_t *good = promise_new();
    payload_t payloads[2] = {0};
    const promise_value_t values[] = {object(&payloads[0]), object(&payloads[1])};
    promise_t *const promises[] = {handle, good};
    promise_status_t statuses[2] = {1, 1};
    CHECK_STATUS(promise_resolve_many(promises, values, 2, statuses), PROMISE_ESTALE);
    CHECK_STATUS(statuses[0], PROMISE_ESTALE);
    CHECK_STATUS(statuses[1], PROMISE_OK);
    CHECK_INT(atomic_load(&payloads[0].destroyed), 1);
    CHECK_INT(atomic_load(&payloads[1].destroyed), 0);
    promise_release(good);
    CHECK_INT(atomic_load(&payloads[1].destroyed), 1);
  }
}
