/* later.c - functions that end later, never, or when others do. */
#include "fixture.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

LOADS_HOST

/* A barrier for two calls. It times out, so that a host which runs them one after the other fails the test instead of
 * hanging it. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static bool has_come[2];

static promise_status_t meet(int who, promise_value_t *error) {
  struct timespec deadline;
  clock_gettime(CLOCK_REALTIME, &deadline);
  deadline.tv_sec += 600;
  int failure = 0;
  pthread_mutex_lock(&lock);
  has_come[who] = true;
  pthread_cond_broadcast(&changed);
  while (!has_come[!who] && failure == 0)
    failure = pthread_cond_timedwait(&changed, &lock, &deadline);
  pthread_mutex_unlock(&lock);
  if (failure == 0)
    return PROMISE_OK;
  promise_value_error(error, "fixture", failure, "the other one did not come");
  return -1;
}

static promise_status_t left(promise_str_t *result, promise_value_t *error) {
  *result = (promise_str_t){"left", 4};
  return meet(0, error);
}

static promise_status_t right(promise_str_t *result, promise_value_t *error) {
  *result = (promise_str_t){"right", 5};
  return meet(1, error);
}

static int begun, discards, open_gates;

/* never() returns a promise that never settles by itself; this logs when the promise is discarded. */
static void discarded(void *context) {
  (void)context;
  host->log(host, PROMISE_LOG_ERROR, "discarded");
  pthread_mutex_lock(&lock);
  discards++;
  pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&lock);
}

static promise_t *never(void) {
  promise_t *promise = promise_new_discardable(discarded, NULL, NULL);
  promise_retain(promise);
  host->progress(host, promise, -1, "for ever");
  return promise;
}

/* Never returns. */
static void block(void) {
  for (;;)
    pause();
}

static void block_discard(void *context) {
  (void)context;
  host->log(host, PROMISE_LOG_WARNING, "discard begins");
  block();
}

static promise_t *stubborn(void) {
  promise_t *promise = promise_new_discardable(block_discard, NULL, NULL);
  promise_retain(promise);
  return promise;
}

/* Returns a promise that nobody can settle. */
static promise_t *lost(void) {
  return promise_new();
}

/* Returns a promise of never() once opens() allows it; opens() waits until that promise is discarded. */
static promise_t *late(void) {
  pthread_mutex_lock(&lock);
  begun++;
  while (open_gates == 0)
    pthread_cond_wait(&changed, &lock);
  pthread_mutex_unlock(&lock);
  return never();
}

static promise_str_t opens(void) {
  pthread_mutex_lock(&lock);
  open_gates++;
  pthread_cond_broadcast(&changed);
  bool has_begun = begun > 0;
  while (has_begun && discards == 0)
    pthread_cond_wait(&changed, &lock);
  pthread_mutex_unlock(&lock);
  return has_begun ? (promise_str_t){"discarded", 9} : (promise_str_t){"not begun", 9};
}

typedef struct {
  promise_t *promise;
  uint32_t steps;
} job_t;

static void *work(void *argument) {
  job_t *job = argument;
  for (uint32_t step = 0; step <= job->steps; step++) {
    char message[32];
    snprintf(message, sizeof message, "step %u", step);
    host->progress(host, job->promise, (double)step / job->steps, message);
  }
  promise_value_t value = {.kind = PROMISE_KIND_U64, .as.u64 = job->steps};
  promise_resolve(job->promise, &value);
  promise_release(job->promise);
  free(job);
  return NULL;
}

/* Reports its progress from a thread of its own, then fulfils with the number of steps. */
static promise_t *slowly(uint32_t steps) {
  job_t *job = malloc(sizeof *job);
  *job = (job_t){promise_new(), steps};
  promise_retain(job->promise);
  promise_t *promise = job->promise;
  pthread_t thread;
  pthread_create(&thread, NULL, work, job);
  pthread_detach(thread);
  return promise;
}

/* Counts, with pauses, until a file of that name exists. */
static promise_status_t await_file(const char *path, uint32_t *result, promise_value_t *error) {
  (void)error;
  const struct timespec pause = {.tv_nsec = 10 * 1000 * 1000};
  for (*result = 0; access(path, F_OK) != 0; *result += 1)
    nanosleep(&pause, NULL);
  return PROMISE_OK;
}

/* Returns the most calls of this function that ever ran at once. A call waits for a third one, or for a while. */
static uint32_t most(void) {
  static uint32_t running, maximum, come;
  struct timespec deadline;
  clock_gettime(CLOCK_REALTIME, &deadline);
  deadline.tv_nsec += 20 * 1000 * 1000;
  deadline.tv_sec += deadline.tv_nsec / 1000000000;
  deadline.tv_nsec %= 1000000000;
  pthread_mutex_lock(&lock);
  running++;
  come++;
  if (running > maximum)
    maximum = running;
  pthread_cond_broadcast(&changed);
  while (running < 3 && come < 31 && pthread_cond_timedwait(&changed, &lock, &deadline) == 0) {
  }
  running--;
  uint32_t result = maximum;
  pthread_mutex_unlock(&lock);
  return result;
}

