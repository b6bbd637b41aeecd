/* Promises, their callbacks, combinators and timers when memory runs out: at each allocation in turn. */
#include "scarce.h"

/* ---- New promises ---- */

OUT_OF_MEMORY(new) {
  scarce();
  promise_t *promise = promise_new();
  promise_status_t status = plenty(of(promise));
  promise_release(promise);
  return status;
}

OUT_OF_MEMORY(new_discardable) {
  spy_t spy = {0};
  scarce();
  promise_t *promise = promise_new_discardable(spy_discard, &spy, spy_free);
  promise_status_t status = plenty(of(promise));
  CHECK_SPY(&spy, 0, promise == NULL);
  promise_release(promise);
  CHECK_SPY(&spy, 0, 1);
  return status;
}

/* ---- Callbacks, whose contexts are freed once ---- */

static promise_status_t derived_by(promise_t *(*derive)(promise_t *source, spy_t *spy)) {
  promise_t *source = promise_new();
  spy_t spy = {0};
  scarce();
  promise_t *derived = derive(source, &spy);
  promise_status_t status = plenty(of(derived));
  CHECK_SPY(&spy, 0, derived == NULL);
  CHECK_STATUS(promise_resolve(source, I64(1)), PROMISE_OK);
  CHECK_INT(atomic_load(&spy.frees), 1);
  CHECK_INT(atomic_load(&spy.calls), derived != NULL);
  promise_release(derived);
  promise_release(source);
  return status;
}

static promise_t *make_then(promise_t *source, spy_t *spy) {
  return promise_then(source, spy_handler, spy, spy_free);
}
OUT_OF_MEMORY_BY(then, derived_by(make_then))

static promise_t *make_finally(promise_t *source, spy_t *spy) {
  return promise_finally(source, spy_discard, spy, spy_free);
}
OUT_OF_MEMORY_BY(finally, derived_by(make_finally))

static promise_status_t settled_by(promise_t *(*make)(const promise_value_t *value)) {
  payload_t payload = {0};
  promise_value_t value = object(&payload);
  scarce();
  promise_t *promise = make(&value);
  promise_status_t status = plenty(of(promise));
  CHECK_INT(atomic_load(&payload.destroyed), status != PROMISE_OK);
  promise_release(promise);
  CHECK_INT(atomic_load(&payload.destroyed), 1);
  return status;
}
OUT_OF_MEMORY_BY(new_resolved, settled_by(promise_new_resolved))
OUT_OF_MEMORY_BY(new_rejected, settled_by(promise_new_rejected))

OUT_OF_MEMORY(discard_with) {
  payload_t payload = {0};
  promise_value_t cause = object(&payload);
  promise_t *promise = promise_new();
  scarce();
  promise_status_t status = plenty(promise_discard_with(promise, &cause));
  CHECK_INT(promise_state(promise), status == PROMISE_OK ? PROMISE_REJECTED : PROMISE_PENDING);
  CHECK_INT(atomic_load(&payload.destroyed), status != PROMISE_OK);
  promise_release(promise);
  CHECK_INT(atomic_load(&payload.destroyed), 1);
  return status;
}

OUT_OF_MEMORY(run) {
  promise_executor_t *executor = promise_executor_immediate();
  spy_t spy = {0};
  scarce();
  promise_t *promise = promise_run(executor, spy_handler, &spy, spy_free);
  promise_status_t status = plenty(of(promise));
  CHECK_SPY(&spy, status == PROMISE_OK, 1);
  promise_release(promise);
  return status;
}

static promise_executor_t *immediate;
static promise_token_t *token;
static promise_t *make_react(promise_t *source, spy_t *spy) {
  promise_reaction_t reaction = {.size = sizeof reaction, .executor = immediate, .token = token};
  reaction.on_fulfilled = spy_handler, reaction.ctx = spy, reaction.free_ctx = spy_free;
  return promise_react(source, &reaction);
}
OUT_OF_MEMORY_BY(react, derived_by(make_react))
OUT_OF_MEMORY(react_on_an_executor) {
  immediate = promise_executor_immediate();
  token = promise_token_new(0);
  promise_status_t status = derived_by(make_react);
  promise_token_release(token);
  promise_executor_release(immediate);
  return status;
}

OUT_OF_MEMORY(rescue) {
  promise_t *source = promise_new();
  spy_t spy = {0};
  scarce();
  promise_t *derived = promise_rescue(source, NULL, spy_handler, &spy, spy_free);
  promise_status_t status = plenty(of(derived));
  CHECK_SPY(&spy, 0, derived == NULL);
  promise_release(derived);
  promise_release(source);
  CHECK_SPY(&spy, 0, 1);
  return status;
}

static promise_status_t observed_by(promise_status_t (*observe)(promise_t *source, spy_t *spy)) {
  promise_t *source = promise_new();
  spy_t spy = {0};
  scarce();
  promise_status_t status = plenty(observe(source, &spy));
  CHECK_SPY(&spy, 0, status != PROMISE_OK);
  promise_release(source);
  CHECK_SPY(&spy, 0, 1);
  return status;
}

