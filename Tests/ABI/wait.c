/* promise_wait: on other threads, with a limit. Waits that could never end: deadlock.c. */
#include <sched.h>
#include <sys/syscall.h>

#include "support.h"

static void pending_promise_times_out(void) {
  promise_t *promise = promise_new();
  CHECK_STATUS(promise_wait(promise, 0), PROMISE_ETIMEDOUT);
  CHECK_STATUS(promise_wait(promise, 1), PROMISE_ETIMEDOUT);
  int64_t before = now();
  CHECK_STATUS(promise_wait(promise, 50 * MILLISECONDS), PROMISE_ETIMEDOUT);
  CHECK(now() - before >= 50 * MILLISECONDS);
  CHECK_INT(promise_state(promise), PROMISE_PENDING);
  CHECK_STATUS(promise_resolve(promise, I64(1)), PROMISE_OK);
  CHECK_STATUS(promise_wait(promise, 0), PROMISE_OK);
  promise_release(promise);
}

typedef struct waiting {
  promise_t *promise;
  int64_t timeout;
  promise_status_t status;
} waiting_t;

static void *wait_there(void *argument) {
  waiting_t *waiting = argument;
  waiting->status = promise_wait(waiting->promise, waiting->timeout);
  CHECK_INT(promise_state(waiting->promise), waiting->status == PROMISE_OK ? PROMISE_FULFILLED : PROMISE_PENDING);
  return NULL;
}

/* Whether the waiter blocks first or the settler comes first is left to chance, often enough to see both. */
static void waiter_is_woken(void) {
  static const int64_t timeouts[] = {-1, INT64_MIN, INT64_MAX, 3600 * 1000 * MILLISECONDS};
  long rounds = check_scale(1000);
  for (long i = 0; i < rounds; i++) {
    waiting_t waiting = {promise_new(), timeouts[i % 4], PROMISE_EINVAL};
    pthread_t thread = start(wait_there, &waiting);
    if (i % 3 == 0)
      sched_yield();
    CHECK_STATUS(promise_resolve(waiting.promise, I64(1)), PROMISE_OK);
    finish(thread);
    CHECK_STATUS(waiting.status, PROMISE_OK);
    promise_release(waiting.promise);
  }
}

static void every_waiter_is_woken(void) {
  enum { WAITERS = 16 };
  long rounds = check_scale(1000) / 10;
  for (long i = 0; i < rounds; i++) {
    promise_t *promise = promise_new();
    waiting_t waiting[WAITERS];
    pthread_t threads[WAITERS];
    for (int j = 0; j < WAITERS; j++) {
      waiting[j] = (waiting_t){promise, FOR_EVER, PROMISE_EINVAL};
      threads[j] = start(wait_there, &waiting[j]);
    }
    CHECK_STATUS(promise_resolve(promise, I64(1)), PROMISE_OK);
    for (int j = 0; j < WAITERS; j++) {
      finish(threads[j]);
      CHECK_STATUS(waiting[j].status, PROMISE_OK);
    }
    promise_release(promise);
  }
}

/* A limit that ends at about the moment of the settlement: either answer is right, none may hang or crash. */
static void limit_and_settlement_may_meet(void) {
  long rounds = check_scale(1000);
  for (long i = 0; i < rounds; i++) {
    waiting_t waiting = {promise_new(), 20000 + i % 100 * 1000, PROMISE_EINVAL};
    promise_t *promise = waiting.promise;
    pthread_t thread = start(wait_there, &waiting);
    promise_wait(promise, 30000);
    CHECK_INT(promise_state(promise), PROMISE_PENDING);
    finish(thread);
    CHECK_STATUS(waiting.status, PROMISE_ETIMEDOUT);
    CHECK_STATUS(promise_resolve(promise, I64(1)), PROMISE_OK);
    promise_release(promise);
  }
}

static void *resolve_there(void *promise) {
  CHECK_STATUS(promise_resolve(promise, I64(1)), PROMISE_OK);
  return NULL;
}

static void waits_for_the_end_of_a_chain(void) {
  promise_t *promise = promise_new(), *last = retained(promise);
  for (int i = 0; i < 10; i++) {
    promise_t *next = promise_then(last, adds_one, NULL, NULL);
    promise_release(last);
    last = next;
  }
  pthread_t thread = start(resolve_there, promise);
  CHECK_STATUS(promise_wait(last, FOR_EVER), PROMISE_OK);
  CHECK(ended(last, PROMISE_FULFILLED, 11));
  finish(thread);
  promise_release(last);
  promise_release(promise);
}

