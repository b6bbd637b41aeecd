/* promise/core.h: waiting. */
#include "../checked.h"

CHECKS(wait)

RULE(settled_promises_need_no_waiting, "waiting for a settled promise returns at once") {
  static const int64_t limits[] = {0, 1, MILLISECONDS, INT64_MAX, FOR_EVER, INT64_MIN};
  promise_t *good = fulfilled(1), *bad = rejected(1), *discarded = pending();
  CHECK_STATUS(promise_discard(discarded), PROMISE_OK);
  for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
    CHECK_STATUS(promise_wait(good, limits[i]), PROMISE_OK);
    CHECK_STATUS(promise_wait(bad, limits[i]), PROMISE_OK);
    CHECK_STATUS(promise_wait(discarded, limits[i]), PROMISE_OK);
    CHECK_STATUS(promise_wait_interruptible(bad, limits[i]), PROMISE_OK);
  }
  RELEASE(good, bad, discarded);
}

/* Chance decides whether the waiter sleeps before the settlement; repeated often enough to see both orders. */
RULE(a_settlement_ends_the_wait, "a settlement on another thread ends the wait") {
  for (int i = 0; i < 200; i++) {
    promise_t *promise = pending();
    promise_t *child = promise_then(promise, adds_one, NULL, NULL);
    pthread_t thread = start(resolve_there, promise);
    CHECK_STATUS(promise_wait(i % 2 == 0 ? child : promise, i % 3 == 0 ? INT64_MAX : FOR_EVER), PROMISE_OK);
    finish(thread);
    CHECK_ENDED(child, PROMISE_FULFILLED, 2);
    RELEASE(child, promise);
  }
}

static promise_t *own;

static promise_verdict_t waits_for_itself(void *ctx, const promise_value_t *in, promise_value_t *out) {
  *out = *in;
  CHECK_STATUS(promise_wait(own, FOR_EVER), PROMISE_EDEADLK);
  CHECK_STATUS(promise_wait(own, 0), PROMISE_ETIMEDOUT);
  ++*(int *)ctx;
  return PROMISE_FULFILL;
}

RULE(waiting_for_a_promise_of_this_thread_is_a_deadlock,
     "waiting for a promise that only this thread could settle is PROMISE_EDEADLK") {
  int calls = 0;
  promise_t *promise = pending();
  own = promise_then(promise, waits_for_itself, &calls, NULL);
  resolve(promise, 1);
  CHECK_INT(calls, 1);
  CHECK_ENDED(own, PROMISE_FULFILLED, 1);
  release(own), release(promise);
  /* The handler cannot wait for a descendant either, nor for a reaction that is queued behind the running one. */
  promise = pending();
  promise_t *child = promise_then(promise, waits_for_itself, &calls, NULL);
  own = promise_then(child, adds_one, NULL, NULL);
  resolve(promise, 1);
  CHECK_INT(calls, 2);
  release(child), release(own), release(promise);
  promise = pending();
  child = promise_then(promise, waits_for_itself, &calls, NULL);
  own = promise_then(promise, adds_one, NULL, NULL);
  resolve(promise, 1);
  CHECK_INT(calls, 3);
  release(child), release(own), release(promise);
}

/* Waits for a promise derived from the asked one, which this handler itself would have to settle. */
static void waits_for_the_asked(void *ctx, const promise_value_t *reason) {
  (void)reason;
  CHECK_STATUS(promise_wait(own, FOR_EVER), PROMISE_EDEADLK);
  ++*(int *)ctx;
}

RULE(waiting_for_a_promise_that_is_asked_here_is_a_deadlock,
     "waiting within a handler of a request for the promise that was asked is PROMISE_EDEADLK") {
  int calls = 0;
  promise_t *promise = pending();
  own = promise_then(promise, adds_one, NULL, NULL);
  CHECK_STATUS(promise_on_cancel_request(promise, waits_for_the_asked, &calls, NULL), PROMISE_OK);
  CHECK_STATUS(promise_request_cancel(own, NULL), PROMISE_OK);
  CHECK_INT(calls, 1);
  release(own), release(promise);
}

