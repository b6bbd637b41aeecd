/* Completion queues, when memory runs out: at each allocation in turn. */
#include "scarce.h"

OUT_OF_MEMORY(queue_new) {
  scarce();
  promise_queue_t *queue = promise_queue_new();
  promise_status_t status = plenty(of(queue));
  promise_queue_free(queue);
  return status;
}

OUT_OF_MEMORY(queue_fd) {
  promise_queue_t *queue = promise_queue_new();
  scarce();
  int32_t fd = promise_queue_fd(queue);
  promise_status_t status = plenty(fd < 0 ? fd : PROMISE_OK);
  promise_queue_free(queue);
  return status;
}

/* Takes and releases all events; returns their number. */
static int64_t count(promise_queue_t *queue) {
  promise_event_t events[8];
  int64_t taken = promise_queue_take(queue, events, 8, 0);
  for (int64_t i = 0; i < taken; i++) {
    promise_value_release(&events[i].value);
    promise_release(events[i].promise);
  }
  return taken;
}

OUT_OF_MEMORY(queue_watch) {
  promise_queue_t *queue = promise_queue_new();
  promise_t *promise = promise_new();
  scarce();
  promise_status_t status = plenty(promise_queue_watch(queue, promise, 1));
  promise_value_t value = text("a value with memory of its own, and not a small one");
  promise_resolve(promise, &value);
  promise_release(promise);
  CHECK_INT(count(queue), status == PROMISE_OK);
  promise_queue_free(queue);
  return status;
}

OUT_OF_MEMORY(queue_tap) {
  promise_queue_t *queue = promise_queue_new();
  promise_t *promise = fulfilled(1);
  scarce();
  promise_status_t status = plenty(promise_queue_tap(queue, promise, 1));
  promise_release(promise);
  CHECK_INT(count(queue), status == PROMISE_OK);
  promise_queue_free(queue);
  return status;
}

OUT_OF_MEMORY(queue_then) {
  promise_queue_t *queue = promise_queue_new();
  promise_t *promise = promise_new();
  scarce();
  promise_t *derived = promise_queue_then(queue, promise, 1);
  promise_status_t status = plenty(of(derived));
  promise_resolve(promise, I64(1));
  promise_release(promise);
  promise_release(derived);
  CHECK_INT(count(queue), status == PROMISE_OK);
  promise_queue_free(queue);
  return status;
}

/* An event is allocated when it is requested, so its delivery needs no memory. */
OUT_OF_MEMORY(queue_take) {
  promise_queue_t *queue = promise_queue_new();
  promise_t *promise = promise_new();
  promise_t *derived = promise_queue_then(queue, promise, 1);
  promise_value_t object;
  CHECK_STATUS(promise_queue_watch(queue, promise, 2), PROMISE_OK);
  CHECK_STATUS(promise_queue_on_cancel(queue, promise, 3), PROMISE_OK);
  CHECK_STATUS(promise_queue_object(queue, &object, payload_type(), 4), PROMISE_OK);
  scarce();
  promise_t *more = promise_new();
  promise_status_t status = of(more);
  promise_request_cancel(promise, NULL);
  promise_resolve(promise, &object);
  promise_release(promise);
  promise_release(derived);
  int64_t taken = count(queue), freed = count(queue);
  plenty(PROMISE_OK);
  CHECK_INT(taken, 3);
  CHECK_INT(freed, 1);
  promise_release(more);
  promise_queue_free(queue);
  return status;
}

OUT_OF_MEMORY(queue_answer) {
  promise_queue_t *queue = promise_queue_new();
  promise_t *source = fulfilled(1), *later = promise_new();
  promise_t *derived = promise_queue_then(queue, source, 1);
  promise_event_t event;
  CHECK_INT(promise_queue_take(queue, &event, 1, 0), 1);
  event.state = PROMISE_ADOPT;
  event.value = holding(retained(later));
  scarce();
  promise_status_t status = plenty(promise_queue_answer(&event, 1));
  promise_resolve(later, I64(2));
  /* The reason may be VOID if there is no memory for an ERROR. */
  CHECK_INT(promise_state(derived), status == PROMISE_OK ? PROMISE_FULFILLED : PROMISE_REJECTED);
  promise_release(source);
  promise_release(later);
  promise_release(derived);
  promise_queue_free(queue);
  return status;
}

OUT_OF_MEMORY(queue_on_cancel) {
  promise_queue_t *queue = promise_queue_new();
  promise_t *promise = promise_new();
  scarce();
  promise_status_t status = plenty(promise_queue_on_cancel(queue, promise, 1));
  promise_discard(promise);
  promise_release(promise);
  CHECK_INT(count(queue), status == PROMISE_OK);
  promise_queue_free(queue);
  return status;
}

OUT_OF_MEMORY(queue_object) {
  promise_queue_t *queue = promise_queue_new();
  const promise_type_t *type = payload_type();
  promise_value_t value;
  scarce();
  promise_status_t status = plenty(promise_queue_object(queue, &value, type, 1));
  promise_value_release(&value);
  CHECK_INT(count(queue), status == PROMISE_OK);
  promise_queue_free(queue);
  return status;
}
