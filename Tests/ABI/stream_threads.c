/* stream.h: executors, and several threads. */
#include <sched.h>

#include "streams.h"

static promise_subscriber_t *listen_on(promise_publisher_t *publisher, promise_executor_t *executor,
                                       listener_t *listener) {
  promise_subscription_t wish = everything(listener);
  wish.executor = executor;
  return subscribe(publisher, wish);
}

TEST(an_executor_has_one_turn_at_a_time) {
  shelf_t shelf = SHELF_EMPTY;
  promise_executor_t *executor = promise_executor_new(shelve, &shelf, NULL);
  promise_publisher_t *publisher = publisher_new(PROMISE_PUBLISHER_STATEFUL);
  listener_t listener = {0}, here = {0};
  publish(publisher, 0);
  promise_subscriber_t *subscriber = listen_on(publisher, executor, &listener), *other = listen(publisher, &here);
  promise_t *end = end_of(subscriber);
  publish(publisher, 1);
  publish_error(publisher, 2);
  CHECK_TEXT(listener.log, ""); /* replayed events are delivered on the executor too */
  CHECK_TEXT(here.log, "0 1 !2 ");
  CHECK_INT(shelf.count, 1);
  CHECK_STATUS(promise_job_run(take_job(&shelf)), PROMISE_OK);
  CHECK_TEXT(listener.log, "0 1 !2 ");
  CHECK_INT(shelf.count, 0);
  publish(publisher, 3);
  promise_publisher_finish(publisher);
  CHECK_INT(promise_state(end), PROMISE_PENDING);
  CHECK_STATUS(promise_job_run(take_job(&shelf)), PROMISE_OK);
  CHECK_TEXT(listener.log, "0 1 !2 3 .");
  CHECK(is_done(end));
  promise_release(end), promise_subscriber_release(other);
  release_both(subscriber, publisher);
  promise_executor_release(executor);
  CHECK_INT(shelf.count, 0);
}

TEST(a_subscriber_cancelled_before_its_turn_gets_no_event) {
  for (int how = 0; how < 3; how++) {
    shelf_t shelf = SHELF_EMPTY;
    promise_executor_t *executor = promise_executor_new(shelve, &shelf, NULL);
    promise_publisher_t *publisher = publisher_new(0);
    listener_t listener = {0};
    promise_subscriber_t *subscriber = listen_on(publisher, executor, &listener);
    promise_t *end = end_of(subscriber);
    publish(publisher, 1);
    if (how == 0)
      promise_subscriber_cancel(subscriber);
    if (how == 1)
      promise_subscriber_release(subscriber);
    if (how == 2) /* as an executor that has shut down */
      CHECK_STATUS(promise_job_drop(take_job(&shelf)), PROMISE_OK);
    else
      CHECK_STATUS(promise_job_run(take_job(&shelf)), PROMISE_OK);
    CHECK_TEXT(listener.log, ".");
    CHECK(how == 2 ? failed_with(end, PROMISE_ECLOSED) : was_discarded(end));
    CHECK_INT(promise_publisher_count(publisher), 0);
    if (how != 1)
      promise_subscriber_release(subscriber);
    promise_release(end), promise_publisher_release(publisher), promise_executor_release(executor);
  }
}

static gate_t entered, leave;
static void blocks(listener_t *listener, int64_t number) {
  (void)listener, (void)number;
  gate_open(&entered);
  gate_wait(&leave);
}

