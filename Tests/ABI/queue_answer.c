/* Completion queues: a batch of CALL events that is answered by one call. */
#include "queues.h"

static promise_queue_t *queue;
static promise_t *derived[4];

/* Takes the CALL events of `count` promises, all derived from a promise that is fulfilled with 20. */
static void take_calls(int count) {
  queue = promise_queue_new();
  promise_t *source = fulfilled(20);
  for (int i = 0; i < count; i++)
    derived[i] = promise_queue_then(queue, source, (uint64_t)i);
  promise_release(source);
  CHECK_INT(take(queue, 0), count);
}

/* Releases the derived promises, and checks that no event has kept a reference. */
static void release_all(int count) {
  for (int i = 0; i < count; i++) {
    CHECK_STATUS(promise_release(derived[i]), PROMISE_OK);
    CHECK_STATUS(promise_release(derived[i]), PROMISE_ESTALE);
  }
  promise_queue_free(queue);
}

static void answer(int place, promise_verdict_t verdict, promise_value_t value) {
  events[place].state = verdict;
  events[place].value = value;
}

static bool is_answered(int place) {
  return events[place].promise == NULL && events[place].value.kind == PROMISE_KIND_VOID;
}

TEST(each_event_is_answered_by_its_verdict) {
  payload_t payload = {0};
  take_calls(4);
  promise_t *later = promise_new();
  answer(0, PROMISE_FULFILL, *I64(1));
  answer(1, PROMISE_REJECT, *I64(2));
  answer(2, PROMISE_ADOPT, holding(retained(later)));
  answer(3, PROMISE_FULFILL, object(&payload));
  CHECK_STATUS(promise_queue_answer(events, 4), PROMISE_OK);
  for (int i = 0; i < 4; i++)
    CHECK(is_answered(i));
  CHECK(ended(derived[0], PROMISE_FULFILLED, 1));
  CHECK(ended(derived[1], PROMISE_REJECTED, 2));
  CHECK_INT(promise_state(derived[2]), PROMISE_PENDING);
  CHECK_STATUS(promise_resolve(later, I64(3)), PROMISE_OK);
  CHECK(ended(derived[2], PROMISE_FULFILLED, 3));
  CHECK_INT(promise_state(derived[3]), PROMISE_FULFILLED);
  CHECK_INT(atomic_load(&payload.destroyed), 0);
  /* The second call finds no event to answer. */
  CHECK_STATUS(promise_queue_answer(events, 4), PROMISE_OK);
  CHECK_STATUS(promise_release(later), PROMISE_OK);
  release_all(4);
  CHECK_INT(atomic_load(&payload.destroyed), 1);
}

/* The program makes the events itself: each promise is settled and released. */
TEST(events_of_the_programs_own_are_answered) {
  promise_t *made[3];
  for (int i = 0; i < 3; i++) {
    made[i] = promise_new();
    events[i] = (promise_event_t){.kind = PROMISE_EVENT_CALL, .promise = made[i]};
    answer(i, i < 2 ? PROMISE_FULFILL : PROMISE_REJECT, *I64(i));
  }
  promise_t *kept = retained(made[0]), *rejected = retained(made[2]);
  CHECK_STATUS(promise_queue_answer(events, 3), PROMISE_OK);
  for (int i = 0; i < 3; i++)
    CHECK(is_answered(i));
  CHECK(ended(kept, PROMISE_FULFILLED, 0));
  CHECK(ended(rejected, PROMISE_REJECTED, 2));
  RELEASE(kept, rejected);
  for (int i = 0; i < 3; i++)
    CHECK_STATUS(promise_release(made[i]), PROMISE_ESTALE);
}

/* An event is left to the taker if its state is still as promise_queue_take() has written it, or if it is not a
 * CALL. */
