/* Misuse of loops, and of the main executor. */
#include "misuse.h"

static void loop_new(void) {
  promise_loop_t *loop = promise_loop_new();
  CHECK(loop != NULL);
  CHECK_STATUS(promise_loop_release(loop), PROMISE_OK);
}

static void loop_main(void) {
  CHECK(promise_loop_main() != NULL);
}

static void loop_release_bad(void *handle) {
  CHECK_STATUS(promise_loop_release(handle), PROMISE_ESTALE);
}
static void loop_release(void) {
  CHECK_STATUS(promise_loop_release(NULL), PROMISE_EINVAL);
  each_bad_handle(LOOPS, loop_release_bad);
}

static void loop_retain_bad(void *handle) {
  CHECK_STATUS(promise_loop_retain(handle), PROMISE_ESTALE);
}
static void loop_retain(void) {
  CHECK_STATUS(promise_loop_retain(NULL), PROMISE_EINVAL);
  each_bad_handle(LOOPS, loop_retain_bad);
}

static void loop_is_current_bad(void *handle) {
  CHECK_INT(promise_loop_is_current(handle), PROMISE_ESTALE);
}
static void loop_is_current(void) {
  CHECK_INT(promise_loop_is_current(NULL), PROMISE_EINVAL);
  each_bad_handle(LOOPS, loop_is_current_bad);
}

static void loop_fd_bad(void *handle) {
  CHECK_INT(promise_loop_fd(handle), PROMISE_ESTALE);
}
static void loop_fd(void) {
  CHECK_INT(promise_loop_fd(NULL), PROMISE_EINVAL);
  each_bad_handle(LOOPS, loop_fd_bad);
}

static void loop_executor_bad(void *handle) {
  refused(promise_loop_executor(handle), PROMISE_ESTALE, NULL);
}
static void loop_executor(void) {
  refused(promise_loop_executor(NULL), PROMISE_EINVAL, NULL);
  each_bad_handle(LOOPS, loop_executor_bad);
}

static void loop_run_once_bad(void *handle) {
  CHECK_INT(promise_loop_run_once(handle), PROMISE_ESTALE);
}
static void loop_run_once(void) {
  CHECK_INT(promise_loop_run_once(NULL), PROMISE_EINVAL);
  each_bad_handle(LOOPS, loop_run_once_bad);
}

static void loop_run_bad(void *handle) {
  CHECK_STATUS(promise_loop_run(handle, -1), PROMISE_ESTALE);
}
static void loop_run(void) {
  CHECK_STATUS(promise_loop_run(NULL, -1), PROMISE_EINVAL);
  each_bad_handle(LOOPS, loop_run_bad);
}

static promise_loop_t *good_loop;
static void loop_wait_bad(void *handle) {
  CHECK_STATUS(promise_loop_wait(handle, live_promise, -1), PROMISE_ESTALE);
}
static void loop_wait_bad_promise(void *handle) {
  CHECK_STATUS(promise_loop_wait(good_loop, handle, -1), PROMISE_ESTALE);
}
static void loop_wait(void) {
  good_loop = promise_loop_new();
  CHECK_STATUS(promise_loop_wait(NULL, NULL, -1), PROMISE_EINVAL);
  CHECK_STATUS(promise_loop_wait(good_loop, NULL, -1), PROMISE_EINVAL);
  each_bad_handle(LOOPS, loop_wait_bad);
  each_bad_handle(PROMISES, loop_wait_bad_promise);
  CHECK_STATUS(promise_loop_release(good_loop), PROMISE_OK);
}

static void loop_stop_bad(void *handle) {
  CHECK_STATUS(promise_loop_stop(handle), PROMISE_ESTALE);
}
static void loop_stop(void) {
  CHECK_STATUS(promise_loop_stop(NULL), PROMISE_EINVAL);
  each_bad_handle(LOOPS, loop_stop_bad);
}

static void executor_main(void) {
  CHECK(promise_executor_main() != NULL);
}

static void executor_set_main_bad(void *handle) {
  CHECK_STATUS(promise_executor_set_main(handle), PROMISE_ESTALE);
}
static void executor_set_main(void) {
  CHECK_STATUS(promise_executor_set_main(promise_executor_main()), PROMISE_EINVAL);
  each_bad_handle(EXECUTORS, executor_set_main_bad);
}

static void is_main_thread(void) {
  CHECK(promise_is_main_thread());
}

/* The function rejects no argument. */
static void set_thread_hooks(void) {
  CHECK_STATUS(promise_set_thread_hooks(NULL, NULL, &spy, spy_free), PROMISE_OK);
  CHECK_STATUS(promise_set_thread_hooks(NULL, NULL, NULL, NULL), PROMISE_OK);
  CHECK_SPY(&spy, 0, 1);
}

static const misuse_t table[] = {
    {"promise_executor_main", executor_main},
    {"promise_executor_set_main", executor_set_main},
    {"promise_is_main_thread", is_main_thread},
    {"promise_loop_executor", loop_executor},
    {"promise_loop_fd", loop_fd},
    {"promise_loop_is_current", loop_is_current},
    {"promise_loop_main", loop_main},
    {"promise_loop_new", loop_new},
    {"promise_loop_release", loop_release},
    {"promise_loop_retain", loop_retain},
    {"promise_loop_run", loop_run},
    {"promise_loop_run_once", loop_run_once},
    {"promise_loop_stop", loop_stop},
    {"promise_loop_wait", loop_wait},
    {"promise_set_thread_hooks", set_thread_hooks},
};

MISUSE_MAIN(table)
