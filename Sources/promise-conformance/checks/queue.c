/* promise/queue.h: the events of completion queues. Calls: call.c. */
#include <poll.h>

#include "../checked.h"
#include "../queues.h"

CHECKS(queue)

/* ---- Settled ---- */

RULE(a_watch_gives_the_outcome, "a watch gives the outcome, pending or settled") {
  promise_queue_t *queue = promise_queue_new();
  promise_t *good = promise_new(), *bad = promise_new(), *before = fulfilled(3);
  CHECK_STATUS(promise_queue_watch(queue, good, 1), PROMISE_OK);
  CHECK_STATUS(promise_queue_watch(queue, bad, UINT64_MAX), PROMISE_OK);
  CHECK_INT(take(queue, 0), 0);
  CHECK_STATUS(promise_resolve(good, I64(1)), PROMISE_OK);
  promise_value_t reason = text("a reason that is long enough for memory of its own");
  CHECK_STATUS(promise_reject(bad, &reason), PROMISE_OK);
  CHECK_STATUS(promise_queue_watch(queue, before, 0), PROMISE_OK);
  CHECK_INT(take(queue, 0), 3);
  CHECK_EVENT(0, PROMISE_EVENT_SETTLED, PROMISE_FULFILLED, 1);
  CHECK_INT(events[0].value.as.i64, 1);
  CHECK_EVENT(1, PROMISE_EVENT_SETTLED, PROMISE_REJECTED, UINT64_MAX);
  CHECK_EVENT(2, PROMISE_EVENT_SETTLED, PROMISE_FULFILLED, 0);
  CHECK_INT(events[2].value.as.i64, 3);
  /* The taker owns the value, which outlives the promise. */
  promise_release(bad);
  CHECK_TEXT(promise_value_data(&events[1].value, NULL), "a reason that is long enough for memory of its own");
  CHECK_STATUS(promise_value_release(&events[1].value), PROMISE_OK);
  CHECK_INT(take(queue, 0), 0);
  RELEASE(good, before);
  CHECK_STATUS(promise_queue_free(queue), PROMISE_OK);
  CHECK_STATUS(promise_queue_free(queue), PROMISE_ESTALE);
}

RULE(many_are_taken_in_order, "events are taken in order, many in one call") {
  enum { MANY = 1000 };
  static promise_event_t many[MANY];
  promise_queue_t *queue = promise_queue_new();
  for (int i = 0; i < MANY; i++) {
    promise_t *promise = promise_new();
    CHECK_STATUS(promise_queue_watch(queue, promise, (uint64_t)i), PROMISE_OK);
    CHECK_STATUS(promise_resolve(promise, I64(i)), PROMISE_OK);
    promise_release(promise);
  }
  CHECK_INT(promise_queue_take(queue, many, 10, FOR_EVER), 10);
  CHECK_INT(promise_queue_take(queue, many + 10, MANY, FOR_EVER), MANY - 10);
  bool ordered = true;
  for (int i = 0; i < MANY; i++)
    ordered = ordered && many[i].tag == (uint64_t)i && many[i].value.as.i64 == i;
  CHECK(ordered);
  CHECK_INT(promise_queue_take(queue, many, MANY, 0), 0);
  promise_queue_free(queue);
}

/* A watch is interest: a request propagates only after the watch has ended. */
RULE(a_watch_is_interest_until_it_is_ended, "a watch is interest, and a tap is none") {
  promise_queue_t *queue = promise_queue_new();
  promise_t *source = promise_new();
  promise_t *other = promise_then(source, adds_one, NULL, NULL);
  CHECK_STATUS(promise_queue_watch(queue, source, 1), PROMISE_OK);
  CHECK_STATUS(promise_queue_tap(queue, source, 2), PROMISE_OK);
  CHECK_STATUS(promise_request_cancel(other, NULL), PROMISE_OK);
  CHECK_INT(promise_cancel_requested(source), 0);
  CHECK_INT(promise_queue_unwatch(queue, 3), 0);
  CHECK_INT(promise_queue_unwatch(queue, 1), 1);
  CHECK_INT(promise_queue_unwatch(queue, 1), 0);
  CHECK_INT(promise_cancel_requested(source), 1);
  /* The tap, which does not count as interest, remains. */
  CHECK_STATUS(promise_discard(source), PROMISE_OK);
  CHECK_INT(take(queue, 0), 1);
  CHECK_EVENT(0, PROMISE_EVENT_SETTLED, PROMISE_REJECTED, 2);
  CHECK_INT(events[0].value.kind, PROMISE_KIND_DISCARDED);
  RELEASE(other, source);
  promise_queue_free(queue);
}

