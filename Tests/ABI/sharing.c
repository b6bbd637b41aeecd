/* Objects shared and passed between threads: references are counted, memory stays constant. */
#include "race.h"

enum { THREADS = 4 };

static long rounds;
static promise_t *shared;

/* ---- References ---- */

static void *retains_and_releases(void *argument) {
  long wrong = 0;
  (void)argument;
  meet();
  for (long i = 0; i < rounds; i++) {
    wrong += promise_retain(shared) != PROMISE_OK;
    wrong += promise_release(shared) != PROMISE_OK;
  }
  CHECK_INT(wrong, 0);
  CHECK_STATUS(promise_release(shared), PROMISE_OK);
  return NULL;
}

TEST(references_are_not_lost) {
  payload_t payload = {0};
  promise_value_t value = object(&payload);
  rounds = check_scale(300000);
  shared = promise_new();
  promise_resolve(shared, &value);
  for (int i = 0; i < THREADS; i++)
    CHECK_STATUS(promise_retain(shared), PROMISE_OK);
  race(retains_and_releases, THREADS);
  CHECK_INT(atomic_load(&payload.destroyed), 0);
  CHECK_STATUS(promise_release(shared), PROMISE_OK);
  CHECK_INT(atomic_load(&payload.destroyed), 1);
}

/* ---- Transfer: created on one thread, settled on another ---- */

enum { BATCH = 1000 };
static promise_t *batch[BATCH];
static atomic_long handled;
static promise_verdict_t counts(void *ctx, const promise_value_t *in, promise_value_t *out) {
  (void)ctx;
  *out = *in;
  atomic_fetch_add(&handled, 1);
  return PROMISE_FULFILL;
}

static void *makes_or_ends(void *argument) {
  int self = (int)(intptr_t)argument;
  for (long round = 0; round < rounds; round++) {
    for (int i = 0; self == 0 && i < BATCH; i++) {
      batch[i] = promise_new();
      promise_release(promise_then(batch[i], counts, NULL, NULL));
    }
    meet();
    for (int i = 0; self == 1 && i < BATCH; i++) {
      promise_resolve(batch[i], I64(i));
      promise_release(batch[i]);
    }
    meet();
  }
  return NULL;
}

TEST(memory_stays_flat_between_two_threads) {
  rounds = check_scale(2000);
  race(makes_or_ends, 2);
  CHECK_INT(atomic_load(&handled), rounds * BATCH);
  long before = resident_kilobytes();
  race(makes_or_ends, 2);
  CHECK_INT(atomic_load(&handled), 2 * rounds * BATCH);
  if (getenv("CHECK_QUICK") == NULL)
    CHECK(resident_kilobytes() < before + 2048);
}

/* ---- Short-lived threads leave no cells behind ---- */

static void *makes_a_few(void *argument) {
  promise_t *promises[300];
  (void)argument;
  for (int i = 0; i < 300; i++)
    promises[i] = promise_new();
  RELEASE_EACH(promises, 300);
  return NULL;
}

TEST(ended_threads_give_their_cells_back) {
  for (int i = 0; i < 100; i++)
    finish(start(makes_a_few, NULL));
  long before = resident_kilobytes(), threads = check_scale(3000);
  for (long i = 0; i < threads; i++)
    finish(start(makes_a_few, NULL));
  if (getenv("CHECK_QUICK") == NULL)
    CHECK(resident_kilobytes() < before + 2048);
}

/* The body of a worker thread, which settles the promises of others and releases the last references. */
static void *releases_a_few(void *argument) {
  promise_t **promises = argument;
  RELEASE_EACH(promises, 100);
  return NULL;
}

TEST(threads_that_only_release_give_cells_back_too) {
  long before = 0, threads = check_scale(3000);
  for (long i = 0; i < threads + 100; i++) {
    promise_t *promises[100];
    for (int j = 0; j < 100; j++)
      promises[j] = promise_new();
    finish(start(releases_a_few, promises));
    if (i == 100)
      before = resident_kilobytes();
  }
  if (getenv("CHECK_QUICK") == NULL)
    CHECK(resident_kilobytes() < before + 2048);
}

/* ---- Types ---- */

static const promise_type_t *registered[8][200];
static void *registers_types(void *argument) {
  int self = (int)(intptr_t)argument;
  char name[64];
  meet();
  for (int i = 0; i < 200; i++) {
    snprintf(name, sizeof name, "test.threads.type.%d", i);
    registered[self][i] = promise_type_register(name, NULL, NULL);
    CHECK(registered[self][i] != NULL);
    CHECK_POINTER(promise_type_named(name), registered[self][i]);
  }
  return NULL;
}

TEST(same_name_is_the_same_type_on_every_thread) {
  race(registers_types, 8);
  for (int i = 1; i < 8; i++)
    CHECK(memcmp(registered[0], registered[i], sizeof registered[0]) == 0);
}

/* ---- Values ---- */

static promise_value_t shared_value;
static void *shares_value(void *argument) {
  long wrong = 0;
  (void)argument;
  meet();
  for (long i = 0; i < rounds; i++) {
    promise_value_t copy = shared_value;
    wrong += promise_value_retain(&copy) != PROMISE_OK;
    wrong += promise_value_release(&copy) != PROMISE_OK;
  }
  CHECK_INT(wrong, 0);
  return NULL;
}

TEST(values_are_counted_across_threads) {
  payload_t payload = {0};
  rounds = check_scale(300000);
  shared_value = object(&payload);
  race(shares_value, THREADS);
  CHECK_INT(atomic_load(&payload.destroyed), 0);
  CHECK_STATUS(promise_value_release(&shared_value), PROMISE_OK);
  CHECK_INT(atomic_load(&payload.destroyed), 1);
}
