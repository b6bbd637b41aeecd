/* Serial executors: one job at a time, in order, on any executor. */
#include "scheduling.h"

typedef struct sequence {
  promise_executor_t *executor;
  atomic_int inside;
  long last[4]; /* the last number of each submitting thread */
  countdown_t countdown;
} sequence_t;

typedef struct step {
  sequence_t *sequence;
  int thread;
  long number;
} step_t;

static void takes_a_step(void *ctx) {
  step_t *step = ctx;
  sequence_t *sequence = step->sequence;
  CHECK_INT(atomic_fetch_add(&sequence->inside, 1), 0);
  CHECK_INT(promise_executor_is_current(sequence->executor), 1);
  CHECK_INT(step->number, sequence->last[step->thread] + 1);
  sequence->last[step->thread] = step->number;
  CHECK_INT(atomic_fetch_sub(&sequence->inside, 1), 1);
}

static void frees_a_step(void *ctx) {
  countdown_t *countdown = &((step_t *)ctx)->sequence->countdown;
  free(ctx);
  countdown_tick(countdown);
}

typedef struct submitter {
  sequence_t *sequence;
  int thread;
  long count;
} submitter_t;

static void *submits(void *argument) {
  submitter_t *submitter = argument;
  for (long i = 1; i <= submitter->count; i++) {
    step_t *step = malloc(sizeof *step);
    *step = (step_t){submitter->sequence, submitter->thread, i};
    CHECK_STATUS(promise_executor_submit(submitter->sequence->executor, takes_a_step, step, frees_a_step), PROMISE_OK);
  }
  return NULL;
}

/* The targets are the pool, another serial executor, and an executor that runs jobs inline, on any thread. */
TEST(jobs_run_in_order_and_never_two_at_once) {
  long count = check_scale(5000);
  promise_executor_t *inner = promise_executor_serial(NULL);
  promise_executor_t *const targets[] = {NULL, inner, promise_executor_immediate()};
  for (int i = 0; i < 3; i++) {
    sequence_t sequence = {.executor = promise_executor_serial(targets[i]), .countdown = COUNTDOWN(4 * count)};
    REQUIRE(sequence.executor != NULL);
    submitter_t submitters[4];
    pthread_t threads[4];
    for (int j = 0; j < 4; j++) {
      submitters[j] = (submitter_t){&sequence, j, count};
      threads[j] = start(submits, &submitters[j]);
    }
    for (int j = 0; j < 4; j++)
      finish(threads[j]);
    countdown_wait(&sequence.countdown);
    for (int j = 0; j < 4; j++)
      CHECK_INT(sequence.last[j], count);
    CHECK_STATUS(promise_executor_release(sequence.executor), PROMISE_OK);
  }
  CHECK_STATUS(promise_executor_release(inner), PROMISE_OK);
}

static promise_verdict_t is_on_both(void *ctx, const promise_value_t *in, promise_value_t *out) {
  (void)in, (void)out;
  CHECK_INT(promise_executor_is_current(ctx), 1);
  CHECK_INT(promise_executor_is_current(promise_executor_global(PROMISE_PRIORITY_DEFAULT)), 1);
  CHECK_INT(promise_executor_is_current(promise_executor_global(PROMISE_PRIORITY_UTILITY)), 0);
  return PROMISE_FULFILL;
}

TEST(target_is_current_too) {
  promise_executor_t *serial = promise_executor_serial(NULL);
  promise_t *child = react_on(serial, is_on_both, serial, NULL);
  CHECK_STATUS(promise_wait(child, FOR_EVER), PROMISE_OK);
  promise_release(child);
  promise_executor_release(serial);
}

static promise_verdict_t notes_letter(void *ctx, const promise_value_t *in, promise_value_t *out) {
  (void)in, (void)out;
  note((char)(intptr_t)ctx);
  return PROMISE_FULFILL;
}

/* The target gets one submission for all queued jobs; its turn takes all of them. */
TEST(asks_its_target_for_turns) {
  shelf_t shelf = SHELF_EMPTY;
  promise_executor_t *target = promise_executor_new(shelve, &shelf, NULL), *serial = promise_executor_serial(target);
  promise_t *children[4];
  for (int i = 0; i < 3; i++)
    children[i] = react_on(serial, notes_letter, (void *)(intptr_t)('a' + i), NULL);
  CHECK_INT(shelf.count, 1);
  CHECK_TEXT(journal, "");
  CHECK_STATUS(promise_job_run(take_job(&shelf)), PROMISE_OK);
  CHECK_TEXT(journal, "abc");
  CHECK_INT(shelf.count, 0);
  children[3] = react_on(serial, notes_letter, (void *)'d', NULL);
  CHECK_INT(shelf.count, 1);
  promise_job_t *turn = take_job(&shelf);
  CHECK_STATUS(promise_job_run(turn), PROMISE_OK);
  CHECK_STATUS(promise_job_run(turn), PROMISE_ESTALE);
  CHECK_STATUS(promise_job_drop(turn), PROMISE_ESTALE);
  CHECK_TEXT(journal, "abcd");
  for (int i = 0; i < 4; i++) {
    CHECK_INT(promise_state(children[i]), PROMISE_FULFILLED);
    promise_release(children[i]);
  }
  promise_executor_release(serial);
  promise_executor_release(target);
}

