/* promise/executor.h: the library's executors. */
#define _GNU_SOURCE
#include <sched.h>

#include "../checked.h"
#include "../scheduling.h"

CHECKS(pool)

typedef struct work {
  spy_t spy;
  promise_executor_t *executor;
  bool was_current;
  gate_t freed;
} work_t;

static void work_body(void *ctx) {
  work_t *work = ctx;
  work->was_current = promise_executor_is_current(work->executor) == 1;
  spy_discard(&work->spy);
}

static void work_free(void *ctx) {
  spy_free(&((work_t *)ctx)->spy);
  gate_open(&((work_t *)ctx)->freed);
}

RULE(immediate_runs_at_once, "the immediate executor runs its jobs in the call") {
  work_t work = {.executor = promise_executor_immediate(), .freed = GATE_CLOSED};
  CHECK(work.executor != NULL);
  CHECK_POINTER(promise_executor_immediate(), work.executor);
  CHECK_STATUS(promise_executor_submit(work.executor, work_body, &work, work_free), PROMISE_OK);
  CHECK_SPY(&work.spy, 1, 1);
  CHECK(pthread_equal(work.spy.thread, pthread_self()));
  CHECK(work.was_current && promise_executor_is_current(work.executor) == 0);
}

RULE(the_pool_runs_elsewhere, "the pool runs its jobs on threads of its own, at every priority") {
  static work_t work = {.freed = GATE_CLOSED};
  for (promise_priority_t priority = PROMISE_PRIORITY_BACKGROUND; priority <= PROMISE_PRIORITY_USER_INTERACTIVE;
       priority++)
    CHECK(promise_executor_global(priority) != NULL);
  work.executor = promise_executor_global(PROMISE_PRIORITY_DEFAULT);
  CHECK_STATUS(promise_executor_submit(work.executor, work_body, &work, work_free), PROMISE_OK);
  gate_wait(&work.freed);
  CHECK_SPY(&work.spy, 1, 1);
  CHECK(!pthread_equal(work.spy.thread, pthread_self()));
  CHECK(pthread_equal(work.spy.thread, work.spy.freed_on));
  CHECK(work.was_current && promise_executor_is_current(work.executor) == 0);
}

RULE(reactions_run_on_the_pool, "reactions run on the pool, and a wait for them ends") {
  spy_t spy = {0};
  promise_reaction_t reaction = {.size = sizeof reaction,
                                 .executor = promise_executor_global(PROMISE_PRIORITY_UTILITY),
                                 .on_fulfilled = spy_handler,
                                 .ctx = &spy,
                                 .free_ctx = spy_free};
  promise_t *promise = fulfilled(1);
  promise_t *child = promise_react(promise, &reaction);
  CHECK_STATUS(promise_wait(child, FOR_EVER), PROMISE_OK);
  CHECK_SPY(&spy, 1, 1);
  CHECK(!pthread_equal(spy.thread, pthread_self()));
  CHECK_ENDED(child, PROMISE_FULFILLED, 2);
  RELEASE(child, promise);
}

enum { JOBS = 1000 };
static int order[JOBS], ran;
static atomic_int inside;

static void notes_its_turn(void *ctx) {
  if (atomic_fetch_add(&inside, 1) != 0)
    CHECK_FAIL("two jobs of a serial executor run at once");
  order[ran++] = (int)(intptr_t)ctx;
  atomic_fetch_sub(&inside, 1);
}

RULE(serial_keeps_the_order, "a serial executor keeps the order, and runs one job at a time") {
  static gate_t done = GATE_CLOSED;
  promise_executor_t *serial = promise_executor_serial(NULL);
  CHECK(serial != NULL);
  for (int i = 0; i < JOBS; i++)
    CHECK_STATUS(promise_executor_submit(serial, notes_its_turn, (void *)(intptr_t)i, NULL), PROMISE_OK);
  CHECK_STATUS(promise_executor_submit(serial, open_gate, &done, NULL), PROMISE_OK);
  CHECK_STATUS(promise_executor_release(serial), PROMISE_OK);
  gate_wait(&done);
  CHECK_INT(ran, JOBS);
  for (int i = 0; i < JOBS; i++)
    CHECK_INT(order[i], i);
}

