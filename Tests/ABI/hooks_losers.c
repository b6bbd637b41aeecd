/* promise_set_hooks: rejections of sources after a combined promise, or a promise with a timeout, was settled. */
#include "support.h"

static int reports;

static void on_unhandled(void *ctx, uint64_t id, const promise_value_t *reason) {
  (void)ctx, (void)id, (void)reason;
  reports++;
}

static void watch(void) {
  reports = 0;
  promise_hooks_t hooks = {.size = sizeof hooks, .unhandled_rejection = on_unhandled};
  CHECK_STATUS(promise_set_hooks(&hooks), PROMISE_OK);
}

static void unwatch(void) {
  CHECK_STATUS(promise_set_hooks(NULL), PROMISE_OK);
}

/* Rejects `first` of two inputs before they are combined, the others afterwards; then reads the outcome. */
static void combine(promise_t *(*combined)(promise_t *const *, size_t, uint32_t), int first) {
  promise_t *inputs[2] = {promise_new(), promise_new()};
  for (int i = 0; i < first; i++)
    CHECK_STATUS(promise_reject(inputs[i], I64(i)), PROMISE_OK);
  promise_t *result = combined(inputs, 2, 0);
  for (int i = first; i < 2; i++)
    CHECK_STATUS(promise_reject(inputs[i], I64(i)), PROMISE_OK);
  CHECK_INT(promise_state(result), PROMISE_REJECTED);
  promise_release(result);
  promise_release(inputs[0]);
  promise_release(inputs[1]);
}

static void rejected_losers_of_a_combination_are_not_reported(void) {
  watch();
  for (int first = 0; first <= 2; first++) {
    combine(promise_all, first);
    combine(promise_race, first);
    combine(promise_any, first);
    CHECK_INT(reports, 0);
  }
  unwatch();
}

static void rejection_after_the_time_limit_is_not_reported(void) {
  watch();
  promise_t *source = promise_new(), *limited = promise_timeout(source, 1000);
  CHECK_STATUS(promise_wait(limited, -1), PROMISE_OK);
  CHECK_INT(promise_state(limited), PROMISE_REJECTED);
  promise_release(limited);
  CHECK_STATUS(promise_reject(source, I64(1)), PROMISE_OK);
  promise_release(source);
  CHECK_INT(reports, 0);
  unwatch();
}

static void rejection_of_an_input_is_reported_if_the_combination_was_released(void) {
  watch();
  promise_t *inputs[2] = {promise_new(), promise_new()};
  promise_release(promise_race(inputs, 2, 0));
  CHECK_STATUS(promise_reject(inputs[0], I64(1)), PROMISE_OK);
  CHECK(reports <= 1);
  promise_release(inputs[0]);
  CHECK_INT(reports, 1);
  promise_release(inputs[1]);
  unwatch();
}

int main(void) {
  RUN(rejected_losers_of_a_combination_are_not_reported);
  RUN(rejection_after_the_time_limit_is_not_reported);
  RUN(rejection_of_an_input_is_reported_if_the_combination_was_released);
  return check_report();
}
