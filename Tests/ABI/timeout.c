/* promise_delay, promise_timeout, and requests to cancel promises that wait for a time. */
#include "race.h"
#include "scheduling.h"

static void ask(promise_t *promise) {
  CHECK_STATUS(promise_request_cancel(promise, NULL), PROMISE_OK);
}

/* ---- Delay ---- */

TEST(delay_begins_with_the_settlement) {
  promise_t *promise = promise_new(), *later = promise_delay(promise, 10 * MILLISECONDS);
  CHECK_STATUS(promise_wait(later, 15 * MILLISECONDS), PROMISE_ETIMEDOUT);
  payload_t payload = {0};
  promise_value_t value = object(&payload);
  int64_t before = now();
  CHECK_STATUS(promise_resolve(promise, &value), PROMISE_OK);
  promise_release(promise);
  CHECK_STATUS(promise_wait(later, FOR_EVER), PROMISE_OK);
  CHECK(now() - before >= 10 * MILLISECONDS);
  CHECK_INT(atomic_load(&payload.destroyed), 0);
  CHECK_STATUS(promise_release(later), PROMISE_OK);
  /* The timer thread that settled `later` may keep a reference for a moment. */
  while (atomic_load(&payload.destroyed) == 0)
    sched_yield();
  CHECK_INT(atomic_load(&payload.destroyed), 1);
}

/* A request skips the delay of a cancellation only. */
TEST(request_skips_no_other_delay) {
  promise_t *sources[] = {promise_new(), promise_new()}, *later[2];
  CHECK_STATUS(promise_reject(sources[0], I64(1)), PROMISE_OK);
  CHECK_STATUS(promise_resolve(sources[1], &(promise_value_t){.kind = PROMISE_KIND_DISCARDED}), PROMISE_OK);
  for (int i = 0; i < 2; i++) {
    later[i] = promise_delay(sources[i], HOUR);
    ask(later[i]);
    CHECK_INT(promise_state(later[i]), PROMISE_PENDING);
    promise_discard(later[i]);
    promise_release(later[i]), promise_release(sources[i]);
  }
}

TEST(request_does_not_shorten_another_delay) {
  /* A delay lasts until its time, also if only the timer has a reference. */
  LEAVES(promises, 2);
  LEAVES(callbacks, 1);
  LEAVES(jobs, 1);
  promise_t *promise = promise_new(), *later = promise_delay(promise, HOUR);
  ask(later);
  CHECK_STATUS(promise_resolve(promise, I64(1)), PROMISE_OK);
  CHECK_INT(promise_state(later), PROMISE_PENDING);
  promise_release(promise);
  promise_loop_t *loop = promise_loop_new();
  promise_executor_t *executor = promise_loop_executor(loop);
  promise_t *other = fulfilled(3), *sooner = promise_delay_on(executor, other, MILLISECONDS);
  ask(sooner);
  CHECK_INT(promise_state(sooner), PROMISE_PENDING);
  CHECK_STATUS(promise_loop_wait(loop, sooner, FOR_EVER), PROMISE_OK);
  CHECK(ended(sooner, PROMISE_FULFILLED, 3));
  /* A delay dropped by the loop is rejected. */
  promise_t *dropped = promise_delay_on(executor, other, HOUR);
  promise_loop_release(loop);
  CHECK(failed_with(dropped, PROMISE_ECLOSED));
  promise_executor_release(executor);
  RELEASE(later, other, sooner, dropped);
}

/* ---- Timeout ---- */

TEST(a_settlement_in_time_passes_through) {
  for (int good = 0; good < 2; good++) {
    for (int settled = 0; settled < 2; settled++) {
      promise_t *promise = !settled ? promise_new() : good ? fulfilled(4) : rejected(4);
      promise_t *limited = promise_timeout(promise, HOUR);
      REQUIRE(limited != NULL);
      if (!settled) {
        CHECK_INT(promise_state(limited), PROMISE_PENDING);
        CHECK_STATUS((good ? promise_resolve : promise_reject)(promise, I64(4)), PROMISE_OK);
      }
      CHECK(ended(limited, good ? PROMISE_FULFILLED : PROMISE_REJECTED, 4));
      /* The timer has stopped, so `limited` has no other holder. */
      CHECK_STATUS(promise_release(limited), PROMISE_OK);
      CHECK_STATUS(promise_state(limited), PROMISE_ESTALE);
      promise_release(promise);
    }
  }
}

