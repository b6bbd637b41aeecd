/* promise/queue.h: completion queues. */
#include <poll.h>

#include "../checked.h"

enum { ROOM = 8 };
static promise_event_t events[ROOM];

static int64_t take(promise_queue_t *queue, int64_t timeout) {
  return promise_queue_take(queue, events, ROOM, timeout);
}

/* Whether the event has this kind, state and tag. Only a CALL has a promise. */
static bool is_event(int place, uint32_t kind, promise_state_t state, uint64_t tag) {
  const promise_event_t *event = &events[place];
  return event->kind == kind && event->state == state && event->tag == tag &&
         (event->promise != NULL) == (kind == PROMISE_EVENT_CALL) && event->reserved == 0;
}

static void a_watch_gives_the_outcome(void) {
  promise_queue_t *queue = promise_queue_new();
  promise_t *good = pending(), *bad = pending(), *settled = fulfilled(3);
  CHECK_STATUS(promise_queue_watch(queue, good, 1), PROMISE_OK);
  CHECK_STATUS(promise_queue_tap(queue, bad, UINT64_MAX), PROMISE_OK);
  CHECK_INT(take(queue, 0), 0);
  CHECK_INT(take(queue, 1), 0);
  reject(bad, 2);
  resolve(good, 1);
  CHECK_STATUS(promise_queue_watch(queue, settled, 0), PROMISE_OK);
  CHECK_INT(take(queue, FOR_EVER), 3);
  CHECK(is_event(0, PROMISE_EVENT_SETTLED, PROMISE_REJECTED, UINT64_MAX));
  CHECK(is_event(1, PROMISE_EVENT_SETTLED, PROMISE_FULFILLED, 1));
  CHECK(is_event(2, PROMISE_EVENT_SETTLED, PROMISE_FULFILLED, 0));
  for (int i = 0; i < 3; i++)
    CHECK_INT(events[i].value.as.i64, i == 0 ? 2 : i == 1 ? 1 : 3);
  CHECK_INT(take(queue, 0), 0);
  release(good);
  release(bad);
  release(settled);
  CHECK_STATUS(promise_queue_free(queue), PROMISE_OK);
}

static void an_ended_watch_gives_nothing(void) {
  payload_t payload = {0};
  promise_queue_t *queue = promise_queue_new();
  promise_t *settled = pending(), *promise = pending();
  CHECK_STATUS(promise_queue_watch(queue, settled, 1), PROMISE_OK);
  CHECK_STATUS(promise_queue_watch(queue, promise, 1), PROMISE_OK);
  CHECK_STATUS(promise_queue_tap(queue, promise, 1), PROMISE_OK);
  CHECK_STATUS(promise_queue_tap(queue, promise, 2), PROMISE_OK);
  promise_value_t value = object(&payload);
  CHECK_STATUS(promise_resolve(settled, &value), PROMISE_OK);
  release(settled);
  CHECK_DESTROYED(&payload, 0);
  CHECK_INT(promise_queue_unwatch(queue, 1), 3);
  CHECK_DESTROYED(&payload, 1);
  CHECK_INT(promise_queue_unwatch(queue, 1), 0);
  resolve(promise, 1);
  CHECK_INT(take(queue, 0), 1);
  CHECK(is_event(0, PROMISE_EVENT_SETTLED, PROMISE_FULFILLED, 2));
  release(promise);
  promise_queue_free(queue);
}

static void a_watch_is_interest_and_a_tap_is_none(void) {
  promise_queue_t *queue = promise_queue_new();
  promise_t *source = pending(), *other = promise_then(source, adds_one, NULL, NULL);
  CHECK_STATUS(promise_queue_on_cancel(queue, source, 1), PROMISE_OK);
  CHECK_STATUS(promise_queue_watch(queue, source, 2), PROMISE_OK);
  CHECK_STATUS(promise_queue_tap(queue, source, 3), PROMISE_OK);
  CHECK_STATUS(promise_request_cancel(other, NULL), PROMISE_OK);
  CHECK_INT(promise_cancel_requested(source), 0);
  CHECK_INT(promise_queue_unwatch(queue, 2), 1);
  CHECK_INT(promise_cancel_requested(source), 1);
  CHECK_INT(take(queue, 0), 1);
  CHECK(is_event(0, PROMISE_EVENT_CANCEL, 0, 1));
  release(other);
  release(source);
  promise_queue_free(queue);
}

