/* Loops that one thread releases while others call every function on them.
 *
 * LOOP_SECONDS=60 runs the stress test for that long, for a sanitizer; the default is a fixed number of rounds. */
#include <sched.h>

#include "race.h"
#include "scheduling.h"

enum { SLOTS = 3, THREADS = 4 };

/* Loops, which any thread may replace and release at any time. */
static _Atomic(promise_loop_t *) slots[SLOTS];
static promise_t *never, *settled;
static atomic_long submitted, freed, stale_calls;

static void counts_end(void *ctx) {
  (void)ctx;
  atomic_fetch_add(&freed, 1);
}

static void runs(void *ctx) {
  CHECK_INT(promise_loop_is_current(ctx), 1);
  CHECK_INT(promise_loop_run_once(ctx), PROMISE_EDEADLK);
}

/* Another thread may release the loop while its job runs: then the handle is stale. */
static void runs_there(void *ctx) {
  int32_t current = promise_loop_is_current(ctx);
  CHECK(current == 1 || current == PROMISE_ESTALE);
  sched_yield();
}

/* Checks that the status is possible for a call on a loop that other threads use and release. Counts stale handles. */
static void ended_well(int64_t result) {
  bool is_good = result >= 0 || result == PROMISE_ESTALE || result == PROMISE_ECLOSED || result == PROMISE_EBUSY ||
                 result == PROMISE_ETIMEDOUT || result == PROMISE_EPENDING;
  if (!is_good)
    CHECK_STATUS((promise_status_t)result, PROMISE_OK);
  if (result == PROMISE_ESTALE)
    atomic_fetch_add(&stale_calls, 1);
}

static int64_t use_executor(promise_loop_t *loop) {
  promise_executor_t *executor = promise_loop_executor(loop);
  if (executor == NULL)
    return promise_last_status();
  atomic_fetch_add(&submitted, 1);
  CHECK_STATUS(promise_executor_submit(executor, runs_there, loop, counts_end), PROMISE_OK);
  promise_t *nap = promise_sleep_on(executor, 1000);
  if (nap != NULL)
    promise_release(nap);
  return promise_executor_release(executor);
}

static void replace(int slot) {
  promise_loop_t *fresh = promise_loop_new();
  REQUIRE(fresh != NULL);
  CHECK_STATUS(promise_loop_release(atomic_exchange(&slots[slot], fresh)), PROMISE_OK);
}

static int64_t use_another_reference(promise_loop_t *loop) {
  promise_status_t status = promise_loop_retain(loop);
  if (status != PROMISE_OK)
    return status;
  int64_t result = promise_loop_run_once(loop);
  CHECK(result != PROMISE_ESTALE && result != PROMISE_ECLOSED);
  CHECK_STATUS(promise_loop_release(loop), PROMISE_OK);
  return result;
}

static int64_t call(promise_loop_t *loop, uint32_t choice) {
  switch (choice % 9) {
  case 0:
    return promise_loop_run_once(loop);
  case 1:
    return promise_loop_run(loop, choice % 2 == 0 ? 0 : 20000);
  case 2:
    return promise_loop_wait(loop, never, 20000);
  case 3:
    return promise_loop_wait(loop, settled, FOR_EVER);
  case 4:
    return promise_loop_stop(loop);
  case 5:
    return promise_loop_fd(loop);
  case 6:
    return promise_loop_is_current(loop);
  case 7:
    return use_another_reference(loop);
  default:
    return use_executor(loop);
  }
}

static void *calls_everything(void *argument) {
  const char *seconds = getenv("LOOP_SECONDS");
  int64_t until = seconds != NULL ? now() + atoll(seconds) * 1000 * MILLISECONDS : 0;
  long rounds = seconds != NULL ? INT64_MAX : check_scale(40000);
  uint32_t random = 0x9e3779b9U + (uint32_t)(intptr_t)argument * 77;
  promise_loop_t *handle = atomic_load(&slots[0]);
  for (long i = 0; i < rounds; i++) {
    random ^= random << 13, random ^= random >> 17, random ^= random << 5;
    int slot = (int)(random % SLOTS);
    /* Keeps using a handle for some rounds, whether or not the loop still exists. */
    if ((random >> 4 & 3) == 0)
      handle = atomic_load(&slots[slot]);
    if ((random >> 8 & 15) == 0)
      replace(slot);
    ended_well(call(handle, random >> 12));
    if (until != 0 && i % 256 == 0 && now() >= until)
      break;
  }
  return NULL;
}