static promise_executor_t *serial_one, *its_target;

static void both_are_current(void *ctx) {
  CHECK_INT(promise_executor_is_current(serial_one), 1);
  CHECK_INT(promise_executor_is_current(its_target), 1);
  note_block(ctx);
}

RULE(a_serial_executor_runs_on_its_target, "a serial executor runs its jobs on its target, and both are current") {
  its_target = promise_executor_immediate();
  serial_one = promise_executor_serial(its_target);
  CHECK_STATUS(promise_executor_submit(serial_one, both_are_current, LETTER('a'), note_free), PROMISE_OK);
  CHECK_TEXT(journal, "aA");
  CHECK_INT(promise_executor_is_current(serial_one), 0);
  CHECK_STATUS(promise_executor_release(serial_one), PROMISE_OK);
}

/* Each level takes stack while a job is submitted, and while it runs. */
RULE(the_129th_serial_executor_is_refused, "a serial executor on the last of 128 is refused") {
  promise_executor_t *all[129];
  for (int i = 0; i < 129; i++) {
    all[i] = promise_executor_serial(i == 0 ? promise_executor_immediate() : all[i - 1]);
    CHECK((all[i] == NULL) == (i == 128));
  }
  CHECK_STATUS(promise_last_status(), PROMISE_EINVAL);
  CHECK_STATUS(promise_executor_submit(all[127], note_block, LETTER('a'), note_free), PROMISE_OK);
  CHECK_TEXT(journal, "aA");
  for (int i = 0; i < 128; i++)
    CHECK_STATUS(promise_executor_release(all[i]), PROMISE_OK);
}

static promise_job_t *kept;

RULE(a_dropped_turn_drops_queued_jobs, "a serial executor whose turn is dropped drops all that waits") {
  spy_t spies[2] = {{0}}, submitted = {0}, later = {0};
  promise_executor_t *target = promise_executor_new(keep_job, &kept, NULL), *serial = promise_executor_serial(target);
  promise_t *children[2];
  for (int i = 0; i < 2; i++)
    children[i] = react_on(serial, spy_handler, &spies[i], spy_free);
  CHECK_STATUS(promise_executor_submit(serial, spy_discard, &submitted, spy_free), PROMISE_OK);
  CHECK(kept != NULL);
  CHECK_STATUS(promise_job_drop(kept), PROMISE_OK);
  for (int i = 0; i < 2; i++) {
    CHECK_SPY(&spies[i], 0, 1);
    CHECK_LIBRARY_ERROR(children[i], PROMISE_ECLOSED);
    release(children[i]);
  }
  CHECK_SPY(&submitted, 0, 1);
  /* The serial executor itself continues, because its target decides about each turn. */
  CHECK_STATUS(promise_executor_submit(serial, spy_discard, &later, spy_free), PROMISE_OK);
  CHECK_STATUS(promise_job_run(kept), PROMISE_OK);
  CHECK_SPY(&later, 1, 1);
  CHECK_STATUS(promise_executor_release(serial), PROMISE_OK);
  /* A dropped job of promise_run() frees its context too, and its promise is rejected. */
  spy_t spy = {0};
  promise_t *promise = promise_run(target, spy_handler, &spy, spy_free);
  CHECK_STATUS(promise_job_drop(kept), PROMISE_OK);
  CHECK_SPY(&spy, 0, 1);
  CHECK_LIBRARY_ERROR(promise, PROMISE_ECLOSED);
  release(promise);
  CHECK_STATUS(promise_executor_release(target), PROMISE_OK);
}

