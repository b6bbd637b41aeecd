/* Random calls, from callbacks too, on one thread and on several. In any order, every context is freed once, no
 * callback is called twice or after its context was freed, and every object is destroyed once. The seeds are fixed. */
#include "race.h"

enum { SLOTS = 12, MONKEYS = 4 };

/* ---- Counters ---- */

static atomic_long contexts_made, contexts_freed, objects_made, objects_destroyed, calls_too_many;

/* The context of an attached callback. */
typedef struct bond {
  atomic_int calls;
  struct monkey
      *monkey; /* the monkey that attached the callback, and makes further moves in the callback if that runs on its
                * thread */
} bond_t;

static void bond_free(void *ctx) {
  atomic_fetch_add(&contexts_freed, 1);
  free(ctx);
}

static void object_destroy(void *payload) {
  atomic_fetch_add(&objects_destroyed, 1);
  free(payload);
}

/* ---- A player ---- */

typedef struct monkey {
  uint64_t random;
  int depth;
  pthread_t thread;
  promise_t **slots; /* shared by all monkeys, each of which has a reference to each promise */
  promise_t *own[SLOTS];
  promise_executor_t *executor;
  promise_job_t *jobs[256];
  int job_count;
} monkey_t;

static uint64_t draw(monkey_t *monkey, uint64_t below) {
  monkey->random ^= monkey->random << 13;
  monkey->random ^= monkey->random >> 7;
  monkey->random ^= monkey->random << 17;
  return monkey->random % below;
}

static void play(monkey_t *monkey, int moves);

static promise_t *any_promise(monkey_t *monkey) {
  uint64_t slot = draw(monkey, 2 * SLOTS);
  return slot < SLOTS ? monkey->slots[slot] : monkey->own[slot - SLOTS];
}

static promise_value_t any_value(monkey_t *monkey) {
  promise_value_t value = *I64((int64_t)draw(monkey, 100));
  switch (draw(monkey, 5)) {
  case 0:
    return text("a text that is too long to lie in a cell");
  case 1:
    return error("monkey", 1, "a reason");
  case 2:
    atomic_fetch_add(&objects_made, 1);
    REQUIRE(promise_value_object(&value, promise_type_named("test.monkey"), malloc(1)) == PROMISE_OK);
    return value;
  case 3:
    /* A settled promise: pending promises that hold each other in a cycle would never be destroyed. */
    return holding(fulfilled(1));
  default:
    return value;
  }
}

/* Counts a call of a callback, and lets its monkey make further moves within the call. */
static void called(void *ctx) {
  bond_t *bond = ctx;
  if (atomic_fetch_add(&bond->calls, 1) > 0)
    atomic_fetch_add(&calls_too_many, 1);
  monkey_t *monkey = bond->monkey;
  if (pthread_equal(monkey->thread, pthread_self()) && monkey->depth < 4)
    play(monkey, 2);
}

static void observer(void *ctx, const promise_value_t *value) {
  promise_value_t copy = *value;
  if (promise_value_retain(&copy) == PROMISE_OK)
    promise_value_release(&copy);
  called(ctx);
}

static void on_discard(void *ctx) {
  called(ctx);
}

static promise_verdict_t handler(void *ctx, const promise_value_t *in, promise_value_t *out) {
  bond_t *bond = ctx;
  monkey_t *monkey = bond->monkey;
  called(ctx);
  *out = *in;
  if (promise_value_retain(out) != PROMISE_OK)
    *out = *VOID();
  if (!pthread_equal(monkey->thread, pthread_self()))
    return PROMISE_FULFILL;
  if (draw(monkey, 3) != 0)
    return (promise_verdict_t)(PROMISE_FULFILL - 1 + draw(monkey, 5));
  promise_value_release(out);
  *out = holding(retained(any_promise(monkey)));
  return PROMISE_ADOPT;
}

static void submit(void *ctx, promise_job_t *job) {
  monkey_t *monkey = ctx;
  bool here = pthread_equal(monkey->thread, pthread_self());
  if (here && monkey->job_count < 256 && draw(monkey, 2) == 0) {
    monkey->jobs[monkey->job_count++] = job;
  } else {
    CHECK_STATUS(promise_job_run(job), PROMISE_OK);
  }
}

static bond_t *bind(monkey_t *monkey) {
  bond_t *bond = calloc(1, sizeof *bond);
  REQUIRE(bond != NULL);
  bond->monkey = monkey;
  atomic_fetch_add(&contexts_made, 1);
  return bond;
}

/* Replaces one of the monkey's promises by `promise`. */
static void keep(monkey_t *monkey, promise_t *promise) {
  uint64_t slot = draw(monkey, SLOTS);
  promise_t *before = monkey->own[slot];
  REQUIRE(promise != NULL);
  monkey->own[slot] = promise;
  CHECK_STATUS(promise_release(before), PROMISE_OK);
}