TEST(events_without_a_verdict_are_left) {
  take_calls(2);
  promise_t *settled = fulfilled(5);
  CHECK_STATUS(promise_queue_watch(queue, settled, 9), PROMISE_OK);
  CHECK_INT(promise_queue_take(queue, events + 2, ROOM - 2, 0), 1);
  answer(1, PROMISE_FULFILL, *I64(7));
  answer(2, PROMISE_FULFILL, *I64(8));
  CHECK_STATUS(promise_queue_answer(events, 3), PROMISE_OK);
  CHECK_INT(promise_state(derived[0]), PROMISE_PENDING);
  CHECK(ended(derived[1], PROMISE_FULFILLED, 7));
  CHECK_EVENT(0, PROMISE_EVENT_CALL, PROMISE_FULFILLED, 0);
  CHECK_INT(events[2].value.as.i64, 8);
  events[0].state = 0;
  CHECK_STATUS(promise_queue_answer(events, 3), PROMISE_OK);
  events[0].state = PROMISE_VERDICT_PASS;
  CHECK_STATUS(promise_queue_answer(events, 3), PROMISE_OK);
  CHECK_INT(promise_state(derived[0]), PROMISE_PENDING);
  answer(0, PROMISE_REJECT, *I64(6));
  CHECK_STATUS(promise_queue_answer(events, 1), PROMISE_OK);
  CHECK(ended(derived[0], PROMISE_REJECTED, 6));
  promise_release(settled);
  release_all(2);
}

/* Events are skipped: a CALL that is not answered, a SETTLED with a value that owns memory, and events that the program
 * made. Each releases its references, and settles nothing. */
TEST(skipped_events_are_released) {
  payload_t payload = {0};
  take_calls(2);
  promise_value_t value = object(&payload);
  promise_t *settled = promise_new_resolved(&value), *made = promise_new();
  CHECK_STATUS(promise_queue_watch(queue, settled, 9), PROMISE_OK);
  promise_release(settled);
  CHECK_INT(promise_queue_take(queue, events + 2, ROOM - 2, 0), 1);
  CHECK_INT(atomic_load(&payload.destroyed), 0);
  events[0].state = events[2].state = PROMISE_VERDICT_SKIP;
  answer(1, PROMISE_FULFILL, *I64(7));
  /* Events made by the program: of any kind, without a promise, and without a value. */
  events[3] = (promise_event_t){.kind = PROMISE_EVENT_DROPPED, .promise = made, .value = object(&payload)};
  events[4] = (promise_event_t){.kind = PROMISE_EVENT_CALL, .value = {.kind = PROMISE_KIND_VOID}};
  events[3].state = events[4].state = PROMISE_VERDICT_SKIP;
  CHECK_STATUS(promise_queue_answer(events, 5), PROMISE_OK);
  for (int i = 0; i < 5; i++)
    CHECK(is_answered(i));
  CHECK_INT(atomic_load(&payload.destroyed), 2);
  CHECK_STATUS(promise_state(made), PROMISE_ESTALE);
  CHECK_INT(promise_state(derived[0]), PROMISE_PENDING);
  CHECK(ended(derived[1], PROMISE_FULFILLED, 7));
  /* The second call finds nothing to release. */
  CHECK_STATUS(promise_queue_answer(events, 5), PROMISE_OK);
  release_all(2);
}

/* Both references are released, whether the promise is bad or the value. */
TEST(a_skipped_event_may_be_bad) {
  payload_t payload = {0};
  promise_t *made = promise_new(), *gone = promise_new();
  CHECK_STATUS(promise_release(gone), PROMISE_OK);
  events[0] = (promise_event_t){.kind = PROMISE_EVENT_SETTLED, .state = PROMISE_VERDICT_SKIP, .promise = made};
  events[0].value = (promise_value_t){.kind = 99};
  events[1] = (promise_event_t){.kind = PROMISE_EVENT_CALL, .state = PROMISE_VERDICT_SKIP, .promise = gone};
  events[1].value = object(&payload);
  CHECK_STATUS(promise_queue_answer(events + 1, 1), PROMISE_ESTALE);
  CHECK_STATUS(promise_queue_answer(events, 2), PROMISE_EINVAL);
  CHECK(is_answered(0) && is_answered(1));
  CHECK_INT(atomic_load(&payload.destroyed), 1);
  CHECK_STATUS(promise_state(made), PROMISE_ESTALE);
}