/* Another thread waits for these promises while the callback runs: an ordinary wait, which that callback ends. */
static gate_t in_callback = GATE_CLOSED, waited = GATE_CLOSED;
static promise_verdict_t lets_others_look(void *ctx, const promise_value_t *in, promise_value_t *out) {
  (void)ctx;
  *out = *in;
  gate_open(&in_callback);
  gate_wait(&waited);
  return PROMISE_FULFILL;
}

static void other_threads_may_wait_for_what_runs_here(void) {
  promise_t *promise = promise_new();
  promise_t *child = promise_then(promise, lets_others_look, NULL, NULL);
  pthread_t thread = start(resolve_there, promise);
  gate_wait(&in_callback);
  CHECK_STATUS(promise_wait(child, 0), PROMISE_ETIMEDOUT);
  CHECK_STATUS(promise_wait(child, MILLISECONDS), PROMISE_ETIMEDOUT);
  gate_open(&waited);
  CHECK_STATUS(promise_wait(child, FOR_EVER), PROMISE_OK);
  finish(thread);
  promise_release(child);
  promise_release(promise);
}

/* A promise settled on another thread, which has not reached its later callbacks. A callback attached here runs at
 * once, and may wait for them, because this thread does not have to run them. */
static gate_t first_runs = GATE_CLOSED, first_may_end = GATE_CLOSED;
static void holds_the_others_up(void *ctx, const promise_value_t *value) {
  (void)ctx, (void)value;
  gate_open(&first_runs);
  gate_wait(&first_may_end);
}

static promise_verdict_t waits_for_the_other_thread(void *ctx, const promise_value_t *in, promise_value_t *out) {
  promise_t *behind = ctx;
  *out = *in;
  CHECK_STATUS(promise_wait(behind, MILLISECONDS), PROMISE_ETIMEDOUT);
  gate_open(&first_may_end);
  CHECK_STATUS(promise_wait(behind, FOR_EVER), PROMISE_OK);
  return PROMISE_FULFILL;
}

static void late_callback_may_wait_for_what_another_thread_settles(void) {
  promise_t *promise = promise_new();
  promise_observe(promise, holds_the_others_up, NULL, NULL, NULL);
  promise_t *behind = promise_then(promise, adds_one, NULL, NULL);
  pthread_t thread = start(resolve_there, promise);
  gate_wait(&first_runs);
  CHECK_INT(promise_state(promise), PROMISE_FULFILLED);
  CHECK_INT(promise_state(behind), PROMISE_PENDING);
  promise_t *late = promise_then(promise, waits_for_the_other_thread, behind, NULL);
  gate_open(&first_may_end);
  finish(thread);
  CHECK(ended(behind, PROMISE_FULFILLED, 2));
  promise_t *all[] = {promise, behind, late};
  for (int i = 0; i < 3; i++)
    promise_release(all[i]);
}

/* ---- A wait and the end of its promise ---- */

static atomic_int sleeper;

static void *sleeps(void *promise) {
  atomic_store(&sleeper, (int)syscall(SYS_gettid));
  CHECK_STATUS(promise_wait(promise, FOR_EVER), PROMISE_OK);
  return NULL;
}

static bool is_asleep(int thread) {
  char path[64], state = 0;
  snprintf(path, sizeof path, "/proc/self/task/%d/stat", thread);
  FILE *file = thread == 0 ? NULL : fopen(path, "r");
  if (file == NULL)
    return false;
  bool is_read = fscanf(file, "%*d (%*[^)]) %c", &state) == 1;
  fclose(file);
  return is_read && state == 'S';
}

/* The last reference is released before the waiting thread wakes up, and another promise reuses the memory. */
static void promise_may_go_as_its_waiter_wakes(void) {
  for (int round = 0; round < 100; round++) {
    promise_t *promise = promise_new();
    atomic_store(&sleeper, 0);
    pthread_t thread = start(sleeps, promise);
    while (!is_asleep(atomic_load(&sleeper)))
      sched_yield();
    promise_resolve(promise, VOID());
    promise_release(promise);
    promise_t *other = promise_new();
    finish(thread);
    promise_release(other);
  }
}

int main(void) {
  RUN(pending_promise_times_out);
  RUN(waiter_is_woken);
  RUN(every_waiter_is_woken);
  RUN(limit_and_settlement_may_meet);
  RUN(waits_for_the_end_of_a_chain);
  RUN(other_threads_may_wait_for_what_runs_here);
  RUN(late_callback_may_wait_for_what_another_thread_settles);
  RUN(promise_may_go_as_its_waiter_wakes);
  return check_report();
}
