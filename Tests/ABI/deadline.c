/* cancel.h: deadlines of tokens. */
#include "scheduling.h"

#define NEVER INT64_MAX

static promise_token_t *token_new(void) {
  promise_token_t *token = promise_token_new(0);
  REQUIRE(token != NULL);
  CHECK_INT(promise_token_deadline(token), NEVER);
  return token;
}

static void set(promise_token_t *token, promise_executor_t *executor, int64_t deadline) {
  CHECK_STATUS(promise_token_set_deadline(token, executor, deadline), PROMISE_OK);
}

/* A cancel-request handler that cancels its context, a promise, with the reason of the request. */
static void give_up(void *ctx, const promise_value_t *reason) {
  promise_value_t cause = *reason, discarded;
  CHECK_STATUS(promise_value_retain(&cause), PROMISE_OK);
  CHECK_STATUS(promise_value_discarded(&discarded, &cause), PROMISE_OK);
  CHECK_STATUS(promise_reject(ctx, &discarded), PROMISE_OK);
}

static promise_t *work(promise_token_t *token) {
  promise_t *promise = promise_new();
  CHECK_STATUS(promise_on_cancel_request(promise, give_up, promise, NULL), PROMISE_OK);
  if (token != NULL)
    CHECK_STATUS(promise_token_add(token, promise), PROMISE_OK);
  return promise;
}

/* Returns whether the promise was cancelled because the deadline had passed. */
static bool is_late(promise_t *promise) {
  promise_value_t reason;
  if (promise_state(promise) != PROMISE_REJECTED || promise_result(promise, &reason) != PROMISE_OK)
    return false;
  const promise_value_t *cause = promise_value_cause(&reason);
  bool late = reason.kind == PROMISE_KIND_DISCARDED && cause != NULL && cause->kind == PROMISE_KIND_ERROR &&
              strcmp(promise_value_domain(cause), "promise") == 0 && promise_value_code(cause) == PROMISE_ETIMEDOUT;
  promise_value_release(&reason);
  return late;
}

TEST(token_is_cancelled_at_its_deadline) {
  promise_token_t *token = token_new();
  promise_t *first = work(token), *second = work(token);
  spy_t spy = {0};
  promise_reaction_t reaction = {
      .size = sizeof reaction, .token = token, .on_rejected = spy_handler, .ctx = &spy, .free_ctx = spy_free};
  promise_t *heard = promise_react(first, &reaction);
  CHECK_INT(promise_token_is_cancelled(token), 0);
  int64_t deadline = promise_now() + 5 * MILLISECONDS;
  set(token, NULL, deadline);
  CHECK_INT(promise_token_deadline(token), deadline);
  CHECK_STATUS(promise_wait(second, FOR_EVER), PROMISE_OK);
  CHECK_STATUS(promise_wait(heard, FOR_EVER), PROMISE_OK);
  CHECK(promise_now() >= deadline);
  CHECK_INT(promise_token_is_cancelled(token), 1);
  CHECK(is_late(first));
  CHECK(is_late(second));
  /* The token was not invalidated: a registered handler is called. */
  CHECK_SPY(&spy, 1, 1);
  CHECK_INT(promise_token_generation(token), 0);
  CHECK_INT(promise_token_deadline(token), deadline);
  /* A promise added after the deadline is cancelled at once. */
  promise_t *late = work(token);
  CHECK(is_late(late));
  RELEASE(first, second, heard, late);
  CHECK_STATUS(promise_token_release(token), PROMISE_OK);
}

TEST(earlier_deadline_stays) {
  promise_token_t *token = token_new();
  int64_t hour = promise_now() + HOUR;
  set(token, NULL, NEVER);
  CHECK_INT(promise_token_deadline(token), NEVER);
  set(token, NULL, hour);
  set(token, NULL, hour + 1);
  CHECK_INT(promise_token_deadline(token), hour);
  set(token, NULL, hour - 1);
  CHECK_INT(promise_token_deadline(token), hour - 1);
  promise_t *promise = work(token);
  CHECK_INT(promise_state(promise), PROMISE_PENDING);
  set(token, NULL, 0);
  CHECK_INT(promise_token_deadline(token), 0);
  CHECK_STATUS(promise_wait(promise, FOR_EVER), PROMISE_OK);
  CHECK(is_late(promise));
  promise_release(promise);
  CHECK_STATUS(promise_token_release(token), PROMISE_OK);
}

TEST(chained_tokens_inherit_an_earlier_deadline) {
  promise_token_t *parent = token_new(), *before = token_new(), *after = token_new(), *grandchild = token_new();
  promise_token_t *sooner = token_new(), *apart = token_new();
  int64_t hour = promise_now() + HOUR;
  CHECK_STATUS(promise_token_chain(before, parent, PROMISE_CHAIN_CANCEL), PROMISE_OK);
  CHECK_STATUS(promise_token_chain(grandchild, before, PROMISE_CHAIN_CANCEL), PROMISE_OK);
  CHECK_STATUS(promise_token_chain(apart, parent, 0), PROMISE_OK);
  set(sooner, NULL, hour - 1);
  CHECK_STATUS(promise_token_chain(sooner, parent, PROMISE_CHAIN_CANCEL), PROMISE_OK);
  set(parent, NULL, hour);
  CHECK_STATUS(promise_token_chain(after, parent, PROMISE_CHAIN_CANCEL), PROMISE_OK);
  CHECK_INT(promise_token_deadline(before), hour);
  CHECK_INT(promise_token_deadline(after), hour);
  CHECK_INT(promise_token_deadline(grandchild), hour);
  CHECK_INT(promise_token_deadline(sooner), hour - 1);
  CHECK_INT(promise_token_deadline(apart), NEVER); /* chained without PROMISE_CHAIN_CANCEL */
  /* A child's deadline does not change its parent's. */
  set(before, NULL, hour - 2);
  CHECK_INT(promise_token_deadline(parent), hour);
  CHECK_INT(promise_token_deadline(grandchild), hour - 2);
  promise_token_t *all[] = {parent, before, after, grandchild, sooner, apart};
  for (int i = 0; i < 6; i++)
    CHECK_STATUS(promise_token_release(all[i]), PROMISE_OK);
}

