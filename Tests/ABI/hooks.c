/* promise_set_hooks: unhandled rejections, second settlements, promises destroyed while pending. */
#include "reports.h"

TEST(the_reason_is_lent) {
  report_t report = {0};
  payload_t payload = {0};
  watch(&report);
  promise_t *promise = promise_new();
  promise_value_t reason = object(&payload);
  CHECK_STATUS(promise_reject(promise, &reason), PROMISE_OK);
  promise_release(promise);
  CHECK_REPORTS(&report, 1, 0, 0);
  CHECK_INT(report.spy.kind, PROMISE_KIND_OBJECT);
  CHECK_INT(atomic_load(&payload.destroyed), 1);
  unwatch(&report);
}

TEST(callbacks_for_a_value_take_no_rejection) {
  report_t report = {0};
  watch(&report);
  for (int settled = 0; settled < 2; settled++) {
    promise_t *promise = settled ? rejected(7) : promise_new();
    CHECK_STATUS(promise_observe(promise, ignore_value, NULL, NULL, NULL), PROMISE_OK);
    CHECK_STATUS(promise_on_cancel_request(promise, ignore_value, NULL, NULL), PROMISE_OK);
    if (!settled)
      promise_reject(promise, I64(7));
    promise_release(promise);
    CHECK_REPORTS(&report, settled + 1, 0, 0);
  }
  unwatch(&report);
}

/* Derived promises, which inherit the duty to handle the rejection. */
DERIVES(promise_t, made_by_then, promise_then(source, adds_one, NULL, NULL))
DERIVES(promise_t, made_by_rescue, promise_rescue(source, promise_type_named("error"), adds_one, NULL, NULL))
DERIVES(promise_t, made_by_finally, promise_finally(source, ignore_context, NULL, NULL))
DERIVES(promise_t, made_by_all, promise_all(&source, 1, 0))
DERIVES(promise_t, made_by_timeout, promise_timeout(source, INT64_MAX))
static promise_t *made_by_adoption(promise_t *promise) {
  promise_t *start = fulfilled(1), *adopted = promise_then(start, adopts, promise, NULL);
  promise_release(start);
  return adopted;
}
static promise_t *(*const makers[])(promise_t *) = {made_by_then, made_by_rescue,  made_by_finally, follower_of,
                                                    made_by_all,  made_by_timeout, made_by_adoption};

TEST(a_derived_promise_reports_it_instead) {
  for (size_t i = 0; i < sizeof makers / sizeof *makers; i++) {
    for (int settled = 0; settled < 2; settled++) {
      for (int looks = 0; looks < 2; looks++) {
        report_t report = {0};
        watch(&report);
        promise_t *promise = settled ? rejected(7) : promise_new(), *derived = makers[i](promise);
        uint64_t id = id_of(derived);
        if (!settled)
          promise_reject(promise, I64(7));
        promise_release(promise);
        CHECK_REPORTS(&report, 0, 0, 0);
        if (looks)
          CHECK(ended(derived, PROMISE_REJECTED, 7));
        promise_release(derived);
        CHECK_REPORTS(&report, !looks, 0, 0);
        CHECK(looks || (report.id == id && report.spy.seen == 7));
        unwatch(&report);
      }
    }
  }
}

TEST(the_end_of_a_chain_that_nobody_holds_is_reported_once) {
  report_t report = {0};
  watch(&report);
  promise_t *promise = promise_new(), *last = retained(promise);
  for (int i = 0; i < 10; i++) {
    promise_t *next = made_by_then(last);
    promise_release(last);
    last = next;
  }
  uint64_t id = id_of(last);
  promise_release(last);
  promise_reject(promise, I64(7));
  CHECK_REPORTS(&report, 1, 0, 0);
  CHECK(report.id == id);
  promise_release(promise);
  CHECK_REPORTS(&report, 1, 0, 0);
  unwatch(&report);
}

TEST(earlier_rejections_are_not_reported) {
  report_t report = {0};
  promise_t *promise = rejected(7);
  watch(&report);
  promise_release(promise);
  CHECK_REPORTS(&report, 0, 0, 0);
  unwatch(&report);
  promise_release(rejected(7));
  CHECK_REPORTS(&report, 0, 0, 0);
}

TEST(a_second_settlement_by_the_library_is_not_reported) {
  report_t report = {0};
  watch(&report);
  promise_t *promise = promise_new(), *derived = made_by_then(promise), *limited = promise_timeout(promise, INT64_MAX);
  promise_t *both[] = {promise, derived};
  promise_t *first = promise_race(both, 2, 0);
  CHECK_STATUS(promise_resolve(derived, I64(1)), PROMISE_OK);
  CHECK_STATUS(promise_resolve(limited, I64(1)), PROMISE_OK);
  CHECK_STATUS(promise_resolve(promise, I64(1)), PROMISE_OK);
  CHECK_REPORTS(&report, 0, 0, 0);
  RELEASE(first, limited, derived, promise);
  unwatch(&report);
}

TEST(a_promise_destroyed_while_pending_is_reported_with_its_callbacks) {
  report_t report = {0};
  watch(&report);
  for (int callbacks = 0; callbacks < 3; callbacks++) {
    spy_t spy = {0};
    promise_t *promise = callbacks % 2 ? promise_new() : promise_new_discardable(spy_discard, &spy, spy_free);
    uint64_t id = id_of(promise);
    for (int i = 0; i < callbacks; i++)
      promise_observe(promise, ignore_value, ignore_value, NULL, NULL);
    promise_on_cancel_request(promise, ignore_value, NULL, NULL);
    promise_release(promise);
    CHECK_REPORTS(&report, 0, 0, callbacks + 1);
    CHECK(report.id == id);
    CHECK_INT(report.callbacks, callbacks);
    CHECK(pthread_equal(report.spy.thread, pthread_self()));
    CHECK_SPY(&spy, 0, callbacks % 2 == 0);
  }
  /* A callback whose promise was settled from outside would not have run. */
  promise_t *promise = promise_new(), *derived = promise_then(promise, adds_one, NULL, NULL);
  promise_observe(promise, ignore_value, NULL, NULL, NULL);
  CHECK_STATUS(promise_resolve(derived, I64(1)), PROMISE_OK);
  promise_release(promise);
  CHECK_REPORTS(&report, 0, 0, 4);
  CHECK_INT(report.callbacks, 1);
  promise_release(derived);
  unwatch(&report);
}

TEST(promises_derived_from_it_are_not_reported) {
  for (size_t i = 0; i < sizeof makers / sizeof *makers; i++) {
    report_t report = {0};
    watch(&report);
    promise_t *promise = promise_new(), *derived = makers[i](promise);
    uint64_t id = id_of(promise);
    promise_release(promise);
    if (makers[i] == made_by_timeout)
      promise_resolve(derived, VOID()); /* stops the timer, which has a reference */
    promise_release(derived);
    CHECK_REPORTS(&report, 0, 0, 1);
    CHECK(report.id == id);
    unwatch(&report);
  }
}

TEST(a_promise_with_other_references_is_not_reported) {
  report_t report = {0};
  watch(&report);
  promise_t *promise = promise_new();
  promise_t *derived = made_by_then(promise);
  promise_release(derived);
  promise_release(retained(promise));
  CHECK_REPORTS(&report, 0, 0, 0);
  promise_resolve(promise, I64(1));
  promise_release(promise);
  CHECK_REPORTS(&report, 0, 0, 0);
  unwatch(&report);
}
