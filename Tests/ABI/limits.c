/* The largest number of references: a call that needs one more fails with a status, and no reference is lost. */
#include "support.h"

static long const limit = 1L << 26;

TEST(promise_takes_as_many_references_as_promised) {
  promise_t *promise = promise_new();
  promise_status_t status = PROMISE_OK;
  long references = 1;
  while ((status = promise_retain(promise)) == PROMISE_OK && references <= limit)
    references++;
  CHECK_STATUS(status, PROMISE_ENOMEM);
  CHECK_INT(references, limit);
  CHECK_STATUS(promise_retain(promise), PROMISE_ENOMEM);
  CHECK_STATUS(promise_release(promise), PROMISE_OK);
  CHECK_STATUS(promise_retain(promise), PROMISE_OK);
  CHECK_STATUS(promise_retain(promise), PROMISE_ENOMEM);
  promise_value_t value = garbage();
  CHECK_STATUS(promise_value_promise(&value, promise), PROMISE_ENOMEM);
  CHECK_INT(value.kind, PROMISE_KIND_VOID);

  /* The promise still works: a callback takes a reference to its derived promise, not to this one. */
  spy_t spy = {0};
  CHECK_STATUS(promise_observe(promise, spy_observer, NULL, &spy, spy_free), PROMISE_OK);
  CHECK_STATUS(promise_wait(promise, 1), PROMISE_ETIMEDOUT);
  CHECK_STATUS(promise_resolve(promise, I64(1)), PROMISE_OK);
  CHECK_SPY(&spy, 1, 1);
  promise_t *child = promise_then(promise, adds_one, NULL, NULL);
  CHECK(ended(child, PROMISE_FULFILLED, 2));
  promise_release(child);

  for (long i = 1; i < references; i++)
    status |= promise_release(promise) != PROMISE_OK;
  CHECK_STATUS(status, PROMISE_ENOMEM);
  CHECK_INT(promise_state(promise), PROMISE_FULFILLED);
  CHECK_STATUS(promise_release(promise), PROMISE_OK);
  CHECK_STATUS(promise_state(promise), PROMISE_ESTALE);
}

/* The call takes two references of its own. */
TEST(promise_without_references_left_does_not_follow) {
  for (int missing = 0; missing < 2; missing++) {
    promise_t *promise = promise_new(), *source = promise_new();
    for (long references = 1; references < limit - missing; references++)
      promise_retain(promise);
    CHECK_STATUS(promise_follow(promise, source), PROMISE_ENOMEM);
    for (long references = 1; references < limit - missing; references++)
      promise_release(promise);
    CHECK_STATUS(promise_follow(promise, source), PROMISE_OK);
    CHECK_STATUS(promise_resolve(source, I64(1)), PROMISE_OK);
    CHECK_ENDED(promise, PROMISE_FULFILLED, 1);
    RELEASE(promise, source);
  }
}

TEST(value_takes_as_many_references_as_promised) {
  payload_t payload = {0};
  promise_value_t value = object(&payload), got;
  promise_t *promise = promise_new();
  long references = 1;
  promise_status_t status = PROMISE_OK;
  promise_publisher_t *publisher = promise_publisher_new(PROMISE_PUBLISHER_STATEFUL);
  CHECK_STATUS(promise_publisher_latest(publisher, &got), PROMISE_PENDING);
  CHECK_STATUS(promise_value_retain(&value), PROMISE_OK);
  CHECK_STATUS(promise_publisher_publish(publisher, &value), PROMISE_OK);
  CHECK_STATUS(promise_publisher_latest(publisher, &got), PROMISE_FULFILLED);
  CHECK_STATUS(promise_value_release(&got), PROMISE_OK);
  CHECK_STATUS(promise_resolve(promise, &value), PROMISE_OK);
  references++; /* the publisher's reference */
  while ((status = promise_value_retain(&value)) == PROMISE_OK && references <= limit)
    references++;
  CHECK_STATUS(status, PROMISE_ENOMEM);
  CHECK_INT(references, limit);
  CHECK_STATUS(promise_result(promise, &got), PROMISE_ENOMEM);
  CHECK_INT(got.kind, PROMISE_KIND_VOID);
  got = garbage();
  CHECK_STATUS(promise_publisher_latest(publisher, &got), PROMISE_ENOMEM);
  CHECK_INT(got.kind, PROMISE_KIND_VOID);

  /* A derived promise that cannot share the value is rejected with PROMISE_ENOMEM. */
  promise_t *child = promise_rescue(promise, NULL, adds_one, NULL, NULL);
  CHECK(failed_with(child, PROMISE_ENOMEM));
  promise_release(child);

  /* So is a promise whose callback runs on an executor. */
  spy_t spy = {0};
  promise_executor_t *serial = promise_executor_serial(promise_executor_immediate());
  promise_reaction_t reaction = {.size = sizeof reaction, .executor = serial, .on_fulfilled = spy_handler};
  reaction.ctx = &spy, reaction.free_ctx = spy_free;
  child = promise_react(promise, &reaction);
  CHECK(failed_with(child, PROMISE_ENOMEM));
  CHECK_SPY(&spy, 0, 1);
  promise_release(child);
  promise_executor_release(serial);

  CHECK_STATUS(promise_publisher_release(publisher), PROMISE_OK);
  for (long i = 2; i < references; i++) {
    promise_value_t copy = value;
    status |= promise_value_release(&copy) != PROMISE_OK;
  }
  CHECK_STATUS(status, PROMISE_ENOMEM);
  CHECK_INT(atomic_load(&payload.destroyed), 0);
  CHECK_STATUS(promise_release(promise), PROMISE_OK);
  CHECK_INT(atomic_load(&payload.destroyed), 1);
}

