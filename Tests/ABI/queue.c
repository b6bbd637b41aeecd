/* Completion queues: what each event says, when it comes, and what ends it before. */
#include <poll.h>
#include <sys/epoll.h>

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

/* A watch is interest: with it a request does not go on, and with its end it does. */
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
  /* The tap, which is none, is still there. */
  CHECK_STATUS(promise_discard(source), PROMISE_OK);
  CHECK_INT(take(queue, 0), 1);
  CHECK_EVENT(0, PROMISE_EVENT_SETTLED, PROMISE_REJECTED, 2);
  CHECK_INT(events[0].value.kind, PROMISE_KIND_DISCARDED);
  promise_release(other);
  promise_release(source);
  promise_queue_free(queue);
}

/* All watches with a tag, those whose events wait included. */
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

/* A promise that nobody can settle any more: the tag's owner is told. */
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

/* Nobody holds the derived promise: the call is made all the same. Nobody answers it: it is destroyed while pending. */
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

/* A derived promise that somebody else settles: its event is gone, and what the event had is freed. */
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

/* ---- The descriptor ---- */

static bool readable(int fd) {
  struct pollfd file = {.fd = fd, .events = POLLIN};
  return poll(&file, 1, 0) == 1 && file.revents == POLLIN;
}

static void the_descriptor_is_readable_while_events_wait(void) {
  promise_queue_t *queue = promise_queue_new();
  promise_t *promise = promise_new();
  for (uint64_t i = 0; i < 3; i++)
    CHECK_STATUS(promise_queue_watch(queue, promise, i), PROMISE_OK);
  int fd = promise_queue_fd(queue);
  CHECK(fd >= 0);
  CHECK_INT(promise_queue_fd(queue), fd);
  CHECK(!readable(fd));
  promise_resolve(promise, VOID());
  CHECK(readable(fd));
  CHECK_INT(promise_queue_take(queue, events, 1, 0), 1);
  CHECK(readable(fd));
  CHECK_INT(promise_queue_unwatch(queue, 1), 1);
  CHECK(readable(fd));
  CHECK_INT(promise_queue_unwatch(queue, 2), 1);
  CHECK(!readable(fd));
  CHECK_STATUS(promise_queue_watch(queue, promise, 3), PROMISE_OK);
  CHECK(readable(fd));
  CHECK_INT(take(queue, 0), 1);
  CHECK(!readable(fd));
  promise_release(promise);
  promise_queue_free(queue);
  struct pollfd file = {.fd = fd, .events = POLLIN};
  CHECK_INT(poll(&file, 1, 0), 1);
  CHECK_INT(file.revents, POLLNVAL);
}

/* Made while events wait already. */
static void the_descriptor_comes_late(void) {
  promise_queue_t *queue = promise_queue_new();
  promise_t *promise = fulfilled(1);
  CHECK_STATUS(promise_queue_watch(queue, promise, 1), PROMISE_OK);
  CHECK(readable(promise_queue_fd(queue)));
  promise_release(promise);
  promise_queue_free(queue);
}

static void an_edge_comes_when_a_take_leaves_events(void) {
  promise_queue_t *queue = promise_queue_new();
  int poller = epoll_create1(0);
  struct epoll_event event = {.events = EPOLLIN | EPOLLET};
  REQUIRE(epoll_ctl(poller, EPOLL_CTL_ADD, promise_queue_fd(queue), &event) == 0);
  promise_t *promise = fulfilled(1);
  for (uint64_t i = 0; i < 10; i++)
    CHECK_STATUS(promise_queue_watch(queue, promise, i), PROMISE_OK);
  int edges = 0, taken = 0;
  while (epoll_wait(poller, &event, 1, 0) == 1) {
    edges++;
    taken += (int)promise_queue_take(queue, events, 3, 0);
  }
  CHECK_INT(edges, 4);
  CHECK_INT(taken, 10);
  CHECK_STATUS(promise_queue_watch(queue, promise, 11), PROMISE_OK);
  CHECK_INT(epoll_wait(poller, &event, 1, 0), 1);
  CHECK_INT(epoll_wait(poller, &event, 1, 0), 0);
  promise_release(promise);
  promise_queue_free(queue);
  close(poller);
}

/* ---- The end ---- */

static void closing_rejects_what_the_taker_was_to_settle(void) {
  payload_t payload = {0};
  promise_queue_t *queue = promise_queue_new();
  promise_t *pending = promise_new(), *settled = promise_new();
  promise_t *waiting = promise_queue_then(queue, pending, 1), *ready = promise_queue_then(queue, settled, 2);
  promise_t *other = promise_then(pending, adds_one, NULL, NULL);
  CHECK_STATUS(promise_queue_watch(queue, pending, 3), PROMISE_OK);
  CHECK_STATUS(promise_queue_watch(queue, settled, 4), PROMISE_OK);
  CHECK_STATUS(promise_queue_on_cancel(queue, pending, 5), PROMISE_OK);
  promise_value_t value = object(&payload);
  promise_resolve(settled, &value);
  promise_release(settled);
  CHECK_STATUS(promise_request_cancel(other, NULL), PROMISE_OK);
  CHECK_INT(promise_cancel_requested(pending), 0);

  CHECK_STATUS(promise_queue_retain(queue), PROMISE_OK);
  CHECK_STATUS(promise_queue_free(queue), PROMISE_OK);
  CHECK(failed_with(waiting, PROMISE_ECLOSED));
  CHECK(failed_with(ready, PROMISE_ECLOSED));
  CHECK_INT(atomic_load(&payload.destroyed), 1);
  /* The interest is gone too. */
  CHECK_INT(promise_cancel_requested(pending), 1);

  CHECK_INT(take(queue, FOR_EVER), PROMISE_ECLOSED);
  CHECK_INT(promise_queue_fd(queue), PROMISE_ECLOSED);
  CHECK_STATUS(promise_queue_watch(queue, pending, 1), PROMISE_ECLOSED);
  CHECK_STATUS(promise_queue_tap(queue, pending, 1), PROMISE_ECLOSED);
  CHECK_INT(promise_queue_unwatch(queue, 1), PROMISE_ECLOSED);
  CHECK_STATUS(promise_queue_on_cancel(queue, pending, 1), PROMISE_ECLOSED);
  CHECK_STATUS(promise_queue_object(queue, &value, payload_type(), 1), PROMISE_ECLOSED);
  CHECK_INT(value.kind, PROMISE_KIND_VOID);
  CHECK_POINTER(promise_queue_then(queue, pending, 1), NULL);
  CHECK_STATUS(promise_last_status(), PROMISE_ECLOSED);
  CHECK_STATUS(promise_resolve(pending, VOID()), PROMISE_OK);
  CHECK_POINTER(promise_queue_then(queue, pending, 1), NULL);
  CHECK_STATUS(promise_queue_release(queue), PROMISE_OK);
  CHECK_STATUS(promise_queue_release(queue), PROMISE_ESTALE);
  promise_t *all[] = {pending, waiting, ready, other};
  for (int i = 0; i < 4; i++)
    CHECK_STATUS(promise_release(all[i]), PROMISE_OK);
}

