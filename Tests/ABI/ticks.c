/* promise_publisher_every(): ticks of a periodic timer. */
#include <poll.h>
#include <sched.h>

#include "streams.h"

/* Records the latest tick, and checks that each is later than the previous one. */
typedef struct clock {
  int64_t begin, interval;
  atomic_long count, frees;
  int64_t latest;
} clock_state_t;

static void ticks(void *ctx, const promise_value_t *value) {
  clock_state_t *state = ctx;
  CHECK_INT(value->kind, PROMISE_KIND_U64);
  CHECK((int64_t)value->as.u64 > state->latest);
  state->latest = (int64_t)value->as.u64;
  /* Ticks are never early: that many intervals have passed. */
  CHECK(now() - state->begin >= state->latest * state->interval);
  atomic_fetch_add(&state->count, 1);
}

static void ends(void *ctx) {
  atomic_fetch_add(&((clock_state_t *)ctx)->frees, 1);
}

static promise_subscriber_t *watch(promise_publisher_t *publisher, clock_state_t *state) {
  promise_subscription_t wish = {.size = sizeof wish,
                                 .overflow = PROMISE_OVERFLOW_BUFFER,
                                 .demand = PROMISE_DEMAND_UNLIMITED,
                                 .on_value = ticks,
                                 .ctx = state,
                                 .free_ctx = ends};
  return subscribe(publisher, wish);
}

static promise_publisher_t *every(promise_executor_t *executor, int64_t interval) {
  promise_publisher_t *publisher = promise_publisher_every(executor, interval);
  REQUIRE(publisher != NULL);
  return publisher;
}

/* Returns the number of live timers, jobs, publishers and subscribers. */
static uint64_t things(void) {
  promise_statistics_t now = statistics();
  return now.jobs + now.publishers + now.subscribers;
}

/* Waits until library threads have released the test's objects. */
static void wait_until(uint64_t before) {
  while (things() != before)
    sched_yield();
  CHECK_INT((long long)things(), (long long)before);
}

TEST(a_loop_ticks) {
  promise_loop_t *loop = promise_loop_new();
  promise_executor_t *executor = promise_loop_executor(loop);
  clock_state_t state = {.begin = now(), .interval = MILLISECONDS};
  uint64_t before = things();
  promise_publisher_t *publisher = every(executor, state.interval);
  promise_subscriber_t *subscriber = watch(publisher, &state);
  struct pollfd file = {.fd = promise_loop_fd(loop), .events = POLLIN};
  while (atomic_load(&state.count) < 5) {
    CHECK_INT(poll(&file, 1, -1), 1);
    CHECK_INT(promise_loop_run_once(loop), 1);
  }
  CHECK(shares_process() || thread_count() == 0);
  /* Missed intervals are merged into one tick. */
  int64_t seen = state.latest, pause = now();
  while (now() - pause < 10 * state.interval)
    ;
  CHECK_INT(promise_loop_run_once(loop), 1);
  CHECK(state.latest >= seen + 10);
  CHECK_INT(atomic_load(&state.count), 6);
  release_both(subscriber, publisher);
  CHECK_INT((long long)things(), (long long)before);
  CHECK_INT(atomic_load(&state.frees), 1);
  promise_executor_release(executor);
  promise_loop_release(loop);
}

/* The release of the last handle or subscriber ends the publisher: no object is left, although the next tick is far
 * away. */
