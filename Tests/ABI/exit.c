/* exit(): the process ends with the given status, regardless of the library's threads; pending work never runs. */
#include "child.h"
#include "scheduling.h"

static promise_verdict_t computes(void *ctx, const promise_value_t *in, promise_value_t *out) {
  (void)out;
  gate_open(ctx);
  while (in != NULL) {
    promise_t *promise = promise_new();
    promise_release(promise_then(promise, adds_one, NULL, NULL));
    promise_release(promise);
  }
  return PROMISE_FULFILL;
}

static promise_verdict_t ends_the_process(void *ctx, const promise_value_t *in, promise_value_t *out) {
  (void)in;
  (void)out;
  exit(*(int *)ctx);
}

static promise_verdict_t never(void *ctx, const promise_value_t *in, promise_value_t *out) {
  (void)ctx;
  (void)in;
  (void)out;
  _exit(99);
}

/* Leaves a running job, queued jobs, timers and a loop behind. */
static void leave_work(void) {
  static gate_t gates[2] = {GATE_CLOSED, GATE_CLOSED};
  promise_executor_t *serial = promise_executor_serial(NULL);
  promise_release(react_on(serial, stay, gates, NULL));
  gate_wait(&gates[0]);
  promise_release(react_on(serial, never, NULL, NULL));
  promise_executor_release(serial);
  promise_loop_t *loop = promise_loop_new();
  promise_executor_t *executor = promise_loop_executor(loop);
  promise_release(react_on(executor, never, NULL, NULL));
  promise_executor_release(executor);
  promise_t *sleep = promise_sleep(3600000 * MILLISECONDS);
  promise_release(promise_then(sleep, never, NULL, NULL));
  promise_release(sleep);
}

static void exits_with_work_left(void *argument) {
  leave_work();
  exit(*(int *)argument);
}

static void exits_beside_a_job_that_computes(void *argument) {
  static gate_t begun = GATE_CLOSED;
  promise_release(react_on(pool(), computes, &begun, NULL));
  gate_wait(&begun);
  exits_with_work_left(argument);
}

static void *waits_for_ever(void *gate) {
  promise_t *promise = promise_new();
  gate_open(gate);
  promise_wait(promise, FOR_EVER);
  return NULL;
}

static void exits_beside_a_thread_that_waits(void *argument) {
  static gate_t begun = GATE_CLOSED;
  pthread_detach(start(waits_for_ever, &begun));
  gate_wait(&begun);
  exits_with_work_left(argument);
}

static void exits_from_a_job(void *argument) {
  leave_work();
  promise_release(react_on(pool(), ends_the_process, argument, NULL));
  for (;;)
    pause();
}

static void main_thread_ends_before(void *argument) {
  leave_work();
  promise_release(react_on(pool(), ends_the_process, argument, NULL));
  pthread_exit(NULL);
}

TEST(process_ends_with_the_given_status) {
  static int status = 7;
  void (*const ways[])(void *) = {exits_with_work_left, exits_beside_a_job_that_computes,
                                  exits_beside_a_thread_that_waits, exits_from_a_job, main_thread_ends_before};
  for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
    for (int round = 0; round < (getenv("CHECK_QUICK") == NULL ? 10 : 1); round++)
      CHECK_CHILD(child_start(ways[i], &status), status);
}

static promise_t *pending;

/* An exit handler, which runs last: its checks decide the exit status. */
static void uses_promises(void) {
  promise_t *child = promise_then(pending, adds_one, NULL, NULL);
  CHECK_STATUS(promise_resolve(pending, I64(1)), PROMISE_OK);
  CHECK(ended(child, PROMISE_FULFILLED, 2));
  promise_t *job = react_on(pool(), adds_one, NULL, NULL), *sleep = promise_sleep(1);
  CHECK_STATUS(promise_wait(job, FOR_EVER), PROMISE_OK);
  CHECK_STATUS(promise_wait(sleep, FOR_EVER), PROMISE_OK);
  RELEASE(child, job, sleep, pending);
  _exit(atomic_load(&check_failures) == 0 ? 5 : 1);
}

static void exits_through_handlers(void *argument) {
  atexit(uses_promises);
  pending = promise_new();
  exits_with_work_left(argument);
}

TEST(handlers_of_the_exit_may_use_everything) {
  static int status = 7;
  atomic_store(&check_failures, 0);
  CHECK_CHILD(child_start(exits_through_handlers, &status), 5);
}

/* The library's own key is created between these two, so one destructor runs after the library's. */
static pthread_key_t keys[2];
static atomic_int destroyed;

static void destroy(void *value) {
  promise_t *promise = value, *child = promise_then(promise, adds_one, NULL, NULL);
  CHECK_STATUS(promise_resolve(promise, I64(1)), PROMISE_OK);
  CHECK(ended(child, PROMISE_FULFILLED, 2));
  RELEASE(child, promise);
  atomic_fetch_add(&destroyed, 1);
}

static void *ends_with_promises(void *argument) {
  (void)argument;
  for (int i = 0; i < 2; i++)
    REQUIRE(pthread_setspecific(keys[i], promise_new()) == 0);
  return NULL;
}

TEST(destructors_of_threads_may_use_everything) {
  REQUIRE(pthread_key_create(&keys[0], destroy) == 0);
  promise_release(promise_new());
  REQUIRE(pthread_key_create(&keys[1], destroy) == 0);
  for (int i = 0; i < 50; i++)
    finish(start(ends_with_promises, NULL));
  CHECK_INT(atomic_load(&destroyed), 100);
}
