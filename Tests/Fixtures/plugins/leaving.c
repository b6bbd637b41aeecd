/* Leaves its functions without returning from them. */
#define _DEFAULT_SOURCE
#include "fixture.h"

#include <pthread.h>
#include <setjmp.h>
#include <sys/mman.h>
#include <ucontext.h>

LOADS_HOST

static int cleaned;

static void clean(void *count) {
  ++*(int *)count;
}

static void exit_thread(void) {
  pthread_cleanup_push(clean, &cleaned);
  pthread_exit(NULL);
  pthread_cleanup_pop(0);
}

static int32_t cancel_thread(void) {
  pthread_cancel(pthread_self());
  pthread_testcancel();
  /* A thread can be cancelled only once: later calls get here. */
  return 1;
}

/* Asks the thread to end at its next cancellation point. */
static int32_t cancel_thread_later(void) {
  pthread_cancel(pthread_self());
  return 1;
}

static int32_t clean_count(void) {
  return cleaned;
}

static _Thread_local jmp_buf back;

static void jump(void) {
  longjmp(back, 1);
}

static void jump_deep(void) {
  promise_release(host->call(host, "test.leaving", "jump", NULL, 0));
}

/* Calls a function that jumps back here, and returns 1 then. The promise of the call is lost with the jump, so the
 * caller reads the log of unhandled rejections. */
static int32_t catch_jump(void) {
  if (setjmp(back) != 0)
    return 1;
  promise_release(host->call(host, "test.leaving", "jump_deep", NULL, 0));
  return 0;
}

static int32_t catch_over(void (*callback)(void)) {
  if (setjmp(back) != 0)
    return 1;
  callback();
  return 0;
}

/* Two stacks at addresses below the thread's own: a call on the lower stack continues while another is made on the
 * higher one. */
static ucontext_t outside, lower, higher;
static int32_t ended;

static void call(const char *function) {
  promise_t *promise = host->call(host, "test.leaving", function, NULL, 0);
  ended += promise_state(promise) == PROMISE_FULFILLED;
  promise_release(promise);
}

static void on_higher(void) {
  call("clean_count");
}

static void switch_over(void) {
  swapcontext(&lower, &higher);
}

static void on_lower(void) {
  call("switch_over");
}

static int32_t call_on_other_stacks(void) {
  size_t size = 1 << 20;
  char *stacks =
      mmap((void *)0x10000000, 2 * size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (stacks == MAP_FAILED || stacks > (char *)&size)
    return -1;
  getcontext(&lower);
  lower.uc_stack = (stack_t){.ss_sp = stacks, .ss_size = size};
  lower.uc_link = &outside;
  makecontext(&lower, on_lower, 0);
  getcontext(&higher);
  higher.uc_stack = (stack_t){.ss_sp = stacks + size, .ss_size = size};
  higher.uc_link = &lower;
  makecontext(&higher, on_higher, 0);
  swapcontext(&outside, &lower);
  munmap(stacks, 2 * size);
  return ended;
}

static const promise_plugin_function_t functions[] = {
    FUNCTION("exit_thread()", exit_thread),
    FUNCTION("cancel_thread() -> i32", cancel_thread),
    FUNCTION("cancel_thread_later() -> i32", cancel_thread_later),
    FUNCTION("clean_count() -> i32", clean_count),
    FUNCTION("jump()", jump),
    FUNCTION("jump_deep()", jump_deep),
    FUNCTION("catch_jump() -> i32", catch_jump),
    FUNCTION("catch_over(callback: fn()) -> i32", catch_over),
    FUNCTION("switch_over()", switch_over),
    FUNCTION("call_on_other_stacks() -> i32", call_on_other_stacks),
};

PLUGIN("test.leaving", .load = load)