TEST(cancelling_waits_for_no_callback_that_runs) {
  entered = (gate_t)GATE_CLOSED, leave = (gate_t)GATE_CLOSED;
  promise_publisher_t *publisher = publisher_new(0);
  listener_t slow = {.then = blocks}, fast = {0};
  promise_subscriber_t *subscriber = listen_on(publisher, promise_executor_global(PROMISE_PRIORITY_DEFAULT), &slow);
  promise_subscriber_t *other = listen(publisher, &fast);
  promise_t *end = end_of(subscriber);
  publish(publisher, 1);
  gate_wait(&entered);
  publish(publisher, 2); /* a slow subscriber does not block others */
  CHECK_TEXT(fast.log, "1 2 ");
  CHECK_STATUS(promise_subscriber_cancel(subscriber), PROMISE_OK);
  CHECK_STATUS(promise_subscriber_cancel(subscriber), PROMISE_ESETTLED);
  CHECK_INT(promise_state(end), PROMISE_PENDING);
  CHECK_INT(atomic_load(&slow.frees), 0);
  gate_open(&leave);
  CHECK_STATUS(promise_wait(end, FOR_EVER), PROMISE_OK);
  CHECK(was_discarded(end));
  CHECK_INT(atomic_load(&slow.calls), 1);
  /* The context is on this stack. A pool thread frees it once the end is settled. */
  while (atomic_load(&slow.frees) == 0)
    sched_yield();
  promise_release(end), promise_subscriber_release(other);
  release_both(subscriber, publisher);
}

/* ---- Several publishing threads ---- */

enum { THREADS = 3, SUBSCRIBERS = 3 };

typedef struct reader {
  int64_t last[THREADS]; /* the last number of each thread */
  uint64_t sum;          /* a hash of all events, which depends on their order */
  long count;
  atomic_int inside;
  bool is_wrong;
} reader_t;

static void reads(void *ctx, const promise_value_t *value) {
  reader_t *reader = ctx;
  reader->is_wrong |= atomic_fetch_add(&reader->inside, 1) != 0;
  int64_t thread = value->as.i64 % THREADS, number = value->as.i64 / THREADS;
  reader->is_wrong |= number != reader->last[thread] + 1;
  reader->last[thread] = number;
  reader->sum = reader->sum * 31 + (uint64_t)value->as.i64;
  reader->count++;
  atomic_fetch_sub(&reader->inside, 1);
}

static promise_publisher_t *busy;
static long amount;

static void *publishes_many(void *argument) {
  int64_t thread = (int64_t)(intptr_t)argument;
  for (int64_t number = 1; number <= amount; number++)
    promise_publisher_publish(busy, I64(number * THREADS + thread));
  return NULL;
}

TEST(every_subscriber_has_everything_in_the_same_order) {
  busy = publisher_new(0);
  amount = check_scale(20000);
  reader_t readers[SUBSCRIBERS];
  memset(readers, 0, sizeof readers);
  promise_subscriber_t *subscribers[SUBSCRIBERS];
  promise_t *ends[SUBSCRIBERS];
  promise_executor_t *executors[SUBSCRIBERS] = {NULL, promise_executor_global(PROMISE_PRIORITY_DEFAULT),
                                                promise_executor_serial(NULL)};
  for (int i = 0; i < SUBSCRIBERS; i++) {
    promise_subscription_t wish = {
        .size = sizeof wish, .overflow = PROMISE_OVERFLOW_BUFFER, .demand = PROMISE_DEMAND_UNLIMITED};
    wish.executor = executors[i], wish.on_value = reads, wish.ctx = &readers[i];
    subscribers[i] = subscribe(busy, wish);
    ends[i] = end_of(subscribers[i]);
  }
  pthread_t threads[THREADS];
  for (intptr_t i = 0; i < THREADS; i++)
    threads[i] = start(publishes_many, (void *)i);
  for (int i = 0; i < THREADS; i++)
    finish(threads[i]);
  promise_publisher_finish(busy);
  for (int i = 0; i < SUBSCRIBERS; i++) {
    CHECK_STATUS(promise_wait(ends[i], FOR_EVER), PROMISE_OK);
    CHECK(is_done(ends[i]));
    CHECK_INT(readers[i].count, amount * THREADS);
    CHECK_INT((long long)readers[i].sum, (long long)readers[0].sum);
    CHECK(!readers[i].is_wrong);
    promise_release(ends[i]), promise_subscriber_release(subscribers[i]);
  }
  promise_publisher_release(busy);
  promise_executor_release(executors[2]);
}

