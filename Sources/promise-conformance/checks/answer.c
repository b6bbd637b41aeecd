/* promise/queue.h: promise_queue_answer(), event by event. */
#include "../checked.h"
#include "../queues.h"

CHECKS(answer)

/* Returns an event that the program made. Takes over the references to the promise and the value. */
static promise_event_t event_of(uint32_t kind, promise_state_t verdict, promise_t *promise, promise_value_t value) {
  return (promise_event_t){.kind = kind, .state = verdict, .promise = promise, .value = value};
}

RULE(skipped_events_are_released, "a skipped event of any kind loses its promise and its value") {
  static const uint32_t kinds[] = {PROMISE_EVENT_SETTLED, PROMISE_EVENT_CALL,    PROMISE_EVENT_CANCEL,
                                   PROMISE_EVENT_FREED,   PROMISE_EVENT_DROPPED, PROMISE_EVENT_OBSOLETE};
  enum { KINDS = sizeof kinds / sizeof *kinds };
  payload_t payload = {0};
  promise_t *made[KINDS], *kept = pending();
  for (int i = 0; i < KINDS; i++)
    events[i] = event_of(kinds[i], PROMISE_VERDICT_SKIP, made[i] = pending(), object(&payload));
  events[KINDS] = event_of(PROMISE_EVENT_CALL, PROMISE_VERDICT_SKIP, retained(kept), *VOID());
  CHECK_STATUS(promise_queue_answer(events, KINDS + 1), PROMISE_OK);
  CHECK_DESTROYED(&payload, KINDS);
  for (int i = 0; i <= KINDS; i++) {
    CHECK_POINTER(events[i].promise, NULL);
    CHECK_INT(events[i].value.kind, PROMISE_KIND_VOID);
  }
  for (int i = 0; i < KINDS; i++)
    CHECK_STATUS(promise_state(made[i]), PROMISE_ESTALE);
  CHECK_INT(promise_state(kept), PROMISE_PENDING); /* PROMISE_VERDICT_SKIP settles nothing */
  release(kept);
  CHECK_STATUS(promise_state(kept), PROMISE_ESTALE);
}

RULE(a_verdict_for_a_call_leaves_other_events, "an event is left alone if it has no verdict, or one for a CALL") {
  promise_t *promise = pending();
  events[0] = event_of(PROMISE_EVENT_SETTLED, PROMISE_FULFILL, promise, *I64(7));
  events[1] = event_of(PROMISE_EVENT_CALL, PROMISE_FULFILL, NULL, *I64(8));
  events[2] = event_of(PROMISE_EVENT_CALL, PROMISE_FULFILLED, promise, *I64(9));
  events[3] = event_of(PROMISE_EVENT_CALL, PROMISE_VERDICT_PASS, promise, *I64(10));
  CHECK_STATUS(promise_queue_answer(events, 4), PROMISE_OK);
  for (int i = 0; i < 4; i++) {
    CHECK_POINTER(events[i].promise, i == 1 ? NULL : promise);
    CHECK_INT(events[i].value.as.i64, 7 + i);
  }
  CHECK_INT(promise_state(promise), PROMISE_PENDING);
  release(promise);
}

RULE(an_answer_that_fails_stops_no_other, "an answer that fails rejects its promise, and stops no other") {
  payload_t payload = {0};
  promise_t *settled = fulfilled(1), *forged = pending(), *none = pending(), *good = pending();
  promise_t *circle = pending(), *child = then(circle, 'a');
  events[0] = event_of(PROMISE_EVENT_CALL, PROMISE_FULFILL, retained(settled), object(&payload));
  events[1] = event_of(PROMISE_EVENT_CALL, PROMISE_FULFILL, retained(forged), garbage());
  events[2] = event_of(PROMISE_EVENT_CALL, PROMISE_ADOPT, retained(none), *I64(1));
  events[3] = event_of(PROMISE_EVENT_CALL, PROMISE_ADOPT, retained(circle), holding(retained(child)));
  events[4] = event_of(PROMISE_EVENT_CALL, PROMISE_REJECT, stale(), object(&payload));
  events[5] = event_of(PROMISE_EVENT_CALL, PROMISE_REJECT, retained(good), *I64(5));
  CHECK_STATUS(promise_queue_answer(events, 6), PROMISE_ESETTLED); /* the first failure */
  CHECK_DESTROYED(&payload, 2);
  CHECK_ENDED(settled, PROMISE_FULFILLED, 1);
  CHECK_LIBRARY_ERROR(forged, PROMISE_EINVAL);
  CHECK_LIBRARY_ERROR(none, PROMISE_EINVAL);
  CHECK_LIBRARY_ERROR(circle, PROMISE_EDEADLK);
  CHECK_ENDED(good, PROMISE_REJECTED, 5);
  for (int i = 0; i < 6; i++) {
    CHECK_POINTER(events[i].promise, NULL);
    CHECK_INT(events[i].value.kind, PROMISE_KIND_VOID);
  }
  promise_t *all[] = {settled, forged, none, good, circle, child};
  for (int i = 0; i < 6; i++) {
    release(all[i]);
    CHECK_STATUS(promise_state(all[i]), PROMISE_ESTALE);
  }
}

RULE(answers_come_in_order, "events are answered in order, with all callbacks") {
  promise_t *first = pending(), *second = pending();
  CHECK_STATUS(promise_observe(first, note_observer, NULL, LETTER('a'), NULL), PROMISE_OK);
  promise_t *child = then(first, 'b');
  observe(child, 'c');
  CHECK_STATUS(promise_observe(second, note_observer, NULL, LETTER('d'), NULL), PROMISE_OK);
  events[0] = event_of(PROMISE_EVENT_CALL, PROMISE_FULFILL, retained(first), *I64(1));
  events[1] = event_of(PROMISE_EVENT_CALL, PROMISE_FULFILL, retained(second), *I64(2));
  CHECK_STATUS(promise_queue_answer(events, 2), PROMISE_OK);
  CHECK_TEXT(journal, "abcd");
  RELEASE(first, second, child);
}

RULE(invalid_arguments_are_refused, "invalid arguments are refused") {
  promise_queue_t *queue = promise_queue_new();
  CHECK_STATUS(promise_queue_answer(NULL, 0), PROMISE_OK);
  CHECK_STATUS(promise_queue_answer(NULL, 1), PROMISE_EINVAL);
  CHECK_STATUS(promise_queue_answer(events, SIZE_MAX), PROMISE_EINVAL);
  CHECK_INT(promise_queue_take(queue, events, 0, 0), PROMISE_EINVAL);
  CHECK_INT(promise_queue_take(queue, NULL, 1, 0), PROMISE_EINVAL);
  CHECK_INT(promise_queue_take(NULL, events, 1, 0), PROMISE_EINVAL);
  CHECK_STATUS(promise_queue_free(queue), PROMISE_OK);
  CHECK_INT(promise_queue_take(queue, events, 1, FOR_EVER), PROMISE_ESTALE);
}
