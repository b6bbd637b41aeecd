/* promise/timer.h: delays and time limits, on executors too. Sleeps: timer.c. */
#include "../checked.h"
#include "../scheduling.h"

CHECKS(delay)

#define DAYS (INT64_C(100) * 24 * 3600 * 1000 * MILLISECONDS)

/* ---- Requests to cancel ---- */

/* The source is asked after the rejection, which wakes this thread first: wait for the request too. */
RULE(a_time_limit_asks_its_promise_to_cancel, "a time limit that is over asks its promise to cancel") {
  promise_executor_t *const executors[] = {NULL, promise_executor_global(PROMISE_PRIORITY_DEFAULT)};
  for (int i = 0; i < 2; i++) {
    gate_t asked = GATE_CLOSED;
    promise_t *source = pending();
    CHECK_STATUS(promise_on_cancel_request(source, open_gate_for, &asked, NULL), PROMISE_OK);
    promise_t *limited =
        i == 0 ? promise_timeout(source, MILLISECONDS) : promise_timeout_on(executors[i], source, MILLISECONDS);
    CHECK_STATUS(promise_wait(limited, FOR_EVER), PROMISE_OK);
    gate_wait(&asked);
    CHECK_LIBRARY_ERROR(limited, PROMISE_ETIMEDOUT);
    CHECK_INT(promise_state(source), PROMISE_PENDING);
    CHECK_INT(promise_cancel_requested(source), 1);
    RELEASE(limited, source);
  }
}

RULE(a_request_passes_a_delay_and_ends_it,
     "a request to cancel a delay propagates, and ends the delay of a cancelled promise") {
  for (int asked_first = 0; asked_first < 2; asked_first++) {
    promise_t *source = pending(), *delayed = promise_delay(source, DAYS);
    if (asked_first) {
      CHECK_STATUS(promise_request_cancel(delayed, NULL), PROMISE_OK);
      CHECK_INT(promise_cancel_requested(source), 1);
      CHECK_INT(promise_state(delayed), PROMISE_PENDING);
    }
    CHECK_STATUS(promise_discard(source), PROMISE_OK);
    if (!asked_first) {
      CHECK_INT(promise_state(delayed), PROMISE_PENDING);
      CHECK_STATUS(promise_request_cancel(delayed, NULL), PROMISE_OK);
    }
    CHECK_DISCARDED(delayed);
    RELEASE(source, delayed);
    CHECK_STATUS(promise_state(delayed), PROMISE_ESTALE);
  }
}

RULE(a_delay_is_rejected_as_its_promise, "a delay is rejected as its promise, or settled before") {
  promise_t *source = rejected(7);
  int64_t before = now();
  promise_t *delayed = promise_delay(source, 10 * MILLISECONDS);
  CHECK_STATUS(promise_wait(delayed, FOR_EVER), PROMISE_OK);
  CHECK(now() - before >= 10 * MILLISECONDS);
  CHECK_ENDED(delayed, PROMISE_REJECTED, 7);
  release(delayed);
  /* Settling the delayed promise by other means stops the timer. */
  delayed = promise_delay(source, DAYS);
  reject(delayed, 8);
  CHECK_ENDED(delayed, PROMISE_REJECTED, 8);
  release(delayed);
  CHECK_STATUS(promise_state(delayed), PROMISE_ESTALE);
  release(source);
}

/* ---- Executors ---- */

RULE(they_end_on_their_executor, "a delay and a time limit end on their executor") {
  promise_executor_t *serial = promise_executor_serial(NULL);
  promise_executor_t *const executors[] = {promise_executor_global(PROMISE_PRIORITY_UTILITY), serial};
  promise_t *settled = fulfilled(1), *never = pending();
  for (int i = 0; i < 2; i++) {
    ends_on(executors[i], promise_delay_on, settled);
    ends_on(executors[i], promise_timeout_on, never);
  }
  RELEASE(settled, never);
  CHECK_STATUS(promise_executor_release(serial), PROMISE_OK);
}

static void drop_when_submitted(shelf_t *shelf) {
  gate_wait(&was_submitted);
  CHECK_STATUS(promise_job_drop(take_job(shelf)), PROMISE_OK);
  was_submitted.open = false;
}

RULE(a_dropped_job_rejects_a_delay_and_ends_a_time_limit,
     "a dropped job rejects a delay with PROMISE_ECLOSED, and ends a time limit") {
  shelf_t shelf = SHELF_EMPTY;
  promise_executor_t *executor = promise_executor_new(shelve_and_open, &shelf, NULL);
  promise_t *settled = fulfilled(1), *source = pending();
  promise_t *delayed = promise_delay_on(executor, settled, 1);
  drop_when_submitted(&shelf);
  CHECK_LIBRARY_ERROR(delayed, PROMISE_ECLOSED);
  promise_t *limited = promise_timeout_on(executor, source, 1);
  drop_when_submitted(&shelf);
  CHECK_INT(promise_state(limited), PROMISE_PENDING);
  resolve(source, 7);
  CHECK_ENDED(limited, PROMISE_FULFILLED, 7);
  RELEASE(settled, source, delayed, limited);
  promise_executor_t *none = (promise_executor_t *)(void *)stale();
  settled = fulfilled(1);
  CHECK_POINTER(promise_delay_on(none, settled, 1), NULL);
  CHECK_STATUS(promise_last_status(), PROMISE_ESTALE);
  CHECK_POINTER(promise_timeout_on(none, settled, 1), NULL);
  CHECK_STATUS(promise_last_status(), PROMISE_ESTALE);
  release(settled);
  CHECK_STATUS(promise_executor_release(executor), PROMISE_OK);
}
