/* The main executor: the main loop, or its replacement. */
#include <sched.h>

#include "streams.h"

static promise_executor_t *main_executor(void) {
  promise_executor_t *executor = promise_executor_main();
  REQUIRE(executor != NULL);
  return executor;
}

static promise_verdict_t is_on_main(void *ctx, const promise_value_t *in, promise_value_t *out) {
  (void)ctx;
  CHECK_INT(promise_executor_is_current(main_executor()), 1);
  CHECK(promise_is_main_thread());
  *out = *in;
  return PROMISE_FULFILL;
}

static void *is_not_main(void *ctx) {
  (void)ctx;
  CHECK(!promise_is_main_thread());
  return NULL;
}

TEST(main_thread_turns_the_main_loop) {
  promise_loop_t *loop = promise_loop_main();
  REQUIRE(loop != NULL);
  CHECK_POINTER(promise_loop_main(), loop);
  CHECK_POINTER(promise_loop_executor(loop), main_executor());
  CHECK(promise_is_main_thread());
  finish(start(is_not_main, NULL));
  promise_t *child = react_on(main_executor(), is_on_main, NULL, NULL);
  CHECK_INT(promise_executor_is_current(main_executor()), 0);
  CHECK_INT(promise_state(child), PROMISE_PENDING);
  CHECK_STATUS(promise_wait(child, FOR_EVER), PROMISE_EDEADLK);
  CHECK_INT(promise_loop_run_once(loop), 1);
  CHECK(ended(child, PROMISE_FULFILLED, 1));
  promise_release(child);
  promise_t *nap = promise_sleep_on(main_executor(), 1);
  CHECK_STATUS(promise_loop_wait(loop, nap, FOR_EVER), PROMISE_OK);
  promise_release(nap);
}

TEST(is_never_freed) {
  for (int i = 0; i < 3; i++) {
    CHECK_STATUS(promise_loop_release(promise_loop_main()), PROMISE_OK);
    CHECK_STATUS(promise_executor_release(main_executor()), PROMISE_OK);
  }
  CHECK_STATUS(promise_loop_retain(promise_loop_main()), PROMISE_OK);
  CHECK_INT(promise_loop_run_once(promise_loop_main()), 0);
  CHECK_STATUS(promise_executor_retain(main_executor()), PROMISE_OK);
}

TEST(a_substitute_replaces_it) {
  shelf_t shelf = SHELF_EMPTY;
  spy_t context = {0};
  promise_executor_t *other = promise_executor_new(shelve, &shelf, NULL);
  promise_executor_t *last = promise_executor_new(shelve, &context, spy_free);
  promise_t *waits = react_on(main_executor(), is_on_main, NULL, NULL);
  CHECK_STATUS(promise_executor_set_main(other), PROMISE_OK);
  CHECK_STATUS(promise_executor_release(other), PROMISE_OK);
  /* Jobs that were pending in the loop moved to the executor, and later jobs follow. */
  promise_t *comes = react_on(main_executor(), is_on_main, NULL, NULL);
  CHECK_INT(shelf.count, 2);
  CHECK_INT(promise_loop_run_once(promise_loop_main()), 0);
  CHECK_STATUS(promise_job_run(take_job(&shelf)), PROMISE_OK);
  CHECK_STATUS(promise_job_run(take_job(&shelf)), PROMISE_OK);
  CHECK(ended(waits, PROMISE_FULFILLED, 1) && ended(comes, PROMISE_FULFILLED, 1));
  RELEASE(waits, comes);
  CHECK_STATUS(promise_executor_set_main(main_executor()), PROMISE_EINVAL);
  /* A replaced executor is released; so is this one. */
  CHECK_STATUS(promise_executor_set_main(last), PROMISE_OK);
  CHECK_STATUS(promise_executor_retain(other), PROMISE_ESTALE);
  CHECK_STATUS(promise_executor_release(last), PROMISE_OK);
  CHECK_SPY(&context, 0, 0);
  CHECK_STATUS(promise_executor_set_main(NULL), PROMISE_OK);
  CHECK_SPY(&context, 0, 1);
  waits = react_on(main_executor(), is_on_main, NULL, NULL);
  CHECK_INT(promise_loop_run_once(promise_loop_main()), 1);
  promise_release(waits);
}