static void the_last_release_closes(void) {
  promise_queue_t *queue = promise_queue_new();
  promise_t *source = promise_new();
  promise_t *derived = promise_queue_then(queue, source, 1);
  CHECK_STATUS(promise_queue_retain(queue), PROMISE_OK);
  CHECK_STATUS(promise_queue_release(queue), PROMISE_OK);
  CHECK_INT(promise_state(derived), PROMISE_PENDING);
  CHECK_STATUS(promise_queue_release(queue), PROMISE_OK);
  CHECK(failed_with(derived, PROMISE_ECLOSED));
  promise_release(derived);
  promise_release(source);
}

/* A chain of calls of a queue that is closed settles without recursion. */
static void *close_a_long_chain(void *argument) {
  (void)argument;
  long links = check_scale(1000000);
  promise_queue_t *queue = promise_queue_new();
  promise_t *first = promise_new(), *last = first;
  for (long i = 0; i < links; i++) {
    promise_t *next = promise_queue_then(queue, last, (uint64_t)i);
    REQUIRE(next != NULL);
    if (last != first)
      promise_release(last);
    last = next;
  }
  promise_queue_free(queue);
  CHECK(failed_with(last, PROMISE_ECLOSED));
  promise_release(last);
  promise_release(first);
  return NULL;
}
static void closing_a_long_chain_does_not_recurse(void) {
  on_small_stack(close_a_long_chain, NULL);
}

/* Tags are the program's: a million of the same are ended as fast as a million different ones. */
static void many_watches_of_one_tag(void) {
  long many = check_scale(1000000);
  promise_queue_t *queue = promise_queue_new();
  promise_t *promise = promise_new();
  for (long i = 0; i < many; i++)
    REQUIRE(promise_queue_watch(queue, promise, 1) == PROMISE_OK);
  for (long i = 0; i < many; i++)
    REQUIRE(promise_queue_watch(queue, promise, (uint64_t)i << 32) == PROMISE_OK);
  CHECK_INT(promise_queue_unwatch(queue, 1), many);
  for (long i = 0; i < many; i++)
    REQUIRE(promise_queue_unwatch(queue, (uint64_t)i << 32) == 1);
  promise_resolve(promise, VOID());
  CHECK_INT(take(queue, 0), 0);
  promise_release(promise);
  promise_queue_free(queue);
}

/* Waiters that give up on a promise that stays pending leave nothing behind, neither cells nor events. */
static void those_who_give_up_leave_nothing(void) {
  promise_queue_t *queue = promise_queue_new();
  promise_t *promise = promise_new();
  long before = 0, rounds = check_scale(200000);
  for (long i = 0; i < rounds; i++) {
    REQUIRE(promise_queue_watch(queue, promise, 1) == PROMISE_OK);
    REQUIRE(promise_queue_tap(queue, promise, 1) == PROMISE_OK);
    REQUIRE(promise_queue_unwatch(queue, 1) == 2);
    promise_t *derived = promise_queue_then(queue, promise, 2);
    REQUIRE(promise_discard(derived) == PROMISE_OK);
    REQUIRE(promise_release(derived) == PROMISE_OK);
    if (i == rounds / 2)
      before = resident_kilobytes();
  }
  CHECK(resident_kilobytes() - before < 1024);
  CHECK_INT(take(queue, 0), 0);
  promise_resolve(promise, VOID());
  CHECK_INT(take(queue, 0), 0);
  promise_release(promise);
  promise_queue_free(queue);
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
  RUN(a_call_is_answered);
  RUN(a_call_for_nobody);
  RUN(a_settled_derived_promise_takes_its_event_along);
  RUN(a_request_goes_from_a_derived_promise_to_the_producer);
  RUN(on_cancel_tells_discards_too_and_nothing_else);
  RUN(an_object_tells_its_end_once);
  RUN(the_descriptor_is_readable_while_events_wait);
  RUN(the_descriptor_comes_late);
  RUN(an_edge_comes_when_a_take_leaves_events);
  RUN(closing_rejects_what_the_taker_was_to_settle);
  RUN(the_last_release_closes);
  RUN(closing_a_long_chain_does_not_recurse);
  RUN(many_watches_of_one_tag);
  RUN(those_who_give_up_leave_nothing);
  RUN(a_take_ends_in_time);
  return check_report();
}
