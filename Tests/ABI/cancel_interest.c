/* cancel.h: requests that climb because a promise was settled. */
#include "support.h"

static promise_t *subject;

static void gives_up(void *ctx, const promise_value_t *reason) {
  (void)reason;
  spy_discard(ctx);
  CHECK_STATUS(promise_discard(subject), PROMISE_OK);
  CHECK_STATUS(promise_release(subject), PROMISE_OK);
}

/* The consumer settles its own promise at once. What it was derived from is not wanted any more all the same. */
static void request_goes_on_though_a_handler_settles(void) {
  spy_t spy = {0}, above = {0};
  promise_t *source = promise_new();
  promise_on_cancel_request(source, spy_observer, &above, spy_free);
  subject = promise_then(source, adds_one, NULL, NULL);
  promise_on_cancel_request(subject, gives_up, &spy, spy_free);
  CHECK_STATUS(promise_request_cancel(subject, I64(5)), PROMISE_OK);
  CHECK_SPY(&spy, 1, 1);
  CHECK_SPY(&above, 1, 1);
  CHECK_INT(above.seen, 5);
  CHECK_INT(promise_cancel_requested(source), 1);
  promise_release(source);
}

/* A request waits for the interest of others to go; a discard is how it may. */
static void discard_of_the_last_one_interested_passes_a_request_on(void) {
  spy_t above = {0};
  promise_t *source = promise_new();
  promise_on_cancel_request(source, spy_observer, &above, spy_free);
  promise_t *one = promise_then(source, adds_one, NULL, NULL);
  promise_t *two = promise_then(source, adds_one, NULL, NULL);
  CHECK_STATUS(promise_discard(one), PROMISE_OK);
  CHECK_STATUS(promise_request_cancel(two, NULL), PROMISE_OK);
  CHECK_SPY(&above, 1, 1);
  promise_release(one), promise_release(two), promise_release(source);

  spy_t later = {0};
  source = promise_new();
  promise_on_cancel_request(source, spy_observer, &later, spy_free);
  one = promise_then(source, adds_one, NULL, NULL);
  two = promise_then(source, adds_one, NULL, NULL);
  CHECK_STATUS(promise_request_cancel(one, I64(6)), PROMISE_OK);
  CHECK_SPY(&later, 0, 0);
  CHECK_STATUS(promise_discard(two), PROMISE_OK);
  CHECK_SPY(&later, 1, 1);
  CHECK_INT(later.seen, 6);
  promise_release(one), promise_release(two), promise_release(source);
}

/* Without a request, what is discarded leaves its source alone. */
static void discard_alone_asks_nobody(void) {
  spy_t above = {0};
  promise_t *source = promise_new();
  promise_on_cancel_request(source, spy_observer, &above, spy_free);
  promise_t *child = promise_then(source, adds_one, NULL, NULL);
  CHECK_STATUS(promise_discard(child), PROMISE_OK);
  CHECK_SPY(&above, 0, 0);
  promise_release(child);
  promise_release(source);
  CHECK_SPY(&above, 0, 1);
}

int main(void) {
  RUN(request_goes_on_though_a_handler_settles);
  RUN(discard_of_the_last_one_interested_passes_a_request_on);
  RUN(discard_alone_asks_nobody);
  return check_report();
}
