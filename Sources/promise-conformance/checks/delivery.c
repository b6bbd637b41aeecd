/* promise/stream.h: delivery on executors, back-pressure, and calls that a subscriber refuses. */
#include "../checked.h"

#include "../loops.h"
#include "../streams.h"

CHECKS(delivery)

RULE(callbacks_run_on_the_executor, "a subscriber's callbacks run on its executor, the end after them") {
  fixture_t fixture = setup();
  promise_publisher_t *publisher = publisher_new(PROMISE_PUBLISHER_STATEFUL);
  listener_t listener = {0};
  promise_subscription_t wish = everything(&listener);
  wish.executor = fixture.executor;
  publish(publisher, 1);
  promise_subscriber_t *subscriber = subscribe(publisher, wish);
  promise_t *end = end_of(subscriber);
  publish(publisher, 2);
  publish_error(publisher, 3);
  CHECK_TEXT(listener.log, "");
  while (atomic_load(&listener.calls) < 3)
    CHECK(promise_loop_run_once(fixture.loop) >= 0);
  CHECK_TEXT(listener.log, "1 2 !3 ");
  CHECK_STATUS(promise_publisher_finish(publisher), PROMISE_OK);
  CHECK_STATUS(promise_loop_wait(fixture.loop, end, FOR_EVER), PROMISE_OK);
  CHECK(is_done(end));
  CHECK_TEXT(listener.log, "1 2 !3 .");
  release(end);
  release_both(subscriber, publisher);
  teardown(fixture);
}

RULE(an_executor_that_drops_ends_its_subscriber,
     "an executor that drops a job ends its subscriber with PROMISE_ECLOSED, and no other") {
  fixture_t fixture = setup();
  promise_publisher_t *publisher = publisher_new(0);
  listener_t listener = {0}, other = {0};
  promise_subscription_t wish = everything(&listener);
  wish.executor = fixture.executor;
  promise_subscriber_t *subscriber = subscribe(publisher, wish), *rest = listen(publisher, &other);
  promise_t *end = end_of(subscriber);
  publish(publisher, 1);
  CHECK_STATUS(promise_loop_release(fixture.loop), PROMISE_OK);
  CHECK_LIBRARY_ERROR(end, PROMISE_ECLOSED);
  CHECK_TEXT(listener.log, ".");
  publish(publisher, 2);
  CHECK_TEXT(other.log, "1 2 ");
  release(end);
  CHECK_STATUS(promise_executor_release(fixture.executor), PROMISE_OK);
  CHECK_STATUS(promise_subscriber_release(rest), PROMISE_OK);
  release_both(subscriber, publisher);
}

RULE(room_is_a_promise, "promise_publisher_ready() is fulfilled with room, and cancelled by the end") {
  promise_publisher_t *publisher = publisher_new(0);
  promise_subscriber_t *subscriber = pull(publisher, PROMISE_OVERFLOW_BUFFER, 1);
  promise_t *at_once = promise_publisher_ready(publisher);
  CHECK(is_done(at_once));
  CHECK_STATUS(promise_publisher_publish(publisher, I64(1)), PROMISE_EFULL);
  promise_t *ready = promise_publisher_ready(publisher);
  CHECK_INT(promise_state(ready), PROMISE_PENDING);
  promise_t *next = next_of(subscriber);
  CHECK_ENDED(next, PROMISE_FULFILLED, 1);
  CHECK(is_done(ready));
  /* The end of the stream cancels a promise of room. */
  CHECK_STATUS(promise_publisher_publish(publisher, I64(2)), PROMISE_EFULL);
  promise_t *never = promise_publisher_ready(publisher);
  CHECK_STATUS(promise_publisher_finish(publisher), PROMISE_OK);
  CHECK(was_discarded(never));
  RELEASE(at_once, ready, next, never);
  release_both(subscriber, publisher);
}