/* promise_queue_unwatch() cancels all watches with a tag, pending events included. */
RULE(unwatch_ends_all_of_a_tag, "an ended watch gives no event, and releases a ready one") {
  payload_t payload = {0};
  promise_queue_t *queue = promise_queue_new();
  promise_t *settled = promise_new(), *pending = promise_new();
  for (int i = 0; i < 3; i++) {
    CHECK_STATUS(promise_queue_watch(queue, settled, 5), PROMISE_OK);
    CHECK_STATUS((i == 1 ? promise_queue_tap : promise_queue_watch)(queue, pending, 5), PROMISE_OK);
    CHECK_STATUS(promise_queue_watch(queue, settled, 6), PROMISE_OK);
  }
  promise_value_t value = object(&payload);
  CHECK_STATUS(promise_resolve(settled, &value), PROMISE_OK);
  promise_release(settled);
  CHECK_INT(promise_queue_unwatch(queue, 5), 6);
  CHECK_INT(take(queue, 0), 3);
  for (int i = 0; i < 3; i++) {
    CHECK_EVENT(i, PROMISE_EVENT_SETTLED, PROMISE_FULFILLED, 6);
    CHECK_INT(atomic_load(&payload.destroyed), 0);
    promise_value_release(&events[i].value);
  }
  CHECK_INT(atomic_load(&payload.destroyed), 1);
  CHECK_STATUS(promise_resolve(pending, VOID()), PROMISE_OK);
  CHECK_INT(take(queue, 0), 0);
  promise_release(pending);
  promise_queue_free(queue);
}

/* A watch of a promise that is destroyed while pending gets a DROPPED with its tag. */
RULE(a_promise_destroyed_while_pending_gives_dropped, "a promise destroyed while pending gives DROPPED") {
  promise_queue_t *queue = promise_queue_new();
  promise_t *source = promise_new();
  CHECK_STATUS(promise_queue_watch(queue, source, 1), PROMISE_OK);
  CHECK_STATUS(promise_queue_watch(queue, source, 4), PROMISE_OK);
  promise_t *derived = promise_queue_then(queue, source, 2);
  CHECK_STATUS(promise_queue_on_cancel(queue, source, 3), PROMISE_OK);
  promise_release(source);
  CHECK_INT(promise_queue_unwatch(queue, 4), 1);
  CHECK_INT(take(queue, 0), 3);
  CHECK_EVENT(0, PROMISE_EVENT_DROPPED, PROMISE_PENDING, 1);
  CHECK_EVENT(1, PROMISE_EVENT_DROPPED, PROMISE_PENDING, 2);
  CHECK_EVENT(2, PROMISE_EVENT_OBSOLETE, 0, 3);
  CHECK_POINTER(events[1].promise, NULL);
  CHECK_INT(promise_state(derived), PROMISE_PENDING);
  promise_release(derived);
  promise_queue_free(queue);
}

/* ---- Cancelling ---- */

RULE(a_request_propagates_from_a_derived_promise_to_the_producer,
     "a request to cancel the promise of a CALL propagates to the producer") {
  promise_queue_t *queue = promise_queue_new();
  promise_t *source = promise_new();
  CHECK_STATUS(promise_queue_on_cancel(queue, source, 1), PROMISE_OK);
  promise_t *derived = promise_queue_then(queue, source, 2);
  promise_value_t reason = text("not wanted any more, because of this and that");
  CHECK_STATUS(promise_request_cancel(derived, &reason), PROMISE_OK);
  promise_value_release(&reason);
  CHECK_INT(take(queue, 0), 1);
  CHECK_EVENT(0, PROMISE_EVENT_CANCEL, 0, 1);
  CHECK_TEXT(promise_value_data(&events[0].value, NULL), "not wanted any more, because of this and that");
  promise_value_release(&events[0].value);
  CHECK_STATUS(promise_discard(source), PROMISE_OK);
  CHECK_INT(take(queue, 0), 1);
  CHECK_EVENT(0, PROMISE_EVENT_CALL, PROMISE_REJECTED, 2);
  CHECK_STATUS(promise_reject(events[0].promise, &events[0].value), PROMISE_OK);
  RELEASE(events[0].promise, derived, source);
  promise_queue_free(queue);
}

