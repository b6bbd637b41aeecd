/* promise_delay_on() whose executor closes before the delay has passed: the delayed value is freed. */
#include "scheduling.h"

TEST(a_closed_loop_frees_the_value_that_it_delays) {
  for (int is_rejected = 0; is_rejected < 2; is_rejected++) {
    promise_loop_t *loop = promise_loop_new();
    promise_executor_t *executor = promise_loop_executor(loop);
    promise_value_t value = text("a value that is delayed");
    promise_t *source = promise_new();
    CHECK_STATUS(is_rejected ? promise_reject(source, &value) : promise_resolve(source, &value), PROMISE_OK);
    promise_t *delayed = promise_delay_on(executor, source, 3600 * 1000 * MILLISECONDS);
    REQUIRE(delayed != NULL);
    CHECK_INT(promise_state(delayed), PROMISE_PENDING);
    CHECK_STATUS(promise_loop_release(loop), PROMISE_OK);
    CHECK(failed_with(delayed, PROMISE_ECLOSED));
    promise_release(delayed), promise_release(source);
    promise_executor_release(executor);
  }
}
