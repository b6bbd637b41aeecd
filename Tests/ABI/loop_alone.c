/* A loop without a thread of the library. */
#include "loops.h"

/* Timers of a loop need no thread of the library. */
TEST(needs_no_other_thread) {
  CHECK(true);
  if (shares_process())
    return;
  fixture_t fixture = setup();
  promise_t *nap = promise_sleep_on(fixture.executor, MILLISECONDS);
  promise_t *child = promise_delay_on(fixture.executor, nap, MILLISECONDS);
  promise_t *limited = promise_timeout_on(fixture.executor, child, 3600 * 1000 * MILLISECONDS);
  CHECK_STATUS(promise_loop_wait(fixture.loop, limited, FOR_EVER), PROMISE_OK);
  CHECK_INT(thread_count(), 0);
  RELEASE(nap, child, limited);
  teardown(fixture);
}
