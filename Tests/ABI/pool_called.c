/* The global executors: a job that arrives at one moment of the life of a thread of the pool. The program replaces two
 * functions of the C library: pthread_cond_timedwait, in which an idle thread times out just when a job arrives; and
 * pthread_create, whose thread begins later, or which fails. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <sched.h>
#include <semaphore.h>

#include "asleep.h"
#include "child.h"
#include "streams.h"

/* ThreadSanitizer replaces the same functions, so these call its replacements. */
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
int __interceptor_pthread_cond_timedwait(pthread_cond_t *, pthread_mutex_t *, const struct timespec *);
int __interceptor_pthread_create(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
#define BENEATH(name) ((void *)(uintptr_t)__interceptor_##name)
#endif
#endif
#ifndef BENEATH
#define BENEATH(name) dlsym(RTLD_NEXT, #name)
#endif

static int (*timed_wait)(pthread_cond_t *, pthread_mutex_t *, const struct timespec *);
static atomic_bool is_armed, is_noted;
static int (*create)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
static sem_t idle, submitted, let_in;

__attribute__((constructor)) static void prepare(void) {
  *(void **)&timed_wait = BENEATH(pthread_cond_timedwait);
  *(void **)&create = BENEATH(pthread_create);
  REQUIRE(timed_wait != NULL && create != NULL);
  REQUIRE(sem_init(&idle, 0, 0) == 0 && sem_init(&submitted, 0, 0) == 0 && sem_init(&let_in, 0, 0) == 0);
}

static void await(sem_t *semaphore) {
  while (sem_wait(semaphore) != 0)
    REQUIRE(errno == EINTR);
}

static bool is_of_the_pool(void) {
  char name[16] = "";
  return prctl(PR_GET_NAME, name) == 0 && strcmp(name, "promise-pool") == 0;
}

int pthread_cond_timedwait(pthread_cond_t *condition, pthread_mutex_t *mutex, const struct timespec *until) {
  if (is_of_the_pool() && atomic_exchange(&is_armed, false)) {
    pthread_mutex_unlock(mutex);
    sem_post(&idle);
    await(&submitted);
    pthread_mutex_lock(mutex);
    return ETIMEDOUT;
  }
  if (is_of_the_pool() && atomic_exchange(&is_noted, false))
    sem_post(&idle);
  return timed_wait(condition, mutex, until);
}

static atomic_bool is_to_hold, is_to_refuse;
static atomic_int refusals;
static void *(*held_run)(void *);

static void *begins_when_it_is_let_in(void *argument) {
  await(&let_in);
  return held_run(argument);
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *), void *argument) {
  if (atomic_load(&is_to_refuse)) {
    atomic_fetch_add(&refusals, 1);
    return EAGAIN;
  }
  if (!atomic_exchange(&is_to_hold, false))
    return create(thread, attributes, run, argument);
  held_run = run;
  return create(thread, attributes, begins_when_it_is_let_in, argument);
}

TEST(job_is_run_although_the_time_of_its_thread_is_up) {
  promise_executor_t *executor = promise_executor_global(PROMISE_PRIORITY_DEFAULT);
  atomic_store(&is_armed, true);
  promise_t *first = react_on(executor, adds_one, NULL, NULL);
  CHECK_STATUS(promise_wait(first, FOR_EVER), PROMISE_OK);
  await(&idle);
  promise_t *second = react_on(executor, adds_one, NULL, NULL);
  sem_post(&submitted);
  REQUIRE(promise_wait(second, 60 * 1000000000LL) == PROMISE_OK);
  CHECK(ended(second, PROMISE_FULFILLED, 2));
  RELEASE(first, second);
}

/* A thread is started because another thread sleeps in promise_wait(), but begins after that thread has woken. Then too
 * many threads run, so it gets no job. All other threads then block where only the clock notices it, and the job that
 * releases them is queued. */
static promise_t *awaited;
static gate_t opened_by_the_last = GATE_CLOSED;
static atomic_int sleeper;
static atomic_bool is_awake, may_block;

static void computes_then_blocks(void *countdown) {
  while (!atomic_load(&may_block))
    sched_yield();
  gate_wait(&opened_by_the_last);
  countdown_tick(countdown);
}

static void sleeps_then_computes(void *countdown) {
  atomic_store(&sleeper, (int)gettid());
  CHECK_STATUS(promise_wait(awaited, FOR_EVER), PROMISE_OK);
  atomic_store(&is_awake, true);
  computes_then_blocks(countdown);
}

static void opens_the_gate(void *countdown) {
  gate_open(&opened_by_the_last);
  countdown_tick(countdown);
}

