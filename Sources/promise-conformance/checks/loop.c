/* promise/loop.h */
#include <poll.h>

#include "../checked.h"

static promise_loop_t *loop_new(void) {
  promise_loop_t *loop = promise_loop_new();
  CHECK(loop != NULL);
  return loop;
}

static promise_executor_t *executor_of(promise_loop_t *loop) {
  promise_executor_t *executor = promise_loop_executor(loop);
  CHECK(executor != NULL);
  return executor;
}

static void submit(promise_executor_t *executor, char letter) {
  CHECK_STATUS(promise_executor_submit(executor, note_block, LETTER(letter), note_free), PROMISE_OK);
}

static bool is_readable(promise_loop_t *loop) {
  struct pollfd descriptor = {.fd = promise_loop_fd(loop), .events = POLLIN};
  CHECK(descriptor.fd >= 0);
  CHECK(poll(&descriptor, 1, 0) >= 0);
  return descriptor.revents != 0;
}

static void jobs_run_when_the_loop_does(void) {
  promise_loop_t *loop = loop_new();
  promise_executor_t *executor = executor_of(loop);
  CHECK(!is_readable(loop));
  CHECK_INT(promise_loop_run_once(loop), 0);
  submit(executor, 'a');
  submit(executor, 'b');
  CHECK_TEXT(journal, "");
  CHECK(is_readable(loop));
  CHECK_INT(promise_loop_run_once(loop), 2);
  CHECK_TEXT(journal, "aAbB");
  CHECK(!is_readable(loop));
  CHECK_STATUS(promise_executor_release(executor), PROMISE_OK);
  CHECK_STATUS(promise_loop_release(loop), PROMISE_OK);
  CHECK_STATUS(promise_loop_release(loop), PROMISE_ESTALE);
}

static promise_executor_t *again;
static void submits_again(void *ctx) {
  note_block(ctx);
  submit(again, 'b');
}

static void a_run_leaves_what_its_jobs_submit(void) {
  promise_loop_t *loop = loop_new();
  again = executor_of(loop);
  CHECK_STATUS(promise_executor_submit(again, submits_again, LETTER('a'), NULL), PROMISE_OK);
  CHECK_INT(promise_loop_run_once(loop), 1);
  CHECK_TEXT(journal, "a");
  CHECK(is_readable(loop));
  CHECK_INT(promise_loop_run_once(loop), 1);
  CHECK_TEXT(journal, "abB");
  CHECK_STATUS(promise_executor_release(again), PROMISE_OK);
  CHECK_STATUS(promise_loop_release(loop), PROMISE_OK);
}

static void runs_within(void *loop) {
  CHECK_INT(promise_loop_is_current(loop), 1);
  CHECK_INT(promise_loop_run_once(loop), PROMISE_EDEADLK);
  CHECK_STATUS(promise_loop_stop(loop), PROMISE_OK);
}

static void a_run_ends_when_it_is_told_to(void) {
  promise_loop_t *loop = loop_new();
  promise_executor_t *executor = executor_of(loop);
  CHECK_STATUS(promise_loop_run(loop, 0), PROMISE_ETIMEDOUT);
  CHECK_STATUS(promise_executor_submit(executor, runs_within, loop, NULL), PROMISE_OK);
  submit(executor, 'x');
  CHECK_STATUS(promise_loop_run(loop, FOR_EVER), PROMISE_OK);
  CHECK_TEXT(journal, "");
  CHECK_STATUS(promise_loop_stop(loop), PROMISE_OK);
  CHECK(is_readable(loop));
  CHECK_STATUS(promise_loop_run(loop, FOR_EVER), PROMISE_OK);
  CHECK_TEXT(journal, "");
  CHECK_INT(promise_loop_run_once(loop), 1);
  CHECK_TEXT(journal, "xX");
  CHECK_STATUS(promise_executor_release(executor), PROMISE_OK);
  CHECK_STATUS(promise_loop_release(loop), PROMISE_OK);
}

