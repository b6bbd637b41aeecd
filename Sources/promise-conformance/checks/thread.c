/* promise.h, THREADS: every function may be called from any thread at any time. The order of the calls is left to
 * chance; the rules hold in every order. */
#include "../checked.h"
#include "../race.h"

CHECKS(thread)

/* A linked program is to find rare orders in this library, promise-conformance to end soon. */
#ifdef CHECK_LOADS
enum { MANY = 2000 };
#else
enum { MANY = 20000 };
#endif
enum { THREADS = 4, REFERENCES = 500 };

static long rounds;

/* ---- Settling ---- */

static promise_t *shared;
static atomic_int winners;
static atomic_llong winner;
static payload_t offered[THREADS];
static spy_t observed;

static void *settles_shared(void *argument) {
  int self = (int)(intptr_t)argument;
  for (long round = 0; round < rounds; round++) {
    if (self == 0) {
      shared = promise_new();
      atomic_store(&winners, 0);
      atomic_store(&observed.calls, 0);
      atomic_store(&observed.frees, 0);
      for (int i = 0; i < THREADS; i++)
        atomic_store(&offered[i].destroyed, 0);
      promise_observe(shared, spy_observer, spy_observer, &observed, spy_free);
    }
    meet();
    promise_value_t value = object(&offered[self]);
    promise_status_t status = self == 3 && round % 2 == 0 ? promise_discard(shared)
                              : self % 2 == 0             ? promise_resolve(shared, &value)
                                                          : promise_reject(shared, &value);
    if (self == 3 && round % 2 == 0)
      promise_value_release(&value);
    if (status == PROMISE_OK) {
      atomic_fetch_add(&winners, 1);
      atomic_store(&winner, self);
    } else {
      CHECK_STATUS(status, PROMISE_ESETTLED);
      CHECK_INT(atomic_load(&offered[self].destroyed), 1);
    }
    meet();
    if (self == 0) {
      CHECK_INT(atomic_load(&winners), 1);
      CHECK_SPY(&observed, 1, 1);
      bool discarded = atomic_load(&winner) == 3 && round % 2 == 0;
      CHECK_INT(promise_state(shared), atomic_load(&winner) % 2 == 0 ? PROMISE_FULFILLED : PROMISE_REJECTED);
      CHECK_INT(atomic_load(&offered[atomic_load(&winner)].destroyed), discarded ? 1 : 0);
      promise_release(shared);
      for (int i = 0; i < THREADS; i++)
        CHECK_INT(atomic_load(&offered[i].destroyed), 1);
    }
    meet();
  }
  return NULL;
}

RULE(one_settlement_wins, "of settlements on several threads, one wins") {
  rounds = check_scale(MANY);
  payload_type();
  race(settles_shared, THREADS);
}

/* ---- Attaching while settling ---- */

enum { ATTACHED = 8 };
static spy_t spies[THREADS][ATTACHED];
static promise_t *children[THREADS][ATTACHED];

static void *attaches_or_settles(void *argument) {
  int self = (int)(intptr_t)argument;
  for (long round = 0; round < rounds; round++) {
    if (self == 0) {
      memset(spies, 0, sizeof spies);
      shared = promise_new();
    }
    meet();
    for (int i = 0; i < ATTACHED; i++) {
      if (self == 0 && i == round % ATTACHED)
        CHECK_STATUS(promise_resolve(shared, I64(round)), PROMISE_OK);
      spy_t *spy = &spies[self][i];
      children[self][i] = NULL;
      if (i % 2 == 0) {
        CHECK_STATUS(promise_observe(shared, spy_observer, NULL, spy, spy_free), PROMISE_OK);
      } else {
        children[self][i] = promise_then(shared, spy_handler, spy, spy_free);
        CHECK(children[self][i] != NULL);
      }
    }
    meet();
    if (self == 0)
      promise_release(shared);
    for (int i = 0; i < ATTACHED; i++) {
      CHECK_SPY(&spies[self][i], 1, 1);
      CHECK_INT(spies[self][i].seen, round);
      if (children[self][i] != NULL)
        CHECK(ended(children[self][i], PROMISE_FULFILLED, round + 1));
      if (children[self][i] != NULL)
        promise_release(children[self][i]);
    }
    meet();
  }
  return NULL;
}

RULE(each_callback_runs_once, "each callback runs once, attached on any thread while another settles") {
  rounds = check_scale(MANY);
  race(attaches_or_settles, THREADS);
}

static void *counts_references(void *unused) {
  (void)unused;
  meet();
  for (int i = 0; i < REFERENCES; i++) {
    retained(shared);
    release(shared);
  }
  release(shared);
  return NULL;
}

RULE(references_are_counted_by_all, "references are counted on every thread that adds or releases them") {
  payload_t payload = {0};
  promise_value_t value = object(&payload);
  shared = pending();
  CHECK_STATUS(promise_resolve(shared, &value), PROMISE_OK);
  for (int i = 1; i < THREADS; i++)
    retained(shared);
  race(counts_references, THREADS);
  CHECK_DESTROYED(&payload, 1);
  CHECK_STATUS(promise_state(shared), PROMISE_ESTALE);
}
