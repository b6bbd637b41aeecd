/* Callbacks that release the last reference to the object in use, and new objects that reuse its memory. */
#include "support.h"

static promise_t *subject;
static promise_value_t in_its_place;

/* A producer's cancel handler, which discards its promise and releases it. */
static void gives_up(void *ctx, const promise_value_t *reason) {
  (void)reason;
  spy_discard(ctx);
  CHECK_STATUS(promise_discard(subject), PROMISE_OK);
  CHECK_STATUS(promise_release(subject), PROMISE_OK);
}

/* Allocates a STRING of 128 bytes in the memory of the promise: its length could be mistaken for the state of a promise
 * that is being changed. */
static void gives_up_for_a_text(void *ctx, const promise_value_t *reason) {
  char bytes[128];
  gives_up(ctx, reason);
  memset(bytes, 'x', sizeof bytes);
  CHECK_STATUS(promise_value_string(&in_its_place, bytes, sizeof bytes), PROMISE_OK);
}

TEST(handler_of_a_request_may_release_the_last_reference) {
  spy_t spy = {0};
  subject = promise_new();
  promise_on_cancel_request(subject, gives_up_for_a_text, &spy, spy_free);
  CHECK_STATUS(promise_request_cancel(subject, NULL), PROMISE_OK);
  CHECK_SPY(&spy, 1, 1);
  CHECK_STATUS(promise_state(subject), PROMISE_ESTALE);
  CHECK_STATUS(promise_value_release(&in_its_place), PROMISE_OK);
}

/* A settled input requests cancellation of the others while they are being gathered. */
TEST(input_may_be_released_while_it_is_gathered) {
  spy_t spy = {0};
  promise_t *first = fulfilled(1);
  subject = promise_new();
  promise_on_cancel_request(subject, gives_up, &spy, spy_free);
  promise_t *race = promise_race((promise_t *[]){first, subject}, 2, PROMISE_COMBINE_CANCEL_OTHERS);
  CHECK_SPY(&spy, 1, 1);
  CHECK(ended(race, PROMISE_FULFILLED, 1));
  CHECK_STATUS(promise_state(subject), PROMISE_ESTALE);
  RELEASE(race, first);
}

static promise_loop_t *loop, *other_loop;

static void frees_the_loop_again(void *ctx, const promise_value_t *reason) {
  spy_see(ctx, reason);
  CHECK_STATUS(promise_loop_release(loop), PROMISE_ESTALE);
  other_loop = promise_loop_new();
}

TEST(loop_is_stale_for_the_jobs_that_it_drops) {
  spy_t spy = {0};
  loop = promise_loop_new();
  promise_executor_t *executor = promise_loop_executor(loop);
  promise_t *sleep = promise_sleep_on(executor, 1000 * MILLISECONDS);
  promise_executor_release(executor);
  promise_observe(sleep, NULL, frees_the_loop_again, &spy, spy_free);
  CHECK_STATUS(promise_loop_release(loop), PROMISE_OK);
  CHECK_SPY(&spy, 1, 1);
  CHECK(failed_with(sleep, PROMISE_ECLOSED));
  promise_release(sleep);
  CHECK_INT(promise_loop_run_once(other_loop), 0);
  CHECK_STATUS(promise_loop_release(other_loop), PROMISE_OK);
}

/* ---- Waiting, where the settled promise has been destroyed ---- */

static void *settles(void *promise) {
  CHECK_STATUS(promise_resolve(promise, I64(2)), PROMISE_OK);
  return NULL;
}

/* The new promise reuses the memory of the destroyed one, whose settlement runs here. Another thread settles it, so
 * this thread may wait. */
static void waits_for_what_took_its_place(void *ctx, const promise_value_t *value) {
  spy_see(ctx, value);
  CHECK_STATUS(promise_release(subject), PROMISE_OK);
  promise_t *fresh = promise_new();
  promise_t *child = promise_then(fresh, adds_one, NULL, NULL);
  pthread_t thread = start(settles, fresh);
  CHECK_STATUS(promise_wait(child, FOR_EVER), PROMISE_OK);
  CHECK_STATUS(promise_wait(fresh, FOR_EVER), PROMISE_OK);
  finish(thread);
  RELEASE(child, fresh);
}

TEST(callback_may_wait_for_the_promise_that_reuses_its_cell) {
  spy_t spy = {0};
  subject = promise_new();
  promise_observe(subject, waits_for_what_took_its_place, NULL, &spy, spy_free);
  CHECK_STATUS(promise_resolve(subject, I64(1)), PROMISE_OK);
  CHECK_SPY(&spy, 1, 1);
}

static void releases_subject_as_it_goes(void *ctx) {
  spy_free(ctx);
  CHECK_STATUS(promise_release(subject), PROMISE_OK);
}

/* Called when the promise has been destroyed. */
static void waits_for_a_fresh_one(void *ctx, const promise_value_t *value) {
  spy_see(ctx, value);
  promise_t *fresh = promise_new();
  pthread_t thread = start(settles, fresh);
  CHECK_STATUS(promise_wait(fresh, FOR_EVER), PROMISE_OK);
  finish(thread);
  promise_release(fresh);
}

TEST(context_of_a_block_may_release_the_last_reference) {
  for (int discards = 0; discards < 2; discards++) {
    spy_t block = {0}, spy = {0};
    subject = promise_new_discardable(NULL, &block, releases_subject_as_it_goes);
    promise_observe(subject, waits_for_a_fresh_one, waits_for_a_fresh_one, &spy, spy_free);
    CHECK_STATUS(discards ? promise_discard(subject) : promise_resolve(subject, I64(1)), PROMISE_OK);
    CHECK_SPY(&block, 0, 1);
    CHECK_SPY(&spy, 1, 1);
    CHECK_STATUS(promise_state(subject), PROMISE_ESTALE);
  }
}

static promise_t *behind;

/* A wait for a callback that is later in the queue fails, although the promise has been destroyed. */
static void waits_for_what_stands_behind(void *ctx, const promise_value_t *value) {
  spy_see(ctx, value);
  CHECK_STATUS(promise_release(subject), PROMISE_OK);
  CHECK_STATUS(promise_wait(behind, FOR_EVER), PROMISE_EDEADLK);
  promise_t *fresh = promise_new();
  CHECK_STATUS(promise_wait(behind, FOR_EVER), PROMISE_EDEADLK);
  promise_release(fresh);
}

TEST(callback_cannot_wait_for_a_later_reaction_of_its_destroyed_promise) {
  spy_t spy = {0};
  subject = promise_new();
  promise_observe(subject, waits_for_what_stands_behind, NULL, &spy, spy_free);
  promise_t *next = promise_then(subject, adds_one, NULL, NULL);
  behind = promise_then(next, adds_one, NULL, NULL);
  CHECK_STATUS(promise_resolve(subject, I64(1)), PROMISE_OK);
  CHECK_SPY(&spy, 1, 1);
  CHECK(ended(behind, PROMISE_FULFILLED, 3));
  RELEASE(next, behind);
}