static promise_verdict_t waits_for_the_next(void *ctx, const promise_value_t *in, promise_value_t *out) {
  *out = *in;
  gate_wait(ctx);
  CHECK_STATUS(promise_wait(own, FOR_EVER), PROMISE_EDEADLK);
  return PROMISE_FULFILL;
}

RULE(waiting_for_a_job_behind_this_one_is_a_deadlock,
     "waiting within a job of a serial executor for a job behind it is PROMISE_EDEADLK") {
  gate_t attached = GATE_CLOSED;
  promise_executor_t *serial = promise_executor_serial(NULL);
  promise_t *first = promise_run(serial, waits_for_the_next, &attached, NULL);
  own = promise_run(serial, note_handler, LETTER('a'), NULL);
  gate_open(&attached);
  CHECK_STATUS(promise_wait(own, FOR_EVER), PROMISE_OK);
  CHECK_INT(promise_state(first), PROMISE_FULFILLED);
  release(first), release(own);
  CHECK_STATUS(promise_executor_release(serial), PROMISE_OK);
}

static void waits_for_another_thread(void *ctx, const promise_value_t *value) {
  (void)value;
  pthread_t thread = start(resolve_there, ctx);
  CHECK_STATUS(promise_wait(ctx, FOR_EVER), PROMISE_OK);
  finish(thread);
}

RULE(a_callback_may_wait_for_another_thread, "a callback may wait for a promise that another thread settles") {
  promise_t *promise = pending(), *other = pending();
  CHECK_STATUS(promise_observe(promise, waits_for_another_thread, NULL, other, NULL), PROMISE_OK);
  resolve(promise, 1);
  CHECK_ENDED(other, PROMISE_FULFILLED, 1);
  RELEASE(other, promise);
}

RULE(one_of_many_ends_the_wait, "promise_wait_any() ends with the first that is settled, and leaves nothing behind") {
  promise_t *promises[] = {pending(), pending(), pending()};
  size_t index = 99;
  CHECK_STATUS(promise_wait_any(promises, 3, 0, &index), PROMISE_ETIMEDOUT);
  int64_t before = now();
  CHECK_STATUS(promise_wait_any(promises, 3, 20 * MILLISECONDS, &index), PROMISE_ETIMEDOUT);
  CHECK(now() - before >= 20 * MILLISECONDS);
  CHECK_INT(index, 99);
  CHECK_STATUS(promise_wait_any(promises, 3, MILLISECONDS, NULL), PROMISE_ETIMEDOUT);
  pthread_t thread = start(resolve_there, promises[1]);
  CHECK_STATUS(promise_wait_any(promises, 3, FOR_EVER, &index), PROMISE_OK);
  CHECK_INT(index, 1);
  finish(thread);
  reject(promises[0], 1);
  CHECK_STATUS(promise_wait_any(promises, 3, FOR_EVER, &index), PROMISE_OK);
  CHECK_INT(index, 0);
  promise_t *wrong[] = {promises[2], NULL}, *gone[] = {stale(), promises[2]};
  CHECK_STATUS(promise_wait_any(wrong, 2, 0, &index), PROMISE_EINVAL);
  CHECK_INT(index, 1);
  CHECK_STATUS(promise_wait_any(gone, 2, 0, &index), PROMISE_ESTALE);
  CHECK_INT(index, 0);
  CHECK_STATUS(promise_wait_any(promises, 0, 0, &index), PROMISE_EINVAL);
  CHECK_STATUS(promise_wait_any(NULL, 1, 0, &index), PROMISE_EINVAL);
  for (int i = 0; i < 3; i++) {
    release(promises[i]);
    CHECK_STATUS(promise_state(promises[i]), PROMISE_ESTALE);
  }
}

