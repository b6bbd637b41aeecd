/* promise_set_hooks: rejections of sources after a promise that depends on them was settled or released. */
#include "reports.h"

static report_t report;

static void begin(void) {
  report = (report_t){0};
  watch(&report);
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
  RELEASE(result, inputs[0], inputs[1]);
}

TEST(rejected_losers_of_a_combination_are_not_reported) {
  begin();
  for (int first = 0; first <= 2; first++) {
    combine(promise_all, first);
    combine(promise_race, first);
    combine(promise_any, first);
    CHECK_INT(report.unhandled, 0);
  }
  unwatch(&report);
}

/* Lets a time limit pass on a loop, so that all its consequences have happened. */
static void pass_a_time_limit(promise_t *source) {
  promise_loop_t *loop = promise_loop_new();
  promise_executor_t *executor = promise_loop_executor(loop);
  promise_t *limited = promise_timeout_on(executor, source, 1);
  CHECK_STATUS(promise_loop_wait(loop, limited, -1), PROMISE_OK);
  CHECK_INT(promise_state(limited), PROMISE_REJECTED);
  promise_release(limited);
  promise_executor_release(executor);
  promise_loop_release(loop);
}

TEST(rejection_after_the_time_limit_is_not_reported) {
  begin();
  promise_t *source = promise_new();
  pass_a_time_limit(source);
  CHECK_STATUS(promise_reject(source, I64(1)), PROMISE_OK);
  promise_release(source);
  CHECK_INT(report.unhandled, 0);
  unwatch(&report);
}

TEST(rejection_of_an_input_is_reported_if_the_combination_was_released) {
  begin();
  promise_t *inputs[2] = {promise_new(), promise_new()};
  promise_release(promise_race(inputs, 2, 0));
  CHECK_STATUS(promise_reject(inputs[0], I64(1)), PROMISE_OK);
  CHECK(report.unhandled <= 1);
  promise_release(inputs[0]);
  CHECK_INT(report.unhandled, 1);
  promise_release(inputs[1]);
  unwatch(&report);
}

DERIVES(promise_t, then_of, promise_then(source, adds_one, NULL, NULL))
DERIVES(promise_t, timeout_of, promise_timeout(source, INT64_MAX))
DERIVES(promise_t, delay_of, promise_delay(source, INT64_MAX))
DERIVES(promise_t, race_of, promise_race(&source, 1, 0))
DERIVES(promise_t, finally_of, promise_finally(source, ignore_context, NULL, NULL))

TEST(a_derived_promise_settled_by_hand_takes_nothing) {
  begin();
  promise_t *(*const derivations[])(promise_t *) = {follower_of, then_of, timeout_of, delay_of, finally_of, race_of};
  for (size_t i = 0; i < sizeof derivations / sizeof *derivations; i++) {
    for (int way = 0; way < 4; way++) {
      promise_t *source = promise_new(), *derived = derivations[i](source);
      switch (way) {
      case 0:
        CHECK_STATUS(promise_resolve(derived, I64(1)), PROMISE_OK);
        break;
      case 1:
        CHECK_STATUS(promise_resolve_many(&derived, I64(1), 1, NULL), PROMISE_OK);
        break;
      case 2:
        CHECK_STATUS(promise_discard(derived), PROMISE_OK);
        break;
      default:
        CHECK_STATUS(promise_reject(derived, I64(2)), PROMISE_OK);
        CHECK_INT(promise_state(derived), PROMISE_REJECTED);
      }
      CHECK_STATUS(promise_reject(source, I64(1)), PROMISE_OK);
      promise_release(source);
      CHECK_INT(report.unhandled, 1);
      promise_release(derived);
      CHECK_INT(report.unhandled, 1);
      report.unhandled = 0;
    }
  }
  unwatch(&report);
}

/* Ends a delay, whose source is rejected, before the time is over. */
static void leave_delay(void (*leave)(promise_t *delayed), int expected) {
  report.unhandled = 0;
  promise_t *source = promise_new(), *delayed = promise_delay(source, INT64_MAX);
  CHECK_STATUS(promise_reject(source, I64(1)), PROMISE_OK);
  promise_release(source);
  CHECK_INT(report.unhandled, 0);
  leave(delayed);
  CHECK_INT(report.unhandled, expected);
}

static void releases(promise_t *delayed) {
  promise_release(delayed);
}

static void resolves(promise_t *delayed) {
  CHECK_STATUS(promise_resolve(delayed, I64(1)), PROMISE_OK);
  promise_release(delayed);
}

static void passes_a_time_limit(promise_t *delayed) {
  pass_a_time_limit(delayed);
  promise_release(delayed);
}

TEST(a_delayed_rejection_is_taken_only_if_someone_would_have_got_it) {
  begin();
  leave_delay(releases, 1);
  leave_delay(resolves, 1);
  leave_delay(passes_a_time_limit, 0);
  unwatch(&report);
  leave_delay(releases, 0);
}