static void a_loop_waits_where_a_thread_must_not(void) {
  promise_loop_t *loop = loop_new();
  promise_executor_t *executor = executor_of(loop);
  promise_t *source = fulfilled(1);
  promise_reaction_t reaction = {.size = sizeof reaction, .executor = executor, .on_fulfilled = adds_one};
  CHECK_INT(promise_loop_run_once(loop), 0);
  promise_t *child = promise_react(source, &reaction);
  CHECK_STATUS(promise_wait(child, FOR_EVER), PROMISE_EDEADLK);
  CHECK_STATUS(promise_loop_wait(loop, child, FOR_EVER), PROMISE_OK);
  CHECK_ENDED(child, PROMISE_FULFILLED, 2);
  promise_t *nap = promise_sleep_on(executor, MILLISECONDS);
  CHECK_STATUS(promise_loop_wait(loop, nap, FOR_EVER), PROMISE_OK);
  CHECK_INT(promise_state(nap), PROMISE_FULFILLED);
  release(nap);
  nap = pending();
  CHECK_STATUS(promise_loop_wait(loop, nap, 1), PROMISE_ETIMEDOUT);
  release(nap);
  release(child);
  release(source);
  CHECK_STATUS(promise_executor_release(executor), PROMISE_OK);
  CHECK_STATUS(promise_loop_release(loop), PROMISE_OK);
}

static void what_waits_goes_with_the_loop(void) {
  spy_t spy = {0};
  promise_loop_t *loop = loop_new();
  promise_executor_t *executor = executor_of(loop);
  promise_t *source = fulfilled(1);
  promise_reaction_t reaction = {
      .size = sizeof reaction, .executor = executor, .on_fulfilled = spy_handler, .ctx = &spy, .free_ctx = spy_free};
  promise_t *child = promise_react(source, &reaction), *nap = promise_sleep_on(executor, INT64_MAX);
  CHECK_STATUS(promise_loop_release(loop), PROMISE_OK);
  CHECK_SPY(&spy, 0, 1);
  CHECK_LIBRARY_ERROR(child, PROMISE_ECLOSED);
  CHECK_LIBRARY_ERROR(nap, PROMISE_ECLOSED);
  submit(executor, 'a');
  CHECK_TEXT(journal, "A");
  release(child);
  release(nap);
  release(source);
  CHECK_STATUS(promise_executor_release(executor), PROMISE_OK);
}

static void each_reference_keeps_the_loop_open(void) {
  promise_loop_t *loop = loop_new();
  promise_executor_t *executor = executor_of(loop);
  CHECK_STATUS(promise_loop_retain(loop), PROMISE_OK);
  CHECK_STATUS(promise_loop_release(loop), PROMISE_OK);
  submit(executor, 'a');
  CHECK_INT(promise_loop_run_once(loop), 1);
  CHECK_TEXT(journal, "aA");
  CHECK_STATUS(promise_loop_release(loop), PROMISE_OK);
  CHECK_STATUS(promise_loop_retain(loop), PROMISE_ESTALE);
  CHECK_STATUS(promise_executor_release(executor), PROMISE_OK);
}

/* Each tick's value is the number of intervals so far. Missed ticks are merged into one. */
static void ticks(void *ctx, const promise_value_t *value) {
  CHECK_INT(value->kind, PROMISE_KIND_U64);
  CHECK(value->as.u64 > *(uint64_t *)ctx);
  *(uint64_t *)ctx = value->as.u64;
}

static void a_loop_ticks(void) {
  uint64_t latest = 0;
  promise_loop_t *loop = loop_new();
  promise_executor_t *executor = executor_of(loop);
  promise_publisher_t *publisher = promise_publisher_every(executor, MILLISECONDS);
  promise_subscription_t wish = {.size = sizeof wish,
                                 .overflow = PROMISE_OVERFLOW_BUFFER,
                                 .demand = PROMISE_DEMAND_UNLIMITED,
                                 .on_value = ticks,
                                 .ctx = &latest};
  promise_subscriber_t *subscriber = promise_publisher_subscribe(publisher, &wish);
  CHECK(publisher != NULL && subscriber != NULL);
  struct pollfd descriptor = {.fd = promise_loop_fd(loop), .events = POLLIN};
  for (int i = 0; i < 3; i++) {
    CHECK_INT(poll(&descriptor, 1, -1), 1);
    CHECK_INT(promise_loop_run_once(loop), 1);
    CHECK(latest > (uint64_t)i);
  }
  CHECK_STATUS(promise_publisher_release(publisher), PROMISE_OK);
  CHECK_STATUS(promise_subscriber_release(subscriber), PROMISE_OK);
  CHECK_POINTER(promise_publisher_every(executor, 0), NULL);
  CHECK_STATUS(promise_last_status(), PROMISE_EINVAL);
  CHECK_STATUS(promise_executor_release(executor), PROMISE_OK);
  CHECK_STATUS(promise_loop_release(loop), PROMISE_OK);
}

