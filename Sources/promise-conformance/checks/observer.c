/* promise/callback.h: promise_observe() (clause 3.1.1). */
#include "../checked.h"

CHECKS(observer)

/* Writes 'v' to the journal, which shows the callback for values apart from that for reasons. */
static void saw_value(void *ctx, const promise_value_t *value) {
  note('v');
  spy_see(ctx, value);
}

static void saw_reason(void *ctx, const promise_value_t *reason) {
  note('r');
  spy_see(ctx, reason);
}

RULE(one_of_the_two_is_called, "promise_observe() calls the one callback that is due") {
  for (int settled = 0; settled < 2; settled++) {
    for (int good = 0; good < 2; good++) {
      spy_t spy = {0};
      journal_clear();
      promise_t *promise = !settled ? promise_new() : good ? fulfilled(4) : rejected(4);
      CHECK_STATUS(promise_observe(promise, saw_value, saw_reason, &spy, spy_free), PROMISE_OK);
      if (!settled)
        CHECK_SPY(&spy, 0, 0);
      if (!settled)
        CHECK_STATUS((good ? promise_resolve : promise_reject)(promise, I64(4)), PROMISE_OK);
      CHECK_SPY(&spy, 1, 1);
      CHECK_INT(spy.seen, 4);
      CHECK_TEXT(journal, good ? "v" : "r");
      CHECK_ENDED(promise, good ? PROMISE_FULFILLED : PROMISE_REJECTED, 4);
      promise_release(promise);
    }
  }
}

RULE(missing_callback_is_ignored, "promise_observe() needs the callback for one outcome only") { /* 3.1.1.1 */
  for (int good = 0; good < 2; good++) {
    spy_t spy = {0};
    promise_t *promise = promise_new();
    CHECK_STATUS(promise_observe(promise, good ? NULL : saw_value, good ? saw_reason : NULL, &spy, spy_free),
                 PROMISE_OK);
    CHECK_STATUS((good ? promise_resolve : promise_reject)(promise, I64(4)), PROMISE_OK);
    CHECK_SPY(&spy, 0, 1);
    CHECK_ENDED(promise, good ? PROMISE_FULFILLED : PROMISE_REJECTED, 4);
    promise_release(promise);
  }
}

RULE(both_may_be_missing, "both callbacks of promise_observe() may be missing") {
  for (int settled = 0; settled < 2; settled++) {
    spy_t spy = {0};
    promise_t *promise = settled ? fulfilled(1) : promise_new();
    CHECK_STATUS(promise_observe(promise, NULL, NULL, &spy, spy_free), PROMISE_OK);
    if (!settled)
      promise_resolve(promise, I64(1));
    CHECK_SPY(&spy, 0, 1);
    promise_release(promise);
  }
}

RULE(observer_keeps_nothing_alive, "an observer is released with its promise, uncalled") {
  spy_t spy = {0};
  promise_t *promise = promise_new();
  CHECK_STATUS(promise_observe(promise, saw_value, saw_reason, &spy, spy_free), PROMISE_OK);
  CHECK_STATUS(promise_release(promise), PROMISE_OK);
  CHECK_SPY(&spy, 0, 1);
  CHECK_STATUS(promise_state(promise), PROMISE_ESTALE);
}

static promise_value_t kept;

static void keep(void *ctx, const promise_value_t *value) {
  (void)ctx;
  kept = *value;
  CHECK_STATUS(promise_value_retain(&kept), PROMISE_OK);
}

RULE(borrowed_value_can_be_kept, "a callback may retain the value that it is given") {
  payload_t payload = {0};
  promise_value_t value = object(&payload);
  promise_t *promise = promise_new();
  promise_observe(promise, keep, NULL, NULL, NULL);
  promise_resolve(promise, &value);
  promise_release(promise);
  CHECK_INT(atomic_load(&payload.destroyed), 0);
  CHECK_POINTER(promise_value_data(&kept, NULL), &payload);
  promise_value_release(&kept);
  CHECK_INT(atomic_load(&payload.destroyed), 1);
}

RULE(every_observer_is_called_once, "every observer is called once") {
  enum { COUNT = 1000 };
  static spy_t spies[COUNT];
  promise_t *promise = promise_new();
  for (int i = 0; i < COUNT; i++) {
    CHECK_STATUS(promise_observe(promise, spy_observer, spy_observer, &spies[i], spy_free), PROMISE_OK);
  }
  promise_resolve(promise, I64(8));
  for (int i = 0; i < COUNT; i++) {
    CHECK_SPY(&spies[i], 1, 1);
    CHECK_INT(spies[i].seen, 8);
  }
  promise_release(promise);
}

RULE(discarded_promise_notifies_its_observers, "observers of a discarded promise are given the DISCARDED") {
  spy_t spy = {0};
  journal_clear();
  promise_t *promise = promise_new();
  promise_observe(promise, saw_value, saw_reason, &spy, spy_free);
  promise_discard(promise);
  CHECK_TEXT(journal, "r");
  CHECK_INT(spy.kind, PROMISE_KIND_DISCARDED);
  CHECK_SPY(&spy, 1, 1);
  promise_release(promise);
}
