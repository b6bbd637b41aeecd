/* promise/cancel.h: requests to cancel one promise. */
#include "../checked.h"

static promise_status_t ask(promise_t *promise) {
  return promise_request_cancel(promise, NULL);
}

static void on_request(promise_t *promise, spy_t *spy) {
  CHECK_STATUS(promise_on_cancel_request(promise, spy_observer, spy, spy_free), PROMISE_OK);
}

static void a_request_is_advice(void) {
  spy_t spy = {0};
  promise_t *promise = pending();
  promise_value_t reason = i64(7);
  on_request(promise, &spy);
  CHECK_INT(promise_cancel_requested(promise), 0);
  CHECK_SPY(&spy, 0, 0);
  CHECK_STATUS(promise_request_cancel(promise, &reason), PROMISE_OK);
  CHECK_SPY(&spy, 1, 1);
  CHECK_INT(spy.seen, 7);
  CHECK_INT(promise_cancel_requested(promise), 1);
  CHECK_INT(promise_state(promise), PROMISE_PENDING);
  CHECK_STATUS(ask(promise), PROMISE_OK);
  CHECK_SPY(&spy, 1, 1);
  resolve(promise, 1);
  CHECK_INT(promise_cancel_requested(promise), 0);
  CHECK_STATUS(ask(promise), PROMISE_ESETTLED);
  CHECK_ENDED(promise, PROMISE_FULFILLED, 1);
  release(promise);
}

static void a_late_handler_is_called_at_once(void) {
  spy_t asked = {0}, cancelled = {0}, settled = {0};
  promise_t *promise = pending();
  CHECK_STATUS(ask(promise), PROMISE_OK);
  on_request(promise, &asked);
  CHECK_SPY(&asked, 1, 1);
  CHECK_INT(asked.kind, PROMISE_KIND_VOID);
  CHECK_STATUS(promise_discard(promise), PROMISE_OK);
  CHECK_INT(promise_cancel_requested(promise), 1);
  on_request(promise, &cancelled);
  CHECK_SPY(&cancelled, 1, 1);
  release(promise);
  promise = fulfilled(1);
  on_request(promise, &settled);
  CHECK_SPY(&settled, 0, 1);
  release(promise);
}

static void settlement_drops_the_handler(void) {
  spy_t spy = {0}, gone = {0};
  promise_t *promise = pending();
  on_request(promise, &spy);
  resolve(promise, 1);
  CHECK_SPY(&spy, 0, 1);
  release(promise);
  promise = pending();
  on_request(promise, &gone);
  release(promise);
  CHECK_SPY(&gone, 0, 1);
}

static void discards(void *ctx, const promise_value_t *reason) {
  (void)reason;
  CHECK_STATUS(promise_discard(ctx), PROMISE_OK);
}

static void the_handler_may_settle_the_promise(void) {
  promise_t *promise = pending();
  promise_t *child = promise_then(promise, adds_one, NULL, NULL);
  CHECK_STATUS(promise_on_cancel_request(promise, discards, promise, NULL), PROMISE_OK);
  CHECK_STATUS(ask(child), PROMISE_OK);
  CHECK_DISCARDED(promise);
  CHECK_DISCARDED(child);
  release(child);
  release(promise);
}

static void a_request_climbs_when_nobody_else_is_interested(void) {
  promise_t *promise = pending();
  promise_t *first = promise_then(promise, adds_one, NULL, NULL);
  promise_t *second = promise_then(promise, adds_one, NULL, NULL);
  CHECK_STATUS(ask(first), PROMISE_OK);
  CHECK_INT(promise_cancel_requested(first), 1);
  CHECK_INT(promise_cancel_requested(promise), 0);
  CHECK_STATUS(ask(second), PROMISE_OK);
  CHECK_INT(promise_cancel_requested(promise), 1);
  release(first);
  release(second);
  release(promise);
}

static void what_holds_a_request_back(promise_t *promise, bool holds) {
  promise_t *child = promise_then(promise, adds_one, NULL, NULL);
  CHECK_STATUS(ask(child), PROMISE_OK);
  CHECK_INT(promise_cancel_requested(promise), !holds);
  release(child);
}