static void *submits_from_afar(void *executor) {
  submit(executor, 'a');
  return NULL;
}

static void other_threads_wake_the_loop(void) {
  promise_loop_t *loop = loop_new();
  promise_executor_t *executor = executor_of(loop);
  pthread_t thread = start(submits_from_afar, executor);
  struct pollfd descriptor = {.fd = promise_loop_fd(loop), .events = POLLIN};
  CHECK_INT(poll(&descriptor, 1, -1), 1);
  CHECK_INT(promise_loop_run_once(loop), 1);
  CHECK_TEXT(journal, "aA");
  finish(thread);
  CHECK_STATUS(promise_executor_release(executor), PROMISE_OK);
  CHECK_STATUS(promise_loop_release(loop), PROMISE_OK);
}

static void the_main_loop_runs_the_main_executor(void) {
  promise_loop_t *loop = promise_loop_main();
  CHECK(loop != NULL);
  CHECK(promise_is_main_thread());
  submit(promise_executor_main(), 'a');
  CHECK_TEXT(journal, "");
  CHECK_INT(promise_loop_run_once(loop), 1);
  CHECK_TEXT(journal, "aA");
  CHECK_STATUS(promise_loop_retain(loop), PROMISE_OK);
  for (int i = 0; i < 3; i++)
    CHECK_STATUS(promise_loop_release(loop), PROMISE_OK);
  CHECK_INT(promise_loop_is_current(loop), 0);
  promise_executor_t *behind = promise_executor_serial(promise_executor_main());
  CHECK_STATUS(promise_executor_set_main(behind), PROMISE_EDEADLK);
  CHECK_STATUS(promise_executor_release(behind), PROMISE_OK);
  CHECK_STATUS(promise_executor_set_main(promise_executor_immediate()), PROMISE_OK);
  submit(promise_executor_main(), 'b');
  CHECK_TEXT(journal, "aAbB");
  CHECK_STATUS(promise_executor_set_main(promise_executor_main()), PROMISE_EINVAL);
  CHECK_STATUS(promise_executor_set_main(NULL), PROMISE_OK);
}

static void what_is_no_loop_is_refused(void) {
  promise_loop_t *gone = loop_new();
  promise_t *promise = fulfilled(1);
  CHECK_STATUS(promise_loop_release(gone), PROMISE_OK);
  promise_loop_t *const handles[] = {NULL, gone, (promise_loop_t *)(void *)promise};
  for (int i = 0; i < 3; i++) {
    promise_status_t status = i == 0 ? PROMISE_EINVAL : PROMISE_ESTALE;
    CHECK_INT(promise_loop_fd(handles[i]), status);
    CHECK_INT(promise_loop_run_once(handles[i]), status);
    CHECK_STATUS(promise_loop_run(handles[i], 0), status);
    CHECK_STATUS(promise_loop_wait(handles[i], promise, 0), status);
    CHECK_STATUS(promise_loop_stop(handles[i]), status);
    CHECK_STATUS(promise_loop_retain(handles[i]), status);
    CHECK_STATUS(promise_loop_release(handles[i]), status);
    CHECK_INT(promise_loop_is_current(handles[i]), status);
    CHECK_POINTER(promise_loop_executor(handles[i]), NULL);
    CHECK_STATUS(promise_last_status(), status);
  }
  release(promise);
}

CHECKS(loop) = {
    RULE("jobs run in their order when the loop is run, and the descriptor tells of them", jobs_run_when_the_loop_does),
    RULE("promise_loop_run_once() leaves what its jobs submit to the next run", a_run_leaves_what_its_jobs_submit),
    RULE("a run ends when it is told to, or its time is over", a_run_ends_when_it_is_told_to),
    RULE("promise_loop_wait() runs the loop where promise_wait() is PROMISE_EDEADLK",
         a_loop_waits_where_a_thread_must_not),
    RULE("the last release of a loop drops what waits, and what comes later", what_waits_goes_with_the_loop),
    RULE("each reference to a loop keeps it open", each_reference_keeps_the_loop_open),
    RULE("promise_publisher_every() publishes the intervals that have passed", a_loop_ticks),
    RULE("a job from another thread wakes who polls the descriptor", other_threads_wake_the_loop),
    RULE("the main loop runs what the main executor is given", the_main_loop_runs_the_main_executor),
    RULE("what is no loop is refused", what_is_no_loop_is_refused),
    CHECKS_END,
};
