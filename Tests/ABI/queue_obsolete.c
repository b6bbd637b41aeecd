/* Completion queues: each tag gets exactly one event, also if its promise is settled by another party. */
#include "queues.h"
#include "race.h"

static promise_queue_t *queue;

/* Checks that exactly one event is ready: an OBSOLETE with the tag and nothing else. */
static void check_obsolete(uint64_t tag) {
  CHECK_INT(take(queue, 0), 1);
  CHECK_EVENT(0, PROMISE_EVENT_OBSOLETE, 0, tag);
  CHECK_INT(events[0].value.kind, PROMISE_KIND_VOID);
}

static promise_status_t resolves(promise_t *promise) {
  return promise_resolve(promise, I64(7));
}
static promise_status_t rejects(promise_t *promise) {
  return promise_reject(promise, I64(7));
}
static promise_status_t discards(promise_t *promise) {
  return promise_discard(promise);
}
static promise_status_t (*const settles[])(promise_t *) = {resolves, rejects, discards};
enum { WAYS = sizeof settles / sizeof *settles };

/* The derived promise is settled while its source is pending: the event comes at once, and the end of the source adds
 * no event. */
TEST(settled_before_its_source) {
  queue = promise_queue_new();
  for (int way = 0; way < WAYS; way++)
    for (int is_dropped = 0; is_dropped < 2; is_dropped++) {
      promise_t *source = promise_new();
      promise_t *derived = promise_queue_then(queue, source, (uint64_t)way);
      CHECK_STATUS(settles[way](derived), PROMISE_OK);
      check_obsolete((uint64_t)way);
      if (!is_dropped)
        CHECK_STATUS(promise_resolve(source, VOID()), PROMISE_OK);
      RELEASE(source, derived);
      CHECK_INT(take(queue, 0), 0);
    }
  promise_queue_free(queue);
}

/* The derived promise is settled while its CALL is ready: the event releases its value and its promise at once, and
 * keeps its place. */
TEST(settled_before_its_call_is_taken) {
  queue = promise_queue_new();
  for (int way = 0; way < WAYS; way++) {
    payload_t payload = {0};
    promise_t *source = promise_new(), *later = fulfilled(1);
    promise_t *derived = promise_queue_then(queue, source, 5);
    promise_value_t value = object(&payload);
    CHECK_STATUS(promise_resolve(source, &value), PROMISE_OK);
    CHECK_STATUS(promise_release(source), PROMISE_OK);
    CHECK_STATUS(promise_queue_watch(queue, later, 6), PROMISE_OK);
    CHECK_INT(atomic_load(&payload.destroyed), 0);
    CHECK_STATUS(settles[way](derived), PROMISE_OK);
    CHECK_INT(atomic_load(&payload.destroyed), 1);
    CHECK_STATUS(promise_release(derived), PROMISE_OK);
    CHECK_STATUS(promise_state(derived), PROMISE_ESTALE);
    CHECK_INT(take(queue, 0), 2);
    CHECK_EVENT(0, PROMISE_EVENT_OBSOLETE, 0, 5);
    CHECK_INT(events[0].value.kind, PROMISE_KIND_VOID);
    CHECK_EVENT(1, PROMISE_EVENT_SETTLED, PROMISE_FULFILLED, 6);
    CHECK_STATUS(promise_release(later), PROMISE_OK);
  }
  promise_queue_free(queue);
}

/* If the CALL was taken, no other event follows. */
TEST(settled_after_its_call_was_taken) {
  queue = promise_queue_new();
  promise_t *source = fulfilled(1), *derived = promise_queue_then(queue, source, 5);
  CHECK_INT(take(queue, 0), 1);
  promise_t *answered = events[0].promise;
  CHECK_STATUS(promise_resolve(derived, I64(2)), PROMISE_OK);
  CHECK_STATUS(promise_resolve(answered, I64(3)), PROMISE_ESETTLED);
  CHECK_INT(take(queue, 0), 0);
  RELEASE(answered, derived, source);
  promise_queue_free(queue);
}

/* A waiter cancels and releases the derived promise, which nobody can observe any more. */
TEST(abandoned) {
  queue = promise_queue_new();
  promise_t *source = promise_new(), *other = promise_then(source, adds_one, NULL, NULL);
  promise_t *derived = promise_queue_then(queue, source, 5);
  CHECK_STATUS(promise_request_cancel(derived, NULL), PROMISE_OK);
  CHECK_INT(take(queue, 0), 0);
  CHECK_STATUS(promise_release(derived), PROMISE_OK);
  check_obsolete(5);
  CHECK_STATUS(promise_resolve(source, I64(1)), PROMISE_OK);
  CHECK_INT(take(queue, 0), 0);
  CHECK(ended(other, PROMISE_FULFILLED, 2));
  RELEASE(other, source);
  promise_queue_free(queue);
}

