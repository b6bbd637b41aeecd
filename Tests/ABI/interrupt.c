/* Waits that a signal handler ends, and waits that none does. */
#include <sched.h>
#include <signal.h>

#include "support.h"

typedef promise_status_t (*wait_t)(promise_t *promise, int64_t timeout_ns);

typedef struct waiting {
  promise_t *promise;
  wait_t wait;
  int64_t timeout;
  promise_status_t status;
  atomic_bool has_returned;
} waiting_t;

static atomic_long taken;
static void takes(int number) {
  (void)number;
  atomic_fetch_add(&taken, 1);
}

static void handle(int flags) {
  struct sigaction action = {.sa_handler = takes, .sa_flags = flags};
  REQUIRE(sigaction(SIGUSR1, &action, NULL) == 0);
}

static void *waits(void *argument) {
  waiting_t *waiting = argument;
  waiting->status = waiting->wait(waiting->promise, waiting->timeout);
  atomic_store(&waiting->has_returned, true);
  return NULL;
}

/* Sends `count` signals, each after the handler of the previous one has run; fewer if the wait returns. */
static void interrupt(pthread_t thread, waiting_t *waiting, long count) {
  for (long i = 0; i < count && !atomic_load(&waiting->has_returned); i++) {
    long before = atomic_load(&taken);
    REQUIRE(pthread_kill(thread, SIGUSR1) == 0);
    /* A signal to a thread that has ended runs no handler. */
    while (atomic_load(&taken) == before && !atomic_load(&waiting->has_returned))
      sched_yield();
  }
}

static const int flags[] = {0, SA_RESTART};

static void a_handler_ends_an_interruptible_wait(void) {
  promise_t *never = promise_new();
  for (int i = 0; i < 2; i++)
    for (int64_t timeout = -1; timeout <= 3600 * 1000 * MILLISECONDS; timeout += 3600 * 1000 * MILLISECONDS + 1) {
      waiting_t waiting = {.promise = never, .wait = promise_wait_interruptible, .timeout = timeout};
      handle(flags[i]);
      pthread_t thread = start(waits, &waiting);
      interrupt(thread, &waiting, INT64_MAX);
      finish(thread);
      CHECK_STATUS(waiting.status, PROMISE_EINTR);
    }
  CHECK_INT(promise_state(never), PROMISE_PENDING);
  promise_release(never);
}

static void a_handler_ends_no_other_wait(void) {
  for (int i = 0; i < 2; i++) {
    promise_t *promise = promise_new();
    waiting_t waiting = {.promise = promise, .wait = promise_wait, .timeout = FOR_EVER};
    handle(flags[i]);
    pthread_t thread = start(waits, &waiting);
    interrupt(thread, &waiting, check_scale(2000));
    CHECK(!atomic_load(&waiting.has_returned));
    promise_resolve(promise, VOID());
    finish(thread);
    CHECK_STATUS(waiting.status, PROMISE_OK);
    promise_release(promise);
  }
}

/* A signal that the waiting thread blocks has no handler there. */
static void *waits_with_signals_blocked(void *argument) {
  sigset_t set;
  sigfillset(&set);
  REQUIRE(pthread_sigmask(SIG_SETMASK, &set, NULL) == 0);
  return waits(argument);
}

static void a_blocked_signal_ends_no_wait(void) {
  promise_t *promise = promise_new();
  waiting_t waiting = {.promise = promise, .wait = promise_wait_interruptible, .timeout = FOR_EVER};
  handle(0);
  pthread_t thread = start(waits_with_signals_blocked, &waiting);
  promise_t *nap = promise_sleep(20 * MILLISECONDS);
  while (promise_state(nap) == PROMISE_PENDING) {
    CHECK_INT(pthread_kill(thread, SIGUSR1), 0);
    sched_yield();
  }
  promise_resolve(promise, VOID());
  finish(thread);
  CHECK_STATUS(waiting.status, PROMISE_OK);
  promise_release(nap), promise_release(promise);
}

static void otherwise_it_is_a_wait(void) {
  promise_t *promise = promise_new(), *child = promise_then(promise, adds_one, NULL, NULL);
  CHECK_STATUS(promise_wait_interruptible(promise, 0), PROMISE_ETIMEDOUT);
  int64_t before = now();
  CHECK_STATUS(promise_wait_interruptible(promise, 20 * MILLISECONDS), PROMISE_ETIMEDOUT);
  CHECK(now() - before >= 20 * MILLISECONDS);
  promise_resolve(promise, I64(1));
  CHECK_STATUS(promise_wait_interruptible(promise, FOR_EVER), PROMISE_OK);
  CHECK_STATUS(promise_wait_interruptible(child, 0), PROMISE_OK);
  promise_release(child), promise_release(promise);
}

static promise_t *derived;
static promise_verdict_t waits_for_itself(void *ctx, const promise_value_t *in, promise_value_t *out) {
  (void)ctx, (void)in, (void)out;
  CHECK_STATUS(promise_wait_interruptible(derived, FOR_EVER), PROMISE_EDEADLK);
  return PROMISE_FULFILL;
}

static void a_deadlock_is_found(void) {
  promise_t *source = promise_new();
  derived = promise_then(source, waits_for_itself, NULL, NULL);
  promise_resolve(source, VOID());
  CHECK_INT(promise_state(derived), PROMISE_FULFILLED);
  promise_release(derived), promise_release(source);
}

int main(void) {
  RUN(a_handler_ends_an_interruptible_wait);
  RUN(a_handler_ends_no_other_wait);
  RUN(a_blocked_signal_ends_no_wait);
  RUN(otherwise_it_is_a_wait);
  RUN(a_deadlock_is_found);
  return check_report();
}