static void a_promise_destroyed_while_pending_is_dropped(void) {
  promise_queue_t *queue = promise_queue_new();
  promise_t *promise = pending();
  CHECK_STATUS(promise_queue_watch(queue, promise, 1), PROMISE_OK);
  release(promise);
  CHECK_INT(take(queue, 0), 1);
  CHECK(is_event(0, PROMISE_EVENT_DROPPED, PROMISE_PENDING, 1));
  promise_queue_free(queue);
}

static void the_taker_settles_what_it_was_called_for(void) {
  promise_queue_t *queue = promise_queue_new();
  promise_t *source = pending(), *derived[5];
  for (uint64_t i = 0; i < 5; i++)
    derived[i] = promise_queue_then(queue, source, i);
  CHECK_STATUS(promise_discard(derived[4]), PROMISE_OK);
  reject(source, 20);
  CHECK_INT(take(queue, 0), 4);
  for (int i = 0; i < 4; i++) {
    CHECK(is_event(i, PROMISE_EVENT_CALL, PROMISE_REJECTED, (uint64_t)i));
    CHECK_INT(events[i].value.as.i64, 20);
    CHECK_INT(promise_state(derived[i]), PROMISE_PENDING);
  }
  promise_t *later = pending();
  events[0].state = PROMISE_FULFILL;
  events[0].value = i64(1);
  events[1].state = PROMISE_REJECT;
  events[2].state = PROMISE_ADOPT;
  events[2].value = holding(retained(later));
  CHECK_STATUS(promise_queue_answer(events, 4), PROMISE_OK);
  CHECK_ENDED(derived[0], PROMISE_FULFILLED, 1);
  CHECK_ENDED(derived[1], PROMISE_REJECTED, 20);
  resolve(later, 3);
  CHECK_ENDED(derived[2], PROMISE_FULFILLED, 3);
  /* The last event had no verdict: its promise is settled by promise_resolve(). */
  CHECK_INT(promise_state(derived[3]), PROMISE_PENDING);
  resolve(events[3].promise, 4);
  release(events[3].promise);
  CHECK_ENDED(derived[3], PROMISE_FULFILLED, 4);
  release(later);
  release(source);
  for (int i = 0; i < 5; i++) {
    release(derived[i]);
    CHECK_STATUS(promise_state(derived[i]), PROMISE_ESTALE);
  }
  promise_queue_free(queue);
}

static void an_object_gives_one_event_at_its_end(void) {
  promise_queue_t *queue = promise_queue_new();
  promise_value_t value;
  const promise_type_t *type = promise_type_register("org.promises.conformance.queued", NULL, NULL);
  CHECK_STATUS(promise_queue_object(queue, &value, type, 42), PROMISE_OK);
  CHECK(promise_value_is(&value, type));
  CHECK_INT(value.as.u64, 42);
  promise_t *promise = pending();
  CHECK_STATUS(promise_resolve(promise, &value), PROMISE_OK);
  CHECK_INT(take(queue, 0), 0);
  release(promise);
  CHECK_INT(take(queue, 0), 1);
  CHECK(is_event(0, PROMISE_EVENT_FREED, 0, 42));
  CHECK_STATUS(promise_queue_object(queue, &value, promise_type_named("error"), 1), PROMISE_ESTALE);
  promise_queue_free(queue);
}

static void many_are_taken_in_order(void) {
  enum { MANY = 1000 };
  static promise_event_t many[MANY];
  promise_queue_t *queue = promise_queue_new();
  for (int i = 0; i < MANY; i++) {
    promise_t *promise = fulfilled(i);
    CHECK_STATUS(promise_queue_watch(queue, promise, (uint64_t)i), PROMISE_OK);
    release(promise);
  }
  CHECK_INT(promise_queue_take(queue, many, 10, FOR_EVER), 10);
  CHECK_INT(promise_queue_take(queue, many + 10, MANY, FOR_EVER), MANY - 10);
  for (int i = 0; i < MANY; i++)
    CHECK(many[i].tag == (uint64_t)i && many[i].value.as.i64 == i);
  promise_queue_free(queue);
}