RULE(the_next_event_passes_an_abandoned_promise,
     "an event passes a promise of promise_subscriber_next() that is abandoned") {
  promise_publisher_t *publisher = publisher_new(0);
  promise_subscriber_t *subscriber = pull(publisher, PROMISE_OVERFLOW_BUFFER, 0);
  promise_t *settled = next_of(subscriber), *released = next_of(subscriber), *next = next_of(subscriber);
  resolve(settled, 9);
  release(released);
  publish(publisher, 1);
  CHECK_ENDED(settled, PROMISE_FULFILLED, 9);
  CHECK_ENDED(next, PROMISE_FULFILLED, 1);
  RELEASE(settled, next);
  /* A failed stream rejects the promise with its reason, a cancelled subscriber with a DISCARDED. */
  promise_t *failed = next_of(subscriber);
  CHECK_STATUS(promise_publisher_fail(publisher, I64(5)), PROMISE_OK);
  CHECK_ENDED(failed, PROMISE_REJECTED, 5);
  release(failed);
  release_both(subscriber, publisher);
  publisher = publisher_new(0), subscriber = pull(publisher, PROMISE_OVERFLOW_BUFFER, 0);
  promise_t *cancelled = next_of(subscriber);
  CHECK_STATUS(promise_subscriber_cancel(subscriber), PROMISE_OK);
  CHECK_DISCARDED(cancelled);
  release(cancelled);
  release_both(subscriber, publisher);
}

RULE(a_stateless_publisher_has_no_latest_event, "a publisher that is not stateful has no latest event") {
  promise_publisher_t *publisher = publisher_new(0);
  promise_value_t latest = garbage();
  publish(publisher, 1);
  CHECK_INT(promise_publisher_latest(publisher, &latest), PROMISE_PENDING);
  CHECK_INT(latest.kind, PROMISE_KIND_VOID);
  CHECK_INT(promise_publisher_latest(publisher, NULL), PROMISE_EINVAL);
  CHECK_STATUS(promise_publisher_release(publisher), PROMISE_OK);
  latest = garbage();
  CHECK_INT(promise_publisher_latest(publisher, &latest), PROMISE_ESTALE);
  CHECK_INT(latest.kind, PROMISE_KIND_VOID);
}

static void refuses(promise_publisher_t *publisher, promise_subscription_t wish, promise_status_t status) {
  spy_t spy = {0};
  wish.ctx = &spy, wish.free_ctx = spy_free;
  CHECK_POINTER(promise_publisher_subscribe(publisher, &wish), NULL);
  CHECK_STATUS(promise_last_status(), status);
  CHECK_SPY(&spy, 0, 1);
}

RULE(invalid_arguments_are_refused, "invalid subscriptions and calls are refused") {
  promise_publisher_t *publisher = publisher_new(0);
  listener_t listener = {0};
  promise_subscription_t good = everything(NULL), bad = good;
  bad.overflow = 0;
  refuses(publisher, bad, PROMISE_EINVAL);
  bad.overflow = PROMISE_OVERFLOW_DROP_OLDEST; /* needs a capacity */
  refuses(publisher, bad, PROMISE_EINVAL);
  bad = good, bad.executor = (promise_executor_t *)(void *)stale();
  refuses(publisher, bad, PROMISE_ESTALE);
  bad = good, bad.token = (promise_token_t *)(void *)stale();
  refuses(publisher, bad, PROMISE_ESTALE);
  refuses(NULL, good, PROMISE_EINVAL);
  CHECK_POINTER(promise_publisher_subscribe(publisher, NULL), NULL);
  CHECK_STATUS(promise_last_status(), PROMISE_EINVAL);
  promise_subscriber_t *called = listen(publisher, &listener), *asked = pull(publisher, PROMISE_OVERFLOW_BUFFER, 0);
  CHECK_STATUS(promise_subscriber_request(called, 0), PROMISE_EINVAL);
  CHECK_STATUS(promise_subscriber_request(asked, 1), PROMISE_EINVAL);
  CHECK_POINTER(promise_subscriber_next(called), NULL);
  CHECK_STATUS(promise_last_status(), PROMISE_EINVAL);
  CHECK_STATUS(promise_subscriber_release(asked), PROMISE_OK);
  release_both(called, publisher);
}
