/* Random calls on everything, from callbacks and from four threads at the same time, with live, released and forged
 * handles (monkeys/world.h). MONKEY_SECONDS=60 runs each test for a minute, MONKEY_SEED=7 sets the first seed. */
#include "monkeys/rounds.h"

static bool begin_move(void) {
  return true;
}
static void end_move(void) {}

#define TEST(name, threads, moves)                                                                                     \
  static void name(void) {                                                                                             \
    run_rounds(threads, moves);                                                                                        \
  }

TEST(one_with_all, 1, ALL_MOVES)
TEST(many_with_promises, 4, PROMISE_MOVES | TOKEN_MOVES | EXECUTOR_MOVES)
TEST(many_with_queues, 4, QUEUE_MOVES | TIMER_MOVES)
TEST(many_with_loops, 4, LOOP_MOVES | TIMER_MOVES | EXECUTOR_MOVES)
TEST(many_with_streams, 4, STREAM_MOVES | EXECUTOR_MOVES | LOOP_MOVES)
TEST(many_with_memory, 4, MEMORY_MOVES | VALUE_MOVES)
TEST(many_with_hooks, 4, HOOK_MOVES | EXECUTOR_MOVES | TIMER_MOVES)
TEST(many_with_all, 4, ALL_MOVES)

int main(void) {
  RUN(one_with_all);
  RUN(many_with_promises);
  RUN(many_with_queues);
  RUN(many_with_loops);
  RUN(many_with_streams);
  RUN(many_with_memory);
  RUN(many_with_hooks);
  RUN(many_with_all);
  return check_report();
}
