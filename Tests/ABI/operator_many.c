/* operator.h: operators over many streams, chains of operators, and back-pressure and lifetimes along them. */
#include "operators.h"

TEST(merged_streams_end_when_all_have) {
  for (int how = 0; how < ENDINGS; how++) {
    make_sources(0);
    listener_t listener = {0};
    promise_publisher_t *merged = made(promise_publisher_merge(sources, 3));
    promise_subscriber_t *subscriber = listen(merged, &listener);
    promise_t *end = end_of(subscriber);
    publish(sources[2], 1);
    publish_error(sources[0], 2);
    promise_publisher_cancel(sources[1]);
    publish(sources[0], 3);
    CHECK_TEXT(listener.log, "1 !2 3 ");
    end_by(sources[0], how, 9);
    if (how != FAILED) {
      CHECK_INT(promise_state(end), PROMISE_PENDING);
      publish(sources[2], 4);
      promise_publisher_cancel(sources[2]);
      CHECK_TEXT(listener.log, "1 !2 3 4 .");
    }
    CHECK(ended_by(end, how, 9));
    CHECK_INT(promise_publisher_count(sources[2]), 0); /* the operator has unsubscribed */
    promise_release(end), promise_publisher_release(merged), promise_subscriber_release(subscriber);
    release_sources();
  }
}

TEST(combined_streams_have_the_latest_of_each) {
  make_sources(0);
  promise_publisher_t *combined = promise_publisher_combine_latest(sources, 3);
  promise_subscriber_t *subscriber = listen_to_arrays(combined);
  promise_t *end = end_of(subscriber);
  publish(sources[0], 1);
  publish(sources[1], 2);
  publish(sources[0], 3); /* overwritten, not queued */
  publish_error(sources[2], 0);
  CHECK_TEXT(arrays, "! ");
  publish(sources[2], 4);
  publish(sources[1], 5);
  publish_error(sources[1], 0); /* clears nothing */
  promise_publisher_finish(sources[1]);
  publish(sources[0], 6);
  CHECK_TEXT(arrays, "! 324 354 ! 654 ");
  promise_publisher_finish(sources[0]);
  CHECK_INT(promise_state(end), PROMISE_PENDING);
  promise_publisher_finish(sources[2]);
  CHECK(is_done(end));
  promise_release(end), promise_publisher_release(combined), promise_subscriber_release(subscriber);
  release_sources();
}

TEST(combined_streams_may_end_before_all_have) {
  for (int how = 0; how < ENDINGS; how++) {
    make_sources(PROMISE_PUBLISHER_STATEFUL);
    promise_value_t word = text("kept in a slot");
    promise_publisher_publish(sources[0], &word);
    promise_publisher_t *combined = made(promise_publisher_combine_latest(sources, 3));
    promise_subscriber_t *subscriber = pull(combined, PROMISE_OVERFLOW_BUFFER, 0);
    promise_t *end = end_of(subscriber);
    end_by(sources[0], how, 8);
    if (how == FINISHED) {
      CHECK_INT(promise_state(end), PROMISE_PENDING); /* this source has a value */
      promise_publisher_finish(sources[1]);           /* this source will never have a value */
    }
    CHECK(ended_by(end, how, 8));
    promise_release(end), promise_publisher_release(combined), promise_subscriber_release(subscriber);
    release_sources();
  }
}

TEST(the_same_stream_may_be_combined_twice) {
  promise_publisher_t *source = publisher_new(PROMISE_PUBLISHER_STATEFUL), *twice[] = {source, source};
  publish(source, 1);
  promise_publisher_t *combined = promise_publisher_combine_latest(twice, 2);
  promise_subscriber_t *subscriber = listen_to_arrays(combined);
  CHECK_TEXT(arrays, "11 "); /* stateful, because all sources are */
  publish(source, 2);
  CHECK_TEXT(arrays, "11 21 22 ");
  promise_publisher_release(combined);
  release_both(subscriber, source);
}

/* A stream that joins a stateful and a stateless one has no latest event for a late subscriber. */
TEST(joined_streams_are_stateful_only_if_all_are) {
  for (int stateful = 0; stateful < 2; stateful++) {
    promise_publisher_t *both[] = {publisher_new(stateful == 0 ? PROMISE_PUBLISHER_STATEFUL : 0),
                                   publisher_new(stateful == 1 ? PROMISE_PUBLISHER_STATEFUL : 0)};
    promise_publisher_t *merged = made(promise_publisher_merge(both, 2));
    listener_t first = {0}, late = {0};
    promise_subscriber_t *subscriber = listen(merged, &first);
    publish(both[0], 1);
    publish(both[1], 2);
    CHECK_TEXT(first.log, "1 2 ");
    promise_subscriber_t *other = listen(merged, &late);
    CHECK_TEXT(late.log, "");
    promise_subscriber_release(subscriber), promise_subscriber_release(other);
    promise_publisher_release(merged);
    promise_publisher_release(both[0]), promise_publisher_release(both[1]);
  }
}

