/* promise_trace_start and related functions: the traced events, their order, and the written files. */
#include "trace.h"

TEST(a_promise_and_its_callback) {
  watch_t watch = {0};
  trace_to(&watch, 0);
  promise_t *promise = promise_new(), *derived = promise_then(promise, adds_one, NULL, NULL);
  promise_resolve(promise, I64(1));
  CHECK_TEXT(watch.kinds, "CCSBSE");
  CHECK(watch.events[0].id == id_of(promise) && watch.events[0].parent == 0);
  CHECK(watch.events[1].id == id_of(derived) && watch.events[1].parent == id_of(promise));
  CHECK(watch.events[2].id == id_of(promise) && watch.events[2].state == PROMISE_FULFILLED);
  CHECK(watch.events[3].id == id_of(derived) && watch.events[3].executor == 0);
  CHECK(watch.events[4].id == id_of(derived) && watch.events[4].state == PROMISE_FULFILLED);
  CHECK(watch.events[5].id == id_of(derived));
  for (int i = 0; i < watch.count; i++) {
    CHECK_INT(watch.events[i].size, sizeof(promise_trace_event_t));
    CHECK_INT(watch.events[i].thread, gettid());
    CHECK(watch.events[i].time_ns <= now() && (i == 0 || watch.events[i].time_ns >= watch.events[i - 1].time_ns));
  }
  RELEASE(derived, promise);
  CHECK_TEXT(watch.kinds, "CCSBSE");
  untrace(&watch);
}

TEST(a_rejection_passes_through_a_handler_for_values) {
  watch_t watch = {0};
  trace_to(&watch, 0);
  promise_t *promise = promise_new(), *derived = promise_then(promise, adds_one, NULL, NULL);
  promise_reject(promise, I64(1));
  CHECK_TEXT(watch.kinds, "CCSS");
  CHECK_INT(watch.events[2].state, PROMISE_REJECTED);
  CHECK_INT(watch.events[3].state, PROMISE_REJECTED);
  RELEASE(derived, promise);
  untrace(&watch);
}

TEST(callbacks_that_are_not_called_are_not_traced) {
  watch_t watch = {0};
  promise_t *promise = promise_new();
  trace_to(&watch, 0);
  promise_t *other = promise_rescue(promise, promise_type_named("error"), adds_one, NULL, NULL);
  promise_t *any = promise_rescue(promise, NULL, adds_one, NULL, NULL);
  promise_t *last = promise_finally(promise, ignore_context, NULL, NULL);
  promise_reject(promise, I64(1));
  /* The rescue of errors is not called. */
  CHECK_TEXT(watch.kinds, "CCCSSBSEBSE");
  CHECK(watch.events[4].id == id_of(other));
  CHECK(watch.events[5].id == id_of(any) && watch.events[8].id == id_of(last));
  RELEASE(last, any, other, promise);
  untrace(&watch);
}

TEST(handlers_of_cancel_requests_are_not_traced) {
  watch_t watch = {0};
  promise_t *promise = promise_new();
  trace_to(&watch, 0);
  CHECK_STATUS(promise_on_cancel_request(promise, ignore_value, NULL, NULL), PROMISE_OK);
  CHECK_STATUS(promise_request_cancel(promise, I64(1)), PROMISE_OK);
  CHECK_TEXT(watch.kinds, "");
  promise_release(promise);
  untrace(&watch);
}

TEST(a_callback_that_settles_nothing) {
  watch_t watch = {0};
  promise_t *promise = promise_new();
  trace_to(&watch, 0);
  promise_observe(promise, ignore_value, NULL, NULL, NULL);
  promise_resolve(promise, I64(1));
  promise_observe(promise, ignore_value, NULL, NULL, NULL);
  promise_observe(promise, NULL, ignore_value, NULL, NULL);
  CHECK_TEXT(watch.kinds, "ASBEABEA");
  CHECK(watch.events[0].id != id_of(promise) && watch.events[0].parent == id_of(promise));
  CHECK(watch.events[2].id == watch.events[0].id && watch.events[3].id == watch.events[0].id);
  promise_release(promise);
  untrace(&watch);
}

TEST(followers_and_gathers_are_traced) {
  watch_t watch = {0};
  promise_t *source = promise_new(), *follower = promise_new(), *link = promise_new_discardable(NULL, NULL, NULL);
  trace_to(&watch, 0);
  promise_follow(follower, source);
  promise_follow(link, source);
  promise_t *all = promise_all(&source, 1, 0);
  promise_resolve(source, I64(1));
  int attached = 0, settled = 0;
  for (int i = 0; i < watch.count; i++) {
    uint64_t id = watch.events[i].id;
    bool known = id == id_of(follower) || id == id_of(link) || id == id_of(all);
    if (watch.events[i].kind == PROMISE_TRACE_ATTACHED && watch.events[i].parent == id_of(source))
      attached += known;
    if (watch.events[i].kind == PROMISE_TRACE_SETTLED)
      settled += known;
  }
  CHECK_INT(attached, 3);
  CHECK_INT(settled, 3);
  RELEASE(all, link, follower, source);
  untrace(&watch);
}

