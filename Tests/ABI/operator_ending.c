/* operator.h: operators whose sources end at once, and merges upon merges. */
#include "operators.h"

TEST(an_operator_ended_by_one_source_is_detached_from_the_others) {
  for (int combines = 0; combines < 2; combines++) {
    make_sources(0);
    if (combines)
      promise_publisher_finish(sources[0]); /* without a value, so no combination is possible */
    else
      promise_publisher_fail(sources[0], I64(9));
    promise_publisher_t *joined =
        made(combines ? promise_publisher_combine_latest(sources, 3) : promise_publisher_merge(sources, 3));
    CHECK_INT(promise_publisher_state(joined), combines ? PROMISE_FULFILLED : PROMISE_REJECTED);
    for (int i = 1; i < 3; i++)
      CHECK_INT(promise_publisher_count(sources[i]), 0);
    promise_publisher_release(joined);
    promise_t *others[300]; /* these reuse the free cells */
    for (int i = 0; i < 300; i++)
      others[i] = promise_new();
    for (int i = 1; i < 3; i++)
      publish(sources[i], 1);
    for (int i = 0; i < 300; i++) {
      CHECK_INT(promise_state(others[i]), PROMISE_PENDING);
      promise_release(others[i]);
    }
    release_sources();
  }
}

static promise_publisher_t *fails_soon;
static gate_t failing;
static void *fails(void *unused) {
  (void)unused;
  gate_open(&failing);
  promise_publisher_fail(fails_soon, I64(9));
  return NULL;
}

TEST(a_source_may_end_while_it_is_joined) {
  for (long i = 0, times = check_scale(2000); i < times; i++) {
    make_sources(0);
    fails_soon = sources[i % 3], failing = (gate_t)GATE_CLOSED;
    pthread_t thread = start(fails, NULL);
    gate_wait(&failing);
    promise_publisher_t *joined =
        made(i % 2 ? promise_publisher_combine_latest(sources, 3) : promise_publisher_merge(sources, 3));
    finish(thread);
    CHECK_INT(promise_publisher_state(joined), PROMISE_REJECTED);
    for (int j = 0; j < 3; j++)
      CHECK_INT(promise_publisher_count(sources[j]), 0);
    promise_publisher_release(joined);
    release_sources();
  }
}

/* Merges of merges, nested as the first source or as the last. */
static void *holds_up_many_merges(void *is_first) {
  long depth = check_scale(100000);
  make_sources(0);
  promise_publisher_t *last = sources[0];
  promise_publisher_retain(last);
  for (long i = 0; i < depth; i++) {
    promise_publisher_t *both[] = {is_first ? last : sources[1], is_first ? sources[1] : last};
    promise_publisher_t *merged = made(promise_publisher_merge(both, 2));
    promise_publisher_release(last);
    last = merged;
  }
  listener_t listener = {0};
  promise_subscription_t wish = everything(&listener);
  wish.capacity = 1, wish.demand = 0;
  promise_subscriber_t *subscriber = subscribe(last, wish);
  promise_publisher_release(last);
  CHECK_STATUS(promise_publisher_publish(sources[0], I64(1)), PROMISE_EFULL);
  promise_t *room[] = {promise_publisher_ready(sources[0]), promise_publisher_ready(sources[1])};
  CHECK_INT(promise_state(room[0]), PROMISE_PENDING);
  CHECK_INT(promise_state(room[1]), PROMISE_PENDING);
  promise_subscriber_request(subscriber, 1);
  CHECK(is_done(room[0]) && is_done(room[1]));
  CHECK_TEXT(listener.log, "1 ");
  promise_release(room[0]), promise_release(room[1]), promise_subscriber_release(subscriber);
  release_sources();
  return NULL;
}

TEST(merges_of_merges_take_no_stack) {
  on_small_stack(holds_up_many_merges, NULL);
  on_small_stack(holds_up_many_merges, sources);
}

TEST(on_end_is_not_called_for_an_operator_that_is_released) {
  promise_publisher_t *source = publisher_new(0);
  spy_t spy = {0};
  promise_transform_t transform = {.size = sizeof transform, .on_end = spy_handler, .ctx = &spy, .free_ctx = spy_free};
  promise_publisher_release(made(promise_publisher_transform(source, &transform)));
  CHECK_SPY(&spy, 0, 1);
  promise_publisher_finish(source);
  CHECK_SPY(&spy, 0, 1);
  promise_publisher_release(source);
}