/* The callbacks for one answer run before the next promise is settled, and find their event answered. */
static void notes_the_next(void *ctx, const promise_value_t *value) {
  (void)value;
  int place = (int)(intptr_t)ctx;
  CHECK(is_answered(place));
  CHECK_INT(promise_state(derived[place]), PROMISE_FULFILLED);
  CHECK_INT(promise_state(derived[place + 1]), PROMISE_PENDING);
  note((char)('a' + place));
}

TEST(events_are_answered_in_order) {
  take_calls(4);
  journal_clear();
  for (intptr_t i = 0; i < 4; i++)
    answer((int)i, PROMISE_FULFILL, *I64(i));
  for (intptr_t i = 0; i < 3; i++)
    CHECK_STATUS(promise_observe(derived[i], notes_the_next, NULL, (void *)i, NULL), PROMISE_OK);
  CHECK_STATUS(promise_queue_answer(events, 4), PROMISE_OK);
  CHECK_TEXT(journal, "abc");
  release_all(4);
}

/* A failed answer releases the value and the promise, and does not stop later answers. */
TEST(a_failure_stops_no_other) {
  payload_t payload = {0};
  take_calls(4);
  CHECK_STATUS(promise_discard(derived[0]), PROMISE_OK);
  RELEASE(events[1].promise, derived[1]);
  for (int i = 0; i < 3; i++)
    answer(i, i == 2 ? PROMISE_ADOPT : PROMISE_FULFILL, object(&payload));
  answer(3, PROMISE_FULFILL, *I64(4));
  CHECK_STATUS(promise_queue_answer(events + 1, 1), PROMISE_ESTALE);
  CHECK_STATUS(promise_queue_answer(events, 4), PROMISE_ESETTLED); /* the first failure; the other is PROMISE_EINVAL */
  CHECK_INT(promise_state(derived[0]), PROMISE_REJECTED);
  CHECK(failed_with(derived[2], PROMISE_EINVAL));
  CHECK(ended(derived[3], PROMISE_FULFILLED, 4));
  derived[1] = promise_new();
  release_all(4);
  CHECK_INT(atomic_load(&payload.destroyed), 3);
}

/* An answer that cannot take effect rejects the promise, so no waiter waits in vain. */
TEST(a_bad_answer_rejects) {
  take_calls(4);
  promise_value_t unknown = {.kind = 99};
  answer(0, PROMISE_FULFILL, unknown);
  answer(1, PROMISE_ADOPT, *I64(1));
  answer(2, PROMISE_ADOPT, holding(retained(derived[2])));
  answer(3, PROMISE_REJECT, holding(retained(derived[3])));
  for (int i = 0; i < 4; i++) {
    promise_status_t expected = i == 2 ? PROMISE_EDEADLK : PROMISE_EINVAL;
    CHECK_STATUS(promise_queue_answer(events + i, 1), expected);
    CHECK(failed_with(derived[i], expected));
    CHECK(is_answered(i));
  }
  release_all(4);
}

/* A queue may be closed before its events are answered: a taken event belongs to the taker. */
TEST(answers_outlive_the_queue) {
  take_calls(1);
  CHECK_STATUS(promise_queue_retain(queue), PROMISE_OK);
  CHECK_STATUS(promise_queue_free(queue), PROMISE_OK);
  answer(0, PROMISE_FULFILL, *I64(1));
  CHECK_STATUS(promise_queue_answer(events, 1), PROMISE_OK);
  CHECK(ended(derived[0], PROMISE_FULFILLED, 1));
  release_all(1);
}
