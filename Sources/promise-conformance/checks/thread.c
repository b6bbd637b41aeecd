/* promise.h, THREADS: every function may be called from any thread at any time. The order of the calls is left to
 * chance; the rules hold in every order. */
#include "../checked.h"

CHECKS(thread)

enum { THREADS = 4, ROUNDS = 500, ATTACHMENTS = 8 };

typedef struct race {
  pthread_barrier_t start;
  promise_t *promise;
  atomic_int won;
  spy_t spies[THREADS][ATTACHMENTS];
  promise_t *children[THREADS][ATTACHMENTS];
} race_t;

typedef struct racer {
  race_t *race;
  int index;
} racer_t;

static void run_race(race_t *race, void *(*body)(void *racer)) {
  racer_t racers[THREADS];
  pthread_t threads[THREADS];
  CHECK(pthread_barrier_init(&race->start, NULL, THREADS) == 0);
  for (int i = 0; i < THREADS; i++) {
    racers[i] = (racer_t){race, i};
    threads[i] = start(body, &racers[i]);
  }
  for (int i = 0; i < THREADS; i++)
    finish(threads[i]);
  pthread_barrier_destroy(&race->start);
}

static void *settles(void *argument) {
  racer_t *racer = argument;
  promise_value_t value = i64(racer->index);
  pthread_barrier_wait(&racer->race->start);
  promise_status_t status = racer->index % 2 == 0 ? promise_resolve(racer->race->promise, &value)
                                                  : promise_reject(racer->race->promise, &value);
  if (status == PROMISE_OK)
    atomic_fetch_add(&racer->race->won, racer->index + 1);
  else
    CHECK_STATUS(status, PROMISE_ESETTLED);
  return NULL;
}

RULE(one_settlement_wins, "of settlements on several threads, one wins") {
  static race_t race;
  for (int i = 0; i < ROUNDS / 4; i++) {
    spy_t spy = {0};
    race.promise = pending();
    atomic_store(&race.won, 0);
    CHECK_STATUS(promise_observe(race.promise, spy_observer, spy_observer, &spy, spy_free), PROMISE_OK);
    run_race(&race, settles);
    int winner = atomic_load(&race.won) - 1;
    CHECK(winner >= 0 && winner < THREADS);
    CHECK_SPY(&spy, 1, 1);
    CHECK_ENDED(race.promise, winner % 2 == 0 ? PROMISE_FULFILLED : PROMISE_REJECTED, winner);
    release(race.promise);
  }
}

static void *attaches(void *argument) {
  racer_t *racer = argument;
  race_t *race = racer->race;
  pthread_barrier_wait(&race->start);
  for (int i = 0; i < ATTACHMENTS; i++) {
    if (racer->index == 0 && i == ATTACHMENTS / 2)
      resolve(race->promise, 1);
    race->children[racer->index][i] = promise_then(race->promise, spy_handler, &race->spies[racer->index][i], spy_free);
    CHECK(race->children[racer->index][i] != NULL);
  }
  return NULL;
}

RULE(each_callback_runs_once, "each callback runs once, attached on any thread while another settles") {
  static race_t race;
  for (int i = 0; i < ROUNDS / 4; i++) {
    memset(race.spies, 0, sizeof race.spies);
    race.promise = pending();
    run_race(&race, attaches);
    for (int j = 0; j < THREADS * ATTACHMENTS; j++) {
      promise_t *child = race.children[j / ATTACHMENTS][j % ATTACHMENTS];
      CHECK_SPY(&race.spies[j / ATTACHMENTS][j % ATTACHMENTS], 1, 1);
      CHECK_ENDED(child, PROMISE_FULFILLED, 2);
      release(child);
    }
    release(race.promise);
  }
}

static void *counts_references(void *argument) {
  racer_t *racer = argument;
  pthread_barrier_wait(&racer->race->start);
  for (int i = 0; i < ROUNDS; i++) {
    retained(racer->race->promise);
    release(racer->race->promise);
  }
  release(racer->race->promise);
  return NULL;
}

RULE(references_are_counted_by_all, "references are counted on every thread that adds or releases them") {
  static race_t race;
  payload_t payload = {0};
  promise_value_t value = object(&payload);
  race.promise = pending();
  CHECK_STATUS(promise_resolve(race.promise, &value), PROMISE_OK);
  for (int i = 1; i < THREADS; i++)
    retained(race.promise);
  run_race(&race, counts_references);
  CHECK_DESTROYED(&payload, 1);
  CHECK_STATUS(promise_state(race.promise), PROMISE_ESTALE);
}
