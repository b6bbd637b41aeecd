/* Changes the state of the thread that calls it, and returns it. */
#include "fixture.h"

#include <fenv.h>
#include <locale.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static int32_t round_up(void) {
  return fesetround(FE_UPWARD);
}

static double divide(double one, double other) {
  volatile double dividend = one;
  return dividend / other;
}

/* Divides in the unit that x86 has for these numbers, whose modes are its own. */
static long double divide_long(double one, double other) {
  volatile long double dividend = one;
  return dividend / other;
}

static double same(double value) {
  return value;
}

/* Blocks SIGURG, or accepts it if it is blocked. */
static int32_t block_signal(void) {
  sigset_t one, before;
  sigemptyset(&one);
  sigaddset(&one, SIGURG);
  pthread_sigmask(SIG_BLOCK, &one, &before);
  return sigismember(&before, SIGURG) == 1 ? pthread_sigmask(SIG_UNBLOCK, &one, NULL) : 0;
}

/* Whether SIGURG is blocked otherwise than for the program's first thread, which plugins leave alone. */
static int32_t blocks_signal(void) {
  char line[256];
  unsigned long first = 0, own = 0;
  FILE *status = fopen("/proc/self/status", "r");
  while (status != NULL && fgets(line, sizeof line, status) != NULL)
    sscanf(line, "SigBlk: %lx", &first);
  if (status != NULL)
    fclose(status);
  sigset_t blocked;
  pthread_sigmask(SIG_SETMASK, NULL, &blocked);
  for (int number = 1; number < 64; number++)
    own |= (unsigned long)(sigismember(&blocked, number) == 1) << (number - 1);
  return ((own ^ first) >> (SIGURG - 1) & 1) != 0;
}

static int32_t use_locale(void) {
  uselocale(newlocale(LC_ALL_MASK, "C", NULL));
  return 0;
}

static int32_t has_locale(void) {
  return uselocale(NULL) != LC_GLOBAL_LOCALE;
}

static int32_t refuse_cancellation(void) {
  return pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
}

static int32_t refuses_cancellation(void) {
  int state;
  pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &state);
  return state == PTHREAD_CANCEL_DISABLE;
}

static int32_t cancel_anywhere(void) {
  return pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
}

static int32_t cancels_anywhere(void) {
  int type;
  pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &type);
  return type == PTHREAD_CANCEL_ASYNCHRONOUS;
}

static int32_t drop_signal_stack(void) {
  stack_t none = {.ss_flags = SS_DISABLE};
  return sigaltstack(&none, NULL);
}

static int64_t overflow(int64_t depth) {
  volatile char frame[4096];
  frame[0] = (char)depth;
  return depth < 0 ? 0 : overflow(depth + 1) + frame[0];
}

/* Unblocks a signal, which the program that started this process may have blocked. */
static void accept_signal(int number) {
  sigset_t one;
  sigemptyset(&one);
  sigaddset(&one, number);
  pthread_sigmask(SIG_UNBLOCK, &one, NULL);
}

/* Sends a signal to this thread. */
static int32_t raise_signal(int32_t number) {
  accept_signal(number);
  return raise(number);
}

/* Sends a signal to the process. */
static int32_t send_signal(int32_t number) {
  accept_signal(number);
  if (kill(getpid(), number) != 0)
    return -1;
  for (;;)
    pause();
}

static void *raise_there(void *number) {
  accept_signal((int)(intptr_t)number);
  raise((int)(intptr_t)number);
  return NULL;
}

static void *crash_there(void *nothing) {
  (void)nothing;
  *(volatile int *)8 = 1;
  return NULL;
}

static int32_t on_own_thread(void *(*body)(void *), int32_t number) {
  pthread_t thread;
  return pthread_create(&thread, NULL, body, (void *)(intptr_t)number) + pthread_join(thread, NULL);
}

static int32_t raise_on_thread(int32_t number) {
  return on_own_thread(raise_there, number);
}

static int32_t crash_on_thread(void) {
  return on_own_thread(crash_there, 0);
}

/* Exported, for `own`. */
void unsettling_free(void *memory) {
  free(memory);
  pthread_exit(NULL);
}

static promise_bytes_t give_bytes(void) {
  return (promise_bytes_t){malloc(1), 1};
}

static char **give_texts(void) {
  return calloc(1, sizeof(char *));
}

static int32_t give_text(char **text) {
  *text = strdup("text");
  return 0;
}

/* The handler of the signal returns after the instruction. */
static int32_t trap(void) {
#ifdef __x86_64__
  __asm__ volatile("int3");
#else
  raise(SIGTRAP);
#endif
  return 3;
}

static int32_t limit_descriptors(uint32_t count) {
  struct rlimit limit = {count, count};
  return setrlimit(RLIMIT_NOFILE, &limit);
}

static int32_t change_folder(const char *path) {
  return chdir(path);
}

static uint32_t change_mask(uint32_t mask) {
  return umask(mask);
}

static int32_t thread(void) {
  return (int32_t)syscall(SYS_gettid);
}

/* Returns after that many milliseconds. */
static void nap(int32_t milliseconds) {
  puts("napping");
  fflush(stdout);
  usleep((useconds_t)milliseconds * 1000);
}

static const promise_plugin_function_t functions[] = {
    FUNCTION("round_up() -> i32", round_up, NULL),
    FUNCTION("divide(one: f64, other: f64) -> f64", divide, NULL),
    FUNCTION("divide_long(one: f64, other: f64) -> f64x", divide_long, NULL),
    FUNCTION("same(value: f64) -> f64", same, NULL),
    FUNCTION("block_signal() -> i32", block_signal, NULL),
    FUNCTION("blocks_signal() -> i32", blocks_signal, NULL),
    FUNCTION("use_locale() -> i32", use_locale, NULL),
    FUNCTION("has_locale() -> i32", has_locale, NULL),
    FUNCTION("refuse_cancellation() -> i32", refuse_cancellation, NULL),
    FUNCTION("refuses_cancellation() -> i32", refuses_cancellation, NULL),
    FUNCTION("cancel_anywhere() -> i32", cancel_anywhere, NULL),
    FUNCTION("cancels_anywhere() -> i32", cancels_anywhere, NULL),
    FUNCTION("drop_signal_stack() -> i32", drop_signal_stack, NULL),
    FUNCTION("overflow(depth: i64) -> i64", overflow, NULL),
    FUNCTION("raise_signal(number: i32) -> i32", raise_signal, NULL),
    FUNCTION("send_signal(number: i32) -> i32", send_signal, NULL),
    FUNCTION("raise_on_thread(number: i32) -> i32", raise_on_thread, NULL),
    FUNCTION("crash_on_thread() -> i32", crash_on_thread, NULL),
    FUNCTION("give_bytes() -> own(unsettling_free) bytes", give_bytes, NULL),
    FUNCTION("give_texts() -> own(unsettling_free) &[cstr; 0]", give_texts, NULL),
    FUNCTION("give_text(given: out own(unsettling_free) cstr) -> i32", give_text, NULL),
    FUNCTION("trap() -> i32", trap, NULL),
    FUNCTION("limit_descriptors(count: u32) -> i32", limit_descriptors, NULL),
    FUNCTION("change_folder(path: cstr) -> i32", change_folder, NULL),
    FUNCTION("thread() -> i32", thread, NULL),
    FUNCTION("nap(milliseconds: i32)", nap, NULL),
    FUNCTION("change_mask(mask: u32) -> u32", change_mask, NULL),
};

PLUGIN("org.example.unsettling", NULL, NULL, NULL, functions)
