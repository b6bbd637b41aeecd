/* promise/loop.h: loops that a thread of the program runs. */
#include "../checked.h"
#include "../loops.h"

CHECKS(loop)

static promise_verdict_t is_here(void *ctx, const promise_value_t *in, promise_value_t *out) {
  fixture_t *fixture = ctx;
  CHECK_INT(promise_executor_is_current(fixture->executor), 1);
  *out = *in;
  return PROMISE_FULFILL;
}

RULE(reactions_run_on_the_loop, "reactions run on the loop, and its executor is current in them") {
  fixture_t fixture = setup();
  promise_t *child = react_on(fixture.executor, is_here, &fixture, NULL);
  CHECK_INT(promise_executor_is_current(fixture.executor), 0);
  CHECK_INT(promise_state(child), PROMISE_PENDING);
  CHECK_INT(promise_loop_run_once(fixture.loop), 1);
  CHECK(ended(child, PROMISE_FULFILLED, 1));
  promise_release(child);
  teardown(fixture);
}

/* ---- Running ---- */

static fixture_t shared;

static void stops_shared(void *letter) {
  note((char)(intptr_t)letter);
  CHECK_STATUS(promise_loop_stop(shared.loop), PROMISE_OK);
}

RULE(run_ends_when_it_is_stopped, "promise_loop_stop() ends a run, or the next one") {
  shared = setup();
  submit(shared, notes, (void *)'a');
  submit(shared, stops_shared, (void *)'b');
  submit(shared, notes, (void *)'c');
  CHECK_STATUS(promise_loop_run(shared.loop, FOR_EVER), PROMISE_OK);
  CHECK_TEXT(journal, "ab");
  CHECK(readable(shared.loop));
  CHECK_STATUS(promise_loop_stop(shared.loop), PROMISE_OK);
  CHECK_STATUS(promise_loop_run(shared.loop, FOR_EVER), PROMISE_OK);
  CHECK_TEXT(journal, "ab");
  CHECK_STATUS(promise_loop_run(shared.loop, 0), PROMISE_ETIMEDOUT);
  CHECK_TEXT(journal, "abc");
  teardown(shared);
}

RULE(run_ends_in_time, "a run ends when its time is over, and not before") {
  fixture_t fixture = setup();
  int64_t before = now();
  promise_t *nap = promise_sleep_on(fixture.executor, 5 * MILLISECONDS);
  CHECK_STATUS(promise_loop_run(fixture.loop, 30 * MILLISECONDS), PROMISE_ETIMEDOUT);
  CHECK(now() - before >= 30 * MILLISECONDS);
  CHECK_INT(promise_state(nap), PROMISE_FULFILLED);
  CHECK_STATUS(promise_loop_run(fixture.loop, 0), PROMISE_ETIMEDOUT);
  CHECK_STATUS(promise_loop_run(fixture.loop, 1), PROMISE_ETIMEDOUT);
  promise_release(nap);
  teardown(fixture);
}

static void runs_itself(void *ctx) {
  (void)ctx;
  CHECK_INT(promise_loop_is_current(shared.loop), 1);
  CHECK_INT(promise_loop_run_once(shared.loop), PROMISE_EDEADLK);
  CHECK_STATUS(promise_loop_run(shared.loop, 0), PROMISE_EDEADLK);
  promise_t *pending = promise_new();
  CHECK_STATUS(promise_loop_wait(shared.loop, pending, 1), PROMISE_EDEADLK);
  promise_release(pending);
}

RULE(job_cannot_run_its_own_loop, "a job cannot run its own loop") {
  shared = setup();
  submit(shared, runs_itself, NULL);
  CHECK_INT(promise_loop_run_once(shared.loop), 1);
  teardown(shared);
}

static gate_t runs_there = GATE_CLOSED, was_refused = GATE_CLOSED;

static void waits_to_be_refused(void *ctx) {
  (void)ctx;
  gate_open(&runs_there);
  gate_wait(&was_refused);
}

static void *runs_until_stopped(void *loop) {
  CHECK_STATUS(promise_loop_run(loop, FOR_EVER), PROMISE_OK);
  return NULL;
}

