/* promise.h, THE PROCESS: a signal handler ends promise_wait_interruptible() and promise_queue_take(), and no other
 * wait. */
#include <sched.h>
#include <signal.h>

#include "../checked.h"

CHECKS(interruption)

typedef struct waiting {
  int64_t (*wait)(struct waiting *waiting);
  promise_t *promise;
  promise_queue_t *queue;
  promise_loop_t *loop;
  int64_t timeout, result;
  atomic_bool has_returned;
} waiting_t;

static int64_t waits_interruptibly(waiting_t *waiting) {
  return promise_wait_interruptible(waiting->promise, waiting->timeout);
}

static int64_t takes(waiting_t *waiting) {
  promise_event_t event;
  return promise_queue_take(waiting->queue, &event, 1, waiting->timeout);
}

static int64_t waits(waiting_t *waiting) {
  return promise_wait(waiting->promise, waiting->timeout);
}

static int64_t waits_for_any(waiting_t *waiting) {
  return promise_wait_any(&waiting->promise, 1, waiting->timeout, NULL);
}

static int64_t waits_on_a_loop(waiting_t *waiting) {
  return promise_loop_wait(waiting->loop, waiting->promise, waiting->timeout);
}

static int64_t runs_a_loop(waiting_t *waiting) {
  return promise_loop_run(waiting->loop, waiting->timeout);
}

/* ---- Signals ---- */

static atomic_long handled;

static void handles(int number) {
  (void)number;
  atomic_fetch_add(&handled, 1);
}

static void handle(int flags) {
  struct sigaction action = {.sa_handler = handles, .sa_flags = flags};
  REQUIRE(sigaction(SIGUSR1, &action, NULL) == 0);
}

static void *waits_there(void *argument) {
  waiting_t *waiting = argument;
  waiting->result = waiting->wait(waiting);
  atomic_store(&waiting->has_returned, true);
  return NULL;
}

/* Sends `count` signals, each after the handler of the previous one has run; fewer if the wait returns. */
static void interrupt(pthread_t thread, waiting_t *waiting, long count) {
  for (long i = 0; i < count && !atomic_load(&waiting->has_returned); i++) {
    long before = atomic_load(&handled);
    REQUIRE(pthread_kill(thread, SIGUSR1) == 0);
    /* A signal to a thread that has ended runs no handler. */
    while (atomic_load(&handled) == before && !atomic_load(&waiting->has_returned))
      sched_yield();
  }
}

static const int restarts[] = {0, SA_RESTART};
static const int64_t limits[] = {FOR_EVER, 3600 * 1000 * MILLISECONDS};

/* A handler that runs before the thread sleeps does not end the wait, so signals are sent until the wait returns. */
static void ends_with_eintr(waiting_t waiting) {
  for (int i = 0; i < 4; i++) {
    waiting.timeout = limits[i / 2];
    atomic_store(&waiting.has_returned, false);
    handle(restarts[i % 2]);
    pthread_t thread = start(waits_there, &waiting);
    interrupt(thread, &waiting, INT64_MAX);
    finish(thread);
    CHECK_INT(waiting.result, PROMISE_EINTR);
  }
}

RULE(a_handler_ends_an_interruptible_wait, "a signal handler ends promise_wait_interruptible() with PROMISE_EINTR") {
  promise_t *never = pending();
  ends_with_eintr((waiting_t){.wait = waits_interruptibly, .promise = never});
  CHECK_INT(promise_state(never), PROMISE_PENDING);
  release(never);
}

RULE(a_handler_ends_a_take, "a signal handler ends promise_queue_take() with PROMISE_EINTR") {
  promise_queue_t *queue = promise_queue_new();
  ends_with_eintr((waiting_t){.wait = takes, .queue = queue});
  CHECK_STATUS(promise_queue_free(queue), PROMISE_OK);
}

RULE(a_handler_ends_no_other_wait, "a signal handler ends no other wait") {
  int64_t (*const all[])(waiting_t * waiting) = {waits, waits_for_any, waits_on_a_loop, runs_a_loop};
  for (size_t i = 0; i < 2 * (sizeof all / sizeof *all); i++) {
    waiting_t waiting = {
        .wait = all[i / 2], .promise = pending(), .loop = promise_loop_new(), .timeout = limits[i % 2]};
    REQUIRE(waiting.loop != NULL);
    handle(restarts[i % 2]);
    pthread_t thread = start(waits_there, &waiting);
    interrupt(thread, &waiting, check_scale(2000));
    CHECK(!atomic_load(&waiting.has_returned));
    resolve(waiting.promise, 1);
    if (waiting.wait == runs_a_loop)
      CHECK_STATUS(promise_loop_stop(waiting.loop), PROMISE_OK);
    finish(thread);
    CHECK_INT(waiting.result, PROMISE_OK);
    CHECK_STATUS(promise_loop_release(waiting.loop), PROMISE_OK);
    release(waiting.promise);
  }
}

static void *waits_with_signals_blocked(void *argument) {
  sigset_t set;
  sigfillset(&set);
  REQUIRE(pthread_sigmask(SIG_SETMASK, &set, NULL) == 0);
  return waits_there(argument);
}

/* The waiting thread blocks the signal, so its handler does not run there. */
RULE(a_blocked_signal_ends_no_wait, "a signal that the waiting thread blocks ends no wait") {
  waiting_t waiting = {.wait = waits_interruptibly, .promise = pending(), .timeout = FOR_EVER};
  handle(0);
  pthread_t thread = start(waits_with_signals_blocked, &waiting);
  promise_t *nap = promise_sleep(20 * MILLISECONDS);
  while (promise_state(nap) == PROMISE_PENDING) {
    CHECK_INT(pthread_kill(thread, SIGUSR1), 0);
    sched_yield();
  }
  resolve(waiting.promise, 1);
  finish(thread);
  CHECK_INT(waiting.result, PROMISE_OK);
  RELEASE(nap, waiting.promise);
}

/* ---- Without a signal ---- */

static promise_t *own;

static promise_verdict_t waits_for_itself(void *ctx, const promise_value_t *in, promise_value_t *out) {
  *out = *in;
  CHECK_STATUS(promise_wait_interruptible(own, FOR_EVER), PROMISE_EDEADLK);
  ++*(int *)ctx;
  return PROMISE_FULFILL;
}

RULE(it_is_a_wait_otherwise, "without a signal promise_wait_interruptible() is promise_wait()") {
  int calls = 0;
  promise_t *promise = pending();
  own = promise_then(promise, waits_for_itself, &calls, NULL);
  CHECK_STATUS(promise_wait_interruptible(own, 0), PROMISE_ETIMEDOUT);
  int64_t before = now();
  CHECK_STATUS(promise_wait_interruptible(own, 20 * MILLISECONDS), PROMISE_ETIMEDOUT);
  CHECK(now() - before >= 20 * MILLISECONDS);
  resolve(promise, 1);
  CHECK_INT(calls, 1);
  CHECK_STATUS(promise_wait_interruptible(own, FOR_EVER), PROMISE_OK);
  CHECK_STATUS(promise_wait_interruptible(NULL, FOR_EVER), PROMISE_EINVAL);
  CHECK_STATUS(promise_wait_interruptible(stale(), FOR_EVER), PROMISE_ESTALE);
  RELEASE(own, promise);
}
