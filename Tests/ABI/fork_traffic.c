/* fork() at any moment, while other threads use the library. */
#include "forking.h"

enum { SHARED = 32 };

typedef struct traffic {
  promise_t *shared[SHARED];
  promise_token_t *token;
  promise_executor_t *serial;
  atomic_bool over;
  atomic_int unlike; /* numbers the threads, so that their rounds differ */
} traffic_t;

/* Runs a round of operations that take a lock, or own a cell for a moment. */
static void everything(traffic_t *traffic, unsigned round) {
  char name[32];
  snprintf(name, sizeof name, "test.fork.%u", round % 16);
  CHECK(promise_type_register(name, NULL, NULL) != NULL);
  for (int i = 0; i < SHARED; i++) {
    promise_seal(traffic->shared[i]);
    promise_t *source = promise_new(), *derived = promise_then(source, adds_one, NULL, NULL);
    promise_token_add(traffic->token, derived);
    promise_request_cancel(derived, NULL);
    RELEASE(derived, source);
  }
  promise_token_t *chained = promise_token_new(0);
  promise_token_chain(chained, traffic->token, PROMISE_CHAIN_CANCEL);
  promise_token_invalidate(traffic->token, NULL);
  promise_token_release(chained);
  promise_executor_submit(pool(), ignore_context, NULL, NULL);
  promise_executor_submit(traffic->serial, ignore_context, NULL, NULL);
  promise_t *sleep = promise_sleep(round % 2 == 0 ? 1 : 1000000 * MILLISECONDS);
  if (round % 2 != 0)
    promise_discard(sleep);
  promise_release(sleep);
  promise_wait_any(traffic->shared, SHARED, 1000, NULL);
}

static void *never_stops(void *argument) {
  traffic_t *traffic = argument;
  unsigned round = (unsigned)atomic_fetch_add(&traffic->unlike, 7);
  while (!atomic_load(&traffic->over)) {
    everything(traffic, round++);
    promise_loop_t *loop = promise_loop_new();
    promise_executor_t *executor = promise_loop_executor(loop);
    promise_executor_submit(executor, ignore_context, NULL, NULL);
    promise_loop_run_once(loop);
    promise_executor_release(executor);
    promise_loop_release(loop);
  }
  return NULL;
}

static void does_everything(void *argument) {
  traffic_t *traffic = argument;
  for (unsigned round = 0; round < 4; round++)
    everything(traffic, round);
  for (int i = 0; i < SHARED; i++) {
    promise_t *derived = promise_then(traffic->shared[i], adds_one, NULL, NULL);
    promise_request_cancel(traffic->shared[i], NULL);
    CHECK_STATUS(promise_resolve(traffic->shared[i], I64(1)), PROMISE_OK);
    CHECK(ended(derived, PROMISE_FULFILLED, 2));
    promise_release(derived);
  }
  works(pool());
  works(traffic->serial);
}

TEST(child_is_consistent_under_any_traffic) {
  static traffic_t traffic;
  traffic.token = promise_token_new(0);
  traffic.serial = promise_executor_serial(NULL);
  for (int i = 0; i < SHARED; i++)
    traffic.shared[i] = promise_new();
  pthread_t threads[3];
  for (int i = 0; i < 3; i++)
    threads[i] = start(never_stops, &traffic);
  long rounds = getenv("CHECK_QUICK") == NULL ? 200 : 5;
  for (long i = 0; i < rounds; i++)
    if (!IN_CHILD(does_everything, &traffic))
      break;
  atomic_store(&traffic.over, true);
  for (int i = 0; i < 3; i++)
    finish(threads[i]);
  for (int i = 0; i < SHARED; i++)
    promise_release(traffic.shared[i]);
  promise_executor_release(traffic.serial);
  promise_token_release(traffic.token);
}

/* A promise whose reactions another thread traverses most of the time. */
typedef struct looked_through {
  promise_t *promise;
  gate_t begun;
  atomic_bool over;
} looked_through_t;

static void hears(void *ctx, const promise_value_t *reason) {
  (void)ctx;
  CHECK_INT(reason->kind, PROMISE_KIND_I64);
}

static void *looks_through(void *argument) {
  looked_through_t *looked_through = argument;
  gate_open(&looked_through->begun);
  /* The reason is at the end of the list, behind all handlers: each call traverses the list, and adds a handler. The
   * number of calls is bounded for that reason. */
  for (int i = 0; i < 4000 && !atomic_load(&looked_through->over); i++)
    promise_on_cancel_request(looked_through->promise, hears, NULL, NULL);
  return NULL;
}

static void settles_what_is_looked_through(void *argument) {
  promise_t *promise = argument;
  CHECK_STATUS(promise_seal(promise), PROMISE_OK);
  CHECK_STATUS(promise_resolve(promise, I64(1)), PROMISE_OK);
}

TEST(promise_that_another_thread_looks_through_is_free) {
  looked_through_t looked_through = {.promise = promise_new(), .begun = GATE_CLOSED};
  CHECK_STATUS(promise_request_cancel(looked_through.promise, I64(1)), PROMISE_OK);
  for (long i = check_scale(20000); i > 0; i--)
    CHECK_STATUS(promise_tap(looked_through.promise, hears, NULL, NULL, NULL), PROMISE_OK);
  pthread_t thread = start(looks_through, &looked_through);
  gate_wait(&looked_through.begun);
  for (int i = 0; i < 10; i++)
    if (!IN_CHILD(settles_what_is_looked_through, looked_through.promise))
      break;
  atomic_store(&looked_through.over, true);
  finish(thread);
  promise_release(looked_through.promise);
}

/* A serial executor becomes the main one. An older executor, whose target is the main one, then has turns that wait in
 * it. */
typedef struct searched {
  promise_executor_t *older;
  promise_t *never;
  gate_t begun;
  atomic_bool over;
} searched_t;

static void waits_without_end(void *ctx) {
  searched_t *searched = ctx;
  CHECK_STATUS(promise_executor_submit(searched->older, ignore_context, NULL, NULL), PROMISE_OK);
  gate_open(&searched->begun);
  while (!atomic_load(&searched->over))
    CHECK_STATUS(promise_wait(searched->never, 1), PROMISE_ETIMEDOUT);
}

static promise_verdict_t ends(void *ctx, const promise_value_t *in, promise_value_t *out) {
  (void)ctx;
  *out = *in;
  return PROMISE_FULFILL;
}

TEST(search_through_executors_does_not_keep_fork_from_its_locks) {
  searched_t searched = {.never = promise_new(), .begun = GATE_CLOSED};
  searched.older = promise_executor_serial(promise_executor_main());
  promise_executor_t *newer = promise_executor_serial(pool());
  CHECK_STATUS(promise_executor_set_main(newer), PROMISE_OK);
  CHECK_STATUS(promise_executor_submit(newer, waits_without_end, &searched, NULL), PROMISE_OK);
  gate_wait(&searched.begun);
  for (long i = check_scale(2000); i > 0; i--)
    if (!IN_CHILD(ignore_context, NULL))
      break;
  atomic_store(&searched.over, true);
  promise_t *end = promise_run(newer, ends, NULL, NULL);
  CHECK_STATUS(promise_wait(end, FOR_EVER), PROMISE_OK);
  promise_release(end);
  CHECK_STATUS(promise_executor_set_main(NULL), PROMISE_OK);
  promise_executor_release(newer);
  promise_executor_release(searched.older);
  promise_release(searched.never);
}