RULE(pending_promise_times_out, "waiting for a pending promise ends when its time is over, and not before") {
  promise_t *promise = promise_new();
  CHECK_STATUS(promise_wait(promise, 0), PROMISE_ETIMEDOUT);
  CHECK_STATUS(promise_wait(promise, 1), PROMISE_ETIMEDOUT);
  CHECK_STATUS(promise_wait_interruptible(promise, 1), PROMISE_ETIMEDOUT);
  int64_t before = now();
  CHECK_STATUS(promise_wait(promise, 50 * MILLISECONDS), PROMISE_ETIMEDOUT);
  CHECK(now() - before >= 50 * MILLISECONDS);
  CHECK_INT(promise_state(promise), PROMISE_PENDING);
  CHECK_STATUS(promise_resolve(promise, I64(1)), PROMISE_OK);
  CHECK_STATUS(promise_wait(promise, 0), PROMISE_OK);
  promise_release(promise);
}

RULE(waits_for_the_end_of_a_chain, "a settlement on another thread ends the wait for the last promise of a chain") {
  promise_t *promise = promise_new(), *last = retained(promise);
  for (int i = 0; i < 10; i++) {
    promise_t *next = promise_then(last, adds_one, NULL, NULL);
    promise_release(last);
    last = next;
  }
  pthread_t thread = start(resolve_there, promise);
  CHECK_STATUS(promise_wait(last, FOR_EVER), PROMISE_OK);
  CHECK(ended(last, PROMISE_FULFILLED, 11));
  finish(thread);
  RELEASE(last, promise);
}

/* `in_callback` opens when the callback runs, and `waited` ends it. Meanwhile another thread waits for the promise: an
 * ordinary wait, which the end of the callback ends. */
static gate_t in_callback = GATE_CLOSED, waited = GATE_CLOSED;

static promise_verdict_t lets_others_look(void *ctx, const promise_value_t *in, promise_value_t *out) {
  (void)ctx;
  *out = *in;
  gate_open(&in_callback);
  gate_wait(&waited);
  return PROMISE_FULFILL;
}

RULE(other_threads_may_wait_for_a_promise_that_is_settled_here,
     "another thread may wait for the promise whose handler runs here") {
  promise_t *promise = promise_new();
  promise_t *child = promise_then(promise, lets_others_look, NULL, NULL);
  pthread_t thread = start(resolve_there, promise);
  gate_wait(&in_callback);
  CHECK_STATUS(promise_wait(child, 0), PROMISE_ETIMEDOUT);
  CHECK_STATUS(promise_wait(child, MILLISECONDS), PROMISE_ETIMEDOUT);
  gate_open(&waited);
  CHECK_STATUS(promise_wait(child, FOR_EVER), PROMISE_OK);
  finish(thread);
  RELEASE(child, promise);
}

/* `first_runs` opens when the first callback runs on the settling thread, and `first_may_end` ends it. A callback that
 * this thread attaches meanwhile runs at once, and may wait for later callbacks, because the settling thread runs
 * those. */
static gate_t first_runs = GATE_CLOSED, first_may_end = GATE_CLOSED;

static void holds_the_others_up(void *ctx, const promise_value_t *value) {
  (void)ctx, (void)value;
  gate_open(&first_runs);
  gate_wait(&first_may_end);
}

static promise_verdict_t waits_for_the_other_thread(void *ctx, const promise_value_t *in, promise_value_t *out) {
  promise_t *behind = ctx;
  *out = *in;
  CHECK_STATUS(promise_wait(behind, MILLISECONDS), PROMISE_ETIMEDOUT);
  gate_open(&first_may_end);
  CHECK_STATUS(promise_wait(behind, FOR_EVER), PROMISE_OK);
  return PROMISE_FULFILL;
}

RULE(late_callback_may_wait_for_another_thread,
     "a callback attached to a settled promise may wait for one whose handler another thread will run") {
  promise_t *promise = promise_new();
  promise_observe(promise, holds_the_others_up, NULL, NULL, NULL);
  promise_t *behind = promise_then(promise, adds_one, NULL, NULL);
  pthread_t thread = start(resolve_there, promise);
  gate_wait(&first_runs);
  CHECK_INT(promise_state(promise), PROMISE_FULFILLED);
  CHECK_INT(promise_state(behind), PROMISE_PENDING);
  promise_t *late = promise_then(promise, waits_for_the_other_thread, behind, NULL);
  gate_open(&first_may_end);
  finish(thread);
  CHECK(ended(behind, PROMISE_FULFILLED, 2));
  RELEASE(promise, behind, late);
}
