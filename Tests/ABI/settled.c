/* Promises that are settled already, and promises that are discarded with a cause. */
#include "support.h"

TEST(value_is_freed_with_the_promise) {
  promise_t *(*const makers[])(const promise_value_t *) = {promise_new_resolved, promise_new_rejected};
  for (int i = 0; i < 2; i++) {
    payload_t payload = {0};
    promise_value_t value = object(&payload), got;
    promise_t *promise = makers[i](&value);
    CHECK_INT(atomic_load(&payload.destroyed), 0);
    CHECK_STATUS(promise_result(promise, &got), PROMISE_OK);
    CHECK_POINTER(got.as.ptr, &payload);
    promise_release(promise);
    CHECK_INT(atomic_load(&payload.destroyed), 0);
    promise_value_release(&got);
    CHECK_INT(atomic_load(&payload.destroyed), 1);
  }
}

static int unhandled;
static void count_unhandled(void *ctx, uint64_t id, const promise_value_t *reason) {
  (void)ctx, (void)id, (void)reason;
  unhandled++;
}
TEST(rejected_one_that_nobody_takes_is_reported) {
  promise_hooks_t hooks = {.size = sizeof hooks, .unhandled_rejection = count_unhandled};
  CHECK_STATUS(promise_set_hooks(&hooks), PROMISE_OK);
  promise_release(promise_new_rejected(I64(1)));
  CHECK_INT(unhandled, 1);
  promise_release(promise_new_resolved(I64(1)));
  CHECK_INT(unhandled, 1);
  CHECK_STATUS(promise_set_hooks(NULL), PROMISE_OK);
}

/* ---- promise_discard_with() ---- */

TEST(cause_is_freed_once_on_every_path) {
  payload_t payloads[4] = {{0}};
  promise_value_t causes[4];
  for (int i = 0; i < 4; i++)
    causes[i] = object(&payloads[i]);
  promise_t *promise = promise_new();
  CHECK_STATUS(promise_discard_with(promise, &causes[0]), PROMISE_OK);
  CHECK_STATUS(promise_discard_with(promise, &causes[1]), PROMISE_ESETTLED);
  CHECK_INT(atomic_load(&payloads[1].destroyed), 1);
  CHECK_STATUS(promise_discard_with(stale(), &causes[2]), PROMISE_ESTALE);
  CHECK_INT(atomic_load(&payloads[2].destroyed), 1);
  CHECK_STATUS(promise_discard_with(NULL, &causes[3]), PROMISE_EINVAL);
  CHECK_INT(atomic_load(&payloads[3].destroyed), 1);
  CHECK_INT(atomic_load(&payloads[0].destroyed), 0);
  promise_release(promise);
  CHECK_INT(atomic_load(&payloads[0].destroyed), 1);
}

/* The block releases the only reference before the callbacks receive the reason. */
static promise_t *only;
static void release_the_only_reference(void *ctx) {
  spy_discard(ctx);
  CHECK_STATUS(promise_release(only), PROMISE_OK);
}
static void sees_the_cause(void *ctx, const promise_value_t *reason) {
  spy_see(ctx, reason);
  const promise_value_t *cause = promise_value_cause(reason);
  CHECK(cause != NULL && cause->kind == PROMISE_KIND_OBJECT);
}
TEST(block_may_release_the_promise) {
  payload_t payload = {0};
  spy_t block = {0}, observer = {0};
  promise_value_t cause = object(&payload);
  only = promise_new_discardable(release_the_only_reference, &block, spy_free);
  CHECK_STATUS(promise_observe(only, NULL, sees_the_cause, &observer, spy_free), PROMISE_OK);
  CHECK_STATUS(promise_discard_with(only, &cause), PROMISE_OK);
  CHECK_SPY(&block, 1, 1);
  CHECK_SPY(&observer, 1, 1);
  CHECK_INT(atomic_load(&payload.destroyed), 1);
  CHECK_STATUS(promise_state(only), PROMISE_ESTALE);
}
