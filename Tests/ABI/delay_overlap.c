/* timer.h: the loop of a delay runs while its source is being settled, at each release of a lock. */
#include "overlap.h"

#include "loops.h"

static promise_loop_t *loop;

static void runs_the_loop(void) {
  promise_loop_run_once(loop);
}

TEST(it_ends_on_its_executor) {
  fixture_t fixture = setup();
  loop = fixture.loop;
  second_call = runs_the_loop;
  long count = 0;
  for (bool was_run = true; was_run; count++) {
    promise_t *source = promise_new(), *delayed = promise_delay_on(fixture.executor, source, 0);
    promise_t *child = promise_then(delayed, whether_it_is_current, fixture.executor, NULL);
    begin_overlap(count);
    CHECK_STATUS(promise_resolve(source, I64(5)), PROMISE_OK);
    was_run = end_overlap();
    CHECK_STATUS(promise_loop_wait(loop, child, FOR_EVER), PROMISE_OK);
    CHECK_ENDED(delayed, PROMISE_FULFILLED, 5);
    CHECK_ENDED(child, PROMISE_FULFILLED, 1);
    RELEASE(source, delayed, child);
  }
  CHECK(count > 1); /* the timer, at least, is added under a lock */
  teardown(fixture);
}
