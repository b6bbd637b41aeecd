/* Signals raised by a fault on one of the library's threads: the program's handler runs there, and may return. */
#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>

#include "scheduling.h"

static const int synchronous[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS};
static const int asynchronous[] = {SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2, SIGALRM, SIGCHLD, SIGPIPE, SIGWINCH};

static sigjmp_buf before_fault;
static pthread_t faulted_on;
static volatile sig_atomic_t faulted;

static void recovers(int number) {
  faulted = number;
  faulted_on = pthread_self();
  siglongjmp(before_fault, 1);
}

static void fault(int number) {
  void *page = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  REQUIRE(page != MAP_FAILED);
  if (number == SIGSEGV && getenv("CHECK_QUICK") == NULL) /* valgrind would report the write */
    *(volatile int *)page = 1;
  else
    raise(number);
}

static void faults(void) {
  for (size_t i = 0; i < sizeof synchronous / sizeof *synchronous; i++) {
    faulted = 0;
    if (sigsetjmp(before_fault, 1) == 0)
      fault(synchronous[i]);
    CHECK_INT(faulted, synchronous[i]);
    CHECK(pthread_equal(faulted_on, pthread_self()));
  }
}

static promise_verdict_t faults_here(void *ctx, const promise_value_t *in, promise_value_t *out) {
  sigset_t blocked;
  (void)ctx, (void)in, (void)out;
  REQUIRE(pthread_sigmask(SIG_SETMASK, NULL, &blocked) == 0);
  for (size_t i = 0; i < sizeof synchronous / sizeof *synchronous; i++)
    CHECK_INT(sigismember(&blocked, synchronous[i]), 0);
  for (size_t i = 0; i < sizeof asynchronous / sizeof *asynchronous; i++)
    CHECK_INT(sigismember(&blocked, asynchronous[i]), 1);
  faults();
  return PROMISE_FULFILL;
}

static void handle_faults(void) {
  for (size_t i = 0; i < sizeof synchronous / sizeof *synchronous; i++) {
    struct sigaction action = {.sa_handler = recovers};
    REQUIRE(sigaction(synchronous[i], &action, NULL) == 0);
  }
}

static void stop_handling(void) {
  for (size_t i = 0; i < sizeof synchronous / sizeof *synchronous; i++)
    signal(synchronous[i], SIG_DFL);
}

/* The library's threads do not inherit the signal mask of the thread that starts them. This is the first test, because
 * it starts one. */
TEST(the_starting_thread_may_block_them) {
  sigset_t set, before;
  sigfillset(&set);
  handle_faults();
  REQUIRE(pthread_sigmask(SIG_SETMASK, &set, &before) == 0);
  promise_t *job = react_on(promise_executor_global(PROMISE_PRIORITY_DEFAULT), faults_here, NULL, NULL);
  CHECK_STATUS(promise_wait(job, FOR_EVER), PROMISE_OK);
  promise_release(job);
  REQUIRE(pthread_sigmask(SIG_SETMASK, NULL, &set) == 0);
  CHECK_INT(sigismember(&set, SIGSEGV), 1);
  REQUIRE(pthread_sigmask(SIG_SETMASK, &before, NULL) == 0);
  stop_handling();
}

TEST(a_handler_recovers_on_a_thread_of_the_pool) {
  handle_faults();
  promise_t *job = react_on(promise_executor_global(PROMISE_PRIORITY_DEFAULT), faults_here, NULL, NULL);
  CHECK_STATUS(promise_wait(job, FOR_EVER), PROMISE_OK);
  CHECK_INT(promise_state(job), PROMISE_FULFILLED);
  promise_release(job);
  stop_handling();
}

TEST(a_handler_recovers_on_a_thread_for_timers) {
  handle_faults();
  promise_t *job = react_on_timer(faults_here, NULL);
  CHECK_STATUS(promise_wait(job, FOR_EVER), PROMISE_OK);
  CHECK_INT(promise_state(job), PROMISE_FULFILLED);
  promise_release(job);
  stop_handling();
}