/* ---- Forwarding ---- */

TEST(a_link_forwards_until_it_is_released) {
  for (uint32_t flags = 0; flags <= PROMISE_FORWARD_END; flags += PROMISE_FORWARD_END) {
    make_sources(0);
    listener_t listener = {0};
    promise_subscriber_t *subscriber = listen(sources[2], &listener);
    promise_subscriber_t *links[2];
    for (int i = 0; i < 2; i++)
      REQUIRE((links[i] = promise_publisher_forward(sources[i], sources[2], flags)) != NULL);
    publish(sources[0], 1);
    publish_error(sources[1], 2);
    publish(sources[2], 3);
    CHECK_STATUS(promise_subscriber_release(links[1]), PROMISE_OK);
    publish(sources[1], 4);
    CHECK_TEXT(listener.log, "1 !2 3 ");
    CHECK_INT(promise_publisher_state(sources[2]), PROMISE_PENDING);
    promise_publisher_finish(sources[0]);
    CHECK_INT(promise_publisher_state(sources[2]), flags == 0 ? PROMISE_PENDING : PROMISE_FULFILLED);
    CHECK_TEXT(listener.log, flags == 0 ? "1 !2 3 " : "1 !2 3 .");
    promise_t *end = end_of(links[0]);
    CHECK(is_done(end));
    promise_release(end), promise_subscriber_release(links[0]), promise_subscriber_release(subscriber);
    release_sources();
  }
}

/* ---- Chains ---- */

static promise_verdict_t adds_one_more(void *ctx, const promise_value_t *in, promise_value_t *out) {
  (void)ctx;
  *out = *I64(in->as.i64 + 1);
  return PROMISE_FULFILL;
}

static promise_publisher_t *added(promise_publisher_t *source) {
  promise_transform_t transform = {.size = sizeof transform, .on_value = adds_one_more};
  return made(promise_publisher_transform(source, &transform));
}

static promise_publisher_t *chain_of(promise_publisher_t *source, long links) {
  promise_publisher_t *last = added(source);
  for (long i = 1; i < links; i++) {
    promise_publisher_t *next = added(last);
    CHECK_STATUS(promise_publisher_release(last), PROMISE_OK);
    last = next;
  }
  return last;
}

static void *runs_a_long_chain(void *unused) {
  (void)unused;
  long links = check_scale(200000);
  for (int how = 0; how < 2; how++) {
    promise_publisher_t *source = publisher_new(0), *last = chain_of(source, links);
    promise_subscriber_t *subscriber = pull(last, PROMISE_OVERFLOW_DROP_NEWEST, 1);
    promise_publisher_release(last);
    promise_t *next = next_of(subscriber), *end = end_of(subscriber);
    publish(source, 0);
    CHECK(ended(next, PROMISE_FULFILLED, links));
    promise_release(next);
    CHECK_STATUS(promise_publisher_publish(source, I64(1)), PROMISE_EFULL); /* the last subscriber is full */
    promise_t *ready = promise_publisher_ready(source);
    next = next_of(subscriber);
    CHECK(ended(next, PROMISE_FULFILLED, links + 1));
    CHECK(is_done(ready));
    promise_release(ready), promise_release(next);
    if (how == 0) {
      promise_publisher_finish(source);
      CHECK(is_done(end));
    } else {
      promise_subscriber_release(subscriber);
      CHECK_INT(promise_publisher_count(source), 0);
    }
    promise_release(end), promise_publisher_release(source);
    if (how == 0)
      promise_subscriber_release(subscriber);
  }
  return NULL;
}

TEST_BY(a_long_chain_takes_no_stack, on_small_stack(runs_a_long_chain, NULL))

TEST(a_chain_lives_as_long_as_its_last_element) {
  promise_publisher_t *source = publisher_new(0), *last = chain_of(source, 3);
  listener_t listener = {0};
  CHECK_STATUS(promise_publisher_publish(last, I64(1)), PROMISE_EINVAL); /* only the operator publishes to it */
  CHECK_STATUS(promise_publisher_publish_error(last, I64(1)), PROMISE_EINVAL);
  CHECK_STATUS(promise_publisher_finish(last), PROMISE_EINVAL);
  CHECK_STATUS(promise_publisher_fail(last, VOID()), PROMISE_EINVAL);
  CHECK_STATUS(promise_publisher_cancel(last), PROMISE_EINVAL);
  promise_subscriber_t *subscriber = listen(last, &listener);
  promise_publisher_release(last);
  publish(source, 1);
  CHECK_TEXT(listener.log, "4 ");
  promise_subscriber_release(subscriber);
  CHECK_INT(promise_publisher_count(source), 0);
  last = chain_of(source, 3);
  CHECK_INT(promise_publisher_count(source), 1);
  promise_publisher_release(last);
  CHECK_INT(promise_publisher_count(source), 0);
  promise_publisher_release(source);
}

