/* A thread with a pending pthread_cancel() returns from each function, and leaves no lock behind. */
#include <fcntl.h>
#include <unistd.h>

#include "support.h"

static promise_loop_t *loop;
static promise_queue_t *queue;
static promise_t *watched;
static int output;

/* The tested functions: they write to a descriptor, read it or close it, or sleep. */
static void submits_to_a_loop(void) {
  promise_executor_t *executor = promise_loop_executor(loop);
  CHECK_STATUS(promise_executor_submit(executor, ignore_context, NULL, NULL), PROMISE_OK);
  promise_executor_release(executor);
}
static void runs_a_loop(void) {
  CHECK(promise_loop_run_once(loop) >= 0);
}
static void waits_in_a_loop(void) {
  CHECK_STATUS(promise_loop_wait(loop, watched, 1000000), PROMISE_ETIMEDOUT);
}
static void stops_a_loop(void) {
  CHECK_STATUS(promise_loop_stop(loop), PROMISE_OK);
}
static void makes_a_loop(void) {
  CHECK_STATUS(promise_loop_release(promise_loop_new()), PROMISE_OK);
}
static void settles_for_a_queue(void) {
  CHECK_STATUS(promise_resolve(watched, I64(1)), PROMISE_OK);
}
static void takes_from_a_queue(void) {
  promise_event_t event;
  CHECK_INT(promise_queue_take(queue, &event, 1, 0), 1);
  promise_value_release(&event.value);
}
static void waits_for_a_queue(void) {
  promise_event_t event;
  CHECK_INT(promise_queue_take(queue, &event, 1, 1000000), 0);
}
static void waits_for_a_promise(void) {
  promise_t *nap = promise_sleep(1000000);
  CHECK_STATUS(promise_wait(nap, -1), PROMISE_OK);
  promise_release(nap);
}
static void dumps(void) {
  CHECK_STATUS(promise_dump(output), PROMISE_OK);
}

static void (*const functions[])(void) = {
    submits_to_a_loop,   runs_a_loop,        waits_in_a_loop,   stops_a_loop,        makes_a_loop,
    settles_for_a_queue, takes_from_a_queue, waits_for_a_queue, waits_for_a_promise, dumps,
};

static atomic_bool has_returned;

static void *calls(void *function) {
  pthread_cancel(pthread_self());
  (*(void (*const *)(void))function)();
  atomic_store(&has_returned, true);
  pthread_testcancel();
  return NULL;
}

TEST(thread_returns_from_each_function) {
  loop = promise_loop_new();
  queue = promise_queue_new();
  watched = promise_new();
  output = open("/dev/null", O_WRONLY | O_CLOEXEC);
  REQUIRE(promise_queue_fd(queue) >= 0 && promise_loop_fd(loop) >= 0);
  CHECK_STATUS(promise_queue_watch(queue, watched, 1), PROMISE_OK);
  for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
    pthread_t thread;
    void *end = NULL;
    atomic_store(&has_returned, false);
    REQUIRE(pthread_create(&thread, NULL, calls, (void *)(uintptr_t)&functions[i]) == 0);
    REQUIRE(pthread_join(thread, &end) == 0);
    CHECK(atomic_load(&has_returned));
    CHECK(end == PTHREAD_CANCELED);
  }
  close(output);
  /* No lock is held: other calls return. */
  CHECK(promise_loop_run_once(loop) >= 0);
  promise_release(watched);
  CHECK_STATUS(promise_loop_release(loop), PROMISE_OK);
  CHECK_STATUS(promise_queue_free(queue), PROMISE_OK);
}
