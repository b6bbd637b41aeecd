/* A thread of the library unlocks only mutexes that it has locked. The program replaces two functions of the C library,
 * and counts the mutexes that each thread holds. Without it, a missing lock would show only in a race. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "race.h"
#include "scheduling.h"
#include "trace.h"

static int (*real_lock)(pthread_mutex_t *), (*real_unlock)(pthread_mutex_t *);
static _Thread_local int held;
static atomic_int taken, unpaired;

__attribute__((constructor)) static void find_functions(void) {
  *(void **)&real_lock = dlsym(RTLD_NEXT, "pthread_mutex_lock");
  *(void **)&real_unlock = dlsym(RTLD_NEXT, "pthread_mutex_unlock");
}

int pthread_mutex_lock(pthread_mutex_t *mutex) {
  if (real_lock == NULL)
    find_functions();
  int status = real_lock(mutex);
  if (status == 0)
    held++, atomic_fetch_add(&taken, 1);
  return status;
}

int pthread_mutex_unlock(pthread_mutex_t *mutex) {
  if (real_unlock == NULL)
    find_functions();
  if (held == 0)
    atomic_fetch_add(&unpaired, 1);
  else
    held--;
  return real_unlock(mutex);
}

/* Ends a test: checks that it took locks, all in pairs. */
static void check_pairs(void) {
  CHECK(atomic_exchange(&taken, 0) > 0);
  CHECK_INT(atomic_exchange(&unpaired, 0), 0);
  CHECK_INT(held, 0);
}

TEST(types) {
  const promise_type_t *type = promise_type_register("lock_pairs.type", NULL, NULL);
  CHECK_POINTER(promise_type_named("lock_pairs.type"), type);
  CHECK_TEXT(promise_type_name(type), "lock_pairs.type");
  check_pairs();
}

static void ignore_line(void *ctx, const char *line, size_t length) {
  (void)ctx, (void)line, (void)length;
}

static void ignore_drop(void *ctx, uint64_t id, uint64_t callbacks) {
  (void)id, (void)callbacks;
  atomic_fetch_add((atomic_int *)ctx, 1);
}

TEST(observers) {
  atomic_int drops = 0;
  promise_hooks_t hooks = {.size = sizeof hooks, .dropped_pending = ignore_drop, .ctx = &drops};
  CHECK_STATUS(promise_set_hooks(&hooks), PROMISE_OK);
  promise_release(promise_new());
  CHECK_STATUS(promise_set_hooks(NULL), PROMISE_OK);
  CHECK_INT(atomic_load(&drops), 1);
  watch_t watch = {0};
  trace_to(&watch, 8);
  promise_t *promise = promise_new();
  CHECK_STATUS(promise_dump_lines(ignore_line, NULL), PROMISE_OK);
  promise_release(promise);
  untrace(&watch);
  int file = open("/dev/null", O_WRONLY | O_CLOEXEC);
  CHECK_STATUS(promise_trace_write(file, PROMISE_TRACE_FORMAT_PERFETTO), PROMISE_OK);
  close(file);
  check_pairs();
}

static void *waits_for_any(void *promises) {
  CHECK_STATUS(promise_wait_any(promises, 2, FOR_EVER, NULL), PROMISE_OK);
  return NULL;
}

TEST(waits) {
  promise_t *promises[] = {promise_new(), promise_new()};
  pthread_t thread = start(waits_for_any, promises);
  CHECK_STATUS(promise_wait_any(promises, 2, 10 * MILLISECONDS, NULL), PROMISE_ETIMEDOUT);
  promise_resolve(promises[1], I64(1));
  finish(thread);
  promise_release(promises[0]), promise_release(promises[1]);
  check_pairs();
}

static void tick(void *ctx) {
  atomic_fetch_add((atomic_int *)ctx, 1);
}

TEST(executors) {
  static atomic_int ticks; /* static: an idle thread calls the old hook later, before its end or its next callback */
  CHECK_STATUS(promise_set_thread_hooks(tick, tick, &ticks, NULL), PROMISE_OK);
  promise_executor_t *serial = promise_executor_serial(NULL);
  promise_t *child = react_on(serial, adds_one, NULL, NULL);
  CHECK_STATUS(promise_wait(child, FOR_EVER), PROMISE_OK);
  promise_release(child), promise_executor_release(serial);
  CHECK_STATUS(promise_set_thread_hooks(NULL, NULL, NULL, NULL), PROMISE_OK);
  CHECK(atomic_load(&ticks) > 0);
  check_pairs();
}

TEST(loops_and_timers) {
  promise_loop_t *loop = promise_loop_new();
  promise_executor_t *executor = promise_loop_executor(loop);
  promise_t *first = promise_sleep_on(executor, 1), *later = promise_sleep_on(executor, 3600 * 1000 * MILLISECONDS);
  CHECK_STATUS(promise_loop_wait(loop, first, FOR_EVER), PROMISE_OK);
  promise_discard(later);
  promise_release(first), promise_release(later);
  promise_executor_release(executor), promise_loop_release(loop);
  promise_t *nap = promise_sleep(1);
  CHECK_STATUS(promise_wait(nap, FOR_EVER), PROMISE_OK);
  promise_release(nap);
  check_pairs();
}

/* The timer of the main loop moves to the clock when the main executor is replaced. */
TEST(main_executor) {
  promise_t *nap = promise_sleep_on(promise_executor_main(), 3600 * 1000 * MILLISECONDS);
  CHECK_STATUS(promise_executor_set_main(promise_executor_immediate()), PROMISE_OK);
  promise_discard(nap);
  promise_release(nap);
  CHECK_STATUS(promise_executor_set_main(NULL), PROMISE_OK);
  check_pairs();
}

TEST(tokens) {
  promise_token_t *upper = promise_token_new(0), *lower = promise_token_new(0);
  CHECK_STATUS(promise_token_chain(lower, upper, 0), PROMISE_OK);
  CHECK_STATUS(promise_token_set_deadline(upper, NULL, now() + 3600 * 1000 * MILLISECONDS), PROMISE_OK);
  promise_token_release(lower), promise_token_release(upper);
  check_pairs();
}

enum { MANY = 20000 };

static void *makes_many(void *ctx) {
  static _Thread_local promise_t *all[MANY];
  for (int i = 0; i < MANY; i++)
    REQUIRE((all[i] = promise_new()) != NULL);
  RELEASE_EACH(all, MANY);
  return ctx;
}

TEST(memory) {
  finish(start(makes_many, NULL));
  makes_many(NULL);
  CHECK(promise_trim() > 0);
  promise_statistics_t numbers = {.size = sizeof numbers};
  CHECK_STATUS(promise_statistics(&numbers), PROMISE_OK);
  makes_many(NULL);
  check_pairs();
}