TEST(job_is_run_although_its_thread_came_too_late) {
  cpu_set_t set;
  REQUIRE(sched_getaffinity(0, sizeof set, &set) == 0);
  int processors = CPU_COUNT(&set);
  countdown_t countdown = COUNTDOWN(processors + 1);
  promise_executor_t *pool = promise_executor_global(PROMISE_PRIORITY_DEFAULT);
  awaited = promise_new();
  CHECK_STATUS(promise_executor_submit(pool, sleeps_then_computes, &countdown, NULL), PROMISE_OK);
  for (int i = 1; i < processors; i++)
    CHECK_STATUS(promise_executor_submit(pool, computes_then_blocks, &countdown, NULL), PROMISE_OK);
  while (!is_asleep(atomic_load(&sleeper)))
    sched_yield();
  atomic_store(&is_to_hold, true);
  CHECK_STATUS(promise_executor_submit(pool, opens_the_gate, &countdown, NULL), PROMISE_OK);
  bool is_held = !atomic_exchange(&is_to_hold, false);
  CHECK_STATUS(promise_resolve(awaited, I64(1)), PROMISE_OK);
  while (!atomic_load(&is_awake))
    sched_yield();
  if (is_held) {
    atomic_store(&is_noted, true);
    sem_post(&let_in);
    await(&idle);
  }
  atomic_store(&may_block, true);
  countdown_wait(&countdown);
  promise_release(awaited);
}

/* Runs in a child of fork() whose first thread cannot be started. The dropped job cannot settle a promise, so a wait
 * must not count it. */
static void waits_after_a_refusal(void *pool) {
  spy_t spy = {0};
  promise_t *pending = promise_new();
  atomic_store(&is_to_refuse, true);
  CHECK_STATUS(promise_executor_submit(pool, spy_discard, &spy, spy_free), PROMISE_OK); /* which drops the job */
  atomic_store(&is_to_refuse, false);
  CHECK_SPY(&spy, 0, 1);
  promise_t *other = react_on(pool, adds_one, NULL, NULL);
  CHECK_STATUS(promise_wait(other, FOR_EVER), PROMISE_OK);
  CHECK(ended(other, PROMISE_FULFILLED, 2));
  CHECK_STATUS(promise_wait(pending, FOR_EVER), PROMISE_EDEADLK);
  RELEASE(other, pending);
}

TEST(refused_job_is_not_waited_for) {
  IN_CHILD(waits_after_a_refusal, promise_executor_global(PROMISE_PRIORITY_DEFAULT));
}

/* Timers are due while no thread can be started for them: the clock tries again, and no timer is lost. */
TEST(time_limits_hold_although_no_thread_could_be_started) {
  promise_t *hour = promise_sleep(3600 * 1000000000LL); /* starts the thread of the clock */
  promise_t *pending = promise_new(), *asked = promise_sleep(3600 * 1000000000LL);
  promise_token_t *token = promise_token_new(0);
  CHECK_STATUS(promise_token_add(token, asked), PROMISE_OK);
  atomic_store(&is_to_refuse, true);
  promise_t *slept = promise_sleep(1000000), *limited = promise_timeout(pending, 1000000);
  CHECK_STATUS(promise_token_set_deadline(token, NULL, promise_now() + 1000000), PROMISE_OK);
  for (int before = atomic_load(&refusals); atomic_load(&refusals) < before + 3;)
    sched_yield();
  atomic_store(&is_to_refuse, false);
  CHECK_STATUS(promise_wait(slept, FOR_EVER), PROMISE_OK);
  CHECK_INT(promise_state(slept), PROMISE_FULFILLED);
  CHECK_STATUS(promise_wait(limited, FOR_EVER), PROMISE_OK);
  CHECK(failed_with(limited, PROMISE_ETIMEDOUT));
  CHECK_STATUS(promise_wait(asked, FOR_EVER), PROMISE_OK);
  CHECK_INT(promise_state(asked), PROMISE_REJECTED); /* cancelled */
  RELEASE(hour, pending, asked, slept, limited);
  promise_token_release(token);
}

/* Runs in a child of fork(), in which the clock has no thread yet. */
static void debounces_without_a_thread(void *unused) {
  (void)unused;
  listener_t listener = {0};
  promise_publisher_t *source = publisher_new(0), *paced = promise_publisher_debounce(NULL, source, 1000000);
  promise_subscriber_t *subscriber = listen(paced, &listener);
  promise_t *end = end_of(subscriber);
  atomic_store(&is_to_refuse, true);
  publish(source, 1);
  atomic_store(&is_to_refuse, false);
  CHECK_TEXT(listener.log, "1 .");
  CHECK(failed_with(end, PROMISE_ENOMEM));
  promise_release(end), promise_publisher_release(paced);
  release_both(subscriber, source);
}

TEST_BY(a_stream_whose_timer_cannot_be_started_fails_with_enomem, IN_CHILD(debounces_without_a_thread, NULL))
