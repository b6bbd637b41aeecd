/* Misuse of loops, and of the main executor. */
#include "misuse.h"

MISUSE(promise_loop_new) {
  promise_loop_t *loop = promise_loop_new();
  CHECK(loop != NULL);
  CHECK_STATUS(promise_loop_release(loop), PROMISE_OK);
}

MISUSE(promise_loop_main) {
  CHECK(promise_loop_main() != NULL);
}

MISUSE_OF_HANDLE(promise_loop_release, LOOPS)
MISUSE_OF_HANDLE(promise_loop_retain, LOOPS)
MISUSE_OF_HANDLE(promise_loop_is_current, LOOPS)
MISUSE_OF_HANDLE(promise_loop_fd, LOOPS)
MISUSE_OF_HANDLE_GIVING_NULL(promise_loop_executor, LOOPS)
MISUSE_OF_HANDLE(promise_loop_run_once, LOOPS)

MISUSE(promise_loop_run) {
  CHECK_STATUS(promise_loop_run(NULL, -1), PROMISE_EINVAL);
  EACH_BAD_HANDLE(LOOPS, handle)
    CHECK_STATUS(promise_loop_run(handle, -1), PROMISE_ESTALE);
}

MISUSE(promise_loop_wait) {
  promise_loop_t *good_loop = promise_loop_new();
  CHECK_STATUS(promise_loop_wait(NULL, NULL, -1), PROMISE_EINVAL);
  CHECK_STATUS(promise_loop_wait(good_loop, NULL, -1), PROMISE_EINVAL);
  EACH_BAD_HANDLE(LOOPS, handle)
    CHECK_STATUS(promise_loop_wait(handle, live_promise, -1), PROMISE_ESTALE);
  EACH_BAD_HANDLE(PROMISES, handle)
    CHECK_STATUS(promise_loop_wait(good_loop, handle, -1), PROMISE_ESTALE);
  CHECK_STATUS(promise_loop_release(good_loop), PROMISE_OK);
}

MISUSE_OF_HANDLE(promise_loop_stop, LOOPS)

MISUSE(promise_executor_main) {
  CHECK(promise_executor_main() != NULL);
}

MISUSE(promise_executor_set_main) {
  CHECK_STATUS(promise_executor_set_main(promise_executor_main()), PROMISE_EINVAL);
  EACH_BAD_HANDLE(EXECUTORS, handle)
    CHECK_STATUS(promise_executor_set_main(handle), PROMISE_ESTALE);
}

MISUSE(promise_is_main_thread) {
  CHECK(promise_is_main_thread());
}

/* The function rejects no argument. */
MISUSE(promise_set_thread_hooks) {
  CHECK_STATUS(promise_set_thread_hooks(NULL, NULL, &spy, spy_free), PROMISE_OK);
  CHECK_STATUS(promise_set_thread_hooks(NULL, NULL, NULL, NULL), PROMISE_OK);
  CHECK_SPY(&spy, 0, 1);
}
