/* Random calls as in monkeys.c, while memory runs out: all threads share few cells, one move in four has at most a few
 * cells and blocks, and callbacks leave their thread with few blocks. Every context is still freed exactly once, and no
 * object and no memory is left. */
#include "monkeys/rounds.h"

#include "scarce.h"

/* Unused tokens, each of which occupies a cell. Chosen because no hook reports their release. */
typedef struct hoard {
  promise_token_t *cells[4096];
  int count;
} hoard_t;

static void take_cells(hoard_t *hoard, uint64_t count) {
  promise_token_t *token;
  for (; count > 0 && hoard->count < 4096 && (token = promise_token_new(0)) != NULL; count--)
    hoard->cells[hoard->count++] = token;
}

static void give_cells(hoard_t *hoard, uint64_t count) {
  for (; count > 0 && hoard->count > 0; count--)
    promise_token_release(hoard->cells[--hoard->count]);
}

/* ---- Moves with little memory ---- */

/* Cells that are withheld from all threads. */
static pthread_mutex_t shortage_mutex = PTHREAD_MUTEX_INITIALIZER;
static hoard_t shortage;

/* Cells that are withheld from the current move of this thread, and the depth of that move; 0: no move. */
static _Thread_local hoard_t withheld;
static _Thread_local int scarce_depth;

static void change_shortage(void) {
  pthread_mutex_lock(&shortage_mutex);
  (toss(2) ? take_cells : give_cells)(&shortage, draw(200));
  pthread_mutex_unlock(&shortage_mutex);
}

static bool begin_move(void) {
  if (scarce_depth != 0)
    return true;
  scarce_blocks = -1;
  if (toss(16))
    change_shortage();
  if (!toss(4))
    return true;
  scarce_depth = here.depth;
  if (toss(2)) {
    take_cells(&withheld, UINT64_MAX);
    give_cells(&withheld, draw(6));
  }
  scarce_blocks = toss(2) ? (long)draw(6) : -1;
  return true;
}

static void end_move(void) {
  if (scarce_depth != here.depth)
    return;
  scarce_depth = 0;
  /* After a move in a callback, the library continues with few blocks on this thread. */
  scarce_blocks = here.depth > 1 && toss(2) ? (long)draw(20) : -1;
  give_cells(&withheld, UINT64_MAX);
}

/* ---- Tests ---- */

/* Runs rounds in which `cells` cells are left for all threads together. */
static void run_scarce(int threads, unsigned moves, long cells) {
  long used = atomic_load(&scarce_used);
  scarce_begin();
  scarce_take_all();
  atomic_store(&scarce_full_for_all, true);
  scarce_leave(cells);
  run_rounds(threads, moves);
  give_cells(&shortage, UINT64_MAX);
  atomic_store(&scarce_full_for_all, false);
  scarce_end();
  /* The library keeps a few blocks for its threads, executors and loops. */
  CHECK(atomic_load(&scarce_used) - used < 64);
}

#define MONKEYS(name, threads, moves, cells)                                                                           \
  TEST(name) {                                                                                                         \
    run_scarce(threads, moves, cells);                                                                                 \
  }

MONKEYS(one_with_all, 1, ALL_MOVES, 1000)
MONKEYS(many_with_promises, 4, PROMISE_MOVES | TOKEN_MOVES | EXECUTOR_MOVES, 2000)
MONKEYS(many_with_queues, 4, QUEUE_MOVES | TIMER_MOVES, 2000)
MONKEYS(many_with_loops, 4, LOOP_MOVES | TIMER_MOVES | EXECUTOR_MOVES, 2000)
MONKEYS(many_with_streams, 4, STREAM_MOVES | EXECUTOR_MOVES | LOOP_MOVES, 2000)
MONKEYS(many_with_memory, 4, MEMORY_MOVES | VALUE_MOVES, 2000)
MONKEYS(many_with_hooks, 4, HOOK_MOVES | EXECUTOR_MOVES | TIMER_MOVES | MAIN_MOVES, 2000)
MONKEYS(many_with_all, 4, ALL_MOVES, 2000)
