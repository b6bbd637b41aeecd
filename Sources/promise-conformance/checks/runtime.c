/* promise/runtime.h */
#include "../checked.h"

CHECKS(runtime)

#define CHECK_MORE(before, kind, expected) CHECK_INT((long long)(statistics().kind - (before).kind), (expected))

RULE(statistics_count_objects, "promise_statistics() counts the live objects") {
  promise_statistics_t before = statistics();
  promise_t *promise = pending();
  CHECK_MORE(before, promises_pending, 1);
  resolve(promise, 1);
  CHECK_MORE(before, promises_pending, 0);
  CHECK_MORE(before, promises_settled, 1);
  release(promise);
  CHECK_MORE(before, promises_settled, 0);
  promise_token_t *token = promise_token_new(0);
  promise_queue_t *queue = promise_queue_new();
  CHECK_MORE(before, tokens, 1);
  CHECK_MORE(before, queues, 1);
  CHECK_STATUS(promise_token_release(token), PROMISE_OK);
  CHECK_STATUS(promise_queue_release(queue), PROMISE_OK);
  CHECK_MORE(before, tokens, 0);
  CHECK_MORE(before, queues, 0);
  promise_statistics_t last = statistics();
  CHECK(last.bytes_reusable <= last.bytes_resident);
}

static gate_t looked = GATE_CLOSED;

static void counts_threads(void *threads) {
  *(uint32_t *)threads = statistics().threads;
  gate_open(&looked);
}

RULE(statistics_count_threads, "promise_statistics() counts the running threads") {
  static uint32_t threads;
  promise_executor_t *pool = promise_executor_global(PROMISE_PRIORITY_DEFAULT);
  CHECK_STATUS(promise_executor_submit(pool, counts_threads, &threads, NULL), PROMISE_OK);
  gate_wait(&looked);
  CHECK(threads >= 1);
}

RULE(statistics_check_the_size, "promise_statistics() checks the size of its argument") {
  promise_statistics_t statistics = {.size = 4};
  CHECK_STATUS(promise_statistics(&statistics), PROMISE_EINVAL);
  statistics.size = 4097;
  CHECK_STATUS(promise_statistics(&statistics), PROMISE_EINVAL);
  CHECK_STATUS(promise_statistics(NULL), PROMISE_EINVAL);
}

/* Returns the number of objects of the process, without a few that the statistics leave out. */
static int64_t live_objects(const promise_statistics_t *now) {
  return (int64_t)(now->promises_pending + now->promises_settled + now->callbacks + now->values + now->executors +
                   now->jobs + now->tokens + now->gathers + now->loops + now->publishers + now->subscribers +
                   now->queues + now->types + now->internals);
}

RULE(trim_returns_memory, "promise_trim() returns free memory, and no object is lost") {
  enum { COUNT = 100 * 1000 };
  static promise_t *promises[COUNT];
  for (int i = 0; i < COUNT; i++)
    promises[i] = pending();
  for (int i = 0; i < COUNT; i++)
    if (i != COUNT / 2)
      release(promises[i]);
  promise_statistics_t before = statistics();
  int64_t returned = promise_trim();
  CHECK(returned >= 0);
  promise_statistics_t after = statistics();
  CHECK((int64_t)(before.bytes_resident - after.bytes_resident) >= returned);
  /* Trimming leaves pages with a live object, and up to 256 cells of each other thread. */
  CHECK((int64_t)after.bytes_reusable <= (live_objects(&after) + 16) * 4096 + (after.threads + 1) * 256 * 64);
  CHECK_INT(promise_state(promises[0]), PROMISE_ESTALE);
  CHECK_INT(promise_state(promises[COUNT - 1]), PROMISE_ESTALE);
  resolve(promises[COUNT / 2], 7);
  CHECK_ENDED(promises[COUNT / 2], PROMISE_FULFILLED, 7);
  release(promises[COUNT / 2]);
}

static atomic_int starts, stops;
static atomic_bool has_started_here;
static gate_t worked = GATE_CLOSED;
/* One gate for each of the two checks, which may run in one process: opened when the hooks of the check are freed. */
static gate_t freed[] = {GATE_CLOSED, GATE_CLOSED};
static int check;
static _Thread_local bool is_started;

static void starts_thread(void *ctx) {
  CHECK_POINTER(ctx, &starts);
  is_started = true;
  atomic_fetch_add(&starts, 1);
}

static void stops_thread(void *ctx) {
  CHECK_POINTER(ctx, &starts);
  CHECK(is_started);
  atomic_fetch_add(&stops, 1);
}

static void frees_hooks(void *ctx) {
  CHECK_POINTER(ctx, &starts);
  gate_open(&freed[check]);
}

static void works(void *ctx) {
  (void)ctx;
  atomic_store(&has_started_here, is_started);
  gate_open(&worked);
}

RULE(threads_call_hooks, "threads with callbacks call the hooks, before the first callback and at the end") {
  check = 0;
  CHECK_STATUS(promise_set_thread_hooks(starts_thread, stops_thread, &starts, frees_hooks), PROMISE_OK);
  promise_executor_t *pool = promise_executor_global(PROMISE_PRIORITY_DEFAULT);
  CHECK_STATUS(promise_executor_submit(pool, works, NULL, NULL), PROMISE_OK);
  gate_wait(&worked);
  CHECK(atomic_load(&has_started_here));
  CHECK_STATUS(promise_set_thread_hooks(NULL, NULL, NULL, NULL), PROMISE_OK);
  /* Idle threads end soon, and the last one frees the hooks. */
  gate_wait(&freed[check]);
  CHECK_INT(atomic_load(&stops), atomic_load(&starts));
}

static promise_verdict_t looks_for_the_start(void *ctx, const promise_value_t *in, promise_value_t *out) {
  (void)in, (void)out;
  pthread_t *thread = ctx;
  *thread = pthread_self();
  atomic_store(&has_started_here, is_started);
  return PROMISE_FULFILL;
}

RULE(threads_of_timers_call_hooks, "threads that fire timers call the hooks") {
  check = 1;
  CHECK_STATUS(promise_set_thread_hooks(starts_thread, stops_thread, &starts, frees_hooks), PROMISE_OK);
  pthread_t thread = pthread_self();
  /* If a timer fires before the handler is attached, the handler runs on this thread: try again with twice the time. */
  for (int64_t time = MILLISECONDS; pthread_equal(thread, pthread_self()); time *= 2) {
    promise_t *timer = promise_sleep(time), *derived = promise_then(timer, looks_for_the_start, &thread, NULL);
    CHECK_STATUS(promise_wait(derived, FOR_EVER), PROMISE_OK);
    RELEASE(derived, timer);
  }
  CHECK(atomic_load(&has_started_here));
  CHECK_STATUS(promise_set_thread_hooks(NULL, NULL, NULL, NULL), PROMISE_OK);
  gate_wait(&freed[check]);
  CHECK_INT(atomic_load(&stops), atomic_load(&starts));
}
