/* promise/queue.h: calls, whose taker settles the derived promise. */
#include "../checked.h"
#include "../queues.h"

CHECKS(call)

/* The promise derived from a source destroyed while pending can still be settled, and the call has one event. */
RULE(a_dropped_call_leaves_its_promise_usable, "the promise of a CALL whose source was destroyed can be settled") {
  for (int how = 0; how < 8; how++) {
    promise_queue_t *queue = promise_queue_new();
    promise_t *source = promise_new();
    promise_t *derived = promise_queue_then(queue, source, 1), *next = promise_then(derived, adds_one, NULL, NULL);
    if (how % 2 == 0)
      CHECK_STATUS(promise_request_cancel(derived, NULL), PROMISE_OK);
    promise_release(source);
    if (how < 4) {
      CHECK_INT(take(queue, 0), 1);
      CHECK_EVENT(0, PROMISE_EVENT_DROPPED, PROMISE_PENDING, 1);
    }
    if (how / 2 % 2 == 0) {
      CHECK_STATUS(promise_resolve(derived, I64(1)), PROMISE_OK);
      CHECK(ended(next, PROMISE_FULFILLED, 2));
    } else {
      CHECK_STATUS(promise_discard(derived), PROMISE_OK);
      CHECK_INT(promise_state(next), PROMISE_REJECTED);
    }
    RELEASE(derived, next);
    CHECK_STATUS(promise_release(derived), PROMISE_ESTALE);
    CHECK_INT(take(queue, 0), how < 4 ? 0 : 1);
    promise_queue_free(queue);
  }
}

RULE(a_call_is_answered, "the taker of a CALL settles its promise") {
  promise_queue_t *queue = promise_queue_new();
  promise_t *source = promise_new();
  promise_t *resolved = promise_queue_then(queue, source, 1), *refused = promise_queue_then(queue, source, 2),
            *followed = promise_queue_then(queue, source, 3);
  promise_t *last = promise_then(resolved, adds_one, NULL, NULL);
  CHECK_STATUS(promise_reject(source, I64(20)), PROMISE_OK);
  promise_release(source);
  CHECK_INT(promise_state(resolved), PROMISE_PENDING);
  CHECK_INT(take(queue, 0), 3);
  for (int i = 0; i < 3; i++) {
    CHECK_EVENT(i, PROMISE_EVENT_CALL, PROMISE_REJECTED, (uint64_t)i + 1);
    CHECK_INT(events[i].value.as.i64, 20);
  }
  CHECK_POINTER(events[0].promise, resolved);
  CHECK_STATUS(promise_resolve(events[0].promise, I64(1)), PROMISE_OK);
  CHECK_STATUS(promise_reject(events[1].promise, I64(2)), PROMISE_OK);
  promise_t *later = promise_new();
  CHECK_STATUS(promise_follow(events[2].promise, later), PROMISE_OK);
  CHECK_STATUS(promise_resolve(later, I64(3)), PROMISE_OK);
  CHECK(ended(resolved, PROMISE_FULFILLED, 1));
  CHECK(ended(refused, PROMISE_REJECTED, 2));
  CHECK(ended(followed, PROMISE_FULFILLED, 3));
  CHECK(ended(last, PROMISE_FULFILLED, 2));
  for (int i = 0; i < 3; i++)
    CHECK_STATUS(promise_release(events[i].promise), PROMISE_OK);
  promise_t *all[] = {resolved, refused, followed, last, later};
  RELEASE_EACH(all, 5);
  CHECK_STATUS(promise_release(resolved), PROMISE_ESTALE);
  promise_queue_free(queue);
}

/* A CALL is queued although its event has the only reference to the derived promise. Released without an answer, the
 * promise is destroyed while pending. */
RULE(a_call_for_nobody, "a CALL is made although its promise has no other reference") {
  promise_queue_t *queue = promise_queue_new();
  promise_t *source = fulfilled(7);
  promise_release(promise_queue_then(queue, source, 1));
  promise_release(source);
  CHECK_INT(take(queue, 0), 1);
  CHECK_EVENT(0, PROMISE_EVENT_CALL, PROMISE_FULFILLED, 1);
  CHECK_INT(promise_state(events[0].promise), PROMISE_PENDING);
  CHECK_STATUS(promise_release(events[0].promise), PROMISE_OK);
  CHECK_INT(promise_state(events[0].promise), PROMISE_ESTALE);
  promise_queue_free(queue);
}

/* A derived promise is settled by another holder, or abandoned: the event's value is freed at once, and the tag still
 * has one event. */
RULE(a_call_that_is_not_needed_is_obsolete, "a CALL that is not needed any more is an OBSOLETE") {
  for (int when = 0; when < 5; when++) {
    payload_t payload = {0};
    promise_queue_t *queue = promise_queue_new();
    promise_t *source = pending(), *derived = promise_queue_then(queue, source, 1);
    promise_value_t value = object(&payload);
    if (when < 2)
      CHECK_STATUS(promise_resolve(source, &value), PROMISE_OK);
    if (when == 4)
      CHECK_STATUS(promise_request_cancel(derived, NULL), PROMISE_OK);
    else
      CHECK_STATUS(when % 2 ? promise_discard(derived) : promise_resolve(derived, I64(1)), PROMISE_OK);
    release(derived);
    if (when >= 2)
      CHECK_STATUS(promise_resolve(source, &value), PROMISE_OK);
    release(source);
    CHECK_DESTROYED(&payload, 1);
    CHECK_STATUS(promise_state(derived), PROMISE_ESTALE);
    CHECK_INT(take(queue, 0), 1);
    CHECK_EVENT(0, PROMISE_EVENT_OBSOLETE, 0, 1);
    CHECK_INT(events[0].value.kind, PROMISE_KIND_VOID);
    promise_queue_free(queue);
  }
}

RULE(the_taker_settles_the_promise_of_its_call, "the taker settles the promise of a CALL, one by one or in a batch") {
  promise_queue_t *queue = promise_queue_new();
  promise_t *source = pending(), *derived[5];
  for (uint64_t i = 0; i < 5; i++)
    derived[i] = promise_queue_then(queue, source, i);
  CHECK_STATUS(promise_discard(derived[4]), PROMISE_OK);
  reject(source, 20);
  CHECK_INT(take(queue, 0), 5);
  CHECK_EVENT(0, PROMISE_EVENT_OBSOLETE, 0, 4);
  memmove(events, events + 1, 4 * sizeof *events);
  for (int i = 0; i < 4; i++) {
    CHECK_EVENT(i, PROMISE_EVENT_CALL, PROMISE_REJECTED, (uint64_t)i);
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
  /* The last event was answered without a verdict, so the test settles its promise. */
  CHECK_INT(promise_state(derived[3]), PROMISE_PENDING);
  resolve(events[3].promise, 4);
  release(events[3].promise);
  CHECK_ENDED(derived[3], PROMISE_FULFILLED, 4);
  RELEASE(later, source);
  for (int i = 0; i < 5; i++) {
    release(derived[i]);
    CHECK_STATUS(promise_state(derived[i]), PROMISE_ESTALE);
  }
  promise_queue_free(queue);
}
