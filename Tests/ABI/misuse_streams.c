/* Misuse of publishers and subscribers. */
#include "misuse.h"

#include "streams.h"

/* ---- Functions of a publisher alone ---- */

MISUSE(promise_publisher_every) {
  refused(promise_publisher_every(NULL, 0), PROMISE_EINVAL, NULL);
  refused(promise_publisher_every(NULL, -1), PROMISE_EINVAL, NULL);
  refused(promise_publisher_every(NULL, INT64_MIN), PROMISE_EINVAL, NULL);
  EACH_BAD_HANDLE(EXECUTORS, handle)
    refused(promise_publisher_every(handle, 1), PROMISE_ESTALE, NULL);
}

MISUSE_OF_HANDLE(promise_publisher_retain, PUBLISHERS)
MISUSE_OF_HANDLE(promise_publisher_release, PUBLISHERS)
MISUSE_OF_HANDLE(promise_publisher_finish, PUBLISHERS)
MISUSE_OF_HANDLE(promise_publisher_cancel, PUBLISHERS)
MISUSE_OF_HANDLE(promise_publisher_state, PUBLISHERS)
MISUSE_OF_HANDLE(promise_publisher_count, PUBLISHERS)

MISUSE(promise_publisher_new) {
  refused(promise_publisher_new(PROMISE_COMBINE_CANCEL_OTHERS), PROMISE_EINVAL, NULL);
  refused(promise_publisher_new(UINT32_MAX), PROMISE_EINVAL, NULL);
}

MISUSE_OF_HANDLE_GIVING_NULL(promise_publisher_ready, PUBLISHERS)

MISUSE(promise_publisher_latest) {
  promise_value_t out = garbage();
  CHECK_INT(promise_publisher_latest(NULL, &out), PROMISE_EINVAL);
  CHECK_INT(out.kind, PROMISE_KIND_VOID);
  promise_publisher_t *publisher = promise_publisher_new(0);
  CHECK_INT(promise_publisher_latest(publisher, NULL), PROMISE_EINVAL);
  promise_publisher_release(publisher);
  EACH_BAD_HANDLE(PUBLISHERS, handle) {
    promise_value_t out = garbage();
    CHECK_INT(promise_publisher_latest(handle, &out), PROMISE_ESTALE);
    CHECK_INT(out.kind, PROMISE_KIND_VOID);
  }
}

/* ---- Functions of a publisher and a value, which they take over ---- */

static void misuse_of_value(promise_status_t (*taking)(promise_publisher_t *, const promise_value_t *)) {
  promise_value_t value;
  REQUIRE(promise_value_object(&value, payload_type(), &payload) == PROMISE_OK);
  CHECK_STATUS(taking(NULL, &value), PROMISE_EINVAL);
  destroyed();
  CHECK_STATUS(taking(NULL, NULL), PROMISE_EINVAL);
  promise_publisher_t *publishing = promise_publisher_new(0);
  CHECK_STATUS(taking(publishing, NULL), PROMISE_EINVAL);
  EACH_BAD_VALUE(value)
    CHECK_STATUS(taking(publishing, &value), PROMISE_EINVAL);
  CHECK_INT(promise_publisher_state(publishing), PROMISE_PENDING);
  promise_publisher_cancel(publishing);
  REQUIRE(promise_value_object(&value, payload_type(), &payload) == PROMISE_OK);
  CHECK_STATUS(taking(publishing, &value), PROMISE_ESETTLED);
  destroyed();
  promise_publisher_release(publishing);
  EACH_BAD_HANDLE(PUBLISHERS, handle) {
    promise_value_t value;
    REQUIRE(promise_value_object(&value, payload_type(), &payload) == PROMISE_OK);
    CHECK_STATUS(taking(handle, &value), PROMISE_ESTALE);
    destroyed();
    CHECK_STATUS(taking(handle, NULL), PROMISE_ESTALE);
  }
}

MISUSE_BY(misuse_of_value, promise_publisher_publish)
MISUSE_BY(misuse_of_value, promise_publisher_publish_error)
MISUSE_BY(misuse_of_value, promise_publisher_fail)

/* ---- Subscribing ---- */

static promise_subscription_t wish(void) {
  return (promise_subscription_t){.size = sizeof(promise_subscription_t),
                                  .overflow = PROMISE_OVERFLOW_BUFFER,
                                  .on_value = spy_observer,
                                  .ctx = &spy,
                                  .free_ctx = spy_free};
}

