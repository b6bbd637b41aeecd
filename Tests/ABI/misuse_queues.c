/* Misuse of completion queues. */
#include "misuse.h"

MISUSE(promise_queue_new) {
  promise_queue_t *queue = promise_queue_new();
  CHECK(queue != NULL);
  CHECK_STATUS(promise_queue_free(queue), PROMISE_OK);
}

static void queue_free_bad(void *handle) {
  CHECK_STATUS(promise_queue_free(handle), PROMISE_ESTALE);
}
MISUSE(promise_queue_free) {
  CHECK_STATUS(promise_queue_free(NULL), PROMISE_EINVAL);
  each_bad_handle(QUEUES, queue_free_bad);
}

static void queue_release_bad(void *handle) {
  CHECK_STATUS(promise_queue_release(handle), PROMISE_ESTALE);
}
MISUSE(promise_queue_release) {
  CHECK_STATUS(promise_queue_release(NULL), PROMISE_EINVAL);
  each_bad_handle(QUEUES, queue_release_bad);
}

static void queue_retain_bad(void *handle) {
  CHECK_STATUS(promise_queue_retain(handle), PROMISE_ESTALE);
}
MISUSE(promise_queue_retain) {
  CHECK_STATUS(promise_queue_retain(NULL), PROMISE_EINVAL);
  each_bad_handle(QUEUES, queue_retain_bad);
}

static void queue_fd_bad(void *handle) {
  CHECK_INT(promise_queue_fd(handle), PROMISE_ESTALE);
}
MISUSE(promise_queue_fd) {
  CHECK_INT(promise_queue_fd(NULL), PROMISE_EINVAL);
  each_bad_handle(QUEUES, queue_fd_bad);
}

static promise_queue_t *good_queue;

static void queue_watch_bad(void *handle) {
  CHECK_STATUS(promise_queue_watch(handle, live_promise, 1), PROMISE_ESTALE);
}
static void queue_watch_bad_promise(void *handle) {
  CHECK_STATUS(promise_queue_watch(good_queue, handle, 1), PROMISE_ESTALE);
}
MISUSE(promise_queue_watch) {
  good_queue = promise_queue_new();
  CHECK_STATUS(promise_queue_watch(NULL, NULL, 1), PROMISE_EINVAL);
  CHECK_STATUS(promise_queue_watch(good_queue, NULL, 1), PROMISE_EINVAL);
  each_bad_handle(QUEUES, queue_watch_bad);
  each_bad_handle(PROMISES, queue_watch_bad_promise);
  promise_queue_free(good_queue);
}

static void queue_tap_bad(void *handle) {
  CHECK_STATUS(promise_queue_tap(handle, live_promise, 1), PROMISE_ESTALE);
}
static void queue_tap_bad_promise(void *handle) {
  CHECK_STATUS(promise_queue_tap(good_queue, handle, 1), PROMISE_ESTALE);
}
MISUSE(promise_queue_tap) {
  good_queue = promise_queue_new();
  CHECK_STATUS(promise_queue_tap(NULL, NULL, 1), PROMISE_EINVAL);
  CHECK_STATUS(promise_queue_tap(good_queue, NULL, 1), PROMISE_EINVAL);
  each_bad_handle(QUEUES, queue_tap_bad);
  each_bad_handle(PROMISES, queue_tap_bad_promise);
  promise_queue_free(good_queue);
}

static void queue_unwatch_bad(void *handle) {
  CHECK_INT(promise_queue_unwatch(handle, 1), PROMISE_ESTALE);
}
MISUSE(promise_queue_unwatch) {
  CHECK_INT(promise_queue_unwatch(NULL, 1), PROMISE_EINVAL);
  each_bad_handle(QUEUES, queue_unwatch_bad);
}

