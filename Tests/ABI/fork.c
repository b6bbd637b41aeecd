/* fork(): work of the forking thread continues in the child; work of other threads stays with the parent. */
#include "forking.h"

/* ---- Work of one thread ---- */

static void settles_what_is_pending(void *argument) {
  promise_t **promises = argument;
  CHECK_STATUS(promise_resolve(promises[0], I64(1)), PROMISE_OK);
  CHECK(ended(promises[1], PROMISE_FULFILLED, 2));
  promise_t *more = promise_then(promises[1], adds_one, NULL, NULL);
  CHECK(ended(more, PROMISE_FULFILLED, 3));
  CHECK_STATUS(promise_wait(more, FOR_EVER), PROMISE_OK);
  RELEASE(more, promises[1], promises[0]);
}

TEST(promises_of_one_thread_go_on) {
  promise_t *promises[2] = {promise_new()};
  promises[1] = promise_then(promises[0], adds_one, NULL, NULL);
  IN_CHILD(settles_what_is_pending, promises);
  CHECK_INT(promise_state(promises[0]), PROMISE_PENDING);
  settles_what_is_pending(promises);
}

static void forks_again(void *argument) {
  IN_CHILD(settles_what_is_pending, argument);
  settles_what_is_pending(argument);
}

TEST(children_have_children) {
  promise_t *promises[2] = {promise_new()};
  promises[1] = promise_then(promises[0], adds_one, NULL, NULL);
  IN_CHILD(forks_again, promises);
  settles_what_is_pending(promises);
}

static void becomes_another_program(void *argument) {
  execlp(argument, argument, (char *)NULL);
  CHECK(false);
}

TEST(child_may_exec_or_end_at_once) {
  busy_t busy = BUSY;
  be_busy(&busy, pool());
  CHECK_CHILD(child_start(becomes_another_program, "true"), 0);
  CHECK_CHILD(child_start(becomes_another_program, "false"), 1);
  pid_t child = fork();
  if (child == 0)
    _exit(3);
  CHECK_CHILD(child, 3);
  end_busy(&busy);
}

/* ---- Waiting ---- */

static void cannot_wait_for(void *argument) {
  promise_t *promise = argument, *derived = promise_then(promise, adds_one, NULL, NULL);
  promise_t *both[] = {promise, derived};
  CHECK_INT(promise_state(promise), PROMISE_PENDING);
  CHECK_STATUS(promise_wait(promise, FOR_EVER), PROMISE_EDEADLK);
  CHECK_STATUS(promise_wait(derived, 3600000 * MILLISECONDS), PROMISE_EDEADLK);
  CHECK_STATUS(promise_wait(derived, 0), PROMISE_ETIMEDOUT);
  CHECK_STATUS(promise_wait_any(both, 2, FOR_EVER, NULL), PROMISE_EDEADLK);
  promise_loop_t *loop = promise_loop_new();
  CHECK_STATUS(promise_loop_wait(loop, promise, FOR_EVER), PROMISE_EDEADLK);
  promise_loop_release(loop);
  /* The idle threads of the child settle nothing, so the waits still fail. */
  works(pool());
  CHECK_STATUS(promise_wait(promise, FOR_EVER), PROMISE_EDEADLK);
  CHECK_STATUS(promise_wait_any(both, 2, FOR_EVER, NULL), PROMISE_EDEADLK);
  /* The child can still settle the promise. */
  CHECK_STATUS(promise_reject(promise, I64(7)), PROMISE_OK);
  CHECK(ended(derived, PROMISE_REJECTED, 7));
  promise_release(derived);
}

TEST(waits_for_threads_of_the_parent_are_refused) {
  busy_t busy = BUSY;
  be_busy(&busy, pool());
  IN_CHILD(cannot_wait_for, busy.promise);
  end_busy(&busy);
}

static void waits_for_a_thread(void *argument) {
  promise_t *promise = argument;
  pthread_t thread = start(resolve_there, promise);
  CHECK_STATUS(promise_wait(promise, FOR_EVER), PROMISE_OK);
  finish(thread);
}