static void interest_holds_a_request_back(void) {
  promise_t *promise = pending();
  retained(promise);
  what_holds_a_request_back(promise, true);
  release(promise);
  CHECK_INT(promise_cancel_requested(promise), 1);
  release(promise);
  promise = pending();
  observe(promise, 'a');
  what_holds_a_request_back(promise, true);
  release(promise);
  promise = pending();
  CHECK_STATUS(promise_tap(promise, note_observer, NULL, LETTER('a'), NULL), PROMISE_OK);
  what_holds_a_request_back(promise, false);
  release(promise);
  promise = pending();
  retained(promise);
  CHECK_STATUS(promise_seal(promise), PROMISE_OK);
  what_holds_a_request_back(promise, false);
  release(promise);
  release(promise);
}

static void a_discarded_reason_has_a_cause(void) {
  payload_t payload = {0};
  promise_value_t cause = object(&payload), reason;
  CHECK_STATUS(promise_value_discarded(&reason, &cause), PROMISE_OK);
  CHECK_INT(reason.kind, PROMISE_KIND_DISCARDED);
  CHECK(promise_value_is(&reason, promise_type_named("discarded")));
  CHECK(promise_value_cause(&reason) != NULL);
  CHECK_POINTER(promise_value_data(promise_value_cause(&reason), NULL), &payload);
  promise_t *promise = pending();
  CHECK_STATUS(promise_reject(promise, &reason), PROMISE_OK);
  CHECK_DISCARDED(promise);
  CHECK_INT(promise_cancel_requested(promise), 1);
  release(promise);
  cause = object(&payload);
  CHECK_STATUS(promise_value_discarded(NULL, &cause), PROMISE_EINVAL);
  CHECK_DESTROYED(&payload, 2);
  CHECK_STATUS(promise_value_discarded(&reason, NULL), PROMISE_EINVAL);
  CHECK_INT(reason.kind, PROMISE_KIND_VOID);
}

static void what_is_wrong_is_refused(void) {
  spy_t spy = {0};
  promise_value_t forged = {.kind = 4711};
  promise_t *const handles[] = {NULL, stale()};
  for (int i = 0; i < 2; i++) {
    promise_status_t status = i == 0 ? PROMISE_EINVAL : PROMISE_ESTALE;
    CHECK_STATUS(promise_request_cancel(handles[i], NULL), status);
    CHECK_STATUS(promise_cancel_requested(handles[i]), status);
    CHECK_STATUS(promise_seal(handles[i]), status);
    CHECK_STATUS(promise_on_cancel_request(handles[i], spy_observer, &spy, spy_free), status);
    CHECK_SPY(&spy, 0, i + 1);
  }
  promise_t *promise = pending();
  CHECK_STATUS(promise_request_cancel(promise, &forged), PROMISE_EINVAL);
  CHECK_INT(promise_cancel_requested(promise), 0);
  CHECK_STATUS(promise_on_cancel_request(promise, NULL, &spy, spy_free), PROMISE_EINVAL);
  CHECK_SPY(&spy, 0, 3);
  release(promise);
}

CHECKS(cancel) = {
    RULE("a promise that is asked to cancel stays pending, and its handler is called once", a_request_is_advice),
    RULE("a handler that comes after the request is called at once", a_late_handler_is_called_at_once),
    RULE("a promise that is settled, or goes, drops its handler uncalled", settlement_drops_the_handler),
    RULE("the handler of a request may settle the promise", the_handler_may_settle_the_promise),
    RULE("a request climbs once every derived promise was asked", a_request_climbs_when_nobody_else_is_interested),
    RULE("a second reference and promise_observe() hold a request back, promise_tap() and a seal do not",
         interest_holds_a_request_back),
    RULE("promise_value_discarded() makes a DISCARDED, and takes over its cause", a_discarded_reason_has_a_cause),
    RULE("what is wrong is refused, and contexts freed", what_is_wrong_is_refused),
    CHECKS_END,
};
