/* Loops, turned by a thread of the program. Within other loops: examples/loops. */
#include "loops.h"

static void jobs_run_in_order(void) {
  fixture_t fixture = setup();
  CHECK_INT(promise_loop_run_once(fixture.loop), 0);
  for (char letter = 'a'; letter <= 'e'; letter++)
    submit(fixture, notes, (void *)(intptr_t)letter);
  CHECK_TEXT(journal, "");
  CHECK_INT(promise_loop_run_once(fixture.loop), 5);
  CHECK_TEXT(journal, "abcde");
  CHECK_INT(promise_loop_run_once(fixture.loop), 0);
  teardown(fixture);
}

static promise_verdict_t is_here(void *ctx, const promise_value_t *in, promise_value_t *out) {
  fixture_t *fixture = ctx;
  CHECK_INT(promise_executor_is_current(fixture->executor), 1);
  *out = *in;
  return PROMISE_FULFILL;
}

static void reactions_run_on_the_loop(void) {
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

static void run_ends_when_it_is_stopped(void) {
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

static void run_ends_in_time(void) {
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
  CHECK_INT(promise_loop_run_once(shared.loop), PROMISE_EDEADLK);
  CHECK_STATUS(promise_loop_run(shared.loop, 0), PROMISE_EDEADLK);
  promise_t *pending = promise_new();
  CHECK_STATUS(promise_loop_wait(shared.loop, pending, 1), PROMISE_EDEADLK);
  promise_release(pending);
}

static void job_cannot_run_its_own_loop(void) {
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

static void one_thread_runs_it_at_a_time(void) {
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

/* Jobs from other threads, while the loop sleeps and while it runs. */
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

static void other_threads_may_submit(void) {
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

static void wait_runs_the_loop(void) {
  fixture_t fixture = setup();
  promise_t *child = react_on(fixture.executor, adds_one, NULL, NULL);
  CHECK_STATUS(promise_loop_wait(fixture.loop, child, FOR_EVER), PROMISE_OK);
  CHECK(ended(child, PROMISE_FULFILLED, 2));
  CHECK_STATUS(promise_loop_wait(fixture.loop, child, 0), PROMISE_OK);
  promise_release(child);
  /* Its own timer. */
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

/* Timers of a loop need no thread of the library. */
static void needs_no_other_thread(void) {
  CHECK(true);
  if (shares_process())
    return;
  fixture_t fixture = setup();
  promise_t *nap = promise_sleep_on(fixture.executor, MILLISECONDS);
  promise_t *child = promise_delay_on(fixture.executor, nap, MILLISECONDS);
  promise_t *limited = promise_timeout_on(fixture.executor, child, 3600 * 1000 * MILLISECONDS);
  CHECK_STATUS(promise_loop_wait(fixture.loop, limited, FOR_EVER), PROMISE_OK);
  CHECK_INT(thread_count(), 0);
  promise_t *all[] = {nap, child, limited};
  for (int i = 0; i < 3; i++)
    promise_release(all[i]);
  teardown(fixture);
}

/* ---- The end ---- */

static void last_release_drops_what_waits(void) {
  fixture_t fixture = setup();
  spy_t job = {0}, task = {0}, observed = {0};
  promise_t *child = react_on(fixture.executor, spy_handler, &job, spy_free);
  promise_t *nap = promise_sleep_on(fixture.executor, 1), *late = promise_sleep_on(fixture.executor, INT64_MAX);
  CHECK_STATUS(promise_executor_submit(fixture.executor, spy_discard, &task, spy_free), PROMISE_OK);
  promise_observe(child, NULL, spy_observer, &observed, spy_free);
  CHECK_STATUS(promise_loop_release(fixture.loop), PROMISE_OK);
  CHECK_SPY(&job, 0, 1);
  CHECK_SPY(&task, 0, 1);
  CHECK_SPY(&observed, 1, 1);
  CHECK(failed_with(child, PROMISE_ECLOSED) && failed_with(nap, PROMISE_ECLOSED) && failed_with(late, PROMISE_ECLOSED));
  promise_t *all[] = {child, nap, late};
  for (int i = 0; i < 3; i++)
    promise_release(all[i]);
  /* The executor outlives its loop, and drops later jobs. */
  spy_t later = {0};
  child = react_on(fixture.executor, spy_handler, &later, spy_free);
  CHECK_SPY(&later, 0, 1);
  CHECK(failed_with(child, PROMISE_ECLOSED));
  nap = promise_sleep_on(fixture.executor, 1);
  CHECK(failed_with(nap, PROMISE_ECLOSED));
  promise_release(nap);
  promise_release(child);
  CHECK_STATUS(promise_executor_release(fixture.executor), PROMISE_OK);
  CHECK_STATUS(promise_executor_release(fixture.executor), PROMISE_ESTALE);
  CHECK_STATUS(promise_loop_stop(fixture.loop), PROMISE_ESTALE);
}

static void releases_shared(void *ctx) {
  (void)ctx;
  CHECK_STATUS(promise_loop_release(shared.loop), PROMISE_OK);
}

static void job_may_release_its_loop(void) {
  spy_t spy = {0};
  for (int way = 0; way < 4; way++) {
    shared = setup();
    submit(shared, releases_shared, NULL);
    promise_t *behind = react_on(shared.executor, spy_handler, &spy, spy_free), *other = promise_new();
    promise_status_t status = way == 0   ? (promise_status_t)promise_loop_run_once(shared.loop)
                              : way == 1 ? promise_loop_run(shared.loop, 0)
                              : way == 2 ? promise_loop_run(shared.loop, FOR_EVER)
                                         : promise_loop_wait(shared.loop, other, FOR_EVER);
    CHECK_STATUS(status, PROMISE_ECLOSED);
    CHECK(failed_with(behind, PROMISE_ECLOSED));
    promise_release(other);
    promise_release(behind);
    CHECK_STATUS(promise_executor_release(shared.executor), PROMISE_OK);
  }
  CHECK_SPY(&spy, 0, 4);
}

static void *runs_until_closed(void *loop) {
  CHECK_STATUS(promise_loop_run(loop, FOR_EVER), PROMISE_ECLOSED);
  return NULL;
}
static void opens(void *gate) {
  gate_open(gate);
}

static void last_release_ends_a_run_elsewhere(void) {
  gate_t running = GATE_CLOSED;
  fixture_t fixture = setup();
  pthread_t thread = start(runs_until_closed, fixture.loop);
  submit(fixture, opens, &running);
  gate_wait(&running);
  CHECK_STATUS(promise_loop_release(fixture.loop), PROMISE_OK);
  finish(thread);
  CHECK_STATUS(promise_executor_release(fixture.executor), PROMISE_OK);
}

int main(void) {
  RUN(needs_no_other_thread);
  RUN(jobs_run_in_order);
  RUN(reactions_run_on_the_loop);
  RUN(run_ends_when_it_is_stopped);
  RUN(run_ends_in_time);
  RUN(job_cannot_run_its_own_loop);
  RUN(one_thread_runs_it_at_a_time);
  RUN(other_threads_may_submit);
  RUN(wait_runs_the_loop);
  RUN(last_release_drops_what_waits);
  RUN(job_may_release_its_loop);
  RUN(last_release_ends_a_run_elsewhere);
  return check_report();
}