TEST(is_freed_with_its_last_job) {
  shelf_t shelf = SHELF_EMPTY;
  spy_t spy = {0}, context = {0};
  promise_executor_t *target = promise_executor_new(shelve, &shelf, NULL), *serial = promise_executor_serial(target);
  promise_executor_t *outer = promise_executor_new(shelve, &context, spy_free);
  CHECK_STATUS(promise_executor_release(target), PROMISE_OK);
  CHECK_STATUS(promise_executor_submit(serial, spy_discard, &spy, spy_free), PROMISE_OK);
  CHECK_STATUS(promise_executor_release(serial), PROMISE_OK);
  CHECK_STATUS(promise_job_run(take_job(&shelf)), PROMISE_OK);
  CHECK_SPY(&spy, 1, 1);
  CHECK_STATUS(promise_executor_retain(serial), PROMISE_ESTALE);
  CHECK_STATUS(promise_executor_retain(target), PROMISE_ESTALE);
  /* The release of a serial executor releases its target. */
  serial = promise_executor_serial(outer);
  CHECK_STATUS(promise_executor_release(outer), PROMISE_OK);
  CHECK_SPY(&context, 0, 0);
  CHECK_STATUS(promise_executor_release(serial), PROMISE_OK);
  CHECK_SPY(&context, 0, 1);
}

/* A chain of handlers that run inline, through a serial executor, does not recurse. */
static void *settles_a_long_chain(void *argument) {
  (void)argument;
  long length = check_scale(100 * 1000);
  promise_executor_t *serial = promise_executor_serial(promise_executor_immediate());
  promise_t *first = promise_new(), *last = retained(first);
  promise_reaction_t reaction = {.size = sizeof reaction, .executor = serial, .on_fulfilled = adds_one};
  for (long i = 0; i < length; i++) {
    promise_t *next = promise_react(last, &reaction);
    promise_release(last);
    last = next;
  }
  CHECK_STATUS(promise_resolve(first, I64(0)), PROMISE_OK);
  CHECK(ended(last, PROMISE_FULFILLED, length));
  RELEASE(last, first);
  promise_executor_release(serial);
  return NULL;
}

TEST_BY(chain_on_an_immediate_target_takes_no_stack, on_small_stack(settles_a_long_chain, NULL))

typedef struct repetition {
  promise_executor_t *executor;
  promise_loop_t *stopped; /* NULL, or the loop that the tenth job stops */
  int jobs;
} repetition_t;

static void repeats(void *ctx) {
  repetition_t *repetition = ctx;
  if (++repetition->jobs == 10 && repetition->stopped != NULL)
    CHECK_STATUS(promise_loop_stop(repetition->stopped), PROMISE_OK);
  if (repetition->jobs < 10000)
    CHECK_STATUS(promise_executor_submit(repetition->executor, repeats, repetition, NULL), PROMISE_OK);
}

/* Jobs that submit the next one keep no loop busy: it ends its run, or is stopped, after a turn of the executor. */
TEST(a_loop_gets_its_turn) {
  for (int levels = 1; levels <= 2; levels++) {
    promise_loop_t *loop = promise_loop_new();
    promise_executor_t *base = promise_loop_executor(loop), *outer = promise_executor_serial(base);
    promise_executor_t *serial = levels == 1 ? outer : promise_executor_serial(outer);
    repetition_t endless = {.executor = serial}, stops = {.executor = serial, .stopped = loop};
    CHECK_STATUS(promise_executor_submit(serial, repeats, &endless, NULL), PROMISE_OK);
    CHECK_INT(promise_loop_run_once(loop), 1);
    CHECK(endless.jobs > 0 && endless.jobs <= (levels == 1 ? 64 : 64 * 64));
    endless.jobs = 10000;
    CHECK_STATUS(promise_loop_run(loop, 0), PROMISE_ETIMEDOUT);
    CHECK_STATUS(promise_executor_submit(serial, repeats, &stops, NULL), PROMISE_OK);
    CHECK_STATUS(promise_loop_run(loop, FOR_EVER), PROMISE_OK);
    CHECK(stops.jobs >= 10 && stops.jobs < 10000);
    promise_loop_release(loop);
    if (levels == 2)
      promise_executor_release(serial);
    promise_executor_release(outer), promise_executor_release(base);
  }
}

/* Likewise a loop in place of the main one. */
TEST(a_substitute_of_the_main_loop_gets_its_turn) {
  promise_loop_t *loop = promise_loop_new();
  promise_executor_t *base = promise_loop_executor(loop);
  CHECK_STATUS(promise_executor_set_main(base), PROMISE_OK);
  promise_executor_t *serial = promise_executor_serial(promise_executor_main());
  repetition_t endless = {.executor = serial};
  CHECK_STATUS(promise_executor_submit(serial, repeats, &endless, NULL), PROMISE_OK);
  CHECK_INT(promise_loop_run_once(loop), 1);
  CHECK(endless.jobs > 0 && endless.jobs <= 64);
  endless.jobs = 10000;
  CHECK_STATUS(promise_loop_run(loop, 0), PROMISE_ETIMEDOUT);
  CHECK_STATUS(promise_executor_set_main(NULL), PROMISE_OK);
  promise_executor_release(serial), promise_executor_release(base), promise_loop_release(loop);
}