RULE(on_cancel_gives_requests_and_discards, "a request and a discard give CANCEL, any other end OBSOLETE") {
  promise_queue_t *queue = promise_queue_new();
  promise_t *discarded = promise_new(), *done = promise_new(), *asked = promise_new(), *gone = promise_new();
  promise_t *all[] = {discarded, done, asked, gone};
  for (uint64_t i = 0; i < 4; i++)
    CHECK_STATUS(promise_queue_on_cancel(queue, all[i], i), PROMISE_OK);
  CHECK_STATUS(promise_discard(discarded), PROMISE_OK);
  CHECK_STATUS(promise_resolve(done, VOID()), PROMISE_OK);
  CHECK_STATUS(promise_request_cancel(asked, NULL), PROMISE_OK);
  CHECK_STATUS(promise_discard(asked), PROMISE_OK);
  CHECK_STATUS(promise_queue_on_cancel(queue, asked, 5), PROMISE_OK);
  RELEASE_EACH(all, 4);
  CHECK_INT(take(queue, 0), 5);
  CHECK_EVENT(0, PROMISE_EVENT_CANCEL, 0, 0);
  CHECK_EVENT(1, PROMISE_EVENT_OBSOLETE, 0, 1);
  CHECK_EVENT(2, PROMISE_EVENT_CANCEL, 0, 2);
  CHECK_EVENT(3, PROMISE_EVENT_CANCEL, 0, 5);
  CHECK_EVENT(4, PROMISE_EVENT_OBSOLETE, 0, 3);
  promise_queue_free(queue);
}

/* ---- Objects ---- */

RULE(an_object_gives_its_end_once, "an object gives one FREED, at its end") {
  promise_queue_t *queue = promise_queue_new();
  promise_value_t value = garbage();
  CHECK_STATUS(promise_queue_object(queue, &value, payload_type(), 42), PROMISE_OK);
  CHECK_INT(value.kind, PROMISE_KIND_OBJECT);
  CHECK_INT((long long)value.as.u64, 42);
  CHECK(promise_value_is(&value, payload_type()));
  promise_t *promise = promise_new();
  CHECK_STATUS(promise_resolve(promise, &value), PROMISE_OK);
  CHECK_STATUS(promise_queue_watch(queue, promise, 1), PROMISE_OK);
  promise_release(promise);
  CHECK_INT(take(queue, 0), 1);
  CHECK_INT((long long)events[0].value.as.u64, 42);
  promise_value_release(&events[0].value);
  CHECK_INT(take(queue, 0), 1);
  CHECK_EVENT(0, PROMISE_EVENT_FREED, 0, 42);
  CHECK_STATUS(promise_queue_object(queue, &value, promise_type_named("error"), 1), PROMISE_ESTALE);
  /* An object that outlives the queue. */
  CHECK_STATUS(promise_queue_object(queue, &value, payload_type(), 43), PROMISE_OK);
  promise_queue_free(queue);
  CHECK_STATUS(promise_value_release(&value), PROMISE_OK);
}

/* ---- Sleeping ---- */

RULE(a_take_ends_in_time, "a take ends when its time is over, and not before") {
  promise_queue_t *queue = promise_queue_new();
  int64_t begun = now();
  CHECK_INT(take(queue, 20 * MILLISECONDS), 0);
  CHECK(now() - begun >= 20 * MILLISECONDS);
  promise_t *timer = promise_sleep(1 * MILLISECONDS);
  CHECK_STATUS(promise_queue_watch(queue, timer, 9), PROMISE_OK);
  CHECK_INT(take(queue, FOR_EVER), 1);
  CHECK_EVENT(0, PROMISE_EVENT_SETTLED, PROMISE_FULFILLED, 9);
  promise_release(timer);
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

RULE(another_thread_wakes_the_taker, "a taker that sleeps is woken by an event, and by the end") {
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

RULE(the_descriptor_is_readable_while_events_are_ready, "the descriptor is readable while events are ready") {
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

RULE(a_freed_queue_gives_nothing, "a freed queue gives no event, and rejects unanswered promises") {
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
  RELEASE(source, waiting, ready);
}