MISUSE(promise_publisher_subscribe) {
  promise_subscription_t subscription = wish();
  refused(promise_publisher_subscribe(NULL, &subscription), PROMISE_EINVAL, &spy);
  promise_publisher_t *publisher = promise_publisher_new(0);
  refused(promise_publisher_subscribe(publisher, NULL), PROMISE_EINVAL, NULL);
  for (uint32_t size = 0; size < sizeof subscription; size++) {
    subscription.size = size;
    refused(promise_publisher_subscribe(publisher, &subscription), PROMISE_EINVAL, NULL);
    CHECK_SPY(&spy, 0, 0);
  }
  subscription.size = UINT32_MAX;
  refused(promise_publisher_subscribe(publisher, &subscription), PROMISE_EINVAL, &spy);
  static const promise_overflow_t overflows[] = {0, 5, UINT32_MAX};
  for (int i = 0; i < 3; i++) {
    subscription = wish();
    subscription.overflow = overflows[i], subscription.capacity = 1;
    refused(promise_publisher_subscribe(publisher, &subscription), PROMISE_EINVAL, &spy);
  }
  for (promise_overflow_t overflow = PROMISE_OVERFLOW_DROP_OLDEST; overflow <= PROMISE_OVERFLOW_FAIL; overflow++) {
    subscription = wish();
    subscription.overflow = overflow;
    refused(promise_publisher_subscribe(publisher, &subscription), PROMISE_EINVAL, &spy);
  }
  struct {
    promise_subscription_t known;
    uint64_t unknown;
  } newer = {.known = wish(), .unknown = 1};
  newer.known.size = sizeof newer;
  refused(promise_publisher_subscribe(publisher, &newer.known), PROMISE_EINVAL, &spy);
  newer.unknown = 0;
  promise_subscriber_t *subscriber = promise_publisher_subscribe(publisher, &newer.known);
  CHECK(subscriber != NULL);
  promise_subscriber_release(subscriber);
  freed_uncalled();
  promise_publisher_release(publisher);
  EACH_BAD_HANDLE(PUBLISHERS, handle) {
    promise_subscription_t subscription = wish();
    refused(promise_publisher_subscribe(handle, &subscription), PROMISE_ESTALE, &spy);
  }
  EACH_BAD_HANDLE(EXECUTORS, handle) {
    promise_subscription_t subscription = wish();
    subscription.executor = handle;
    refused(promise_publisher_subscribe(live_publisher, &subscription), PROMISE_ESTALE, &spy);
  }
  EACH_BAD_HANDLE(TOKENS, handle) {
    promise_subscription_t subscription = wish();
    subscription.token = handle;
    refused(promise_publisher_subscribe(live_publisher, &subscription), PROMISE_ESTALE, &spy);
  }
}

/* ---- Functions of a subscriber ---- */

MISUSE_OF_HANDLE(promise_subscriber_retain, SUBSCRIBERS)
MISUSE_OF_HANDLE(promise_subscriber_release, SUBSCRIBERS)
MISUSE_OF_HANDLE(promise_subscriber_cancel, SUBSCRIBERS)
MISUSE_OF_HANDLE(promise_subscriber_dropped, SUBSCRIBERS)

MISUSE(promise_subscriber_request) {
  CHECK_STATUS(promise_subscriber_request(NULL, 1), PROMISE_EINVAL);
  EACH_BAD_HANDLE(SUBSCRIBERS, handle)
    CHECK_STATUS(promise_subscriber_request(handle, 1), PROMISE_ESTALE);
  promise_publisher_t *publisher = promise_publisher_new(0);
  promise_subscription_t subscription = wish();
  promise_subscriber_t *subscriber = promise_publisher_subscribe(publisher, &subscription);
  CHECK_STATUS(promise_subscriber_request(subscriber, 0), PROMISE_EINVAL);
  refused(promise_subscriber_next(subscriber), PROMISE_EINVAL, NULL); /* the subscriber has callbacks */
  promise_subscriber_release(subscriber);
  CHECK_SPY(&spy, 0, 1);
  subscription = (promise_subscription_t){.size = sizeof subscription, .overflow = PROMISE_OVERFLOW_BUFFER};
  subscriber = promise_publisher_subscribe(publisher, &subscription);
  CHECK_STATUS(promise_subscriber_request(subscriber, 1), PROMISE_EINVAL); /* the subscriber has no callback */
  promise_subscriber_release(subscriber);
  promise_publisher_t *target = promise_publisher_new(0);
  subscriber = promise_publisher_forward(publisher, target, 0);
  CHECK_STATUS(promise_subscriber_request(subscriber, 1), PROMISE_OK);
  refused(promise_subscriber_next(subscriber), PROMISE_EINVAL, NULL);
  promise_subscriber_release(subscriber);
  promise_publisher_release(target);
  promise_publisher_release(publisher);
}

MISUSE_OF_HANDLE_GIVING_NULL(promise_subscriber_next, SUBSCRIBERS)
MISUSE_OF_HANDLE_GIVING_NULL(promise_subscriber_end, SUBSCRIBERS)
