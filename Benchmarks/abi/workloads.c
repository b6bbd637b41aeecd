#include "workloads.h"

#include <stdlib.h>
#include <string.h>

static promise_t **handles;

void workloads_init(void) {
  size_t size = (WORKLOAD_MOST + 1) * sizeof *handles;
  handles = malloc(size);
  if (!handles)
    abort();
  memset(handles, 1, size);
}

static promise_verdict_t add_one(void *ctx, const promise_value_t *in, promise_value_t *out) {
  (void)ctx;
  out->kind = PROMISE_KIND_I64;
  out->reserved = 0;
  out->as.i64 = in->as.i64 + 1;
  return PROMISE_FULFILL;
}

static const promise_value_t one = {.kind = PROMISE_KIND_I64, .as.i64 = 1};

void workload_settle(const library_t *library, size_t count) {
  for (size_t i = 0; i < count; i++) {
    promise_t *promise = library->new_promise();
    library->resolve(promise, &one);
    library->release(promise);
  }
}

void workload_then(const library_t *library, size_t count) {
  for (size_t i = 0; i < count; i++) {
    promise_t *promise = library->new_promise();
    promise_t *derived = library->then(promise, add_one, NULL, NULL);
    library->resolve(promise, &one);
    library->release(derived);
    library->release(promise);
  }
}

void workload_then_on_settled(const library_t *library, size_t count) {
  promise_t *promise = library->new_promise();
  library->resolve(promise, &one);
  for (size_t i = 0; i < count; i++)
    library->release(library->then(promise, add_one, NULL, NULL));
  library->release(promise);
}

void workload_chain(const library_t *library, size_t links) {
  handles[0] = library->new_promise();
  for (size_t i = 0; i < links; i++)
    handles[i + 1] = library->then(handles[i], add_one, NULL, NULL);
  library->resolve(handles[0], &one);
  for (size_t i = 0; i <= links; i++)
    library->release(handles[i]);
}

void workload_fan(const library_t *library, size_t reactions) {
  handles[0] = library->new_promise();
  for (size_t i = 0; i < reactions; i++)
    handles[i + 1] = library->then(handles[0], add_one, NULL, NULL);
  library->resolve(handles[0], &one);
  for (size_t i = 0; i <= reactions; i++)
    library->release(handles[i]);
}

/* The number of events to take at once. */
enum { BATCH = 100 };

void workload_watch(const library_t *library, size_t count) {
  promise_event_t events[BATCH];
  promise_queue_t *queue = library->queue_new();
  for (size_t i = 0; i < count; i++) {
    promise_t *promise = library->new_promise();
    library->queue_watch(queue, promise, i);
    library->resolve(promise, &one);
    library->release(promise);
    if (i % BATCH == BATCH - 1 || i == count - 1)
      library->queue_take(queue, events, BATCH, 0);
  }
  library->queue_free(queue);
}

void workload_call(const library_t *library, size_t count) {
  promise_event_t events[BATCH];
  promise_queue_t *queue = library->queue_new();
  for (size_t i = 0; i < count; i++) {
    promise_t *promise = library->new_promise();
    promise_t *derived = library->queue_then(queue, promise, i);
    library->resolve(promise, &one);
    library->release(derived);
    library->release(promise);
    if (i % BATCH != BATCH - 1 && i != count - 1)
      continue;
    int64_t taken = library->queue_take(queue, events, BATCH, 0);
    for (int64_t place = 0; place < taken; place++) {
      library->resolve(events[place].promise, &one);
      library->release(events[place].promise);
    }
  }
  library->queue_free(queue);
}

void workload_hold(const library_t *library, promise_t *held[2]) {
  held[0] = library->new_promise();
  held[1] = library->then(held[0], add_one, NULL, NULL);
}