static void queue_then_bad(void *handle) {
  refused(promise_queue_then(handle, live_promise, 1), PROMISE_ESTALE, NULL);
}
static void queue_then_bad_promise(void *handle) {
  refused(promise_queue_then(good_queue, handle, 1), PROMISE_ESTALE, NULL);
}
MISUSE(promise_queue_then) {
  good_queue = promise_queue_new();
  refused(promise_queue_then(NULL, NULL, 1), PROMISE_EINVAL, NULL);
  refused(promise_queue_then(good_queue, NULL, 1), PROMISE_EINVAL, NULL);
  each_bad_handle(QUEUES, queue_then_bad);
  each_bad_handle(PROMISES, queue_then_bad_promise);
  promise_queue_free(good_queue);
}

static void queue_on_cancel_bad(void *handle) {
  CHECK_STATUS(promise_queue_on_cancel(handle, live_promise, 1), PROMISE_ESTALE);
}
static void queue_on_cancel_bad_promise(void *handle) {
  CHECK_STATUS(promise_queue_on_cancel(good_queue, handle, 1), PROMISE_ESTALE);
}
MISUSE(promise_queue_on_cancel) {
  good_queue = promise_queue_new();
  CHECK_STATUS(promise_queue_on_cancel(NULL, NULL, 1), PROMISE_EINVAL);
  CHECK_STATUS(promise_queue_on_cancel(good_queue, NULL, 1), PROMISE_EINVAL);
  each_bad_handle(QUEUES, queue_on_cancel_bad);
  each_bad_handle(PROMISES, queue_on_cancel_bad_promise);
  promise_queue_free(good_queue);
}

/* `*out` is VOID after each call that failed. */
static void no_object(promise_queue_t *queue, const promise_type_t *type, promise_status_t expected) {
  promise_value_t value = garbage();
  CHECK_STATUS(promise_queue_object(queue, &value, type, 1), expected);
  CHECK_INT(value.kind, PROMISE_KIND_VOID);
  CHECK_INT(value.reserved, 0);
}
static void queue_object_bad(void *handle) {
  no_object(handle, live_type, PROMISE_ESTALE);
}
static void queue_object_bad_type(void *handle) {
  no_object(good_queue, handle, PROMISE_ESTALE);
}
MISUSE(promise_queue_object) {
  good_queue = promise_queue_new();
  no_object(NULL, live_type, PROMISE_EINVAL);
  no_object(good_queue, NULL, PROMISE_EINVAL);
  no_object(good_queue, promise_type_named("error"), PROMISE_ESTALE);
  CHECK_STATUS(promise_queue_object(good_queue, NULL, payload_type(), 1), PROMISE_EINVAL);
  each_bad_handle(QUEUES, queue_object_bad);
  each_bad_handle(TYPES, queue_object_bad_type);
  promise_event_t event;
  CHECK_INT(promise_queue_take(good_queue, &event, 1, 0), 0);
  promise_queue_free(good_queue);
}

static promise_event_t room[2];
static void queue_take_bad(void *handle) {
  CHECK_INT(promise_queue_take(handle, room, 2, -1), PROMISE_ESTALE);
}
MISUSE(promise_queue_take) {
  good_queue = promise_queue_new();
  CHECK_INT(promise_queue_take(NULL, room, 2, -1), PROMISE_EINVAL);
  CHECK_INT(promise_queue_take(good_queue, NULL, 2, -1), PROMISE_EINVAL);
  CHECK_INT(promise_queue_take(good_queue, room, 0, -1), PROMISE_EINVAL);
  CHECK_INT(promise_queue_take(good_queue, room, SIZE_MAX, 0), 0);
  each_bad_handle(QUEUES, queue_take_bad);
  promise_queue_free(good_queue);
}

static promise_event_t call_of(void *handle) {
  return (promise_event_t){.kind = PROMISE_EVENT_CALL, .state = PROMISE_FULFILL, .promise = handle, .value = *I64(1)};
}
static void queue_answer_bad(void *handle) {
  promise_event_t event = call_of(handle);
  CHECK_STATUS(promise_queue_answer(&event, 1), PROMISE_ESTALE);
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
  each_bad_handle(PROMISES, queue_answer_bad);
}
