/* The order in which reactions with an executor are submitted, while attaching races settling. */
#include "race.h"
#include "scheduling.h"

#define REACTIONS 6

/* The numbers of the reactions of a round, in the order in which they ran. */
static int ran[2 * REACTIONS];
static atomic_int ran_count;

static promise_verdict_t runs(void *ctx, const promise_value_t *in, promise_value_t *out) {
  (void)in;
  *out = *I64((intptr_t)ctx);
  int place = atomic_fetch_add(&ran_count, 1);
  if (place < 2 * REACTIONS)
    ran[place] = (int)(intptr_t)ctx;
  return PROMISE_FULFILL;
}

static promise_t *attach(promise_t *source, promise_executor_t *executor, int number) {
  promise_reaction_t reaction = {.size = sizeof reaction,
                                 .executor = executor,
                                 .on_fulfilled = runs,
                                 .on_rejected = runs,
                                 .ctx = (void *)(intptr_t)number};
  promise_t *child = promise_react(source, &reaction);
  REQUIRE(child != NULL);
  return child;
}

static bool ran_in_order(int count) {
  bool holds = atomic_load(&ran_count) == count;
  for (int i = 0; holds && i < count; i++)
    holds = ran[i] == i + 1;
  return holds;
}

static void ran_clear(void) {
  atomic_store(&ran_count, 0);
}

/* ---- Races ---- */

/* The ways in which a promise is settled. */
enum { RESOLVED, REJECTED, DISCARDED, DERIVED, FOLLOWING, LINKED, WAYS };

static struct {
  long rounds;
  promise_executor_t *executor;
  int early; /* the number of reactions that are attached before the race begins */
  promise_t *source, *promise, *children[REACTIONS];
  long unordered;
} races;

static promise_t *new_promise(long round) {
  races.source = promise_new();
  switch (round % WAYS) {
  case DERIVED:
    return promise_then(races.source, adds_one, NULL, NULL);
  case LINKED: {
    promise_t *promise = promise_new_discardable(NULL, NULL, NULL);
    REQUIRE(promise_follow(promise, races.source) == PROMISE_OK);
    return promise;
  }
  case FOLLOWING: {
    promise_t *promise = promise_new();
    REQUIRE(promise_follow(promise, races.source) == PROMISE_OK);
    return promise;
  }
  default:
    return retained(races.source);
  }
}

static void settle(long round) {
  if (round % WAYS == REJECTED)
    promise_reject(races.source, I64(1));
  else if (round % WAYS == DISCARDED)
    promise_discard(races.source);
  else
    promise_resolve(races.source, I64(1));
}

static void *races_body(void *argument) {
  for (long round = 0; round < races.rounds; round++) {
    if (argument == NULL) {
      ran_clear();
      races.promise = new_promise(round);
      for (int i = 0; i < races.early; i++)
        races.children[i] = attach(races.promise, races.executor, i + 1);
    }
    meet();
    if (argument == NULL) {
      settle(round);
    } else {
      for (int i = races.early; i < REACTIONS; i++)
        races.children[i] = attach(races.promise, races.executor, i + 1);
    }
    meet();
    if (argument != NULL)
      continue;
    for (int i = 0; i < REACTIONS; i++) {
      CHECK_STATUS(promise_wait(races.children[i], FOR_EVER), PROMISE_OK);
      promise_release(races.children[i]);
    }
    if (!ran_in_order(REACTIONS))
      races.unordered++;
    RELEASE(races.promise, races.source);
  }
  return NULL;
}

static void race_on(promise_executor_t *executor) {
  for (int early = 0; early <= 2; early += 2) {
    races.rounds = check_scale(12000);
    races.executor = executor;
    races.early = early;
    races.unordered = 0;
    race(races_body, 2);
    CHECK_INT(races.unordered, 0);
  }
}

TEST(serial_executors_keep_the_order) {
  promise_executor_t *serial = promise_executor_serial(NULL);
  race_on(serial);
  promise_executor_release(serial);
}

static promise_loop_t *loop;

static void *runs_loop(void *argument) {
  (void)argument;
  CHECK_STATUS(promise_loop_run(loop, FOR_EVER), PROMISE_OK);
  return NULL;
}