RULE(one_thread_runs_it_at_a_time, "one thread runs a loop at a time") {
  fixture_t fixture = setup();
  submit(fixture, waits_to_be_refused, NULL);
  pthread_t thread = start(runs_until_stopped, fixture.loop);
  gate_wait(&runs_there);
  CHECK_INT(promise_loop_run_once(fixture.loop), PROMISE_EBUSY);
  CHECK_STATUS(promise_loop_run(fixture.loop, FOR_EVER), PROMISE_EBUSY);
  gate_open(&was_refused);
  CHECK_STATUS(promise_loop_stop(fixture.loop), PROMISE_OK);
  finish(thread);
  CHECK_INT(promise_loop_run_once(fixture.loop), 0);
  teardown(fixture);
}

/* A job that other threads submit, while the loop sleeps and while it runs. The last one stops the loop. */
static void ticks(void *countdown) {
  if (--*(long *)countdown == 0)
    promise_loop_stop(shared.loop);
}

static long left_to_tick;

static void *submits_ticks(void *count) {
  for (long i = 0; i < *(long *)count; i++)
    submit(shared, ticks, &left_to_tick);
  return NULL;
}

RULE(other_threads_may_submit, "other threads may submit, while the loop sleeps and while it runs") {
  long count = check_scale(20000);
  shared = setup();
  left_to_tick = 3 * count;
  pthread_t threads[3];
  for (int i = 0; i < 3; i++)
    threads[i] = start(submits_ticks, &count);
  CHECK_STATUS(promise_loop_run(shared.loop, FOR_EVER), PROMISE_OK);
  CHECK_INT(left_to_tick, 0);
  for (int i = 0; i < 3; i++)
    finish(threads[i]);
  teardown(shared);
}

static void *resolves(void *promise) {
  CHECK_STATUS(promise_resolve(promise, I64(5)), PROMISE_OK);
  return NULL;
}

RULE(wait_runs_the_loop, "promise_loop_wait() runs the loop where promise_wait() is PROMISE_EDEADLK") {
  fixture_t fixture = setup();
  CHECK_INT(promise_loop_run_once(fixture.loop), 0);
  promise_t *child = react_on(fixture.executor, adds_one, NULL, NULL);
  CHECK_STATUS(promise_wait(child, FOR_EVER), PROMISE_EDEADLK);
  CHECK_STATUS(promise_loop_wait(fixture.loop, child, FOR_EVER), PROMISE_OK);
  CHECK(ended(child, PROMISE_FULFILLED, 2));
  CHECK_STATUS(promise_loop_wait(fixture.loop, child, 0), PROMISE_OK);
  promise_release(child);
  /* A timer on the loop itself. */
  promise_t *nap = promise_sleep_on(fixture.executor, MILLISECONDS);
  CHECK_STATUS(promise_loop_wait(fixture.loop, nap, FOR_EVER), PROMISE_OK);
  promise_release(nap);
  /* A promise that another thread settles. */
  promise_t *promise = promise_new();
  CHECK_STATUS(promise_loop_wait(fixture.loop, promise, 0), PROMISE_ETIMEDOUT);
  CHECK_STATUS(promise_loop_wait(fixture.loop, promise, MILLISECONDS), PROMISE_ETIMEDOUT);
  CHECK_STATUS(promise_loop_stop(fixture.loop), PROMISE_OK);
  CHECK_STATUS(promise_loop_wait(fixture.loop, promise, FOR_EVER), PROMISE_EPENDING);
  pthread_t thread = start(resolves, promise);
  CHECK_STATUS(promise_loop_wait(fixture.loop, promise, FOR_EVER), PROMISE_OK);
  finish(thread);
  promise_release(promise);
  teardown(fixture);
}

RULE(jobs_run_when_the_loop_does, "jobs run in their order when the loop is run, and make the descriptor readable") {
  fixture_t fixture = setup();
  CHECK(!readable(fixture.loop));
  CHECK_INT(promise_loop_run_once(fixture.loop), 0);
  submit_letter(fixture.executor, 'a');
  submit_letter(fixture.executor, 'b');
  CHECK_TEXT(journal, "");
  CHECK(readable(fixture.loop));
  CHECK_INT(promise_loop_run_once(fixture.loop), 2);
  CHECK_TEXT(journal, "aAbB");
  CHECK(!readable(fixture.loop));
  teardown(fixture);
}

