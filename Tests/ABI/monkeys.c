/* Random calls on everything, from callbacks and from four threads at the same time, with live, released and forged
 * handles (monkeys/world.h). MONKEY_SECONDS=60 runs each test for a minute, MONKEY_SEED=7 sets the first seed. */
#include "monkeys/rounds.h"

static bool begin_move(void) {
  return true;
}
static void end_move(void) {}

#define MONKEYS(name, threads, moves)                                                                                  \
  TEST(name) {                                                                                                         \
    run_rounds(threads, moves);                                                                                        \
  }

MONKEYS(one_with_promises, 1, PROMISE_MOVES | EXECUTOR_MOVES)
MONKEYS(one_with_all, 1, ALL_MOVES)
MONKEYS(many_with_promises, 4, PROMISE_MOVES | TOKEN_MOVES | EXECUTOR_MOVES)
MONKEYS(many_with_queues, 4, QUEUE_MOVES | TIMER_MOVES)
MONKEYS(many_with_loops, 4, LOOP_MOVES | TIMER_MOVES | EXECUTOR_MOVES)
MONKEYS(many_with_streams, 4, STREAM_MOVES | EXECUTOR_MOVES | LOOP_MOVES)
MONKEYS(many_with_memory, 4, MEMORY_MOVES | VALUE_MOVES)
MONKEYS(many_with_hooks, 4, HOOK_MOVES | EXECUTOR_MOVES | TIMER_MOVES)
MONKEYS(many_with_all, 4, ALL_MOVES)