TEST(loops_keep_the_order) {
  loop = promise_loop_new();
  REQUIRE(loop != NULL);
  pthread_t thread = start(runs_loop, NULL);
  promise_executor_t *executor = promise_loop_executor(loop);
  race_on(executor);
  promise_executor_release(executor);
  CHECK_STATUS(promise_loop_stop(loop), PROMISE_OK);
  finish(thread);
  promise_loop_release(loop);
}

/* The queue of an executor whose jobs a separate thread runs, in order of submission. */
static shelf_t shelf = SHELF_EMPTY;
static atomic_bool shelf_is_closed;

static void *serves_the_shelf(void *argument) {
  (void)argument;
  while (!atomic_load(&shelf_is_closed)) {
    promise_job_t *job = take_job(&shelf);
    if (job != NULL)
      CHECK_STATUS(promise_job_run(job), PROMISE_OK);
    else
      sched_yield();
  }
  return NULL;
}

TEST(foreign_executors_keep_the_order) {
  atomic_store(&shelf_is_closed, false);
  promise_executor_t *executor = promise_executor_new(shelve, &shelf, NULL);
  pthread_t thread = start(serves_the_shelf, NULL);
  race_on(executor);
  atomic_store(&shelf_is_closed, true);
  finish(thread);
  promise_executor_release(executor);
}

/* ---- One thread is in the middle of settling ---- */

static promise_t *subject;
static promise_executor_t *shelving;
static promise_t *kept[REACTIONS];

static void prepare(void) {
  ran_clear();
  subject = promise_new();
  shelving = promise_executor_new(shelve, &shelf, NULL);
}

static void run_shelf(void) {
  promise_job_t *job;
  while ((job = take_job(&shelf)) != NULL)
    CHECK_STATUS(promise_job_run(job), PROMISE_OK);
}

/* Runs the submitted jobs. Checks that they were the reactions 1 to `count`, in order, and their promises in `kept`. */
static void conclude(int count) {
  run_shelf();
  CHECK(ran_in_order(count));
  for (int i = 0; i < count; i++) {
    CHECK(ended(kept[i], PROMISE_FULFILLED, i + 1));
    promise_release(kept[i]);
  }
  promise_executor_release(shelving);
  promise_release(subject);
}

typedef struct pause {
  gate_t begun, over;
} pause_t;

#define PAUSE                                                                                                          \
  { GATE_CLOSED, GATE_CLOSED }

static void pauses(void *ctx, const promise_value_t *value) {
  (void)value;
  pause_t *pause = ctx;
  gate_open(&pause->begun);
  gate_wait(&pause->over);
}

static void *resolves_subject(void *argument) {
  (void)argument;
  CHECK_STATUS(promise_resolve(subject, I64(1)), PROMISE_OK);
  return NULL;
}

/* The settling thread is in a callback before the reactions with an executor. Attaching does not wait for that
 * callback, and does not overtake those reactions. */
TEST(a_busy_callback_does_not_hold_up_other_threads) {
  prepare();
  pause_t pause = PAUSE;
  promise_observe(subject, pauses, NULL, &pause, NULL);
  kept[0] = attach(subject, shelving, 1);
  pthread_t thread = start(resolves_subject, NULL);
  gate_wait(&pause.begun);
  kept[1] = attach(subject, shelving, 2);
  kept[2] = attach(subject, shelving, 3);
  CHECK_INT(shelf.count, 0);
  /* A reaction without a handler for the outcome passes it through at once. A callback without an executor runs at
   * once. */
  promise_reaction_t other = {.size = sizeof other, .executor = shelving, .on_rejected = runs};
  promise_t *passed = promise_react(subject, &other);
  CHECK(ended(passed, PROMISE_FULFILLED, 1));
  promise_release(passed);
  passed = promise_then(subject, adds_one, NULL, NULL);
  CHECK(ended(passed, PROMISE_FULFILLED, 2));
  promise_release(passed);
  gate_open(&pause.over);
  finish(thread);
  CHECK_INT(shelf.count, 3);
  conclude(3);
}

/* ---- A callback attaches to the promise that is being settled ---- */