TEST(a_callback_on_an_executor_is_traced) {
  watch_t watch = {0};
  promise_loop_t *loop = promise_loop_new();
  promise_executor_t *executor = promise_loop_executor(loop);
  promise_reaction_t reaction = {.size = sizeof reaction, .executor = executor, .on_fulfilled = adds_one};
  promise_t *promise = promise_new();
  trace_to(&watch, 0);
  promise_t *derived = promise_react(promise, &reaction);
  promise_resolve(promise, I64(1));
  CHECK_TEXT(watch.kinds, "CS");
  CHECK_INT(promise_loop_run_once(loop), 1);
  CHECK_TEXT(watch.kinds, "CSBSE");
  CHECK(watch.events[2].id == id_of(derived));
  CHECK(watch.events[2].executor == (uint64_t)(uintptr_t)executor);
  RELEASE(derived, promise);
  promise_executor_release(executor);
  promise_loop_release(loop);
  untrace(&watch);
}

TEST(discarded_and_dropped) {
  watch_t watch = {0};
  trace_to(&watch, 0);
  promise_t *promise = promise_new();
  promise_discard(promise);
  promise_release(promise);
  promise = promise_new();
  promise_t *derived = promise_then(promise, adds_one, NULL, NULL);
  uint64_t ids[] = {id_of(promise), id_of(derived)};
  RELEASE(promise, derived);
  CHECK_TEXT(watch.kinds, "CSCCDD");
  CHECK(watch.events[4].id == ids[0] && watch.events[5].id == ids[1]);
  untrace(&watch);
}

/* A dropped job rejects its promise. */
TEST(a_dropped_job_rejects) {
  watch_t watch = {0};
  promise_job_t *job = NULL;
  promise_executor_t *executor = promise_executor_new(keep_job, &job, NULL);
  promise_reaction_t reaction = {.size = sizeof reaction, .executor = executor, .on_fulfilled = adds_one};
  promise_t *promise = fulfilled(1);
  trace_to(&watch, 0);
  promise_t *derived = promise_react(promise, &reaction);
  CHECK_TEXT(watch.kinds, "C");
  CHECK_STATUS(promise_job_drop(job), PROMISE_OK);
  CHECK_TEXT(watch.kinds, "CS");
  CHECK(watch.events[1].id == id_of(derived));
  CHECK_INT(watch.events[1].state, PROMISE_REJECTED);
  RELEASE(derived, promise);
  promise_executor_release(executor);
  untrace(&watch);
}

enum { REUSED = 4 };
static promise_t *reused[REUSED];

/* A trace function that releases the promise whose settlement it is called with. Promises reuse the cells that were
 * freed. */
static void releases(void *ctx, const promise_trace_event_t *event) {
  promise_t *promise = ctx;
  if (event->kind != PROMISE_TRACE_SETTLED || event->id != id_of(promise))
    return;
  CHECK_STATUS(promise_release(promise), PROMISE_OK);
  for (int i = 0; i < REUSED; i++)
    reused[i] = fulfilled(1);
}

static void finds_alive(void *ctx, const promise_value_t *value) {
  CHECK_INT(value->kind, PROMISE_KIND_OBJECT);
  CHECK_INT(atomic_load(&((payload_t *)ctx)->destroyed), 0);
}

TEST(a_trace_function_may_release_the_promise) {
  payload_t payload = {0};
  spy_t spy = {0};
  promise_t *promise = promise_new();
  promise_value_t value = object(&payload);
  promise_observe(promise, spy_observer, NULL, &spy, spy_free);
  promise_observe(promise, finds_alive, NULL, &payload, NULL);
  promise_trace_t trace = {.size = sizeof trace, .event = releases, .ctx = promise};
  CHECK_STATUS(promise_trace_start(&trace), PROMISE_OK);
  CHECK_STATUS(promise_resolve(promise, &value), PROMISE_OK);
  CHECK_STATUS(promise_trace_stop(), PROMISE_OK);
  CHECK_SPY(&spy, 1, 1);
  CHECK_INT(spy.kind, PROMISE_KIND_OBJECT);
  CHECK_INT(atomic_load(&payload.destroyed), 1);
  CHECK_STATUS(promise_state(promise), PROMISE_ESTALE);
  RELEASE_EACH(reused, REUSED);
}

/* The id of a callback that settles no promise is not a handle, of no kind. */
TEST(ids_of_callbacks_are_not_handles) {
  watch_t watch = {0};
  promise_t *promise = promise_new();
  trace_to(&watch, 0);
  promise_observe(promise, ignore_value, ignore_value, NULL, NULL);
  CHECK_TEXT(watch.kinds, "A");
  void *id = (void *)(uintptr_t)watch.events[0].id;
  CHECK(id != NULL);
  promise_value_t value = {.kind = PROMISE_KIND_POINTER, .as.ptr = id};
  CHECK_STATUS(promise_resolve(id, &value), PROMISE_ESTALE);
  CHECK_STATUS(promise_release(id), PROMISE_ESTALE);
  CHECK_STATUS(promise_executor_release(id), PROMISE_ESTALE);
  CHECK_STATUS(promise_loop_release(id), PROMISE_ESTALE);
  promise_reject(promise, I64(1));
  promise_release(promise);
  untrace(&watch);
}