/* The replacement would make a cycle: each job of the main executor would be submitted to the main executor again. */
TEST(an_executor_that_ends_in_it_cannot_replace_it) {
  enum { LENGTH = 8 };
  shelf_t shelf = SHELF_EMPTY;
  promise_executor_t *other = promise_executor_new(shelve, &shelf, NULL), *chain[LENGTH];
  promise_executor_t *const places[] = {NULL, other, promise_executor_immediate(),
                                        promise_executor_global(PROMISE_PRIORITY_DEFAULT)};
  for (int i = 0; i < LENGTH; i++)
    chain[i] = promise_executor_serial(i == 0 ? main_executor() : chain[i - 1]);
  for (int place = 0; place < 4; place++) {
    CHECK_STATUS(promise_executor_set_main(places[place]), PROMISE_OK);
    for (int i = 0; i < LENGTH; i++)
      CHECK_STATUS(promise_executor_set_main(chain[i]), PROMISE_EDEADLK);
  }
  /* The rejected calls have changed nothing: jobs still pass through any number of serial executors. */
  CHECK_STATUS(promise_executor_set_main(other), PROMISE_OK);
  promise_t *job = react_on(chain[LENGTH - 1], is_on_main, NULL, NULL);
  CHECK_STATUS(promise_executor_set_main(NULL), PROMISE_OK);
  for (promise_job_t *turn; (turn = take_job(&shelf)) != NULL;)
    CHECK_STATUS(promise_job_run(turn), PROMISE_OK);
  CHECK_STATUS(promise_loop_wait(promise_loop_main(), job, FOR_EVER), PROMISE_OK);
  CHECK(ended(job, PROMISE_FULFILLED, 1));
  promise_release(job);
  for (int i = 0; i < LENGTH; i++)
    promise_executor_release(chain[i]);
  promise_executor_release(other);
}

/* Timers of the main loop move to the replacement. */
TEST(timers_of_the_main_loop_move_to_the_substitute) {
  shelf_t shelf = SHELF_EMPTY;
  promise_executor_t *other = promise_executor_new(shelve_and_open, &shelf, NULL);
  promise_t *nap = promise_sleep_on(main_executor(), 1), *late = promise_sleep_on(main_executor(), INT64_MAX);
  CHECK_STATUS(promise_executor_set_main(other), PROMISE_OK);
  gate_wait(&was_submitted);
  CHECK_STATUS(promise_job_run(take_job(&shelf)), PROMISE_OK);
  CHECK_INT(promise_state(nap), PROMISE_FULFILLED);
  CHECK_STATUS(promise_discard(late), PROMISE_OK);
  CHECK_STATUS(promise_release(late), PROMISE_OK);
  CHECK_STATUS(promise_state(late), PROMISE_ESTALE);
  CHECK_STATUS(promise_executor_set_main(NULL), PROMISE_OK);
  promise_release(nap);
  promise_executor_release(other);
}

static void *becomes_main(void *executor) {
  CHECK(!promise_is_main_thread());
  CHECK_STATUS(promise_executor_set_main(executor), PROMISE_OK);
  CHECK(promise_is_main_thread());
  return NULL;
}

static atomic_int discarding_ended;

/* Creates timers that are due in a day, and discards them. */
static void *discards_timers(void *ctx) {
  enum { TIMERS = 64 };
  promise_t *timers[TIMERS];
  for (int round = 0, rounds = getenv("CHECK_QUICK") == NULL ? 8000 : 500; round < rounds; round++) {
    for (int i = 0; i < TIMERS; i++)
      timers[i] = promise_sleep_on(main_executor(), 24 * 3600 * 1000 * MILLISECONDS);
    for (int i = 0; i < TIMERS; i++) {
      CHECK_STATUS(promise_discard(timers[i]), PROMISE_OK);
      promise_release(timers[i]);
    }
  }
  atomic_store(&discarding_ended, 1);
  return ctx;
}

/* A timer that is cancelled while it moves from the main loop to the clock is freed at once, not when it is due. */
TEST(cancelled_timers_are_freed_wherever_they_are) {
  promise_executor_t *other = promise_executor_new(shelve_and_open, NULL, NULL);
  REQUIRE(promise_loop_main() != NULL);
  uint64_t before = statistics().jobs;
  pthread_t thread = start(discards_timers, NULL);
  while (atomic_load(&discarding_ended) == 0) {
    CHECK_STATUS(promise_executor_set_main(other), PROMISE_OK);
    CHECK_STATUS(promise_executor_set_main(NULL), PROMISE_OK);
  }
  finish(thread);
  CHECK_INT(statistics().jobs, before);
  promise_executor_release(other);
}