static promise_status_t with_observe(promise_t *source, spy_t *spy) {
  return promise_observe(source, spy_observer, NULL, spy, spy_free);
}
OUT_OF_MEMORY_BY(observe, observed_by(with_observe))
static promise_status_t with_tap(promise_t *source, spy_t *spy) {
  return promise_tap(source, spy_observer, NULL, spy, spy_free);
}
OUT_OF_MEMORY_BY(tap, observed_by(with_tap))
static promise_status_t with_request(promise_t *source, spy_t *spy) {
  return promise_on_cancel_request(source, ignore_value, spy, spy_free);
}
OUT_OF_MEMORY_BY(on_cancel_request, observed_by(with_request))

OUT_OF_MEMORY(follow) {
  spy_t spy = {0};
  promise_t *promise = promise_new_discardable(spy_discard, &spy, spy_free), *source = promise_new();
  scarce();
  promise_status_t status = plenty(promise_follow(promise, source));
  CHECK_STATUS(promise_resolve(source, I64(1)), PROMISE_OK);
  CHECK_INT(promise_state(promise), status == PROMISE_OK ? PROMISE_FULFILLED : PROMISE_PENDING);
  promise_release(source);
  promise_release(promise);
  return status;
}

/* ---- Combinators and timers ---- */

static promise_status_t combined(promise_t *(*combine)(promise_t *const *promises, size_t count, uint32_t flags)) {
  promise_t *inputs[] = {promise_new(), promise_new(), promise_new()};
  scarce();
  promise_t *result = combine(inputs, 3, 0);
  promise_status_t status = plenty(of(result));
  if (result != NULL) { /* requests propagate upstream */
    CHECK_STATUS(promise_request_cancel(result, NULL), PROMISE_OK);
    CHECK_INT(promise_cancel_requested(inputs[0]) + promise_cancel_requested(inputs[2]), 2);
  }
  for (int i = 0; i < 3; i++)
    CHECK_STATUS(promise_resolve(inputs[i], I64(i)), PROMISE_OK);
  if (result != NULL)
    CHECK_INT(promise_state(result), PROMISE_FULFILLED);
  promise_release(result);
  RELEASE_EACH(inputs, 3);
  return status;
}
OUT_OF_MEMORY_BY(all, combined(promise_all))
OUT_OF_MEMORY_BY(all_settled, combined(promise_all_settled))
OUT_OF_MEMORY_BY(any, combined(promise_any))
OUT_OF_MEMORY_BY(race, combined(promise_race))

static promise_loop_t *loop;
static promise_executor_t *executor;

/* Makes a timer that is due in an hour, on a loop that is then released. */
static promise_status_t timed(promise_t *(*make)(promise_t *source)) {
  loop = promise_loop_new();
  executor = promise_loop_executor(loop);
  promise_t *source = promise_new();
  scarce();
  promise_t *made = make(source);
  promise_status_t status = plenty(of(made));
  promise_resolve(source, I64(1));
  promise_release(made);
  promise_release(source);
  promise_executor_release(executor);
  promise_loop_release(loop);
  return status;
}

static int64_t const hour = 3600 * 1000 * MILLISECONDS;
static promise_t *make_sleep(promise_t *source) {
  (void)source;
  return promise_sleep_on(executor, hour);
}
OUT_OF_MEMORY_BY(sleep_on, timed(make_sleep))
DERIVES(promise_t, make_delay, promise_delay_on(executor, source, hour))
OUT_OF_MEMORY_BY(delay_on, timed(make_delay))
DERIVES(promise_t, make_timeout, promise_timeout_on(executor, source, hour))
OUT_OF_MEMORY_BY(timeout_on, timed(make_timeout))

static promise_status_t without_a_loop(promise_t *(*make)(promise_t *source, int64_t ns)) {
  promise_t *source = promise_new();
  scarce();
  promise_t *made = make(source, 0);
  promise_status_t status = plenty(of(made));
  promise_resolve(source, I64(1));
  if (made != NULL)
    CHECK_STATUS(promise_wait(made, FOR_EVER), PROMISE_OK);
  promise_release(made);
  promise_release(source);
  return status;
}
static promise_t *sleeps(promise_t *source, int64_t ns) {
  (void)source;
  return promise_sleep(ns);
}

/* Library threads free cells of their own, so the cells are not counted: one attempt without memory fails, one with
 * memory succeeds. */
TEST(timers_without_an_executor) {
  promise_t *(*const made[])(promise_t *, int64_t) = {sleeps, promise_delay, promise_timeout};
  for (int i = 0; i < 3; i++) {
    scarce_attempt.cells = 0, scarce_attempt.blocks = -1;
    CHECK_STATUS(without_a_loop(made[i]), PROMISE_ENOMEM);
    scarce_attempt.cells = -1;
    CHECK_STATUS(without_a_loop(made[i]), PROMISE_OK);
  }
  scarce_end();
}

/* ---- Waiting ---- */

OUT_OF_MEMORY(wait_any) {
  promise_t *promises[20];
  for (int i = 0; i < 20; i++)
    promises[i] = promise_new();
  size_t index = 0;
  scarce();
  promise_status_t status = plenty(promise_wait_any(promises, 20, 1, &index));
  RELEASE_EACH(promises, 20);
  return status == PROMISE_ETIMEDOUT ? PROMISE_OK : status;
}

OUT_OF_MEMORY(loop_wait) {
  promise_loop_t *turning = promise_loop_new();
  promise_t *promise = promise_new();
  scarce();
  promise_status_t status = plenty(promise_loop_wait(turning, promise, 1));
  promise_release(promise);
  promise_loop_release(turning);
  return status == PROMISE_ETIMEDOUT ? PROMISE_OK : status;
}