TEST(a_settlement_too_late_is_replaced_by_a_rejection) {
  static const int64_t times[] = {0, 5 * MILLISECONDS};
  for (int i = 0; i < 2; i++) {
    promise_t *promise = promise_new();
    int64_t before = now();
    promise_t *limited = promise_timeout(promise, times[i]);
    CHECK_STATUS(promise_wait(limited, FOR_EVER), PROMISE_OK);
    CHECK(now() - before >= times[i]);
    CHECK(failed_with(limited, PROMISE_ETIMEDOUT));
    CHECK_STATUS(promise_resolve(promise, I64(1)), PROMISE_OK);
    CHECK(failed_with(limited, PROMISE_ETIMEDOUT));
    RELEASE(promise, limited);
  }
}

/* Waits for a timeout on a loop, so that all its consequences have happened when the wait returns. */
static void time_out(promise_loop_t *loop, promise_t *limited) {
  CHECK_STATUS(promise_loop_wait(loop, limited, FOR_EVER), PROMISE_OK);
  CHECK(failed_with(limited, PROMISE_ETIMEDOUT));
}

TEST(too_late_the_promise_is_asked_to_cancel) {
  promise_loop_t *loop = promise_loop_new();
  promise_executor_t *executor = promise_loop_executor(loop);
  gate_t asked = GATE_CLOSED;
  promise_t *promise = promise_new();
  promise_on_cancel_request(promise, open_gate_for, &asked, NULL);
  promise_t *limited = promise_timeout_on(executor, promise, 1);
  time_out(loop, limited);
  CHECK(asked.open);
  CHECK_INT(promise_cancel_requested(promise), 1);
  RELEASE(limited, promise);
  /* The promise is not asked while there is other interest. */
  promise = promise_new();
  promise_t *other = promise_then(promise, adds_one, NULL, NULL);
  limited = promise_timeout_on(executor, promise, 1);
  time_out(loop, limited);
  CHECK_INT(promise_cancel_requested(promise), 0);
  ask(other);
  CHECK_INT(promise_cancel_requested(promise), 1);
  RELEASE(promise, other, limited);
  promise_executor_release(executor);
  promise_loop_release(loop);
}

TEST(settling_the_timeout_stops_its_timer) {
  promise_t *promise = promise_new(), *limited = promise_timeout(promise, HOUR);
  CHECK_STATUS(promise_discard(limited), PROMISE_OK);
  RELEASE(promise, limited);
  CHECK_STATUS(promise_state(limited), PROMISE_ESTALE);
}

TEST(without_a_timer_the_timeout_waits_for_its_source) {
  promise_loop_t *loop = promise_loop_new();
  promise_executor_t *executor = promise_loop_executor(loop);
  promise_t *promise = promise_new(), *limited = promise_timeout_on(executor, promise, 1);
  promise_loop_release(loop);
  CHECK_INT(promise_state(limited), PROMISE_PENDING);
  CHECK_STATUS(promise_resolve(promise, I64(8)), PROMISE_OK);
  CHECK(ended(limited, PROMISE_FULFILLED, 8));
  RELEASE(promise, limited);
  promise_executor_release(executor);
}

/* The timeout comes at about the moment of the settlement: either outcome is right, and no object is left. */
TEST(the_end_of_the_time_may_race_with_the_settlement) {
  long rounds = check_scale(1000);
  for (long i = 0; i < rounds; i++) {
    promise_t *promise = promise_new(), *limited = promise_timeout(promise, i % 100 * 1000);
    pthread_t thread = start(resolve_there, promise);
    CHECK_STATUS(promise_wait(limited, FOR_EVER), PROMISE_OK);
    CHECK(ended(limited, PROMISE_FULFILLED, 1) || failed_with(limited, PROMISE_ETIMEDOUT));
    finish(thread);
    RELEASE(promise, limited);
  }
}

/* One thread settles the promise while the other starts the timer: the timer is stopped in any case. */
static promise_t *met;
static void *starts_or_settles(void *number) {
  bool settles = (intptr_t)number == 1;
  for (long i = check_scale(20 * 1000); i > 0; i--) {
    if (!settles)
      met = promise_new();
    meet_closely();
    promise_t *limited = settles ? NULL : promise_timeout(met, HOUR);
    if (settles) {
      for (volatile long pause = i % 256 * 4; pause > 0; pause--)
        ;
      CHECK_STATUS(promise_resolve(met, I64(1)), PROMISE_OK);
    }
    meet_closely();
    if (!settles) {
      CHECK(ended(limited, PROMISE_FULFILLED, 1));
      RELEASE(limited, met);
    }
  }
  return NULL;
}

TEST_BY(the_start_may_race_with_the_settlement, race(starts_or_settles, 2))