static promise_executor_t *again;

static void submits_again(void *ctx) {
  note_block(ctx);
  submit_letter(again, 'b');
}

RULE(a_run_leaves_jobs_that_its_jobs_submit,
     "promise_loop_run_once() leaves jobs that its jobs submit to the next run") {
  fixture_t fixture = setup();
  again = fixture.executor;
  CHECK_STATUS(promise_executor_submit(again, submits_again, LETTER('a'), NULL), PROMISE_OK);
  CHECK_INT(promise_loop_run_once(fixture.loop), 1);
  CHECK_TEXT(journal, "a");
  CHECK(readable(fixture.loop));
  CHECK_INT(promise_loop_run_once(fixture.loop), 1);
  CHECK_TEXT(journal, "abB");
  teardown(fixture);
}

/* Each tick's value is the number of intervals so far. Missed ticks are merged into one. */
static void counts_ticks(void *ctx, const promise_value_t *value) {
  CHECK_INT(value->kind, PROMISE_KIND_U64);
  CHECK(value->as.u64 > *(uint64_t *)ctx);
  *(uint64_t *)ctx = value->as.u64;
}

RULE(a_loop_ticks, "promise_publisher_every() publishes the intervals that have passed") {
  uint64_t latest = 0;
  fixture_t fixture = setup();
  promise_publisher_t *publisher = promise_publisher_every(fixture.executor, MILLISECONDS);
  promise_subscription_t wish = {.size = sizeof wish,
                                 .overflow = PROMISE_OVERFLOW_BUFFER,
                                 .demand = PROMISE_DEMAND_UNLIMITED,
                                 .on_value = counts_ticks,
                                 .ctx = &latest};
  promise_subscriber_t *subscriber = promise_publisher_subscribe(publisher, &wish);
  CHECK(publisher != NULL && subscriber != NULL);
  struct pollfd descriptor = {.fd = promise_loop_fd(fixture.loop), .events = POLLIN};
  for (int i = 0; i < 3; i++) {
    CHECK_INT(poll(&descriptor, 1, -1), 1);
    CHECK_INT(promise_loop_run_once(fixture.loop), 1);
    CHECK(latest > (uint64_t)i);
  }
  CHECK_STATUS(promise_publisher_release(publisher), PROMISE_OK);
  CHECK_STATUS(promise_subscriber_release(subscriber), PROMISE_OK);
  CHECK_POINTER(promise_publisher_every(fixture.executor, 0), NULL);
  CHECK_STATUS(promise_last_status(), PROMISE_EINVAL);
  teardown(fixture);
}

static void *submits_from_afar(void *executor) {
  submit_letter(executor, 'a');
  return NULL;
}

RULE(other_threads_wake_the_loop, "a job from another thread wakes a poller of the descriptor") {
  fixture_t fixture = setup();
  pthread_t thread = start(submits_from_afar, fixture.executor);
  struct pollfd descriptor = {.fd = promise_loop_fd(fixture.loop), .events = POLLIN};
  CHECK_INT(poll(&descriptor, 1, -1), 1);
  CHECK_INT(promise_loop_run_once(fixture.loop), 1);
  CHECK_TEXT(journal, "aA");
  finish(thread);
  teardown(fixture);
}

static void *is_not_the_main_thread(void *unused) {
  CHECK(!promise_is_main_thread());
  return unused;
}

RULE(the_main_loop_runs_the_main_executor, "the main loop runs the jobs of the main executor") {
  promise_loop_t *loop = promise_loop_main();
  CHECK(loop != NULL);
  CHECK(promise_is_main_thread());
  finish(start(is_not_the_main_thread, NULL));
  submit_letter(promise_executor_main(), 'a');
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
  submit_letter(promise_executor_main(), 'b');
  CHECK_TEXT(journal, "aAbB");
  CHECK_STATUS(promise_executor_set_main(promise_executor_main()), PROMISE_EINVAL);
  CHECK_STATUS(promise_executor_set_main(NULL), PROMISE_OK);
}

RULE(other_handles_are_refused, "a handle that is not a loop is refused") {
  promise_loop_t *gone = promise_loop_new();
  CHECK(gone != NULL);
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
