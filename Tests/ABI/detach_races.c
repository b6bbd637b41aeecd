/* callback.h: promises that are abandoned on one thread while their source ends on another. */
#include "race.h"

enum { WAITERS = 6, THREADS = 3 };

/* Ways to abandon a waiter, or to release it alone. */
enum { RESOLVED, DISCARDED, ASKED, RELEASED, WAYS };

typedef struct {
  promise_t *source, *other;
  promise_t *waiters[WAITERS];
  spy_t spies[WAITERS];
  long round;
} round_t;

static round_t round_now;
static long rounds;

static promise_t *derived(promise_t *source, int which, spy_t *spy) {
  switch (which % 3) {
  case 0:
    return promise_then(source, spy_handler, spy, spy_free);
  case 1:
    return promise_rescue(source, NULL, spy_handler, spy, spy_free);
  default:
    return spied(source, NULL, NULL, spy);
  }
}

static void give_up(promise_t *waiter, long how) {
  if (how == RESOLVED)
    promise_resolve(waiter, I64(9));
  if (how == DISCARDED)
    promise_discard(waiter);
  if (how == ASKED)
    promise_request_cancel(waiter, NULL);
  promise_release(waiter);
}

/* Thread 0 ends the source, the others abandon its waiters. */
static void act(round_t *round, int thread) {
  if (thread == 0) {
    switch (round->round % 4) {
    case 0:
      promise_resolve(round->source, I64(1));
      break;
    case 1:
      promise_reject(round->source, I64(1));
      break;
    case 2:
      promise_follow(round->source, round->other);
      promise_resolve(round->other, I64(1));
      break;
    default:
      break;
    }
    promise_release(round->source);
    return;
  }
  for (int i = thread - 1; i < WAITERS; i += THREADS - 1)
    give_up(round->waiters[i], (round->round / 4 + i) % WAYS);
}

static void begin(round_t *round, long number) {
  memset(round, 0, sizeof *round);
  round->round = number;
  round->source = promise_new();
  round->other = promise_new();
  for (int i = 0; i < WAITERS; i++)
    round->waiters[i] = derived(i < 4 ? round->source : round->waiters[i - 3], i, &round->spies[i]);
}

static void check(round_t *round) {
  promise_release(round->other);
  for (int i = 0; i < WAITERS; i++) {
    CHECK_INT(atomic_load(&round->spies[i].frees), 1);
    CHECK(atomic_load(&round->spies[i].calls) <= 1);
  }
}

static void *take_part(void *ctx) {
  int thread = (int)(intptr_t)ctx;
  for (long i = 0; i < rounds; i++) {
    if (thread == 0)
      begin(&round_now, i);
    meet();
    act(&round_now, thread);
    meet();
    if (thread == 0)
      check(&round_now);
  }
  return NULL;
}

TEST(each_context_is_freed_once) {
  rounds = check_scale(20 * 1000);
  race(take_part, THREADS);
}

/* ---- One long-lived promise, many threads with short-lived waiters ---- */

static promise_t *lasting;

static void *waits_for_a_while(void *ctx) {
  long number = (long)(intptr_t)ctx;
  for (long i = 0; i < check_scale(20 * 1000); i++) {
    spy_t spies[3] = {{0}};
    promise_t *waiters[3];
    for (int j = 0; j < 3; j++)
      waiters[j] = derived(lasting, (int)(i + j), &spies[j]);
    promise_t *inputs[] = {lasting, promise_new()};
    promise_t *race = promise_race(inputs, 2, 0);
    promise_release(promise_timeout(lasting, 3600 * 1000 * MILLISECONDS));
    for (int j = 0; j < 3; j++)
      give_up(waiters[(j + number) % 3], (i + j) % RELEASED);
    for (int j = 0; j < 3; j++)
      CHECK_SPY(&spies[j], 0, 1);
    if (i % 2 == 0)
      promise_resolve(inputs[1], I64(1));
    promise_release(race);
    promise_release(inputs[1]);
  }
  return NULL;
}

TEST(a_promise_with_another_reference_is_unchanged) {
  lasting = promise_new();
  spy_t spy = {0};
  promise_release(promise_then(lasting, spy_handler, &spy, spy_free));
  race(waits_for_a_while, 4);
  CHECK_STATUS(promise_resolve(lasting, I64(1)), PROMISE_OK);
  CHECK_SPY(&spy, 1, 1);
  promise_release(lasting);
}

/* ---- A race that requests cancellation of its losers while another thread settles its result ---- */

enum { INPUTS = 64 };
static struct { promise_t *inputs[INPUTS], *race; } contest;

static void *decides_or_settles(void *ctx) {
  bool settles = (intptr_t)ctx == 1;
  for (long i = 0; i < rounds; i++) {
    if (!settles) {
      for (int j = 0; j < INPUTS; j++)
        contest.inputs[j] = promise_new();
      contest.race = promise_race(contest.inputs, INPUTS, PROMISE_COMBINE_CANCEL_OTHERS);
    }
    meet();
    if (settles)
      promise_resolve(contest.race, I64(-1));
    else
      CHECK_STATUS(promise_resolve(contest.inputs[i % INPUTS], I64(i)), PROMISE_OK);
    meet();
    if (!settles) {
      CHECK_INT(promise_state(contest.race), PROMISE_STATE_FULFILLED);
      promise_release(contest.race);
      for (int j = 0; j < INPUTS; j++)
        promise_release(contest.inputs[j]);
    }
  }
  return NULL;
}

TEST(a_race_is_decided_while_its_result_is_settled) {
  rounds = check_scale(20 * 1000);
  race(decides_or_settles, 2);
}