TEST(any_call_may_race_the_last_release) {
  never = promise_new(), settled = fulfilled(1);
  for (int i = 0; i < SLOTS; i++)
    atomic_store(&slots[i], promise_loop_new());
  race(calls_everything, THREADS);
  for (int i = 0; i < SLOTS; i++)
    CHECK_STATUS(promise_loop_release(atomic_load(&slots[i])), PROMISE_OK);
  CHECK_INT(atomic_load(&freed), atomic_load(&submitted));
  CHECK(atomic_load(&submitted) > 0 && atomic_load(&stale_calls) > 0);
  promise_release(never), promise_release(settled);
}

/* Both threads release the last handle: one call closes the loop, the other returns an error. */
static promise_loop_t *contested;
static atomic_long given_back;
static void *gives_back(void *argument) {
  for (long i = check_scale(5000); i-- > 0;) {
    if (argument == NULL) {
      contested = promise_loop_new();
      REQUIRE(contested != NULL);
    }
    meet();
    promise_status_t status = promise_loop_release(contested);
    CHECK(status == PROMISE_OK || status == PROMISE_ESTALE);
    atomic_fetch_add(&given_back, status == PROMISE_OK);
    meet();
  }
  return NULL;
}

TEST(a_handle_given_back_twice_closes_once) {
  atomic_store(&given_back, 0);
  race(gives_back, 2);
  CHECK(atomic_load(&given_back) >= check_scale(5000));
}

TEST(each_reference_keeps_it_open) {
  promise_loop_t *loop = promise_loop_new();
  promise_executor_t *executor = promise_loop_executor(loop);
  CHECK_STATUS(promise_loop_retain(loop), PROMISE_OK);
  CHECK_STATUS(promise_loop_release(loop), PROMISE_OK);
  CHECK_INT(promise_loop_is_current(loop), 0);
  CHECK_STATUS(promise_executor_submit(executor, runs, loop, NULL), PROMISE_OK);
  CHECK_INT(promise_loop_run_once(loop), 1);
  CHECK_STATUS(promise_loop_release(loop), PROMISE_OK);
  CHECK_STATUS(promise_loop_retain(loop), PROMISE_ESTALE);
  CHECK_STATUS(promise_loop_release(loop), PROMISE_ESTALE);
  CHECK_INT(promise_loop_is_current(loop), PROMISE_ESTALE);
  promise_executor_release(executor);
}

static gate_t runs_now = GATE_CLOSED, looked = GATE_CLOSED;
static void lets_look(void *ctx) {
  (void)ctx;
  gate_open(&runs_now);
  gate_wait(&looked);
}
static void *runs_once(void *loop) {
  CHECK_INT(promise_loop_run_once(loop), 1);
  return NULL;
}

TEST(is_current_on_the_thread_that_runs_it) {
  promise_loop_t *loop = promise_loop_new();
  promise_executor_t *executor = promise_loop_executor(loop);
  CHECK_STATUS(promise_executor_submit(executor, lets_look, NULL, NULL), PROMISE_OK);
  pthread_t thread = start(runs_once, loop);
  gate_wait(&runs_now);
  CHECK_INT(promise_loop_is_current(loop), 0);
  gate_open(&looked);
  finish(thread);
  promise_executor_release(executor);
  CHECK_STATUS(promise_loop_release(loop), PROMISE_OK);
}

/* Thread 0 attaches timeouts on a loop to promises, while thread 1 settles them. A timer that is not needed any more
 * when it is to be started keeps neither the loop nor its executor: check.h counts objects. */
enum { LIMITED = 256 };
static promise_t *limited[LIMITED];
static promise_executor_t *on_loop;
static atomic_int limited_to;

static void *limits_or_settles(void *number) {
  for (long round = check_scale(2000); round > 0; round--) {
    if (number == NULL) {
      atomic_store(&limited_to, -1);
      for (int i = 0; i < LIMITED; i++)
        limited[i] = promise_new();
    }
    meet();
    for (int i = 0; i < LIMITED; i++) {
      if (number == NULL) {
        atomic_store(&limited_to, i);
        promise_release(promise_timeout_on(on_loop, limited[i], 3600 * 1000 * MILLISECONDS));
        continue;
      }
      for (unsigned turns = 1; atomic_load(&limited_to) < i; turns++)
        if (turns % 1024 == 0)
          sched_yield();
      for (volatile long pause = (round * 7 + i) % 256; pause > 0; pause--)
        continue;
      promise_resolve(limited[i], VOID());
    }
    meet();
    for (int i = 0; number == NULL && i < LIMITED; i++)
      promise_release(limited[i]);
  }
  return NULL;
}

TEST(a_timer_stopped_before_its_start_keeps_nothing) {
  promise_loop_t *loop = promise_loop_new();
  on_loop = promise_loop_executor(loop);
  race(limits_or_settles, 2);
  CHECK_STATUS(promise_executor_release(on_loop), PROMISE_OK);
  CHECK_STATUS(promise_loop_release(loop), PROMISE_OK);
}
