/* Completion queues: the events of each kind, their order, and the cancellation of requests. */
#include "growth.h"
#include "queues.h"

/* ---- Settled ---- */

static void a_watch_tells_the_outcome(void) {
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
  /* The value is the taker's. */
  promise_release(bad);
  CHECK_TEXT(promise_value_data(&events[1].value, NULL), "a reason that is long enough for memory of its own");
  CHECK_STATUS(promise_value_release(&events[1].value), PROMISE_OK);
  CHECK_INT(take(queue, 0), 0);
  promise_release(good);
  promise_release(before);
  CHECK_STATUS(promise_queue_free(queue), PROMISE_OK);
  CHECK_STATUS(promise_queue_free(queue), PROMISE_ESTALE);
}

static void a_thousand_in_one_call_and_in_order(void) {
  enum { MANY = 1000 };
  static promise_event_t many[MANY];
  promise_queue_t *queue = promise_queue_new();
  for (int i = 0; i < MANY; i++) {
    promise_t *promise = promise_new();
    CHECK_STATUS(promise_queue_watch(queue, promise, (uint64_t)i), PROMISE_OK);
    CHECK_STATUS(promise_resolve(promise, I64(i)), PROMISE_OK);
    promise_release(promise);
  }
  CHECK_INT(promise_queue_take(queue, many, MANY, FOR_EVER), MANY);
  bool ordered = true;
  for (int i = 0; i < MANY; i++)
    ordered = ordered && many[i].tag == (uint64_t)i && many[i].value.as.i64 == i;
  CHECK(ordered);
  CHECK_INT(promise_queue_take(queue, many, MANY, 0), 0);
  promise_queue_free(queue);
}

/* A watch counts as interest: with it a request does not propagate, and when it ends it does. */
static void a_watch_is_interest_until_it_is_ended(void) {
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
  /* The tap, which is no interest, remains. */
  CHECK_STATUS(promise_discard(source), PROMISE_OK);
  CHECK_INT(take(queue, 0), 1);
  CHECK_EVENT(0, PROMISE_EVENT_SETTLED, PROMISE_REJECTED, 2);
  CHECK_INT(events[0].value.kind, PROMISE_KIND_DISCARDED);
  promise_release(other);
  promise_release(source);
  promise_queue_free(queue);
}

