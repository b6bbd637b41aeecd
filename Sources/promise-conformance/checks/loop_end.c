/* promise/loop.h: the end of loops. */
#include "../checked.h"
#include "../loops.h"

CHECKS(loop_end)

static fixture_t shared;

RULE(last_release_drops_queued_jobs, "the last release of a loop drops queued jobs, and later ones") {
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
  RELEASE(child, nap, late);
  /* The executor outlives its loop, and drops later jobs. */
  spy_t later = {0};
  child = react_on(fixture.executor, spy_handler, &later, spy_free);
  CHECK_SPY(&later, 0, 1);
  CHECK(failed_with(child, PROMISE_ECLOSED));
  nap = promise_sleep_on(fixture.executor, 1);
  CHECK(failed_with(nap, PROMISE_ECLOSED));
  RELEASE(nap, child);
  CHECK_STATUS(promise_executor_release(fixture.executor), PROMISE_OK);
  CHECK_STATUS(promise_executor_release(fixture.executor), PROMISE_ESTALE);
  CHECK_STATUS(promise_loop_stop(fixture.loop), PROMISE_ESTALE);
}

static void releases_shared(void *ctx) {
  (void)ctx;
  CHECK_STATUS(promise_loop_release(shared.loop), PROMISE_OK);
}

RULE(job_may_release_its_loop, "a job may release its loop, which ends the run with PROMISE_ECLOSED") {
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
    RELEASE(other, behind);
    CHECK_STATUS(promise_executor_release(shared.executor), PROMISE_OK);
  }
  CHECK_SPY(&spy, 0, 4);
}

static void *runs_until_closed(void *loop) {
  CHECK_STATUS(promise_loop_run(loop, FOR_EVER), PROMISE_ECLOSED);
  return NULL;
}

RULE(last_release_ends_a_run_elsewhere, "the last release of a loop ends its run on another thread") {
  gate_t running = GATE_CLOSED;
  fixture_t fixture = setup();
  pthread_t thread = start(runs_until_closed, fixture.loop);
  submit(fixture, open_gate, &running);
  gate_wait(&running);
  CHECK_STATUS(promise_loop_release(fixture.loop), PROMISE_OK);
  finish(thread);
  CHECK_STATUS(promise_executor_release(fixture.executor), PROMISE_OK);
}

RULE(each_reference_keeps_the_loop_open, "each reference to a loop keeps it open") {
  fixture_t fixture = setup();
  CHECK_STATUS(promise_loop_retain(fixture.loop), PROMISE_OK);
  CHECK_STATUS(promise_loop_release(fixture.loop), PROMISE_OK);
  submit_letter(fixture.executor, 'a');
  CHECK_INT(promise_loop_run_once(fixture.loop), 1);
  CHECK_TEXT(journal, "aA");
  CHECK_STATUS(promise_loop_release(fixture.loop), PROMISE_OK);
  CHECK_STATUS(promise_loop_retain(fixture.loop), PROMISE_ESTALE);
  CHECK_STATUS(promise_executor_release(fixture.executor), PROMISE_OK);
}