static gate_t taken;
static void *takes(void *queue) {
  promise_event_t event;
  CHECK_INT(promise_queue_take(queue, &event, 1, FOR_EVER), 1);
  gate_open(&taken);
  CHECK_INT(promise_queue_take(queue, &event, 1, FOR_EVER), PROMISE_ECLOSED);
  CHECK_STATUS(promise_queue_release(queue), PROMISE_OK);
  return NULL;
}

static void another_thread_wakes_the_taker(void) {
  for (int i = 0; i < 100; i++) {
    taken = (gate_t)GATE_CLOSED;
    promise_queue_t *queue = promise_queue_new();
    CHECK_STATUS(promise_queue_retain(queue), PROMISE_OK);
    promise_t *promise = pending();
    CHECK_STATUS(promise_queue_watch(queue, promise, 1), PROMISE_OK);
    pthread_t taker = start(takes, queue);
    resolve(promise, 1);
    release(promise);
    gate_wait(&taken);
    CHECK_STATUS(promise_queue_free(queue), PROMISE_OK);
    finish(taker);
    CHECK_STATUS(promise_queue_release(queue), PROMISE_ESTALE);
  }
}

static void the_descriptor_is_readable_while_events_are_ready(void) {
  promise_queue_t *queue = promise_queue_new();
  promise_t *promise = pending();
  CHECK_STATUS(promise_queue_watch(queue, promise, 1), PROMISE_OK);
  struct pollfd file = {.fd = promise_queue_fd(queue), .events = POLLIN};
  CHECK_INT(poll(&file, 1, 0), 0);
  resolve(promise, 1);
  CHECK_INT(poll(&file, 1, 0), 1);
  CHECK_INT(take(queue, 0), 1);
  CHECK_INT(poll(&file, 1, 0), 0);
  release(promise);
  promise_queue_free(queue);
}

static void a_freed_queue_gives_nothing(void) {
  payload_t payload = {0};
  promise_queue_t *queue = promise_queue_new();
  promise_t *source = pending(), *settled = pending();
  promise_t *waiting = promise_queue_then(queue, source, 1), *ready = promise_queue_then(queue, settled, 2);
  CHECK_STATUS(promise_queue_watch(queue, source, 3), PROMISE_OK);
  promise_value_t value = object(&payload);
  CHECK_STATUS(promise_resolve(settled, &value), PROMISE_OK);
  release(settled);
  CHECK_STATUS(promise_queue_retain(queue), PROMISE_OK);
  CHECK_STATUS(promise_queue_free(queue), PROMISE_OK);
  CHECK_DESTROYED(&payload, 1);
  CHECK_LIBRARY_ERROR(waiting, PROMISE_ECLOSED);
  CHECK_LIBRARY_ERROR(ready, PROMISE_ECLOSED);
  CHECK_INT(take(queue, FOR_EVER), PROMISE_ECLOSED);
  CHECK_STATUS(promise_queue_watch(queue, source, 1), PROMISE_ECLOSED);
  CHECK(promise_queue_then(queue, source, 1) == NULL);
  CHECK_STATUS(promise_last_status(), PROMISE_ECLOSED);
  CHECK_STATUS(promise_queue_release(queue), PROMISE_OK);
  CHECK_STATUS(promise_queue_release(queue), PROMISE_ESTALE);
  resolve(source, 1);
  release(source);
  release(waiting);
  release(ready);
}

CHECKS(queue) = {
    RULE("a watch gives the outcome, pending or settled", a_watch_gives_the_outcome),
    RULE("an ended watch gives no event, and releases a ready one", an_ended_watch_gives_nothing),
    RULE("a watch is interest, and a tap is none", a_watch_is_interest_and_a_tap_is_none),
    RULE("a promise destroyed while pending gives DROPPED", a_promise_destroyed_while_pending_is_dropped),
    RULE("the taker settles the promise of a CALL, one by one or in a batch", the_taker_settles_what_it_was_called_for),
    RULE("an object gives one FREED, at its end", an_object_gives_one_event_at_its_end),
    RULE("events are taken in order, many in one call", many_are_taken_in_order),
    RULE("a taker that sleeps is woken by an event, and by the end", another_thread_wakes_the_taker),
    RULE("the descriptor is readable while events are ready", the_descriptor_is_readable_while_events_are_ready),
    RULE("a freed queue gives no event, and rejects unanswered promises", a_freed_queue_gives_nothing),
    CHECKS_END,
};
