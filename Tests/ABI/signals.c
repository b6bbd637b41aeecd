/* Signals belong to the program: library threads take no signal, and no wait ends because of a signal. */
#include <errno.h>
#include <signal.h>
#include <sys/syscall.h>

#include "scheduling.h"

static atomic_int taken, taken_by;

static void count(int number) {
  (void)number;
  int before = errno;
  atomic_store(&taken_by, (int)syscall(SYS_gettid));
  atomic_fetch_add(&taken, 1);
  errno = before;
}

static void handle(int number) {
  /* Without SA_RESTART, so that a signal interrupts every interruptible system call. */
  struct sigaction action = {.sa_handler = count};
  REQUIRE(sigaction(number, &action, NULL) == 0);
}

TEST(signals_are_delivered_to_the_programs_threads) {
  gate_t on_pool[2] = {GATE_CLOSED, GATE_CLOSED}, on_timers[2] = {GATE_CLOSED, GATE_CLOSED};
  promise_t *job = react_on(pool(), stay, on_pool, NULL), *timer = react_on_timer(stay, on_timers);
  promise_t *later = promise_sleep(3600000 * MILLISECONDS);
  gate_wait(&on_pool[0]);
  gate_wait(&on_timers[0]);
  CHECK(thread_count() >= 3);

  /* A signal that every thread of the program blocks stays pending until a thread of the program takes it. */
  sigset_t usr1, before, pending;
  sigemptyset(&usr1);
  sigaddset(&usr1, SIGUSR1);
  handle(SIGUSR1);
  REQUIRE(pthread_sigmask(SIG_BLOCK, &usr1, &before) == 0);
  CHECK(!sigismember(&before, SIGUSR1));
  atomic_store(&taken, 0);
  REQUIRE(kill(getpid(), SIGUSR1) == 0);
  REQUIRE(sigpending(&pending) == 0);
  CHECK(sigismember(&pending, SIGUSR1));
  REQUIRE(pthread_sigmask(SIG_SETMASK, &before, NULL) == 0);
  CHECK_INT(atomic_load(&taken), 1);
  CHECK_INT(atomic_load(&taken_by), syscall(SYS_gettid));

  gate_open(&on_pool[1]);
  gate_open(&on_timers[1]);
  CHECK_STATUS(promise_wait(job, FOR_EVER), PROMISE_OK);
  CHECK_STATUS(promise_wait(timer, FOR_EVER), PROMISE_OK);
  promise_discard(later);
  RELEASE(job, timer, later);
}

/* Signals interrupt each wait repeatedly; it ends in time. */
TEST(signals_end_no_wait) {
  timer_t timer;
  struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR2};
  struct itimerspec time = {{0, 300000}, {0, 300000}}, none = {{0, 0}, {0, 0}};
  handle(SIGUSR2);
  REQUIRE(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0);
  REQUIRE(timer_settime(timer, 0, &time, NULL) == 0);
  promise_loop_t *loop = promise_loop_new();
  promise_t *never = promise_new();
  atomic_store(&taken, 0);

  int64_t start = now();
  CHECK_STATUS(promise_wait(never, 20 * MILLISECONDS), PROMISE_ETIMEDOUT);
  CHECK(now() - start >= 20 * MILLISECONDS);
  start = now();
  CHECK_STATUS(promise_wait_any(&never, 1, 20 * MILLISECONDS, NULL), PROMISE_ETIMEDOUT);
  CHECK(now() - start >= 20 * MILLISECONDS);
  start = now();
  CHECK_STATUS(promise_loop_run(loop, 20 * MILLISECONDS), PROMISE_ETIMEDOUT);
  CHECK(now() - start >= 20 * MILLISECONDS);
  promise_t *sleeps[3];
  for (int i = 0; i < 3; i++)
    sleeps[i] = promise_sleep((i + 1) * 20 * MILLISECONDS);
  CHECK_STATUS(promise_wait(sleeps[0], FOR_EVER), PROMISE_OK);
  CHECK_STATUS(promise_wait_any(&sleeps[1], 1, FOR_EVER, NULL), PROMISE_OK);
  CHECK_STATUS(promise_loop_wait(loop, sleeps[2], FOR_EVER), PROMISE_OK);
  CHECK(atomic_load(&taken) > 0);

  REQUIRE(timer_settime(timer, 0, &none, NULL) == 0);
  timer_delete(timer);
  RELEASE_EACH(sleeps, 3);
  promise_release(never);
  promise_loop_release(loop);
}