TEST(child_waits_for_threads_of_its_own) {
  promise_t *promise = promise_new();
  IN_CHILD(waits_for_a_thread, promise);
  promise_release(promise);
}

/* ---- The pool, timers, serial executors ---- */

static void starts_afresh(void *argument) {
  promise_t *sleeping = argument;
  for (promise_priority_t priority = PROMISE_PRIORITY_BACKGROUND; priority <= PROMISE_PRIORITY_USER_INTERACTIVE;
       priority++)
    works(promise_executor_global(priority));
  promise_t *sleep = promise_sleep(1);
  CHECK_STATUS(promise_wait(sleep, FOR_EVER), PROMISE_OK);
  CHECK_STATUS(promise_release(sleep), PROMISE_OK);
  CHECK_STATUS(promise_wait(sleeping, FOR_EVER), PROMISE_EDEADLK);
  CHECK_STATUS(promise_discard(sleeping), PROMISE_OK);
}

TEST(pool_and_timers_start_afresh) {
  busy_t busy = BUSY;
  be_busy(&busy, pool());
  promise_t *sleeping = promise_sleep(3600000 * MILLISECONDS);
  IN_CHILD(starts_afresh, sleeping);
  IN_CHILD(starts_afresh, sleeping);
  CHECK_INT(promise_state(sleeping), PROMISE_PENDING);
  promise_discard(sleeping);
  promise_release(sleeping);
  end_busy(&busy);
}

/* A pipe that parent and child share: each job writes a letter to it, in the process that runs the job. */
static int told[2];

static promise_verdict_t tell(void *ctx, const promise_value_t *in, promise_value_t *out) {
  (void)in;
  (void)out;
  CHECK_INT(write(told[1], ctx, 1), 1);
  return PROMISE_FULFILL;
}

static void serial_goes_on(void *argument) {
  works(argument);
  works(argument);
}

TEST(queued_jobs_run_in_the_parent_only) {
  REQUIRE(pipe(told) == 0);
  busy_t busy = BUSY;
  promise_executor_t *serial = promise_executor_serial(NULL), *upon = promise_executor_serial(serial);
  be_busy(&busy, upon);
  promise_t *behind = react_on(upon, tell, "b", NULL), *below = react_on(serial, tell, "s", NULL);
  IN_CHILD(serial_goes_on, upon);
  IN_CHILD(serial_goes_on, serial);
  end_busy(&busy);
  CHECK_STATUS(promise_wait(behind, FOR_EVER), PROMISE_OK);
  CHECK_STATUS(promise_wait(below, FOR_EVER), PROMISE_OK);
  /* Two letters: the children have not run the jobs. */
  char text[4] = "";
  CHECK_INT(read(told[0], text, sizeof text), 2);
  close(told[0]);
  close(told[1]);
  RELEASE(behind, below);
  promise_executor_release(upon);
  promise_executor_release(serial);
}

/* Serial executors on an executor of the program, whose turn a thread of the parent took before the fork or not. */
typedef struct turns {
  shelf_t shelf;
  promise_executor_t *serial, *upon;
  promise_t *queued; /* by a job on `upon`, in the parent */
} turns_t;

static void run_turns(turns_t *turns) {
  for (promise_job_t *job; (job = take_job(&turns->shelf)) != NULL;)
    CHECK_STATUS(promise_job_run(job), PROMISE_OK);
}

static void runs_new_turns(void *argument) {
  turns_t *turns = argument;
  promise_executor_t *const executors[] = {turns->upon, turns->serial, turns->upon};
  for (int i = 0; i < 3; i++) {
    promise_t *mine = react_on(executors[i], adds_one, NULL, NULL);
    run_turns(turns);
    CHECK(ended(mine, PROMISE_FULFILLED, 2));
    promise_release(mine);
  }
}

static void runs_old_turns_first(void *argument) {
  turns_t *turns = argument;
  run_turns(turns);
  CHECK(ended(turns->queued, PROMISE_FULFILLED, 2));
  runs_new_turns(argument);
}