/* ---- Short-lived subscribers meanwhile ---- */

static atomic_long frees, subscriptions;
static void counts_value(void *ctx, const promise_value_t *value) {
  (void)value;
  atomic_fetch_add((atomic_long *)ctx, 1);
}
static void frees_counter(void *ctx) {
  free(ctx);
  atomic_fetch_add(&frees, 1);
}

static promise_subscriber_t *passer_by(int64_t i) {
  promise_subscription_t wish = {.size = sizeof wish,
                                 .overflow = (promise_overflow_t)(PROMISE_OVERFLOW_BUFFER + i % 4),
                                 .capacity = 1 + (uint64_t)(i % 3),
                                 .demand = i % 5 == 0 ? 3 : PROMISE_DEMAND_UNLIMITED,
                                 .on_value = i % 7 == 0 ? NULL : counts_value,
                                 .ctx = calloc(1, sizeof(atomic_long)),
                                 .free_ctx = frees_counter};
  wish.executor = i % 2 == 0 ? promise_executor_global(PROMISE_PRIORITY_DEFAULT) : NULL;
  atomic_fetch_add(&subscriptions, 1);
  return subscribe(busy, wish);
}

static void *subscribes_and_releases(void *argument) {
  int64_t seed = (int64_t)(intptr_t)argument;
  for (int64_t i = seed; i < seed + amount / 4; i++) {
    promise_subscriber_t *subscriber = passer_by(i);
    promise_t *end = end_of(subscriber), *next = i % 7 == 0 ? next_of(subscriber) : NULL;
    if (next == NULL)
      promise_subscriber_request(subscriber, 1);
    if (i % 3 == 0)
      promise_subscriber_cancel(subscriber);
    if (i % 3 == 1)
      promise_request_cancel(end, NULL);
    promise_subscriber_release(subscriber);
    CHECK_STATUS(promise_wait(end, FOR_EVER), PROMISE_OK);
    if (next != NULL) {
      CHECK_STATUS(promise_wait(next, FOR_EVER), PROMISE_OK);
      promise_release(next);
    }
    promise_release(end);
  }
  return NULL;
}

static void *publishes_until_it_ends(void *unused) {
  (void)unused;
  promise_status_t status;
  do {
    promise_value_t word = text("one that is longer than what fits into a cell");
    status = promise_publisher_publish(busy, &word);
    promise_t *ready = status == PROMISE_EFULL ? promise_publisher_ready(busy) : NULL;
    if (ready != NULL) {
      CHECK_STATUS(promise_wait(ready, FOR_EVER), PROMISE_OK);
      promise_release(ready);
    }
  } while (status != PROMISE_ESETTLED);
  return NULL;
}

TEST(subscribers_may_leave_while_others_publish) {
  busy = publisher_new(PROMISE_PUBLISHER_STATEFUL);
  amount = check_scale(4000);
  atomic_store(&frees, 0), atomic_store(&subscriptions, 0);
  pthread_t publishers[2], passers_by[2];
  for (intptr_t i = 0; i < 2; i++) {
    publishers[i] = start(publishes_until_it_ends, NULL);
    passers_by[i] = start(subscribes_and_releases, (void *)(i * 1000));
  }
  for (int i = 0; i < 2; i++)
    finish(passers_by[i]);
  promise_publisher_finish(busy);
  for (int i = 0; i < 2; i++)
    finish(publishers[i]);
  CHECK_INT(promise_publisher_count(busy), 0);
  promise_publisher_release(busy);
  /* A pool thread may be about to free the last of the contexts. */
  while (atomic_load(&frees) < atomic_load(&subscriptions))
    sched_yield();
  CHECK_INT(atomic_load(&frees), atomic_load(&subscriptions));
}
