/* rounds.h - rounds of random calls: players on several threads, then the release of everything, and the count. */
#ifndef MONKEY_ROUNDS_H
#define MONKEY_ROUNDS_H

#include "executors.h"
#include "process.h"
#include "queues.h"
#include "streams.h"

enum { PROMISE_MOVES = 1, TOKEN_MOVES = 2, EXECUTOR_MOVES = 4, LOOP_MOVES = 8, TIMER_MOVES = 16, QUEUE_MOVES = 32 };
enum { STREAM_MOVES = 64, VALUE_MOVES = 128, MEMORY_MOVES = 256, HOOK_MOVES = 512, MAIN_MOVES = 1024 };
enum { ALL_MOVES = 2047, MOVES = 120 };

static unsigned subjects; /* the kinds of moves of this test */
static int players;
static atomic_long moves_made;

/* Extra work of a variant of the program before and after each move; false: the move is left out. */
static bool begin_move(void);
static void end_move(void);

static void move(void) {
  static void (*const moves[])(void) = {promise_move, token_move, executor_move, loop_move,  timer_move, queue_move,
                                        stream_move,  value_move, memory_move,   hooks_move, main_move};
  uint64_t subject = draw(11);
  if (toss(8))
    request_move();
  else if ((subjects >> subject & 1) != 0 && (subject < 7 || toss(4)))
    moves[subject]();
  else
    promise_move();
}

static void play(int count) {
  here.depth++;
  for (int i = 0; i < count; i++) {
    int count_held = held_count;
    if (begin_move())
      move();
    let_go_of_held(count_held);
    end_move();
    atomic_fetch_add(&moves_made, 1);
  }
  here.depth--;
}

static void *player(void *argument) {
  here = (monkey_t){.random = (seed * 2 + 1) * UINT64_C(0x9e3779b97f4a7c15) + (uint64_t)(intptr_t)argument + 1};
  /* Makes this player's thread the main thread, for main_move(). */
  if (argument == NULL && (subjects & MAIN_MOVES) != 0)
    promise_executor_set_main(NULL);
  meet();
  play(MOVES);
  return NULL;
}

/* ---- The end of a round ---- */

static bool all_freed(void) {
  return atomic_load(&bonds_freed) >= atomic_load(&bonds_used);
}

static void empty_slots(void) {
  for (int kind = 0; kind < KINDS; kind++) {
    for (int slot = 0; slot < SLOTS; slot++) {
      let_go((kind_t)kind, exchange(&slots[kind][slot], NULL));
    }
  }
}

static void run_what_waits(void) {
  for (int place = 0; place < JOBS; place++) {
    promise_job_t *job = atomic_exchange(&jobs[place], NULL);
    if (job != NULL)
      promise_job_run(job);
  }
  promise_loop_run_once(promise_loop_main());
}

/* Ends a round: callbacks make no more calls; handles and jobs are released, and with them their contexts. */
static void end_round(void) {
  long patience = check_patience();
  atomic_store(&closing, true);
  while (atomic_load(&visits) > 0)
    sched_yield();
  promise_set_hooks(NULL);
  promise_executor_set_main(NULL);
  empty_slots();
  run_what_waits();
  while (!all_freed() && patience-- > 0) {
    usleep(1000);
    run_what_waits();
  }
}

static bool check_round(void) {
  bool sound = CHECK_INT(atomic_load(&bonds_freed), atomic_load(&bonds_used));
  sound = CHECK_INT(atomic_load(&frees_too_many), 0) && sound;
  sound = CHECK_INT(atomic_load(&calls_too_many), 0) && sound;
  return CHECK_INT(atomic_load(&calls_too_late), 0) && sound;
}

static bool run_round(void) {
  atomic_store(&bonds_used, 0);
  atomic_store(&bonds_freed, 0);
  atomic_store(&tags_used, 0);
  atomic_store(&closing, false);
  follows = seed % 2 == 0;
  race(player, players);
  end_round();
  return check_round();
}

/* ---- A test ---- */

/* Returns the duration of a test in milliseconds; MONKEY_SECONDS sets a longer one. */
static int64_t play_time(void) {
  const char *seconds = getenv("MONKEY_SECONDS");
  return seconds != NULL ? 1000 * atol(seconds) : getenv("CHECK_QUICK") != NULL ? 300 : 500;
}

static void end_thread_hooks(void) {
  promise_set_thread_hooks(NULL, NULL, NULL, NULL);
  for (int patience = 20000; patience > 0 && atomic_load(&hook_bonds_freed) < atomic_load(&hook_bonds_used); patience--)
    usleep(1000);
  CHECK_INT(atomic_load(&hook_bonds_freed), atomic_load(&hook_bonds_used));
}

/* Runs rounds until the test's time is over. MONKEY_SEED sets the first seed; a failure prints its seed. On one thread
 * a run is reproducible, except for the callbacks of other threads. */
static void run_rounds(int count, unsigned which) {
  const char *first = getenv("MONKEY_SEED");
  int64_t end = now() + play_time() * MILLISECONDS;
  bond_type = promise_type_register("test.monkey", NULL, bond_free);
  REQUIRE(bond_type != NULL);
  for (int slot = 0; slot < KINDS * SLOTS; slot++)
    pthread_mutex_init(&slots[slot / SLOTS][slot % SLOTS].mutex, NULL);
  nowhere = open("/dev/null", O_WRONLY);
  players = count;
  subjects = which;
  seed = first != NULL ? strtoull(first, NULL, 0) : 1;
  uint64_t began = seed;
  do {
    if (!run_round()) {
      fprintf(stderr, "MONKEY_SEED=%llu, %d threads\n", (unsigned long long)seed, count);
      break;
    }
    seed++;
  } while (now() < end);
  end_thread_hooks();
  promise_trace_stop();
  close(nowhere);
  CHECK(atomic_load(&moves_made) > 0);
  if (getenv("MONKEY_SECONDS") != NULL)
    fprintf(stderr, "%s: seeds %llu to %llu, %ld moves\n", check_test, (unsigned long long)began,
            (unsigned long long)seed, atomic_load(&moves_made));
}

#endif /* MONKEY_ROUNDS_H */
