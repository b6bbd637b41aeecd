/* fork() while a thread settles a promise: reactions that it has not submitted yet, and handlers of cancel requests. */
#include "forking.h"

typedef struct settlement {
  promise_t *promise;
  gate_t begun, over;
  bool is_forked; /* whether the callback forks instead of waiting */
  pid_t child;
  shelf_t shelf;
  int ran;
} settlement_t;

static promise_verdict_t counts_on(void *ctx, const promise_value_t *in, promise_value_t *out) {
  (void)out;
  ((settlement_t *)ctx)->ran += (int)in->as.i64;
  return PROMISE_FULFILL;
}

static void react_on_shelf(settlement_t *settlement) {
  promise_executor_t *executor = promise_executor_new(shelve, &settlement->shelf, NULL);
  promise_reaction_t reaction = {
      .size = sizeof reaction, .executor = executor, .on_fulfilled = counts_on, .ctx = settlement};
  promise_release(promise_react(settlement->promise, &reaction));
  promise_executor_release(executor);
}

static void run_shelf(settlement_t *settlement) {
  promise_job_t *job;
  while ((job = take_job(&settlement->shelf)) != NULL)
    CHECK_STATUS(promise_job_run(job), PROMISE_OK);
}

static void pauses_or_forks(void *ctx, const promise_value_t *value) {
  (void)value;
  settlement_t *settlement = ctx;
  if (settlement->is_forked) {
    settlement->child = fork();
    if (settlement->child == 0)
      alarm(60);
    react_on_shelf(settlement);
    CHECK_INT(settlement->shelf.count, 0);
  } else {
    gate_open(&settlement->begun);
    gate_wait(&settlement->over);
  }
}

static void *settles_with_reactions(void *argument) {
  settlement_t *settlement = argument;
  settlement->promise = promise_new();
  CHECK_STATUS(promise_observe(settlement->promise, pauses_or_forks, NULL, settlement, NULL), PROMISE_OK);
  react_on_shelf(settlement);
  CHECK_STATUS(promise_resolve(settlement->promise, I64(1)), PROMISE_OK);
  return NULL;
}

#define SETTLEMENT                                                                                                     \
  { .begun = GATE_CLOSED, .over = GATE_CLOSED, .shelf = SHELF_EMPTY }

static void attaches_in_the_child(void *argument) {
  settlement_t *settlement = argument;
  react_on_shelf(settlement);
  react_on_shelf(settlement);
  CHECK_INT(settlement->shelf.count, 2);
  run_shelf(settlement);
  CHECK_INT(settlement->ran, 2);
  CHECK_STATUS(promise_release(settlement->promise), PROMISE_OK);
}

/* Jobs that the settling thread had to submit stay with the parent. The child's own reactions are submitted at once. */
TEST(reactions_of_another_threads_settlement_run_in_the_parent_only) {
  static settlement_t settlement = SETTLEMENT;
  pthread_t thread = start(settles_with_reactions, &settlement);
  gate_wait(&settlement.begun);
  react_on_shelf(&settlement);
  CHECK_INT(settlement.shelf.count, 0);
  IN_CHILD(attaches_in_the_child, &settlement);
  gate_open(&settlement.over);
  finish(thread);
  CHECK_INT(settlement.shelf.count, 2);
  run_shelf(&settlement);
  CHECK_INT(settlement.ran, 2);
  promise_release(settlement.promise);
}

typedef struct request {
  promise_t *promise;
  gate_t begun, over;
  atomic_int frees;
} request_t;

static void is_asked(void *ctx, const promise_value_t *reason) {
  (void)reason;
  request_t *request = ctx;
  gate_open(&request->begun);
  gate_wait(&request->over);
}

static void handler_is_freed(void *ctx) {
  atomic_fetch_add(&((request_t *)ctx)->frees, 1);
}

static void *requests(void *argument) {
  request_t *request = argument;
  CHECK_STATUS(promise_request_cancel(request->promise, NULL), PROMISE_OK);
  return NULL;
}

static void settles_what_was_asked(void *argument) {
  request_t *request = argument;
  CHECK_STATUS(promise_resolve(request->promise, I64(1)), PROMISE_OK);
  CHECK_STATUS(promise_release(request->promise), PROMISE_OK);
  CHECK_INT(atomic_load(&request->frees), 0);
}

/* The child frees no context that a handler of the parent still uses. */
TEST(cancel_handler_of_another_thread_runs_in_the_parent_only) {
  static request_t request = {.begun = GATE_CLOSED, .over = GATE_CLOSED};
  request.promise = promise_new();
  CHECK_STATUS(promise_on_cancel_request(request.promise, is_asked, &request, handler_is_freed), PROMISE_OK);
  pthread_t thread = start(requests, &request);
  gate_wait(&request.begun);
  IN_CHILD(settles_what_was_asked, &request);
  gate_open(&request.over);
  finish(thread);
  CHECK_INT(atomic_load(&request.frees), 1);
  promise_release(request.promise);
}

/* A thread that forks within a callback continues its settlement in both processes. */
TEST(settlement_of_the_forking_thread_continues_in_both_processes) {
  static settlement_t settlement = SETTLEMENT;
  settlement.is_forked = true;
  busy_t busy = BUSY;
  be_busy(&busy, pool());
  settles_with_reactions(&settlement);
  CHECK_INT(settlement.shelf.count, 2);
  run_shelf(&settlement);
  CHECK_INT(settlement.ran, 2);
  promise_release(settlement.promise);
  if (settlement.child == 0)
    _exit(atomic_load(&check_failures) == 0 ? 0 : 1);
  CHECK_CHILD(settlement.child, 0);
  end_busy(&busy);
}

static void forks_and_shelves(void *ctx, promise_job_t *job) {
  settlement_t *settlement = ctx;
  settlement->child = fork();
  if (settlement->child == 0)
    alarm(60);
  react_on_shelf(settlement);
  CHECK_INT(settlement->shelf.count, 0);
  shelve(&settlement->shelf, job);
}

/* A reaction that is attached during a submission is submitted after it, in both processes if the submission forks. */
TEST(executor_may_fork_while_it_takes_a_job) {
  static settlement_t settlement = SETTLEMENT;
  busy_t busy = BUSY;
  be_busy(&busy, pool());
  settlement.promise = promise_new();
  promise_executor_t *executor = promise_executor_new(forks_and_shelves, &settlement, NULL);
  promise_reaction_t reaction = {
      .size = sizeof reaction, .executor = executor, .on_fulfilled = counts_on, .ctx = &settlement};
  promise_release(promise_react(settlement.promise, &reaction));
  promise_executor_release(executor);
  CHECK_STATUS(promise_resolve(settlement.promise, I64(1)), PROMISE_OK);
  CHECK_INT(settlement.shelf.count, 2);
  run_shelf(&settlement);
  CHECK_INT(settlement.ran, 2);
  CHECK_STATUS(promise_release(settlement.promise), PROMISE_OK);
  CHECK_INT(promise_state(settlement.promise), PROMISE_ESTALE);
  if (settlement.child == 0)
    _exit(atomic_load(&check_failures) == 0 ? 0 : 1);
  CHECK_CHILD(settlement.child, 0);
  end_busy(&busy);
}