/* The source was destroyed before, which was the event. */
TEST(settled_after_its_source_was_destroyed) {
  queue = promise_queue_new();
  promise_t *source = promise_new(), *derived = promise_queue_then(queue, source, 5);
  promise_release(source);
  CHECK_STATUS(promise_resolve(derived, I64(7)), PROMISE_OK);
  CHECK_INT(take(queue, 0), 1);
  CHECK_EVENT(0, PROMISE_EVENT_DROPPED, PROMISE_PENDING, 5);
  promise_release(derived);
  CHECK_INT(take(queue, 0), 0);
  promise_queue_free(queue);
}

/* A promise ends without a request to its producer. */
TEST(producers_that_are_not_stopped) {
  queue = promise_queue_new();
  promise_t *promise = promise_new();
  CHECK_STATUS(promise_queue_on_cancel(queue, promise, 1), PROMISE_OK);
  CHECK_STATUS(promise_resolve(promise, VOID()), PROMISE_OK);
  check_obsolete(1);
  CHECK_STATUS(promise_queue_on_cancel(queue, promise, 2), PROMISE_OK);
  check_obsolete(2);
  promise_release(promise);
  promise = promise_new();
  CHECK_STATUS(promise_queue_on_cancel(queue, promise, 3), PROMISE_OK);
  promise_release(promise);
  check_obsolete(3);
  promise = promise_new();
  CHECK_STATUS(promise_queue_on_cancel(queue, promise, 4), PROMISE_OK);
  CHECK_STATUS(promise_request_cancel(promise, NULL), PROMISE_OK);
  CHECK_STATUS(promise_resolve(promise, VOID()), PROMISE_OK);
  CHECK_INT(take(queue, 0), 1);
  CHECK_EVENT(0, PROMISE_EVENT_CANCEL, 0, 4);
  promise_release(promise);
  CHECK_INT(take(queue, 0), 0);
  promise_queue_free(queue);
}

/* Closing a queue drops its events, in whichever state they are. */
TEST(not_after_the_queue_is_freed) {
  queue = promise_queue_new();
  promise_t *source = promise_new(), *settled = fulfilled(1);
  promise_t *waiting = promise_queue_then(queue, source, 1), *ready = promise_queue_then(queue, settled, 2);
  promise_t *early = promise_queue_then(queue, source, 3);
  CHECK_STATUS(promise_queue_on_cancel(queue, source, 4), PROMISE_OK);
  CHECK_STATUS(promise_resolve(ready, VOID()), PROMISE_OK);
  CHECK_STATUS(promise_resolve(early, VOID()), PROMISE_OK);
  CHECK_STATUS(promise_queue_free(queue), PROMISE_OK);
  CHECK(failed_with(waiting, PROMISE_ECLOSED));
  CHECK_STATUS(promise_resolve(source, VOID()), PROMISE_OK);
  promise_t *all[] = {source, settled, waiting, ready, early};
  RELEASE_EACH(all, 5);
}

/* ---- Races ---- */

static promise_t *source, *derived;
static payload_t payload;

/* One thread ends the source, one settles the derived promise, and one takes: each tag has one event in all. */
static void *ends_or_takes(void *argument) {
  long self = (intptr_t)argument, rounds = check_scale(50000);
  for (long i = 0; i < rounds; i++) {
    if (self == 0) {
      source = promise_new();
      derived = promise_queue_then(queue, source, (uint64_t)i);
      CHECK(promise_queue_on_cancel(queue, source, UINT64_MAX) == PROMISE_OK);
      atomic_store(&payload.destroyed, 0);
    }
    meet_closely();
    if (self == 1) {
      settles[i % WAYS](derived);
    } else if (self == 2) {
      promise_value_t value = object(&payload);
      promise_resolve(source, &value);
    } else {
      long calls = 0, ends = 0;
      /* Takes until each of the two tags has had its event. */
      while (calls + ends < 2) {
        int64_t count = promise_queue_take(queue, events, ROOM, 20000 * MILLISECONDS);
        REQUIRE(count > 0);
        for (int64_t place = 0; place < count; place++) {
          if (events[place].tag == UINT64_MAX) {
            CHECK(events[place].kind == PROMISE_EVENT_OBSOLETE);
            ends++;
          } else {
            CHECK(events[place].tag == (uint64_t)i);
            CHECK(events[place].kind == PROMISE_EVENT_OBSOLETE || events[place].kind == PROMISE_EVENT_CALL);
            calls++;
          }
          promise_value_release(&events[place].value);
          promise_release(events[place].promise);
        }
      }
      CHECK(calls == 1 && ends == 1);
    }
    meet_closely();
    if (self == 0) {
      CHECK(promise_queue_take(queue, events, ROOM, 0) == 0);
      RELEASE(source, derived);
      CHECK(atomic_load(&payload.destroyed) == 1);
      CHECK(promise_state(derived) == PROMISE_ESTALE);
    }
  }
  return NULL;
}

TEST(each_tag_has_one_event_in_every_race) {
  queue = promise_queue_new();
  race(ends_or_takes, 3);
  promise_queue_free(queue);
}