/* Retains a handle up to the limit, then releases it as many times. */
static void fill(void *handle, promise_status_t (*retain)(void *), promise_status_t (*release)(void *),
                 void (*at_the_limit)(void *)) {
  promise_status_t status = PROMISE_OK;
  long references = 1;
  while ((status = retain(handle)) == PROMISE_OK && references <= limit)
    references++;
  CHECK_STATUS(status, PROMISE_ENOMEM);
  CHECK(references >= (1L << 24) - 1);
  if (at_the_limit != NULL)
    at_the_limit(handle);
  for (status = PROMISE_OK; references > 0; references--)
    status |= release(handle);
  CHECK_STATUS(status, PROMISE_OK);
  CHECK_STATUS(release(handle), PROMISE_ESTALE);
}

#define FILLED(kind)                                                                                                   \
  static promise_status_t retain_##kind(void *handle) {                                                                \
    return promise_##kind##_retain(handle);                                                                            \
  }                                                                                                                    \
  static promise_status_t release_##kind(void *handle) {                                                               \
    return promise_##kind##_release(handle);                                                                           \
  }
FILLED(executor)
FILLED(token)
FILLED(publisher)
FILLED(loop)
FILLED(queue)
FILLED(subscriber)

static void becomes_no_main_executor(void *executor) {
  CHECK_STATUS(promise_executor_set_main(executor), PROMISE_ENOMEM);
}
TEST(executor_takes_as_many_references_as_promised) {
  fill(promise_executor_new(drop_at_once, NULL, NULL), retain_executor, release_executor, becomes_no_main_executor);
}

/* A rejected subscription leaves nothing behind, neither in its token nor in its publisher. */
static void no_subscriber_of(void *executor) {
  spy_t spy = {0};
  promise_token_t *token = promise_token_new(0);
  promise_publisher_t *publisher = promise_publisher_new(0);
  promise_subscription_t wish = {.size = sizeof wish, .overflow = PROMISE_OVERFLOW_BUFFER, .ctx = &spy};
  wish.free_ctx = spy_free, wish.token = token, wish.executor = executor;
  CHECK_POINTER(promise_publisher_subscribe(publisher, &wish), NULL);
  CHECK_STATUS(promise_last_status(), PROMISE_ENOMEM);
  CHECK_SPY(&spy, 0, 1);
  CHECK_STATUS(promise_publisher_release(publisher), PROMISE_OK);
  CHECK_STATUS(promise_token_release(token), PROMISE_OK);
}
TEST(an_executor_without_references_left_refuses_subscribers) {
  fill(promise_executor_new(drop_at_once, NULL, NULL), retain_executor, release_executor, no_subscriber_of);
}

TEST(loop_returns_no_more_references_than_promised) {
  promise_loop_t *loop = promise_loop_new();
  promise_executor_t *executor = promise_loop_executor(loop);
  long references = 1;
  while (promise_executor_retain(executor) == PROMISE_OK)
    references++;
  CHECK_POINTER(promise_loop_executor(loop), NULL);
  CHECK_STATUS(promise_last_status(), PROMISE_ENOMEM);
  for (; references > 0; references--)
    promise_executor_release(executor);
  CHECK_STATUS(promise_loop_release(loop), PROMISE_OK);
}

TEST_BY(loop_takes_as_many_references_as_promised, fill(promise_loop_new(), retain_loop, release_loop, NULL))
TEST_BY(queue_takes_as_many_references_as_promised, fill(promise_queue_new(), retain_queue, release_queue, NULL))
TEST_BY(token_takes_as_many_references_as_promised, fill(promise_token_new(0), retain_token, release_token, NULL))

TEST(publisher_takes_as_many_references_as_promised) {
  fill(promise_publisher_new(0), retain_publisher, release_publisher, NULL);
}

TEST(subscriber_and_its_end_take_as_many_references_as_promised) {
  promise_publisher_t *publisher = promise_publisher_new(0);
  promise_subscription_t wish = {.size = sizeof wish, .overflow = PROMISE_OVERFLOW_BUFFER};
  promise_subscriber_t *subscriber = promise_publisher_subscribe(publisher, &wish);
  long references = 0;
  promise_t *end = NULL;
  for (promise_t *got; (got = promise_subscriber_end(subscriber)) != NULL && references <= limit; references++)
    end = got;
  CHECK_STATUS(promise_last_status(), PROMISE_ENOMEM);
  CHECK_INT(references, limit - 1);
  for (; references > 0; references--)
    promise_release(end);
  fill(subscriber, retain_subscriber, release_subscriber, NULL);
  promise_publisher_release(publisher);
}
