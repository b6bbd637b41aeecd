/* Promises that are abandoned while another thread settles their sources: each promise ends once, and a value that
 * comes too late is released. */
#include "race.h"

static promise_t *source, *follower;
static payload_t payload;

/* Releases both threads within nanoseconds of each other, which a barrier of the C library does not do. */
static void start_together(long round) {
  static atomic_long arrived;
  atomic_fetch_add(&arrived, 1);
  for (long spins = 0; atomic_load(&arrived) < 2 * (round + 1); spins++) {
    if (spins % 100000 == 99999)
      sched_yield();
  }
}

static void pause_for(unsigned turns) {
  for (volatile unsigned turn = 0; turn < turns; turn++)
    continue;
}

/* Thread 0 releases a follower while thread 1 settles its source. */
static void *abandons_or_settles(void *argument) {
  unsigned random = argument == NULL ? 7 : 77;
  for (long round = 0; round < check_scale(60000); round++) {
    if (argument == NULL) {
      memset(&payload, 0, sizeof payload);
      source = promise_new();
      follower = promise_new();
      CHECK_STATUS(promise_follow(follower, source), PROMISE_OK);
      /* Prolong the release, which checks each of these for a waiter. */
      for (int i = 0; i < 100; i++)
        CHECK_STATUS(promise_on_cancel_request(follower, ignore_value, NULL, NULL), PROMISE_OK);
    }
    promise_value_t value = {.kind = PROMISE_KIND_VOID};
    if (argument != NULL)
      value = object(&payload);
    meet();
    start_together(round);
    random = random * 1103515245 + 12345;
    pause_for((random >> 16) % 512);
    if (argument == NULL)
      promise_release(follower);
    else
      CHECK_STATUS(promise_resolve(source, &value), PROMISE_OK);
    meet();
    if (argument == NULL) {
      promise_release(source);
      if (!CHECK_INT(atomic_load(&payload.destroyed), 1))
        _exit(1);
    }
  }
  return NULL;
}

TEST_BY(abandoned_while_its_source_is_settled, race(abandons_or_settles, 2))
