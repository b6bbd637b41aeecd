/* The end of a completion queue: its pending events, its promises and its watches are destroyed. */
#include "queues.h"

TEST(closing_rejects_promises_that_the_taker_was_to_settle) {
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
  /* The interest of the calls in their source has ended too. */
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
  RELEASE_EACH(all, 4);
}

TEST(the_last_release_closes) {
  promise_queue_t *queue = promise_queue_new();
  promise_t *source = promise_new();
  promise_t *derived = promise_queue_then(queue, source, 1);
  CHECK_STATUS(promise_queue_retain(queue), PROMISE_OK);
  CHECK_STATUS(promise_queue_release(queue), PROMISE_OK);
  CHECK_INT(promise_state(derived), PROMISE_PENDING);
  CHECK_STATUS(promise_queue_release(queue), PROMISE_OK);
  CHECK(failed_with(derived, PROMISE_ECLOSED));
  RELEASE(derived, source);
}

/* Closing a queue resolve_there a chain of its calls without recursion. */
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
  RELEASE(last, first);
  return NULL;
}
TEST_BY(closing_a_long_chain_does_not_recurse, on_small_stack(close_a_long_chain, NULL))

/* Any tags are allowed: a million equal tags are unwatched as fast as a million different tags. */
TEST(unwatching_takes_the_same_time_for_equal_and_different_tags) {
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

/* Waiters that detach from a long-lived pending promise leave neither cells nor events behind. */
TEST(unwatched_and_discarded_waiters_leave_no_memory) {
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
    REQUIRE(take(queue, 0) == 1);
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

/* The queue keeps no reference to the event of a discarded promise, so a later watch with the same tag does not change
 * freed memory. */
TEST(a_discarded_promise_is_detached_from_the_queue) {
  promise_t *derived[8];
  promise_queue_t *queue = promise_queue_new();
  promise_t *promise = promise_new(), *given_up = promise_queue_then(queue, promise, 2);
  CHECK_STATUS(promise_discard(given_up), PROMISE_OK);
  CHECK_STATUS(promise_release(given_up), PROMISE_OK);
  CHECK_INT(take(queue, 0), 1);
  for (int i = 0; i < 8; i++)
    derived[i] = promise_then(promise, adds_one, NULL, NULL);
  CHECK_STATUS(promise_queue_watch(queue, promise, 2), PROMISE_OK);
  CHECK_INT(promise_queue_unwatch(queue, 2), 1);
  CHECK_STATUS(promise_resolve(promise, I64(1)), PROMISE_OK);
  CHECK_INT(take(queue, 0), 0);
  promise_queue_free(queue);
  for (int i = 0; i < 8; i++) {
    CHECK(ended(derived[i], PROMISE_FULFILLED, 2));
    CHECK_STATUS(promise_release(derived[i]), PROMISE_OK);
  }
  promise_release(promise);
}

/* The settling thread has finished using the queue once a taker can take the event. */
TEST(a_taker_frees_the_queue_of_its_last_event) {
  for (long i = check_scale(5000); i > 0; i--) {
    promise_queue_t *queue = promise_queue_new();
    promise_t *promise = promise_new();
    REQUIRE(promise_queue_watch(queue, promise, 1) == PROMISE_OK);
    pthread_t settler = start(resolve_there, promise);
    CHECK_INT(take(queue, FOR_EVER), 1);
    CHECK_STATUS(promise_queue_free(queue), PROMISE_OK);
    finish(settler);
    promise_release(promise);
  }
}
