/* Many threads at once: chains under interference, releases beside settlements, and adoptions. One settlement, and
 * callbacks that are attached meanwhile: the check of promise-conformance. */
#include "race.h"

static long rounds;

static spy_t spies[2][4];

/* ---- A chain whose links other threads settle, discard and extend ---- */

static promise_t *links[4];
static void *plays_with_chain(void *argument) {
  int self = (int)(intptr_t)argument;
  for (long round = 0; round < rounds; round++) {
    if (self == 0) {
      memset(spies, 0, sizeof spies);
      links[0] = promise_new();
      for (int i = 1; i < 4; i++)
        links[i] = promise_then(links[i - 1], spy_handler, &spies[0][i], spy_free);
    }
    meet();
    if (self == 0)
      promise_resolve(links[0], I64(0));
    if (self == 1)
      promise_discard(links[2]);
    if (self == 2)
      promise_resolve(links[1], I64(100));
    if (self == 3) {
      for (int i = 1; i < 4; i++)
        promise_observe(links[i], spy_observer, spy_observer, &spies[1][i], spy_free);
    }
    meet();
    if (self == 0) {
      for (int i = 0; i < 4; i++)
        CHECK(promise_state(links[i]) != PROMISE_PENDING);
      /* Other threads settle links[1] and links[2] too: their handlers run only if the source was settled first. The
       * handler of links[3] runs if links[2] was fulfilled. */
      for (int i = 1; i < 4; i++) {
        CHECK_INT(atomic_load(&spies[0][i].frees), 1);
        CHECK(atomic_load(&spies[0][i].calls) <= 1);
      }
      CHECK_INT(atomic_load(&spies[0][3].calls), promise_state(links[2]) == PROMISE_FULFILLED ? 1 : 0);
      for (int i = 1; i < 4; i++)
        CHECK_SPY(&spies[1][i], 1, 1);
      RELEASE_EACH(links, 4);
      for (int i = 0; i < 4; i++)
        CHECK_STATUS(promise_state(links[i]), PROMISE_ESTALE);
    }
    meet();
  }
  return NULL;
}

TEST(chain_settles_under_interference) {
  rounds = check_scale(20000);
  race(plays_with_chain, 4);
}

/* ---- Settling against releasing: the source's last reference is released while its derived promise is settled ---- */

static promise_t *source, *derived;
static void *releases_or_settles(void *argument) {
  int self = (int)(intptr_t)argument;
  for (long round = 0; round < rounds; round++) {
    if (self == 0) {
      memset(spies, 0, sizeof spies);
      source = promise_new();
      derived = promise_then(source, spy_handler, &spies[0][0], spy_free);
    }
    meet();
    if (self == 0) {
      if (round % 2 == 0)
        promise_resolve(source, I64(1));
      promise_release(source);
    } else {
      promise_observe(derived, spy_observer, spy_observer, &spies[0][1], spy_free);
      if (round % 4 < 2)
        promise_discard(derived);
      promise_release(derived);
    }
    meet();
    if (self == 0) {
      /* A discard that wins detaches the handler. */
      CHECK_INT(atomic_load(&spies[0][0].frees), 1);
      if (round % 4 < 2)
        CHECK(atomic_load(&spies[0][0].calls) <= (round % 2 == 0 ? 1 : 0));
      else
        CHECK_INT(atomic_load(&spies[0][0].calls), round % 2 == 0 ? 1 : 0);
      CHECK_SPY(&spies[0][1], round % 4 != 3 ? 1 : 0, 1);
    }
    meet();
  }
  return NULL;
}

TEST(a_release_may_race_with_the_settlement) {
  rounds = check_scale(40000);
  race(releases_or_settles, 2);
}

/* ---- Adoption ---- */

static promise_t *outer[2], *follower[2];

static promise_verdict_t adopts_the_other(void *ctx, const promise_value_t *in, promise_value_t *out) {
  int self = (int)(intptr_t)ctx;
  (void)in;
  *out = holding(retained(follower[1 - self]));
  meet_closely();
  return PROMISE_ADOPT;
}

static void *adopts_each_other(void *argument) {
  int self = (int)(intptr_t)argument;
  for (long round = 0; round < rounds; round++) {
    outer[self] = promise_new();
    follower[self] = promise_then(outer[self], adopts_the_other, argument, NULL);
    meet();
    promise_resolve(outer[self], I64(1));
    meet();
    CHECK(failed_with(follower[self], PROMISE_EDEADLK));
    meet();
    CHECK_STATUS(promise_release(follower[self]), PROMISE_OK);
    CHECK_STATUS(promise_state(follower[self]), PROMISE_ESTALE);
    promise_release(outer[self]);
  }
  return NULL;
}

TEST(cycle_closed_by_two_threads_is_found) {
  rounds = check_scale(50000);
  race(adopts_each_other, 2);
}