TEST(cancelling_a_timer_that_moved_leaves_those_of_the_loop) {
  promise_t *moved = promise_sleep_on(main_executor(), 3600 * 1000 * MILLISECONDS);
  CHECK_STATUS(promise_executor_set_main(promise_executor_immediate()), PROMISE_OK);
  CHECK_STATUS(promise_executor_set_main(NULL), PROMISE_OK);
  promise_t *stays = promise_sleep_on(main_executor(), 1);
  CHECK_STATUS(promise_discard(moved), PROMISE_OK);
  CHECK_STATUS(promise_loop_wait(promise_loop_main(), stays, 60000 * MILLISECONDS), PROMISE_OK);
  RELEASE(moved, stays);
}

TEST(the_replacing_thread_is_the_main_thread) {
  promise_executor_t *serial = promise_executor_serial(NULL);
  finish(start(becomes_main, serial));
  CHECK(!promise_is_main_thread());
  CHECK_STATUS(promise_executor_set_main(NULL), PROMISE_OK);
  CHECK(promise_is_main_thread());
  promise_executor_release(serial);
}

static void *becomes_main_with_the_loop(void *ctx) {
  (void)ctx;
  becomes_main(NULL);
  /* In one process, another test may have run the loop on another thread last. */
  CHECK_INT(promise_loop_run_once(promise_loop_main()), 0);
  promise_t *job = react_on(main_executor(), is_on_main, NULL, NULL);
  CHECK_STATUS(promise_wait(job, 10000 * MILLISECONDS), PROMISE_EDEADLK);
  CHECK_STATUS(promise_loop_wait(promise_loop_main(), job, FOR_EVER), PROMISE_OK);
  CHECK(ended(job, PROMISE_FULFILLED, 1));
  promise_release(job);
  return NULL;
}

TEST(the_thread_that_restores_the_loop_is_the_main_thread) {
  finish(start(becomes_main_with_the_loop, NULL));
  CHECK(!promise_is_main_thread());
  CHECK_STATUS(promise_executor_set_main(NULL), PROMISE_OK);
  CHECK(promise_is_main_thread());
}

static promise_executor_t *substitute;
static atomic_int next_number;

/* A handler that checks that the jobs run in ascending order, never two at once, and that both executors are
 * current. */
static promise_verdict_t is_next_on_both(void *ctx, const promise_value_t *in, promise_value_t *out) {
  CHECK_INT(promise_executor_is_current(main_executor()), 1);
  CHECK_INT(promise_executor_is_current(substitute), 1);
  CHECK_INT(atomic_fetch_add(&next_number, 1), (intptr_t)ctx);
  *out = *in;
  return PROMISE_FULFILL;
}

static promise_verdict_t waits_for_the_job_behind(void *ctx, const promise_value_t *in, promise_value_t *out) {
  (void)in;
  promise_t *behind = promise_run(main_executor(), adds_one, NULL, NULL);
  *out = *I64(promise_wait(behind, FOR_EVER));
  promise_release(behind);
  (void)ctx;
  return PROMISE_FULFILL;
}

TEST(a_serial_executor_may_replace_it) {
  enum { JOBS = 200 }; /* more than a turn runs */
  promise_t *jobs[JOBS];
  promise_executor_t *target = NULL;
  for (int round = 0; round < 2; round++) {
    substitute = promise_executor_serial(target);
    atomic_store(&next_number, 0);
    CHECK_STATUS(promise_executor_set_main(substitute), PROMISE_OK);
    for (intptr_t i = 0; i < JOBS; i++)
      jobs[i] = promise_run(main_executor(), is_next_on_both, (void *)i, NULL);
    promise_t *waits = promise_run(main_executor(), waits_for_the_job_behind, NULL, NULL);
    CHECK_STATUS(promise_wait(waits, FOR_EVER), PROMISE_OK);
    CHECK(ended(waits, PROMISE_FULFILLED, PROMISE_EDEADLK));
    promise_release(waits);
    CHECK_STATUS(promise_executor_set_main(NULL), PROMISE_OK);
    for (int i = 0; i < JOBS; i++) {
      CHECK_STATUS(promise_wait(jobs[i], FOR_EVER), PROMISE_OK);
      CHECK_INT(promise_state(jobs[i]), PROMISE_FULFILLED);
      promise_release(jobs[i]);
    }
    promise_executor_release(target);
    target = substitute;
  }
  promise_executor_release(target);
}

