/* Tests that leak, for the test of check.h: `leaky KIND`. */
#include <fcntl.h>
#include <sys/prctl.h>

#define CHECK_OWN_MAIN
#include "support.h"

static void leaks_nothing(void) {
  promise_value_t value = text("a string that is too long for its cell");
  CHECK_STATUS(promise_value_release(&value), PROMISE_OK);
}

static void leaks_strings(void) {
  CHECK(text("a string that is too long for its cell").kind == PROMISE_KIND_STRING);
  CHECK(text("short").kind == PROMISE_KIND_STRING);
}

static void leaks_a_promise(void) {
  CHECK(promise_new() != NULL);
}

static void leaks_a_token(void) {
  CHECK(promise_token_new(0) != NULL);
}

static void frees(void *ctx) {
  free(ctx);
}

static void leaks_a_context(void) {
  promise_t *source = promise_new();
  CHECK_STATUS(promise_observe(source, ignore_value, NULL, malloc(10), frees), PROMISE_OK);
}

static void leaks_a_descriptor(void) {
  CHECK(open("/dev/null", O_RDONLY) >= 0);
}

static void *sleeps(void *unused) {
  (void)unused;
  pause();
  return NULL;
}
static void leaks_a_thread(void) {
  start(sleeps, NULL);
}

static void says_that_it_leaves_a_promise(void) {
  LEAVES(promises, 1);
  CHECK(promise_new() != NULL);
}

/* A library thread releases the timer later, and the check waits for it. */
static void leaves_a_timer_that_ends(void) {
  CHECK_STATUS(promise_release(promise_sleep(50 * MILLISECONDS)), PROMISE_OK);
}

/* Imitates a library thread that is about to start, again and again: it has its creator's name for a moment. */
static void *starts_again(void *unused) {
  (void)unused;
  for (;;) {
    prctl(PR_SET_NAME, "promise-starts");
    prctl(PR_SET_NAME, "leaky");
  }
  return NULL;
}
static void leaves_a_thread_that_starts(void) {
  start(starts_again, NULL);
}

int main(int count, char **arguments) {
  const struct {
    const char *kind;
    void (*test)(void);
  } tests[] = {{"nothing", leaks_nothing},          {"strings", leaks_strings},
               {"promise", leaks_a_promise},        {"token", leaks_a_token},
               {"context", leaks_a_context},        {"said", says_that_it_leaves_a_promise},
               {"timer", leaves_a_timer_that_ends}, {"descriptor", leaks_a_descriptor},
               {"thread", leaks_a_thread},          {"starting", leaves_a_thread_that_starts}};
  for (size_t i = 0; i < sizeof tests / sizeof *tests; i++)
    if (count == 2 && strcmp(arguments[1], tests[i].kind) == 0)
      check_run(tests[i].kind, tests[i].test);
  return check_report();
}
