/* reports.h - shared by the programs about hooks: counts the reports. */
#ifndef REPORTS_H
#define REPORTS_H

#include "support.h"

/* The reports passed to the hooks. */
typedef struct report {
  spy_t spy; /* records the last value, the thread, and the context */
  int unhandled, again, dropped;
  uint64_t id;
  uint64_t callbacks;
  promise_state_t state;
} report_t;

static inline void on_unhandled(void *ctx, uint64_t id, const promise_value_t *reason) {
  report_t *report = ctx;
  report->unhandled++;
  report->id = id;
  spy_observer(&report->spy, reason);
}
static inline void on_again(void *ctx, uint64_t id, promise_state_t state, const promise_value_t *value) {
  report_t *report = ctx;
  report->again++;
  report->id = id;
  report->state = state;
  spy_observer(&report->spy, value);
}
static inline void on_dropped(void *ctx, uint64_t id, uint64_t callbacks) {
  report_t *report = ctx;
  report->dropped++;
  report->id = id;
  report->callbacks = callbacks;
  report->spy.thread = pthread_self();
}
static inline void report_free(void *ctx) {
  spy_free(&((report_t *)ctx)->spy);
}

static inline promise_hooks_t hooks_to(report_t *report) {
  return (promise_hooks_t){.size = sizeof(promise_hooks_t),
                           .unhandled_rejection = on_unhandled,
                           .settled_again = on_again,
                           .dropped_pending = on_dropped,
                           .ctx = report,
                           .free_ctx = report_free};
}
static inline void watch(report_t *report) {
  promise_hooks_t hooks = hooks_to(report);
  REQUIRE(promise_set_hooks(&hooks) == PROMISE_OK);
}

/* Removes the hooks, and checks that their context was freed once. */
static inline void unwatch(report_t *report) {
  CHECK_STATUS(promise_set_hooks(NULL), PROMISE_OK);
  CHECK_INT(atomic_load(&report->spy.frees), 1);
}

#define CHECK_REPORTS(report, expected_unhandled, expected_again, expected_dropped)                                    \
  do {                                                                                                                 \
    CHECK_INT((report)->unhandled, (expected_unhandled));                                                              \
    CHECK_INT((report)->again, (expected_again));                                                                      \
    CHECK_INT((report)->dropped, (expected_dropped));                                                                  \
  } while (0)

#endif /* REPORTS_H */