static void move(monkey_t *monkey) {
  /* Retained during the move: a callback of the call itself may replace the promise. */
  promise_t *promise = retained(any_promise(monkey));
  promise_reaction_t reaction = {.size = sizeof reaction, .executor = monkey->executor, .free_ctx = bond_free};
  promise_value_t value;
  switch (draw(monkey, 12)) {
  case 0:
    keep(monkey, promise_new());
    break;
  case 1:
    keep(monkey, promise_new_discardable(on_discard, bind(monkey), bond_free));
    break;
  case 2:
    value = any_value(monkey);
    CHECK(promise_resolve(promise, &value) != PROMISE_ESTALE);
    break;
  case 3:
    value = any_value(monkey);
    CHECK(promise_reject(promise, &value) != PROMISE_ESTALE);
    break;
  case 4:
    CHECK(promise_discard(promise) != PROMISE_ESTALE);
    break;
  case 5:
  case 6:
    keep(monkey, promise_then(promise, handler, bind(monkey), bond_free));
    break;
  case 7:
    keep(monkey, promise_rescue(promise, draw(monkey, 2) == 0 ? NULL : promise_type_named("error"), handler,
                                bind(monkey), bond_free));
    break;
  case 8:
    CHECK_STATUS(promise_observe(promise, observer, observer, bind(monkey), bond_free), PROMISE_OK);
    break;
  case 9:
    reaction.ctx = bind(monkey);
    reaction.on_fulfilled = draw(monkey, 2) == 0 ? handler : NULL;
    reaction.on_rejected = reaction.on_fulfilled == NULL || draw(monkey, 2) == 0 ? handler : NULL;
    keep(monkey, promise_react(promise, &reaction));
    break;
  case 10:
    if (monkey->job_count > 0) {
      promise_job_t *job = monkey->jobs[--monkey->job_count];
      CHECK_STATUS((draw(monkey, 4) == 0 ? promise_job_drop : promise_job_run)(job), PROMISE_OK);
    }
    break;
  default:
    if (promise_wait(promise, (int64_t)draw(monkey, 2)) == PROMISE_OK) {
      CHECK_STATUS(promise_result(promise, &value), PROMISE_OK);
      CHECK_STATUS(promise_value_release(&value), PROMISE_OK);
    }
  }
  CHECK_STATUS(promise_release(promise), PROMISE_OK);
}

static void play(monkey_t *monkey, int moves) {
  monkey->depth++;
  for (int i = 0; i < moves; i++)
    move(monkey);
  monkey->depth--;
}

/* ---- Rounds ---- */

static monkey_t monkeys[MONKEYS];
static promise_t *slots[SLOTS];
static int players;

static void *plays(void *argument) {
  monkey_t *monkey = &monkeys[(intptr_t)argument];
  monkey->thread = pthread_self();
  meet();
  play(monkey, 60);
  meet();
  while (monkey->job_count > 0)
    CHECK_STATUS(promise_job_run(monkey->jobs[--monkey->job_count]), PROMISE_OK);
  return NULL;
}

static void run_round(uint64_t seed) {
  for (int i = 0; i < SLOTS; i++)
    slots[i] = promise_new();
  for (int i = 0; i < players; i++) {
    monkey_t *monkey = &monkeys[i];
    memset(monkey, 0, sizeof *monkey);
    monkey->random = (seed * 2 + 1) * UINT64_C(0x9e3779b97f4a7c15) + (uint64_t)i;
    monkey->slots = slots;
    monkey->executor = promise_executor_new(submit, monkey, NULL);
    for (int j = 0; j < SLOTS; j++)
      monkey->own[j] = promise_new();
  }
  race(plays, players);
  for (int i = 0; i < SLOTS; i++)
    CHECK_STATUS(promise_release(slots[i]), PROMISE_OK);
  for (int i = 0; i < players; i++) {
    for (int j = 0; j < SLOTS; j++)
      CHECK_STATUS(promise_release(monkeys[i].own[j]), PROMISE_OK);
    CHECK_STATUS(promise_executor_release(monkeys[i].executor), PROMISE_OK);
  }
}

static void run_rounds(int count, long rounds) {
  REQUIRE(promise_type_register("test.monkey", NULL, object_destroy) != NULL);
  players = count;
  for (long round = 0; round < rounds; round++) {
    run_round((uint64_t)round);
    long contexts = atomic_load(&contexts_made), objects = atomic_load(&objects_made);
    bool sound = CHECK_INT(atomic_load(&contexts_freed), contexts);
    sound = CHECK_INT(atomic_load(&objects_destroyed), objects) && sound;
    sound = CHECK_INT(atomic_load(&calls_too_many), 0) && sound;
    if (!sound) {
      fprintf(stderr, "in round %ld of %d\n", round, count);
      return;
    }
  }
  CHECK(atomic_load(&contexts_made) > rounds && atomic_load(&objects_made) > rounds);
}

TEST(one_monkey) {
  run_rounds(1, check_scale(20000));
}
TEST(two_monkeys) {
  run_rounds(2, check_scale(20000));
}
TEST(many_monkeys) {
  run_rounds(MONKEYS, check_scale(10000));
}