TEST(inherited_deadline_outlives_the_parent) {
  promise_token_t *parent = token_new(), *child = token_new();
  set(parent, NULL, promise_now() + 5 * MILLISECONDS);
  CHECK_STATUS(promise_token_chain(child, parent, PROMISE_CHAIN_CANCEL), PROMISE_OK);
  CHECK_STATUS(promise_token_release(parent), PROMISE_OK);
  promise_t *promise = work(child);
  CHECK_STATUS(promise_wait(promise, FOR_EVER), PROMISE_OK);
  CHECK(is_late(promise));
  promise_release(promise);
  CHECK_STATUS(promise_token_release(child), PROMISE_OK);
}

/* With a loop as its executor, a deadline needs no other thread: the timer runs in the loop. */
TEST(loop_may_keep_the_time) {
  promise_loop_t *loop = promise_loop_new();
  promise_executor_t *executor = promise_loop_executor(loop);
  promise_token_t *token = token_new(), *child = token_new();
  CHECK_STATUS(promise_token_chain(child, token, PROMISE_CHAIN_CANCEL), PROMISE_OK);
  promise_t *promise = work(token), *theirs = work(child);
  int before = thread_count();
  set(token, executor, promise_now() + MILLISECONDS);
  CHECK_STATUS(promise_loop_wait(loop, promise, FOR_EVER), PROMISE_OK);
  CHECK_STATUS(promise_loop_wait(loop, theirs, FOR_EVER), PROMISE_OK);
  CHECK(is_late(promise));
  CHECK(is_late(theirs));
  if (!shares_process())
    CHECK_INT(thread_count(), before);
  /* A chained token inherits the executor too. A loop that is freed stops the timers. */
  promise_token_t *later = token_new(), *chained = token_new();
  set(later, executor, promise_now() + HOUR);
  CHECK_STATUS(promise_token_chain(chained, later, PROMISE_CHAIN_CANCEL), PROMISE_OK);
  CHECK_STATUS(promise_loop_release(loop), PROMISE_OK);
  CHECK(promise_token_deadline(chained) < NEVER);
  promise_token_t *all[] = {token, child, later, chained};
  for (int i = 0; i < 4; i++)
    CHECK_STATUS(promise_token_release(all[i]), PROMISE_OK);
  promise_executor_release(executor);
  RELEASE(promise, theirs);
}

/* The last release stops the timer: no request is made, and no reference is left. */
TEST(releasing_the_token_stops_its_timer) {
  shelf_t shelf = SHELF_EMPTY;
  promise_executor_t *executor = promise_executor_new(shelve, &shelf, NULL);
  promise_token_t *token = token_new();
  promise_t *promise = work(token);
  set(token, executor, promise_now() + HOUR);
  CHECK_STATUS(promise_token_retain(token), PROMISE_OK);
  CHECK_STATUS(promise_token_release(token), PROMISE_OK);
  CHECK(promise_token_deadline(token) < NEVER);
  CHECK_STATUS(promise_token_release(token), PROMISE_OK);
  CHECK_INT(promise_token_deadline(token), PROMISE_ESTALE);
  CHECK_INT(promise_cancel_requested(promise), 0);
  /* Only the stopped timer had held the executor, which is destroyed with its last handle. */
  CHECK_STATUS(promise_executor_release(executor), PROMISE_OK);
  CHECK_STATUS(promise_executor_release(executor), PROMISE_ESTALE);
  promise_release(promise);
}

typedef struct contest {
  promise_token_t *token;
  promise_token_t *child;
  int64_t hour;
} contest_t;

static void *sets(void *argument) {
  contest_t *contest = argument;
  for (int64_t i = 0; i < 500; i++) {
    promise_token_set_deadline(contest->token, NULL, contest->hour - i);
    promise_token_t *other = promise_token_new(0);
    promise_token_chain(other, contest->token, PROMISE_CHAIN_CANCEL);
    CHECK(promise_token_deadline(other) <= contest->hour - i);
    promise_token_release(other);
  }
  return NULL;
}

TEST(earliest_of_many_threads_stays) {
  contest_t contest = {token_new(), token_new(), promise_now() + HOUR};
  CHECK_STATUS(promise_token_chain(contest.child, contest.token, PROMISE_CHAIN_CANCEL), PROMISE_OK);
  pthread_t threads[4];
  for (int i = 0; i < 4; i++)
    threads[i] = start(sets, &contest);
  for (int i = 0; i < 4; i++)
    finish(threads[i]);
  CHECK_INT(promise_token_deadline(contest.token), contest.hour - 499);
  CHECK_INT(promise_token_deadline(contest.child), contest.hour - 499);
  promise_token_release(contest.token);
  promise_token_release(contest.child);
}

TEST(now_is_the_monotonic_clock) {
  int64_t before = now(), between = promise_now(), after = now();
  CHECK(before <= between && between <= after);
}