/* Cancels all watches with a tag, pending events included. */
static void unwatch_ends_all_of_a_tag(void) {
  payload_t payload = {0};
  promise_queue_t *queue = promise_queue_new();
  promise_t *settled = promise_new(), *pending = promise_new();
  for (int i = 0; i < 3; i++) {
    CHECK_STATUS(promise_queue_watch(queue, settled, 5), PROMISE_OK);
    CHECK_STATUS(promise_queue_watch(queue, pending, 5), PROMISE_OK);
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

/* A promise destroyed while pending has an event, with its tag. */
static void a_promise_destroyed_while_pending_is_told(void) {
  promise_queue_t *queue = promise_queue_new();
  promise_t *source = promise_new();
  CHECK_STATUS(promise_queue_watch(queue, source, 1), PROMISE_OK);
  CHECK_STATUS(promise_queue_watch(queue, source, 4), PROMISE_OK);
  promise_t *derived = promise_queue_then(queue, source, 2);
  CHECK_STATUS(promise_queue_on_cancel(queue, source, 3), PROMISE_OK);
  promise_release(source);
  CHECK_INT(promise_queue_unwatch(queue, 4), 1);
  CHECK_INT(take(queue, 0), 2);
  CHECK_EVENT(0, PROMISE_EVENT_DROPPED, PROMISE_PENDING, 1);
  CHECK_EVENT(1, PROMISE_EVENT_DROPPED, PROMISE_PENDING, 2);
  CHECK_POINTER(events[1].promise, NULL);
  CHECK_INT(promise_state(derived), PROMISE_PENDING);
  promise_release(derived);
  promise_queue_free(queue);
}

/* The promise derived from a source destroyed while pending can still be settled, and ends once. */
static void a_dropped_call_leaves_its_promise_usable(void) {
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
    CHECK_STATUS(promise_release(derived), PROMISE_OK);
    CHECK_STATUS(promise_release(next), PROMISE_OK);
    CHECK_STATUS(promise_release(derived), PROMISE_ESTALE);
    CHECK_INT(take(queue, 0), how < 4 ? 0 : 1);
    promise_queue_free(queue);
  }
}

/* ---- Calls ---- */

static void a_call_is_answered(void) {
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
  for (int i = 0; i < 5; i++)
    CHECK_STATUS(promise_release(all[i]), PROMISE_OK);
  CHECK_STATUS(promise_release(resolved), PROMISE_ESTALE);
  promise_queue_free(queue);
}

/* The derived promise has no other reference: the call is made all the same. It is not answered: the promise is
 * destroyed while pending. */
static void a_call_for_nobody(void) {
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

/* A derived promise settled by another holder: its event is removed, and the event's value is freed. */
static void a_settled_derived_promise_takes_its_event_along(void) {
  for (int when = 0; when < 4; when++) {
    payload_t payload = {0};
    promise_queue_t *queue = promise_queue_new();
    promise_t *source = promise_new();
    promise_t *derived = promise_queue_then(queue, source, 1);
    promise_value_t value = object(&payload);
    if (when < 2)
      CHECK_STATUS(promise_resolve(source, &value), PROMISE_OK);
    CHECK_STATUS(when % 2 ? promise_discard(derived) : promise_resolve(derived, I64(1)), PROMISE_OK);
    if (when >= 2)
      CHECK_STATUS(promise_resolve(source, &value), PROMISE_OK);
    CHECK_STATUS(promise_release(source), PROMISE_OK);
    CHECK_INT(atomic_load(&payload.destroyed), 1);
    CHECK_INT(take(queue, 0), 0);
    CHECK_STATUS(promise_release(derived), PROMISE_OK);
    CHECK_STATUS(promise_release(derived), PROMISE_ESTALE);
    promise_queue_free(queue);
  }
}

/* ---- Cancelling ---- */

static void a_request_goes_from_a_derived_promise_to_the_producer(void) {
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
  promise_release(events[0].promise);
  promise_release(derived);
  promise_release(source);
  promise_queue_free(queue);
}

static void on_cancel_tells_discards_too_and_nothing_else(void) {
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
  for (int i = 0; i < 4; i++)
    CHECK_STATUS(promise_release(all[i]), PROMISE_OK);
  CHECK_INT(take(queue, 0), 3);
  CHECK_EVENT(0, PROMISE_EVENT_CANCEL, 0, 0);
  CHECK_EVENT(1, PROMISE_EVENT_CANCEL, 0, 2);
  CHECK_EVENT(2, PROMISE_EVENT_CANCEL, 0, 5);
  promise_queue_free(queue);
}

/* ---- Objects ---- */

static void an_object_tells_its_end_once(void) {
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
  /* An object that outlives the queue. */
  CHECK_STATUS(promise_queue_object(queue, &value, payload_type(), 43), PROMISE_OK);
  promise_queue_free(queue);
  CHECK_STATUS(promise_value_release(&value), PROMISE_OK);
}

/* ---- Growth ---- */

/* Each watch is of another promise: the growth of a promise's own list is not measured here. */
static void watch_each(promise_queue_t *queue, promise_t **promises, long count) {
  for (long tag = 0; tag < count; tag++)
    REQUIRE(promise_queue_watch(queue, promises[tag], (uint64_t)tag) == PROMISE_OK);
}

static void unwatches_the_newest_first(void *promises, long count) {
  promise_queue_t *queue = promise_queue_new();
  watch_each(queue, promises, count);
  for (long tag = count - 1; tag >= 0; tag--)
    REQUIRE(promise_queue_unwatch(queue, (uint64_t)tag) == 1);
  promise_queue_free(queue);
}

static void unwatches_the_oldest_first(void *promises, long count) {
  promise_queue_t *queue = promise_queue_new();
  watch_each(queue, promises, count);
  for (long tag = 0; tag < count; tag++)
    REQUIRE(promise_queue_unwatch(queue, (uint64_t)tag) == 1);
  promise_queue_free(queue);
}

/* The newest of the watches that share a place in a table is found first. If there are many at a place, those before it
 * take many times as long. Both use the same memory, so caches make no difference. */
static void watches_are_ended_in_constant_time(void) {
  enum { MOST = 80000 };
  static promise_t *promises[MOST];
  long count = check_scale(MOST);
  for (long i = 0; i < count; i++)
    REQUIRE((promises[i] = promise_new()) != NULL);
  CHECK(least_time(unwatches_the_oldest_first, promises, count) <
        8 * least_time(unwatches_the_newest_first, promises, count));
  for (long i = 0; i < count; i++)
    promise_release(promises[i]);
}

/* ---- Sleeping ---- */

static void a_take_ends_in_time(void) {
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

int main(void) {
  RUN(a_watch_tells_the_outcome);
  RUN(a_thousand_in_one_call_and_in_order);
  RUN(a_watch_is_interest_until_it_is_ended);
  RUN(unwatch_ends_all_of_a_tag);
  RUN(a_promise_destroyed_while_pending_is_told);
  RUN(a_dropped_call_leaves_its_promise_usable);
  RUN(a_call_is_answered);
  RUN(a_call_for_nobody);
  RUN(a_settled_derived_promise_takes_its_event_along);
  RUN(a_request_goes_from_a_derived_promise_to_the_producer);
  RUN(on_cancel_tells_discards_too_and_nothing_else);
  RUN(an_object_tells_its_end_once);
  RUN(watches_are_ended_in_constant_time);
  RUN(a_take_ends_in_time);
  return check_report();
}
