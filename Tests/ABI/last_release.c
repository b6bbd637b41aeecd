/* The last reference to a promise is released while another thread uses its derived promise. */
#include <sched.h>

#include "race.h"

enum { PROMISES = 512 };
static promise_t *sources[PROMISES], *derived[PROMISES];
static promise_t *others[PROMISES]; /* created by the handlers that ran, usually in the memory of the sources */
static atomic_int places[2];        /* the progress of each thread */
static atomic_bool is_over;

static promise_verdict_t releases(void *ctx, const promise_value_t *value, promise_value_t *out) {
  (void)value, (void)out;
  intptr_t place = (intptr_t)ctx;
  CHECK_STATUS(promise_release(sources[place]), PROMISE_OK);
  others[place] = promise_new();
  return PROMISE_VERDICT_PASS;
}

static void make(void) {
  for (intptr_t i = 0; i < PROMISES; i++) {
    sources[i] = promise_new();
    derived[i] = promise_then(sources[i], releases, (void *)i, NULL);
    others[i] = NULL;
  }
  atomic_store(&places[0], 0);
  atomic_store(&places[1], 0);
}

static void let_go(void) {
  for (int i = 0; i < PROMISES; i++) {
    CHECK_STATUS(promise_release(derived[i]), PROMISE_OK);
    CHECK_STATUS(promise_release(others[i] != NULL ? others[i] : sources[i]), PROMISE_OK);
  }
}

/* Waits until the other thread has reached `place`. Yields, because that thread may not be scheduled. */
static void keep_up_with(atomic_int *other, int place) {
  for (unsigned turns = 1; atomic_load(other) < place; turns++)
    if (turns % 1024 == 0)
      sched_yield();
}

/* A handler releases the last reference to its source, while another thread settles the derived promise and walks
 * upstream to the source: it must find the source destroyed, or keep it alive. Thread 0 settles the sources, thread 1
 * the derived promises. */
static void *settles(void *number) {
  intptr_t me = (intptr_t)number;
  unsigned random = 1 + (unsigned)me;
  /* Limits the time: on one processor the threads wait for each other most of the time. */
  int64_t end = now() + 5000 * MILLISECONDS;
  for (long round = check_scale(2000);; round--) {
    if (me == 0) {
      atomic_store(&is_over, round == 0 || now() > end);
      make();
    }
    meet();
    if (atomic_load(&is_over))
      break;
    for (int i = 0; i < PROMISES; i++) {
      atomic_store(&places[me], i);
      keep_up_with(&places[1 - me], i);
      random = random * 1664525 + 1013904223;
      for (volatile unsigned pause = random >> 24 & 63; pause > 0; pause--) {
      }
      promise_resolve((me == 0 ? sources : derived)[i], VOID());
    }
    atomic_store(&places[me], PROMISES);
    meet();
    if (me == 0)
      let_go();
  }
  if (me == 0)
    let_go();
  return NULL;
}

TEST_BY(handler_gives_the_last_reference_back, race(settles, 2))

/* Thread 0 destroys the pending sources; thread 1 uses the derived promises once more, and releases them. The reads of
 * a derived promise happen before the writes of its last release. */
static void *orphans(void *number) {
  intptr_t me = (intptr_t)number;
  promise_t *pending = promise_new();
  for (long round = check_scale(2000); round > 0; round--) {
    if (me == 0)
      for (int i = 0; i < PROMISES; i++) {
        sources[i] = promise_new();
        derived[i] = promise_then(sources[i], adds_one, NULL, NULL);
      }
    meet();
    for (int i = 0; i < PROMISES; i++) {
      if (me == 0) {
        promise_release(sources[i]);
      } else {
        promise_follow(derived[i], pending);
        promise_release(derived[i]);
      }
    }
    meet();
  }
  promise_release(pending);
  return NULL;
}

TEST_BY(the_source_is_destroyed_while_a_derived_promise_is_used, race(orphans, 2))