/* A trace function that triggers its own event. */
static void busy(void *ctx, const promise_trace_event_t *event) {
  CHECK(event->id != 0);
  ++*(int *)ctx;
  promise_release(fulfilled(1));
  promise_release(promise_new());
}

TEST(actions_of_the_trace_function_are_not_traced) {
  int calls = 0;
  promise_trace_t trace = {.size = sizeof trace, .event = busy, .ctx = &calls};
  CHECK_STATUS(promise_trace_start(&trace), PROMISE_OK);
  promise_release(promise_new());
  CHECK_INT(calls, 2);
  CHECK_STATUS(promise_trace_stop(), PROMISE_OK);
  promise_release(promise_new());
  CHECK_INT(calls, 2);
}

TEST(one_trace_replaces_another) {
  watch_t one = {0}, other = {0};
  trace_to(&one, 0);
  trace_to(&other, 4);
  CHECK_INT(atomic_load(&one.frees), 1);
  promise_release(promise_new());
  CHECK_TEXT(one.kinds, "");
  CHECK_TEXT(other.kinds, "CD");
  untrace(&other);
  CHECK_STATUS(promise_trace_stop(), PROMISE_OK);
}

static void refused(promise_trace_t trace, int frees) {
  watch_t watch = {0};
  trace.ctx = &watch;
  trace.free_ctx = watch_free;
  CHECK_STATUS(promise_trace_start(&trace), frees >= 0 ? PROMISE_EINVAL : PROMISE_ENOMEM);
  CHECK_INT(atomic_load(&watch.frees), frees < 0 ? 1 : frees);
}

TEST(invalid_arguments_are_refused) {
  CHECK_STATUS(promise_trace_start(NULL), PROMISE_EINVAL);
  refused((promise_trace_t){.size = sizeof(promise_trace_t)}, 1);
  refused((promise_trace_t){.size = sizeof(promise_trace_t), .capacity = 1, .reserved = 1}, 1);
  refused((promise_trace_t){.size = sizeof(promise_trace_t) - 1, .capacity = 1}, 0);
  refused((promise_trace_t){.size = 5000, .capacity = 1}, 1);
  refused((promise_trace_t){.size = sizeof(promise_trace_t), .capacity = UINT64_MAX}, -1);
  refused((promise_trace_t){.size = sizeof(promise_trace_t), .capacity = UINT64_C(1) << 58}, -1);
  watch_t watch = {0};
  trace_to(&watch, 0);
  CHECK_STATUS(promise_trace_start(NULL), PROMISE_EINVAL);
  promise_release(promise_new());
  CHECK_TEXT(watch.kinds, "CD");
  untrace(&watch);
}

/* ---- Threads ---- */

static atomic_long made, settled;

static void count_events(void *ctx, const promise_trace_event_t *event) {
  (void)ctx;
  if (event->kind == PROMISE_TRACE_CREATED)
    atomic_fetch_add(&made, 1);
  if (event->kind == PROMISE_TRACE_SETTLED)
    atomic_fetch_add(&settled, 1);
}

static void *work(void *thread) {
  for (long round = check_scale(5000); round > 0; round--) {
    promise_t *promise = promise_new(), *derived = promise_then(promise, adds_one, NULL, NULL);
    promise_resolve(promise, I64(1));
    RELEASE(derived, promise);
    if ((intptr_t)thread == 0 && round % 100 == 0) {
      FILE *file = tmpfile();
      CHECK_STATUS(promise_trace_write(fileno(file), PROMISE_TRACE_FORMAT_PERFETTO), PROMISE_OK);
      fclose(file);
    }
  }
  return NULL;
}

TEST(threads_lose_nothing) {
  promise_trace_t trace = {.size = sizeof trace, .capacity = 1000, .event = count_events};
  CHECK_STATUS(promise_trace_start(&trace), PROMISE_OK);
  race(work, 4);
  CHECK_STATUS(promise_trace_stop(), PROMISE_OK);
  CHECK_INT(atomic_load(&made), 8 * check_scale(5000));
  CHECK_INT(atomic_load(&settled), 8 * check_scale(5000));
}

static void *start_and_stop(void *thread) {
  for (long round = check_scale(2000); round > 0; round--) {
    if ((intptr_t)thread < 2) {
      promise_trace_t trace = {.size = sizeof trace, .capacity = 64, .event = count_events};
      CHECK_STATUS(promise_trace_start(&trace), PROMISE_OK);
      CHECK_STATUS(promise_trace_stop(), PROMISE_OK);
    } else {
      promise_t *promise = promise_new();
      promise_observe(promise, ignore_value, ignore_value, NULL, NULL);
      promise_reject(promise, I64(1));
      promise_release(promise);
    }
  }
  return NULL;
}

TEST(starting_and_stopping_races_with_work) {
  race(start_and_stop, 4);
  CHECK_STATUS(promise_trace_stop(), PROMISE_OK);
}
