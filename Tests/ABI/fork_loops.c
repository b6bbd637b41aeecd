/* fork() and loops: a loop keeps its pending work, and wakes its own process. Threads in promise_wait_any() do not
 * exist in the child. */
#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include "asleep.h"
#include "forking.h"
#include "loops.h"

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

TEST(loops_keep_queued_jobs_and_wake_one_process_only) {
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
  RELEASE(looping.job, looping.timer);
  promise_executor_release(serial);
  promise_executor_release(executor);
  CHECK_STATUS(promise_loop_release(looping.loop), PROMISE_OK);
}

static void becomes_readable(void *loop) {
  struct pollfd file = {.fd = promise_loop_fd(loop), .events = POLLIN};
  CHECK_INT(poll(&file, 1, 5000), 1);
}

/* The new descriptor of the child is readable for a job alone, and for a timer alone. */
TEST(each_kind_of_work_makes_the_new_descriptor_readable) {
  for (int kind = 0; kind < 2; kind++) {
    promise_loop_t *loop = promise_loop_new();
    promise_executor_t *executor = promise_loop_executor(loop);
    promise_t *work = kind == 0 ? react_on(executor, adds_one, NULL, NULL) : promise_sleep_on(executor, 1);
    becomes_readable(loop);
    IN_CHILD(becomes_readable, loop);
    CHECK_STATUS(promise_loop_wait(loop, work, FOR_EVER), PROMISE_OK);
    promise_release(work);
    promise_executor_release(executor);
    CHECK_STATUS(promise_loop_release(loop), PROMISE_OK);
  }
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
  CHECK(readable(other->loop)); /* although the other thread was in a turn */
  CHECK_STATUS(promise_loop_wait(other->loop, mine, FOR_EVER), PROMISE_OK);
  CHECK_STATUS(promise_loop_wait(other->loop, other->busy.promise, FOR_EVER), PROMISE_EDEADLK);
  CHECK_STATUS(promise_loop_release(other->loop), PROMISE_OK);
  promise_release(mine);
  promise_executor_release(executor);
}

TEST(loop_of_another_thread_may_be_run) {
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

static void *runs_until_it_is_closed(void *loop) {
  CHECK_STATUS(promise_loop_run(loop, FOR_EVER), PROMISE_ECLOSED);
  return NULL;
}

static void has_no_such_descriptor(void *descriptor) {
  CHECK_INT(fcntl(*(const int *)descriptor, F_GETFD), -1);
}

/* The thread that runs a closed loop closes its descriptors, and does not exist in the child. */
TEST(descriptors_of_a_closed_loop_are_closed) {
  busy_t busy = BUSY;
  promise_loop_t *loop = promise_loop_new();
  int descriptor = promise_loop_fd(loop);
  promise_executor_t *executor = promise_loop_executor(loop);
  pthread_t thread = start(runs_until_it_is_closed, loop);
  be_busy(&busy, executor);
  CHECK_STATUS(promise_loop_release(loop), PROMISE_OK);
  CHECK(fcntl(descriptor, F_GETFD) >= 0);
  IN_CHILD(has_no_such_descriptor, &descriptor);
  end_busy(&busy);
  finish(thread);
  promise_executor_release(executor);
}

static void ends_soon(void *ctx) {
  (void)ctx;
  usleep(50 * 1000);
}

/* The wait polls, because no event notifies a loop of the end of the last job on a global executor. */
static void waits_while_a_job_runs(void *ctx) {
  (void)ctx;
  promise_loop_t *loop = promise_loop_new();
  promise_t *pending = promise_new();
  CHECK_STATUS(promise_executor_submit(pool(), ends_soon, NULL, NULL), PROMISE_OK);
  CHECK_STATUS(promise_loop_wait(loop, pending, FOR_EVER), PROMISE_EDEADLK);
  promise_release(pending);
  CHECK_STATUS(promise_loop_release(loop), PROMISE_OK);
}

TEST(wait_ends_with_the_last_job_that_could_settle) {
  works(pool());
  IN_CHILD(waits_while_a_job_runs, NULL);
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

TEST(loop_is_closed_where_there_are_no_descriptors) {
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

static promise_t *awaited[2];
static atomic_int waiting_thread;
static void *waits_for_any(void *argument) {
  atomic_store(&waiting_thread, (int)syscall(SYS_gettid));
  CHECK_STATUS(promise_wait_any(awaited, 2, FOR_EVER, NULL), PROMISE_OK);
  return argument;
}

static atomic_bool is_settled;
static gate_t is_filled = GATE_CLOSED;
static void *fills_its_stack(void *argument) {
  (void)argument;
  enum { SIZE = 1 << 18 };
  volatile unsigned char stack[SIZE];
  for (int i = 0; i < SIZE; i++)
    stack[i] = 0;
  gate_open(&is_filled);
  while (!atomic_load(&is_settled))
    sched_yield();
  int changed = 0;
  for (int i = 0; i < SIZE; i++)
    changed += stack[i] != 0;
  CHECK_INT(changed, 0);
  return NULL;
}

static void settles_what_a_thread_of_the_parent_waits_for(void *argument) {
  /* The new thread gets the stack of the parent's waiting thread, which does not exist here. */
  pthread_t thread = start(fills_its_stack, argument);
  gate_wait(&is_filled);
  CHECK_STATUS(promise_resolve(awaited[0], I64(1)), PROMISE_OK);
  CHECK_STATUS(promise_resolve(awaited[1], I64(1)), PROMISE_OK);
  atomic_store(&is_settled, true);
  finish(thread);
}

/* The child does not write to the stack of the parent's waiting thread, which a new thread may reuse. */
TEST(threads_of_the_parent_that_wait_for_any_are_forgotten) {
  CHECK(true);
  /* In the child the memory of the wait is lost, which valgrind reports. */
  if (getenv("CHECK_QUICK") != NULL)
    return;
  for (int i = 0; i < 2; i++)
    awaited[i] = promise_new();
  pthread_t thread = start(waits_for_any, NULL);
  while (!is_asleep(atomic_load(&waiting_thread)))
    sched_yield();
  IN_CHILD(settles_what_a_thread_of_the_parent_waits_for, NULL);
  CHECK_STATUS(promise_resolve(awaited[1], I64(1)), PROMISE_OK);
  finish(thread);
  RELEASE_EACH(awaited, 2);
}