/* Fails that many times, then returns the number of calls. */
static promise_status_t unsteady(uint32_t times, uint32_t *result, promise_value_t *error) {
  static uint32_t calls;
  pthread_mutex_lock(&lock);
  *result = ++calls;
  pthread_mutex_unlock(&lock);
  if (*result > times)
    return PROMISE_OK;
  promise_value_error(error, "fixture", 11, "not yet");
  return -1;
}

/* Fails at first, then returns the length of its data. */
static promise_status_t unsteady_length(promise_bytes_t data, uint64_t *result, promise_value_t *error) {
  static atomic_int calls;
  *result = data.length;
  if (atomic_fetch_add(&calls, 1) > 0)
    return PROMISE_OK;
  promise_value_error(error, "fixture", 11, "not yet");
  return -1;
}

/* Returns the thread that it runs on. Fails if another call is running. */
static promise_status_t alone(uint64_t *result, promise_value_t *error) {
  static atomic_int running;
  const struct timespec pause = {.tv_nsec = 1000 * 1000};
  bool is_alone = atomic_fetch_add(&running, 1) == 0;
  *result = (uint64_t)pthread_self();
  nanosleep(&pause, NULL);
  atomic_fetch_sub(&running, 1);
  if (is_alone)
    return PROMISE_OK;
  promise_value_error(error, "fixture", 12, "not alone");
  return -1;
}

/* ahead() calls f n times; it may fail at the end. It stores by how many calls it was ahead of take() at most. */
static _Atomic int64_t taken;

static promise_status_t ahead(int64_t n, void (*f)(int64_t), bool fails, int64_t *most, promise_value_t *error) {
  *most = 0;
  for (int64_t i = 0; i < n; i++) {
    f(i);
    int64_t lead = i + 1 - taken;
    *most = lead > *most ? lead : *most;
  }
  if (!fails)
    return PROMISE_OK;
  promise_value_error(error, "fixture", 5, "no more");
  return -1;
}

static void take(int64_t x) {
  (void)x;
  nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
  taken++;
}

/* hold() returns an object once fewer than `most` are alive. It fails after a minute. */
static uint32_t held;

static promise_status_t hold(uint32_t most, void **result, promise_value_t *error) {
  struct timespec deadline;
  clock_gettime(CLOCK_REALTIME, &deadline);
  deadline.tv_sec += 60;
  int failure = 0;
  pthread_mutex_lock(&lock);
  while (held >= most && failure == 0)
    failure = pthread_cond_timedwait(&changed, &lock, &deadline);
  held++;
  pthread_mutex_unlock(&lock);
  *result = malloc(1);
  if (failure == 0)
    return PROMISE_OK;
  free(*result);
  promise_value_error(error, "fixture", 13, "all are held");
  return -1;
}

/* Exported, for `own`. */
void later_drop(void *thing) {
  free(thing);
  pthread_mutex_lock(&lock);
  held--;
  pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&lock);
}

static const promise_plugin_function_t functions[] = {
    FUNCTION("left() -> str !", left, "Waits for right."),
    FUNCTION("right() -> str !", right, "Waits for left."),
    FUNCTION("never() -> promise<void>", never, "Never settles."),
    FUNCTION("stubborn() -> promise<void>", stubborn, "Has a discard block that never returns."),
    FUNCTION("lost() -> promise<void>", lost, "Cannot settle."),
    FUNCTION("late() -> promise<void>", late, "Returns when opens() has begun, and never settles."),
    FUNCTION("opens() -> str", opens, "Waits until the promise of late() is discarded."),
    FUNCTION("block()", block, "Never returns."),
    FUNCTION("unsteady(times: u32) -> u32 !", unsteady, "Fails at first."),
    FUNCTION("unsteady_length(data: bytes) -> u64 !", unsteady_length, NULL),
    FUNCTION("alone() -> u64 !", alone, "Fails beside another call."),
    FUNCTION("ahead(n: i64, f: fn(i: i64), fails: bool = false) -> i64 !", ahead, NULL),
    FUNCTION("take(x: i64)", take, NULL),
    FUNCTION("hold(most: u32) -> own(later_drop) ptr<thing> !", hold, "Gives an object, of so many at once."),
    FUNCTION("most() -> u32", most, "The most calls at once."),
    FUNCTION("slowly(steps: u32) -> promise<u64>", slowly, "Reports progress."),
    FUNCTION("await_file(path: cstr) -> u32 !", await_file, "Waits for a file."),
};

PLUGIN("org.example.later", NULL, load, NULL, functions)