RULE(invalid_arguments_are_refused, "invalid executors, and jobs without a body, are refused") {
  work_t work = {.freed = GATE_CLOSED};
  promise_executor_t *none = (promise_executor_t *)(void *)stale();
  CHECK_POINTER(promise_executor_global(0), NULL);
  CHECK_STATUS(promise_last_status(), PROMISE_EINVAL);
  CHECK_POINTER(promise_executor_global(6), NULL);
  CHECK_POINTER(promise_executor_serial(none), NULL);
  CHECK_STATUS(promise_last_status(), PROMISE_ESTALE);
  CHECK_STATUS(promise_executor_submit(NULL, work_body, &work, work_free), PROMISE_EINVAL);
  CHECK_SPY(&work.spy, 0, 1);
  CHECK_STATUS(promise_executor_submit(none, work_body, &work, work_free), PROMISE_ESTALE);
  CHECK_SPY(&work.spy, 0, 2);
  CHECK_STATUS(promise_executor_submit(promise_executor_immediate(), NULL, &work, work_free), PROMISE_EINVAL);
  CHECK_SPY(&work.spy, 0, 3);
  CHECK_STATUS(promise_executor_is_current(NULL), PROMISE_EINVAL);
  CHECK_STATUS(promise_executor_is_current(none), PROMISE_ESTALE);
}

RULE(work_has_a_promise, "promise_run() gives the promise that a handler on an executor settles") {
  spy_t spy = {.verdict = PROMISE_FULFILL, .answer = i64(7)};
  promise_t *promise = promise_run(NULL, spy_handler, &spy, spy_free);
  CHECK_SPY(&spy, 1, 1);
  CHECK_INT(spy.kind, PROMISE_KIND_VOID);
  CHECK(pthread_equal(spy.thread, pthread_self()));
  CHECK_ENDED(promise, PROMISE_FULFILLED, 7);
  release(promise);
  spy_t away = {.verdict = PROMISE_FULFILL, .answer = i64(7)};
  promise = promise_run(promise_executor_global(PROMISE_PRIORITY_DEFAULT), spy_handler, &away, spy_free);
  CHECK_STATUS(promise_wait(promise, -1), PROMISE_OK);
  CHECK_ENDED(promise, PROMISE_FULFILLED, 7);
  CHECK(!pthread_equal(away.thread, pthread_self()));
  release(promise);
  CHECK_POINTER(promise_run(NULL, NULL, NULL, NULL), NULL);
  CHECK_STATUS(promise_last_status(), PROMISE_EINVAL);
}

static atomic_bool holds_the_processor;
static gate_t is_held = GATE_CLOSED;

static void holds(void *ctx) {
  (void)ctx;
  gate_open(&is_held);
  while (atomic_load(&holds_the_processor)) {
  }
}

/* With one processor the pool runs one job at a time, unless a job blocks. */
RULE(higher_priorities_begin_first, "jobs of a higher priority begin first") {
  CHECK(true);
  if (shares_process())
    return;
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(sched_getcpu(), &one);
  REQUIRE(sched_setaffinity(0, sizeof one, &one) == 0);
  promise_executor_t *pool = promise_executor_global(PROMISE_PRIORITY_DEFAULT);
  atomic_store(&holds_the_processor, true);
  CHECK_STATUS(promise_executor_submit(pool, holds, NULL, NULL), PROMISE_OK);
  gate_wait(&is_held);
  static const promise_priority_t priorities[] = {3, 1, 5, 4, 2};
  enum { COUNT = sizeof priorities / sizeof *priorities };
  static work_t last = {.freed = GATE_CLOSED};
  for (int i = 0; i < COUNT; i++)
    CHECK_STATUS(
        promise_executor_submit(promise_executor_global(priorities[i]), note_block, LETTER('0' + priorities[i]), NULL),
        PROMISE_OK);
  last.executor = promise_executor_global(PROMISE_PRIORITY_BACKGROUND);
  CHECK_STATUS(promise_executor_submit(last.executor, work_body, &last, work_free), PROMISE_OK);
  atomic_store(&holds_the_processor, false);
  gate_wait(&last.freed);
  CHECK_TEXT(journal, "54321");
}