static atomic_long jobs_submitted, jobs_run, round_begun, round_held, round_over, round_ended;

static void counts(void *ctx) {
  (void)ctx;
  atomic_fetch_add(&jobs_run, 1);
}

/* Blocks the submitting thread at any point of a submission until the executor was replaced, but only for 2 ms: the
 * thread may hold a lock that the replacement takes. */
static void holds_up(int number) {
  (void)number;
  long round = atomic_load(&round_begun);
  int64_t until = now() + 2 * MILLISECONDS;
  atomic_store(&round_held, round);
  while (atomic_load(&round_over) < round && now() < until)
    sched_yield();
}

static void *submits_in_rounds(void *rounds) {
  for (long i = 1; i <= (long)(intptr_t)rounds; i++) {
    while (atomic_load(&round_begun) < i)
      sched_yield();
    while (atomic_load(&round_over) < i) {
      promise_executor_submit(main_executor(), counts, NULL, NULL);
      atomic_fetch_add(&jobs_submitted, 1);
    }
    atomic_store(&round_ended, i);
  }
  return NULL;
}

/* A job that is submitted while another executor replaces the loop runs on either, and is not lost. */
TEST(nothing_is_left_in_the_loop) {
  long rounds = 100, left = 0;
  struct sigaction action = {.sa_handler = holds_up};
  promise_executor_t *other = promise_executor_new(run_at_once, NULL, NULL);
  REQUIRE(promise_loop_main() != NULL && sigaction(SIGUSR1, &action, NULL) == 0);
  pthread_t thread = start(submits_in_rounds, (void *)(intptr_t)rounds);
  for (long i = 1; i <= rounds; i++) {
    long before = atomic_load(&jobs_submitted);
    promise_executor_set_main(NULL);
    atomic_store(&round_begun, i);
    while (atomic_load(&jobs_submitted) == before)
      sched_yield();
    REQUIRE(pthread_kill(thread, SIGUSR1) == 0);
    while (atomic_load(&round_held) < i)
      sched_yield();
    promise_executor_set_main(other);
    atomic_store(&round_over, i);
    while (atomic_load(&round_ended) < i)
      sched_yield();
    left += promise_loop_run_once(promise_loop_main());
  }
  finish(thread);
  CHECK_INT(left, 0);
  CHECK_INT(atomic_load(&jobs_run), atomic_load(&jobs_submitted));
  promise_executor_set_main(NULL);
  promise_executor_release(other);
}

static void counts_value(void *ctx, const promise_value_t *value) {
  CHECK_INT(value->as.i64, ++*(long *)ctx);
}

static void *delivers_many(void *unused) {
  long count = check_scale(200 * 1000), delivered = 0;
  promise_publisher_t *publisher = publisher_new(0);
  promise_subscription_t wish = {.size = sizeof wish,
                                 .overflow = PROMISE_OVERFLOW_BUFFER,
                                 .executor = main_executor(),
                                 .on_value = counts_value,
                                 .ctx = &delivered};
  promise_subscriber_t *subscriber = subscribe(publisher, wish);
  for (long i = 1; i <= count; i++)
    publish(publisher, i);
  CHECK_STATUS(promise_subscriber_request(subscriber, PROMISE_DEMAND_UNLIMITED), PROMISE_OK);
  CHECK_INT(delivered, count);
  release_both(subscriber, publisher);
  return unused;
}

/* A subscriber whose turns run in the submitting call does not yield, and so takes no stack. */
TEST(events_on_an_inline_substitute_take_no_stack) {
  CHECK_STATUS(promise_executor_set_main(promise_executor_immediate()), PROMISE_OK);
  on_small_stack(delivers_many, NULL);
  CHECK_STATUS(promise_executor_set_main(NULL), PROMISE_OK);
}
