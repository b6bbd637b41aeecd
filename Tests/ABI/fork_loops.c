/* fork() and loops: a loop keeps its pending work, and wakes its own process. */
#include <poll.h>
#include <sys/resource.h>

#include "forking.h"

static bool readable(promise_loop_t *loop) {
  struct pollfd file = {.fd = promise_loop_fd(loop), .events = POLLIN};
  return poll(&file, 1, 0) == 1;
}

typedef struct looping {
  promise_loop_t *loop;
  int fd;
  promise_t *job, *timer;
} looping_t;

static void runs_the_loop(void *argument) {
  looping_t *looping = argument;
  CHECK_INT(promise_loop_fd(looping->loop), looping->fd);
  CHECK(readable(looping->loop));
  CHECK(promise_loop_run_once(looping->loop) >= 1);
  CHECK(ended(looping->job, PROMISE_FULFILLED, 2));
  CHECK_STATUS(promise_loop_wait(looping->loop, looping->timer, FOR_EVER), PROMISE_OK);
  CHECK(!readable(looping->loop));
  promise_executor_t *executor = promise_loop_executor(looping->loop);
  promise_t *mine = react_on(executor, adds_one, NULL, NULL);
  CHECK(readable(looping->loop));
  CHECK_STATUS(promise_wait(mine, FOR_EVER), PROMISE_EDEADLK);
  CHECK_STATUS(promise_loop_wait(looping->loop, mine, FOR_EVER), PROMISE_OK);
  promise_release(mine);
  promise_executor_release(executor);
}

static void loops_keep_what_waits_and_wake_one_process_only(void) {
  looping_t looping = {.loop = promise_loop_new()};
  looping.fd = promise_loop_fd(looping.loop);
  promise_executor_t *executor = promise_loop_executor(looping.loop);
  promise_executor_t *serial = promise_executor_serial(executor);
  looping.job = react_on(serial, adds_one, NULL, NULL);
  looping.timer = promise_sleep_on(executor, 1);
  IN_CHILD(runs_the_loop, &looping);
  CHECK(readable(looping.loop));
  CHECK_INT(promise_state(looping.job), PROMISE_PENDING);
  CHECK_STATUS(promise_loop_wait(looping.loop, looping.timer, FOR_EVER), PROMISE_OK);
  CHECK_STATUS(promise_loop_wait(looping.loop, looping.job, FOR_EVER), PROMISE_OK);
  CHECK(!readable(looping.loop));
  promise_release(looping.job);
  promise_release(looping.timer);
  promise_executor_release(serial);
  promise_executor_release(executor);
  CHECK_STATUS(promise_loop_release(looping.loop), PROMISE_OK);
}

typedef struct other_runner {
  promise_loop_t *loop;
  busy_t busy;
} other_runner_t;

static void *runs_for_ever(void *loop) {
  CHECK_STATUS(promise_loop_run(loop, FOR_EVER), PROMISE_OK);
  return NULL;
}

static void takes_the_loop_over(void *argument) {
  other_runner_t *other = argument;
  promise_executor_t *executor = promise_loop_executor(other->loop);
  promise_t *mine = react_on(executor, adds_one, NULL, NULL);
  CHECK_STATUS(promise_loop_wait(other->loop, mine, FOR_EVER), PROMISE_OK);
  CHECK_STATUS(promise_loop_wait(other->loop, other->busy.promise, FOR_EVER), PROMISE_EDEADLK);
  CHECK_STATUS(promise_loop_release(other->loop), PROMISE_OK);
  promise_release(mine);
  promise_executor_release(executor);
}

static void loop_of_another_thread_may_be_run(void) {
  other_runner_t other = {.loop = promise_loop_new(), .busy = BUSY};
  promise_executor_t *executor = promise_loop_executor(other.loop);
  pthread_t thread = start(runs_for_ever, other.loop);
  be_busy(&other.busy, executor);
  IN_CHILD(takes_the_loop_over, &other);
  end_busy(&other.busy);
  CHECK_STATUS(promise_loop_stop(other.loop), PROMISE_OK);
  finish(thread);
  promise_executor_release(executor);
  CHECK_STATUS(promise_loop_release(other.loop), PROMISE_OK);
}

static void closes_a_loop_without_descriptors(void *argument) {
  looping_t *looping = argument;
  CHECK_INT(promise_loop_fd(looping->loop), PROMISE_ECLOSED);
  CHECK_STATUS(promise_loop_run(looping->loop, FOR_EVER), PROMISE_ECLOSED);
  promise_executor_t *executor = promise_loop_executor(looping->loop);
  promise_t *dropped = react_on(executor, adds_one, NULL, NULL);
  CHECK(failed_with(dropped, PROMISE_ECLOSED));
  CHECK_INT(promise_state(looping->job), PROMISE_PENDING);
  promise_release(dropped);
  promise_executor_release(executor);
  CHECK_STATUS(promise_loop_release(looping->loop), PROMISE_OK);
}

static void loop_is_closed_where_there_are_no_descriptors(void) {
  looping_t looping = {.loop = promise_loop_new()};
  promise_executor_t *executor = promise_loop_executor(looping.loop);
  looping.job = react_on(executor, adds_one, NULL, NULL);
  struct rlimit limit, none;
  REQUIRE(getrlimit(RLIMIT_NOFILE, &limit) == 0);
  none = limit;
  none.rlim_cur = 0;
  REQUIRE(setrlimit(RLIMIT_NOFILE, &none) == 0);
  pid_t child = child_start(closes_a_loop_without_descriptors, &looping);
  REQUIRE(setrlimit(RLIMIT_NOFILE, &limit) == 0);
  CHECK_CHILD(child, 0);
  CHECK_STATUS(promise_loop_wait(looping.loop, looping.job, FOR_EVER), PROMISE_OK);
  promise_release(looping.job);
  promise_executor_release(executor);
  CHECK_STATUS(promise_loop_release(looping.loop), PROMISE_OK);
}

int main(void) {
  RUN(loop_is_closed_where_there_are_no_descriptors);
  RUN(loops_keep_what_waits_and_wake_one_process_only);
  RUN(loop_of_another_thread_may_be_run);
  return check_report();
}