/* A turn of the parent that is dropped after the first submission has no jobs left to drop. */
static void drops_the_old_turn(void *argument) {
  turns_t *turns = argument;
  promise_t *mine = react_on(turns->upon, adds_one, NULL, NULL);
  promise_job_drop(take_job(&turns->shelf));
  run_turns(turns);
  CHECK(ended(mine, PROMISE_FULFILLED, 2));
  promise_release(mine);
}

TEST(serial_executors_on_an_executor_of_the_program_start_again) {
  turns_t turns = {.shelf = SHELF_EMPTY};
  promise_executor_t *target = promise_executor_new(shelve, &turns.shelf, NULL);
  turns.serial = promise_executor_serial(target), turns.upon = promise_executor_serial(turns.serial);
  turns.queued = react_on(turns.upon, adds_one, NULL, NULL);
  IN_CHILD(runs_new_turns, &turns);
  IN_CHILD(runs_old_turns_first, &turns);
  IN_CHILD(drops_the_old_turn, &turns);
  /* A thread has taken the turn, and waits for a lock before it runs it. */
  promise_job_t *taken = take_job(&turns.shelf);
  REQUIRE(taken != NULL);
  IN_CHILD(runs_new_turns, &turns);
  CHECK_STATUS(promise_job_run(taken), PROMISE_OK);
  run_turns(&turns);
  CHECK(ended(turns.queued, PROMISE_FULFILLED, 2));
  promise_release(turns.queued);
  promise_executor_release(turns.upon), promise_executor_release(turns.serial), promise_executor_release(target);
}

/* ---- Forking in the middle of things ---- */

typedef struct forking {
  promise_executor_t *executor;
  promise_t *promise; /* the promise that this callback settles */
} forking_t;

static void goes_on_in_a_callback(void *argument) {
  forking_t *forking = argument;
  CHECK_STATUS(promise_wait(forking->promise, FOR_EVER), PROMISE_EDEADLK);
  for (int i = 0; i < 2; i++)
    works(pool());
  if (forking->executor != NULL)
    CHECK_INT(promise_executor_is_current(forking->executor), 1);
}

static promise_verdict_t forking_handler(void *ctx, const promise_value_t *in, promise_value_t *out) {
  forking_t *forking = ctx;
  IN_CHILD(goes_on_in_a_callback, forking);
  *out = *in;
  return PROMISE_FULFILL;
}

TEST(jobs_may_fork) {
  promise_executor_t *serial = promise_executor_serial(NULL);
  promise_executor_t *executors[] = {pool(), serial};
  for (int i = 0; i < 2; i++) {
    /* Attached before the promise is settled, so that the job can read `forking.promise`. */
    forking_t forking = {.executor = executors[i]};
    promise_t *source = promise_new();
    promise_reaction_t reaction = {
        .size = sizeof reaction, .executor = executors[i], .on_fulfilled = forking_handler, .ctx = &forking};
    forking.promise = promise_react(source, &reaction);
    CHECK_STATUS(promise_resolve(source, I64(1)), PROMISE_OK);
    CHECK_STATUS(promise_wait(forking.promise, FOR_EVER), PROMISE_OK);
    RELEASE(forking.promise, source);
  }
  promise_executor_release(serial);
}

TEST(callbacks_may_fork) {
  forking_t forking = {0};
  promise_t *source = promise_new();
  forking.promise = promise_then(source, forking_handler, &forking, NULL);
  CHECK_STATUS(promise_resolve(source, I64(1)), PROMISE_OK);
  CHECK(ended(forking.promise, PROMISE_FULFILLED, 1));
  RELEASE(forking.promise, source);
}

static void is_on_the_main_thread(void *argument) {
  (void)argument;
  CHECK(promise_is_main_thread());
}

static void *forks(void *argument) {
  CHECK(!promise_is_main_thread());
  IN_CHILD(is_on_the_main_thread, argument);
  return NULL;
}

TEST(thread_that_forks_is_the_main_one) {
  promise_release(promise_new());
  finish(start(forks, NULL));
  CHECK_STATUS(promise_executor_set_main(promise_executor_immediate()), PROMISE_OK);
  finish(start(forks, NULL));
  CHECK_STATUS(promise_executor_set_main(NULL), PROMISE_OK);
}