static void attaches_two(void *ctx, const promise_value_t *value) {
  (void)value;
  int number = (int)(intptr_t)ctx;
  int before = shelf.count;
  kept[number - 1] = attach(subject, shelving, number);
  kept[number] = attach(subject, shelving, number + 1);
  CHECK_INT(shelf.count, before + (number == 5 ? 2 : 0));
}

TEST(nested_reactions_come_after_those_attached_before) {
  prepare();
  kept[0] = attach(subject, shelving, 1);
  promise_observe(subject, attaches_two, NULL, (void *)3, NULL);
  kept[1] = attach(subject, shelving, 2);
  /* No submission is pending: these two reactions are submitted at once. */
  promise_observe(subject, attaches_two, NULL, (void *)5, NULL);
  CHECK_STATUS(promise_resolve(subject, I64(1)), PROMISE_OK);
  conclude(6);
}

static void releases_subject(void *ctx, const promise_value_t *value) {
  (void)ctx;
  (void)value;
  CHECK_STATUS(promise_release(subject), PROMISE_OK);
}

TEST(the_last_reference_may_be_released_in_a_callback) {
  prepare();
  promise_observe(subject, releases_subject, NULL, NULL, NULL);
  kept[0] = attach(subject, shelving, 1);
  kept[1] = attach(subject, shelving, 2);
  promise_t *lent = subject;
  CHECK_STATUS(promise_resolve(lent, I64(1)), PROMISE_OK);
  CHECK_STATUS(promise_state(lent), PROMISE_ESTALE);
  subject = promise_new();
  conclude(2);
}

/* ---- An executor that runs its jobs within submit, or is slow to take a job ---- */

static promise_verdict_t attaches_the_next(void *ctx, const promise_value_t *in, promise_value_t *out) {
  int number = (int)(intptr_t)ctx;
  runs(ctx, in, out);
  if (number == 1) {
    kept[2] = attach(subject, shelving, 3);
    kept[3] = attach(subject, shelving, 4);
    CHECK_INT(atomic_load(&ran_count), 1);
  }
  return PROMISE_FULFILL;
}

TEST(an_executor_that_runs_at_once_keeps_the_order) {
  prepare();
  promise_executor_release(shelving);
  shelving = promise_executor_new(run_at_once, NULL, NULL);
  promise_reaction_t reaction = {
      .size = sizeof reaction, .executor = shelving, .on_fulfilled = attaches_the_next, .ctx = (void *)1};
  kept[0] = promise_react(subject, &reaction);
  kept[1] = attach(subject, shelving, 2);
  CHECK_STATUS(promise_resolve(subject, I64(1)), PROMISE_OK);
  conclude(4);
}

static void shelves_slowly(void *ctx, promise_job_t *job) {
  shelve(&shelf, job);
  pauses(ctx, NULL);
}

TEST(a_slow_executor_does_not_hold_up_other_threads) {
  prepare();
  pause_t pause = PAUSE;
  promise_executor_t *slow = promise_executor_new(shelves_slowly, &pause, NULL);
  kept[0] = attach(subject, slow, 1);
  pthread_t thread = start(resolves_subject, NULL);
  gate_wait(&pause.begun);
  kept[1] = attach(subject, shelving, 2);
  kept[2] = attach(subject, shelving, 3);
  gate_open(&pause.over);
  finish(thread);
  promise_executor_release(slow);
  conclude(3);
}

/* ---- Waits for a reaction that the waiting thread has to submit ---- */

static void waits_for_the_next(void *ctx, const promise_value_t *value) {
  (void)value;
  kept[1] = attach(ctx, shelving, 2);
  CHECK_STATUS(promise_wait(kept[1], FOR_EVER), PROMISE_EDEADLK);
}

TEST(waiting_for_a_later_reaction_is_a_deadlock) {
  for (long way = 0; way < WAYS; way++) {
    if (way == REJECTED || way == DISCARDED)
      continue;
    prepare();
    promise_t *promise = new_promise(way);
    promise_observe(promise, waits_for_the_next, NULL, promise, NULL);
    kept[0] = attach(promise, shelving, 1);
    settle(way);
    RELEASE(races.source, promise);
    conclude(2);
  }
}
