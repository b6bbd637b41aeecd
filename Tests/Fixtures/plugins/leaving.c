/* Leaves its functions without returning from them. */
#include "fixture.h"

#include <pthread.h>
#include <setjmp.h>

static const promise_host_t *host;
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
  /* A thread can be cancelled once. */
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

/* Calls a function that jumps back here, and gives what became of that call: the promise is lost with the jump, so the
 * caller is told by the log of unhandled rejections. */
static int32_t catch_jump(void) {
  if (setjmp(back) != 0)
    return 1;
  promise_release(host->call(host, "test.leaving", "jump_deep", NULL, 0));
  return 0;
}

static promise_status_t load(const promise_host_t *offered, promise_value_t *error) {
  (void)error;
  host = offered;
  return PROMISE_OK;
}

static const promise_plugin_function_t functions[] = {
    FUNCTION("exit_thread()", exit_thread),
    FUNCTION("cancel_thread() -> i32", cancel_thread),
    FUNCTION("clean_count() -> i32", clean_count),
    FUNCTION("jump()", jump),
    FUNCTION("jump_deep()", jump_deep),
    FUNCTION("catch_jump() -> i32", catch_jump),
};

PLUGIN("test.leaving", .load = load)