/* Each source of a merge is full when the target is full, also after another source has ended. */
TEST(back_pressure_applies_after_a_source_has_ended) {
  make_sources(0);
  promise_publisher_t *merged = made(promise_publisher_merge(sources, 2));
  promise_subscriber_t *subscriber = pull(merged, PROMISE_OVERFLOW_BUFFER, 1);
  promise_publisher_release(merged);
  for (int64_t i = 1; i <= 3; i++) {
    CHECK_STATUS(promise_publisher_publish(sources[0], I64(i)), PROMISE_EFULL);
    promise_t *ready = promise_publisher_ready(sources[0]), *next = next_of(subscriber);
    CHECK(ended(next, PROMISE_FULFILLED, i) && is_done(ready));
    promise_release(next), promise_release(ready);
    if (i == 1)
      CHECK_STATUS(promise_publisher_finish(sources[1]), PROMISE_OK);
  }
  promise_subscriber_release(subscriber);
  release_sources();
}

TEST(a_full_subscriber_holds_up_the_source) {
  make_sources(0);
  promise_publisher_t *merged = made(promise_publisher_merge(sources, 2)), *last = added(merged);
  promise_subscriber_t *one = pull(last, PROMISE_OVERFLOW_BUFFER, 1),
                       *two = pull(sources[1], PROMISE_OVERFLOW_BUFFER, 1);
  promise_publisher_release(merged), promise_publisher_release(last);
  CHECK_STATUS(promise_publisher_publish(sources[0], I64(1)), PROMISE_EFULL);
  promise_t *ready[] = {promise_publisher_ready(sources[0]), promise_publisher_ready(sources[1])};
  CHECK_INT(promise_state(ready[0]), PROMISE_PENDING);
  CHECK_INT(promise_state(ready[1]), PROMISE_PENDING);
  promise_t *next = next_of(one);
  CHECK(is_done(ready[0]) && is_done(ready[1]));
  promise_release(next), promise_release(ready[0]), promise_release(ready[1]);
  CHECK_STATUS(promise_publisher_publish(sources[1], I64(2)), PROMISE_EFULL); /* both subscribers are full */
  ready[1] = promise_publisher_ready(sources[1]);
  promise_subscriber_release(one); /* a released subscriber is not full */
  CHECK_INT(promise_state(ready[1]), PROMISE_PENDING);
  promise_subscriber_cancel(two);
  CHECK(is_done(ready[1]));
  promise_release(ready[1]), promise_subscriber_release(two);
  release_sources();
}

/* ---- Threads ---- */

static long rounds;
static void *publishes_to(void *argument) {
  promise_publisher_t *publisher = argument;
  for (int64_t i = 0; i < rounds * 20; i++)
    promise_publisher_publish(publisher, I64(i % 3));
  return NULL;
}

static void counts(void *ctx, const promise_value_t *value) {
  (void)value;
  atomic_fetch_add((atomic_long *)ctx, 1);
}

TEST(chains_may_be_released_while_their_sources_publish) {
  make_sources(PROMISE_PUBLISHER_STATEFUL);
  rounds = check_scale(2000);
  pthread_t threads[2];
  for (int i = 0; i < 2; i++)
    threads[i] = start(publishes_to, sources[i]);
  atomic_long count = 0;
  for (long i = 0; i < rounds; i++) {
    promise_publisher_t *first = made(promise_publisher_distinct(sources[0], 0));
    promise_publisher_t *both[] = {first, sources[1]}, *joined, *last;
    joined = made(i % 2 == 0 ? promise_publisher_merge(both, 2) : promise_publisher_combine_latest(both, 2));
    last = made(i % 3 == 0 ? promise_publisher_take(joined, 3) : promise_publisher_window(joined, 2));
    promise_subscription_t wish = {.size = sizeof wish, .overflow = PROMISE_OVERFLOW_DROP_OLDEST, .capacity = 1};
    wish.demand = PROMISE_DEMAND_UNLIMITED, wish.on_value = counts, wish.ctx = &count;
    wish.executor = i % 5 == 0 ? promise_executor_global(PROMISE_PRIORITY_DEFAULT) : NULL;
    promise_subscriber_t *subscriber = subscribe(last, wish);
    promise_t *end = end_of(subscriber);
    promise_publisher_release(first), promise_publisher_release(joined), promise_publisher_release(last);
    promise_subscriber_release(subscriber);
    CHECK_STATUS(promise_wait(end, FOR_EVER), PROMISE_OK);
    promise_release(end);
  }
  for (int i = 0; i < 2; i++)
    finish(threads[i]);
  for (int i = 0; i < 2; i++) {
    CHECK_INT(promise_publisher_count(sources[i]), 0);
    promise_t *ready = promise_publisher_ready(sources[i]);
    CHECK(is_done(ready));
    promise_release(ready);
  }
  release_sources();
}