TEST(the_last_release_ends_the_publisher) {
  promise_loop_t *loop = promise_loop_new();
  promise_executor_t *const executors[] = {NULL, promise_loop_executor(loop), promise_executor_main(),
                                           promise_executor_global(PROMISE_PRIORITY_DEFAULT)};
  int64_t hour = 3600 * 1000 * MILLISECONDS;
  for (int i = 0; i < 4; i++)
    for (int order = 0; order < 5; order++) {
      clock_state_t state = {.begin = now(), .interval = hour};
      uint64_t before = things();
      promise_publisher_t *publisher = every(executors[i], hour);
      CHECK_INT((long long)things(), (long long)before + 2);
      promise_subscriber_t *subscriber = order == 0 ? NULL : watch(publisher, &state);
      if (order != 2)
        promise_publisher_release(publisher);
      CHECK_INT((long long)things(), order == 0 ? (long long)before : (long long)before + 3);
      if (order == 1)
        promise_subscriber_release(subscriber);
      if (order == 2) {
        CHECK_STATUS(promise_publisher_retain(publisher), PROMISE_OK);
        promise_publisher_release(publisher);
        promise_subscriber_release(subscriber);
        CHECK_INT((long long)things(), (long long)before + 2);
        promise_publisher_release(publisher);
      }
      if (order == 3 || order == 4) {
        /* A cancelled subscriber does not count, even if it is still held. */
        promise_t *end = end_of(subscriber);
        if (order == 3)
          CHECK_STATUS(promise_subscriber_cancel(subscriber), PROMISE_OK);
        else
          CHECK_STATUS(promise_request_cancel(end, NULL), PROMISE_OK);
        CHECK_INT((long long)things(), (long long)before + 1); /* the held subscriber */
        promise_release(end), promise_subscriber_release(subscriber);
      }
      CHECK_INT((long long)things(), (long long)before);
      CHECK_INT(atomic_load(&state.frees), order != 0);
    }
  promise_executor_release(executors[1]);
  promise_loop_release(loop);
}

TEST(an_executor_that_shuts_down_ends_the_publisher) {
  for (int had_tick = 0; had_tick < 2; had_tick++) {
    uint64_t before = things();
    promise_loop_t *loop = promise_loop_new();
    promise_executor_t *executor = promise_loop_executor(loop);
    clock_state_t state = {.begin = now(), .interval = MILLISECONDS};
    promise_publisher_t *publisher = every(executor, state.interval);
    promise_subscriber_t *subscriber = watch(publisher, &state);
    promise_t *end = end_of(subscriber);
    while (atomic_load(&state.count) < had_tick)
      promise_loop_run(loop, MILLISECONDS);
    promise_loop_release(loop);
    CHECK(failed_with(end, PROMISE_ECLOSED));
    CHECK_INT(promise_publisher_state(publisher), PROMISE_REJECTED);
    promise_release(end);
    release_both(subscriber, publisher);
    /* The executor of a new publisher may be closed already. */
    publisher = every(executor, state.interval);
    CHECK_INT(promise_publisher_state(publisher), PROMISE_REJECTED);
    promise_publisher_release(publisher);
    promise_executor_release(executor);
    CHECK_INT((long long)things(), (long long)before);
  }
}

/* An operator keeps its source, the publisher of ticks. */
TEST(an_operator_keeps_its_source) {
  uint64_t before = things();
  clock_state_t state = {.begin = now(), .interval = 100000};
  promise_publisher_t *source = every(NULL, state.interval), *three = promise_publisher_take(source, 3);
  promise_subscriber_t *subscriber = watch(three, &state);
  promise_publisher_release(source), promise_publisher_release(three);
  promise_t *end = end_of(subscriber);
  CHECK_STATUS(promise_wait(end, FOR_EVER), PROMISE_OK);
  CHECK_INT(promise_state(end), PROMISE_FULFILLED);
  CHECK_INT(atomic_load(&state.count), 3);
  while (atomic_load(&state.frees) == 0)
    sched_yield();
  promise_release(end), promise_subscriber_release(subscriber);
  wait_until(before);
}

/* A subscriber may be cancelled while a tick is published, and while the next timer is started. */
TEST(a_subscriber_may_be_cancelled_at_any_time) {
  uint64_t before = things();
  promise_executor_t *pool = promise_executor_global(PROMISE_PRIORITY_DEFAULT);
  clock_state_t states[64];
  long rounds = check_scale(3000);
  for (long i = 0; i < rounds; i++) {
    clock_state_t *state = &states[i % 64];
    while (i >= 64 && atomic_load(&state->frees) == 0)
      sched_yield();
    memset(state, 0, sizeof *state);
    state->begin = now(), state->interval = 1 + i % 3 * 5000;
    promise_publisher_t *publisher = every(i % 2 == 0 ? pool : NULL, state->interval);
    promise_subscriber_t *subscriber = watch(publisher, state);
    while (atomic_load(&state->count) < i % 3)
      sched_yield();
    if (i % 5 == 0)
      promise_subscriber_cancel(subscriber);
    if (i % 7 < 3)
      promise_publisher_release(publisher);
    promise_subscriber_release(subscriber);
    if (i % 7 >= 3)
      promise_publisher_release(publisher);
  }
  wait_until(before);
}
