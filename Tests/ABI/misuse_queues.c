/* Misuse of completion queues. */
#include "misuse.h"

MISUSE(promise_queue_new) {
  promise_queue_t *queue = promise_queue_new();
  CHECK(queue != NULL);
  CHECK_STATUS(promise_queue_free(queue), PROMISE_OK);
}

MISUSE_OF_HANDLE(promise_queue_free, QUEUES)
MISUSE_OF_HANDLE(promise_queue_release, QUEUES)
MISUSE_OF_HANDLE(promise_queue_retain, QUEUES)
MISUSE_OF_HANDLE(promise_queue_fd, QUEUES)

static void check_watching(promise_status_t (*function)(promise_queue_t *, promise_t *, uint64_t)) {
  promise_queue_t *good_queue = promise_queue_new();
  CHECK_STATUS(function(NULL, NULL, 1), PROMISE_EINVAL);
  CHECK_STATUS(function(good_queue, NULL, 1), PROMISE_EINVAL);
  EACH_BAD_HANDLE(QUEUES, handle)
    CHECK_STATUS(function(handle, live_promise, 1), PROMISE_ESTALE);
  EACH_BAD_HANDLE(PROMISES, handle)
    CHECK_STATUS(function(good_queue, handle, 1), PROMISE_ESTALE);
  promise_queue_free(good_queue);
}

MISUSE_BY(check_watching, promise_queue_watch)
MISUSE_BY(check_watching, promise_queue_tap)

MISUSE(promise_queue_unwatch) {
  CHECK_INT(promise_queue_unwatch(NULL, 1), PROMISE_EINVAL);
  EACH_BAD_HANDLE(QUEUES, handle)
    CHECK_INT(promise_queue_unwatch(handle, 1), PROMISE_ESTALE);
}

MISUSE(promise_queue_then) {
  promise_queue_t *good_queue = promise_queue_new();
  refused(promise_queue_then(NULL, NULL, 1), PROMISE_EINVAL, NULL);
  refused(promise_queue_then(good_queue, NULL, 1), PROMISE_EINVAL, NULL);
  EACH_BAD_HANDLE(QUEUES, handle)
    refused(promise_queue_then(handle, live_promise, 1), PROMISE_ESTALE, NULL);
  EACH_BAD_HANDLE(PROMISES, handle)
    refused(promise_queue_then(good_queue, handle, 1), PROMISE_ESTALE, NULL);
  promise_queue_free(good_queue);
}

MISUSE_BY(check_watching, promise_queue_on_cancel)

/* `*out` is VOID after each call that failed. */
static void no_object(promise_queue_t *queue, const promise_type_t *type, promise_status_t expected) {
  promise_value_t value = garbage();
  CHECK_STATUS(promise_queue_object(queue, &value, type, 1), expected);
  CHECK_INT(value.kind, PROMISE_KIND_VOID);
  CHECK_INT(value.reserved, 0);
}
MISUSE(promise_queue_object) {
  promise_queue_t *good_queue = promise_queue_new();
  no_object(NULL, live_type, PROMISE_EINVAL);
  no_object(good_queue, NULL, PROMISE_EINVAL);
  no_object(good_queue, promise_type_named("error"), PROMISE_ESTALE);
  CHECK_STATUS(promise_queue_object(good_queue, NULL, payload_type(), 1), PROMISE_EINVAL);
  EACH_BAD_HANDLE(QUEUES, handle)
    no_object(handle, live_type, PROMISE_ESTALE);
  EACH_BAD_HANDLE(TYPES, handle)
    no_object(good_queue, handle, PROMISE_ESTALE);
  promise_event_t event;
  CHECK_INT(promise_queue_take(good_queue, &event, 1, 0), 0);
  promise_queue_free(good_queue);
}

MISUSE(promise_queue_take) {
  promise_event_t room[2];
  promise_queue_t *good_queue = promise_queue_new();
  CHECK_INT(promise_queue_take(NULL, room, 2, -1), PROMISE_EINVAL);
  CHECK_INT(promise_queue_take(good_queue, NULL, 2, -1), PROMISE_EINVAL);
  CHECK_INT(promise_queue_take(good_queue, room, 0, -1), PROMISE_EINVAL);
  CHECK_INT(promise_queue_take(good_queue, room, SIZE_MAX, 0), 0);
  EACH_BAD_HANDLE(QUEUES, handle)
    CHECK_INT(promise_queue_take(handle, room, 2, -1), PROMISE_ESTALE);
  promise_queue_free(good_queue);
}

static promise_event_t call_of(void *handle) {
  return (promise_event_t){.kind = PROMISE_EVENT_CALL, .state = PROMISE_FULFILL, .promise = handle, .value = *I64(1)};
}
MISUSE(promise_queue_answer) {
  promise_event_t event = call_of(NULL);
  CHECK_STATUS(promise_queue_answer(&event, 1), PROMISE_OK);
  CHECK_STATUS(promise_queue_answer(NULL, 0), PROMISE_OK);
  CHECK_STATUS(promise_queue_answer(NULL, 1), PROMISE_EINVAL);
  CHECK_STATUS(promise_queue_answer(NULL, SIZE_MAX), PROMISE_EINVAL);
  CHECK_STATUS(promise_queue_answer(&event, SIZE_MAX), PROMISE_EINVAL);
  event = call_of(promise_new());
  CHECK_STATUS(promise_queue_answer(&event, TOO_MANY(promise_event_t)), PROMISE_EINVAL);
  CHECK_STATUS(promise_queue_answer(&event, 1), PROMISE_OK);
  EACH_BAD_HANDLE(PROMISES, handle) {
    promise_event_t event = call_of(handle);
    CHECK_STATUS(promise_queue_answer(&event, 1), PROMISE_ESTALE);
  }
}
