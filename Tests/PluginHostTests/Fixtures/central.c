/* central.c - functions whose promises are settled on the main executor. */
#include "fixture.h"

#include <unistd.h>

static promise_verdict_t is_here(void *context, const promise_value_t *in, promise_value_t *out) {
  (void)context, (void)in;
  *out = (promise_value_t){.kind = PROMISE_KIND_BOOL, .as.b = promise_is_main_thread() && gettid() == getpid()};
  return PROMISE_VERDICT_FULFILL;
}

/* Returns whether a job of the main executor runs on the main thread. */
static promise_t *here(void) {
  return promise_run(promise_executor_main(), is_here, NULL, NULL);
}

/* Returns whether a callback on the main executor runs on the main thread, after a timer of that executor. */
static promise_t *timed(void) {
  const promise_reaction_t reaction = {
      .size = sizeof reaction, .executor = promise_executor_main(), .on_fulfilled = is_here};
  promise_t *sleep = promise_sleep_on(promise_executor_main(), 1000000);
  promise_t *derived = promise_react(sleep, &reaction);
  promise_release(sleep);
  return derived;
}

static promise_verdict_t replace(void *context, const promise_value_t *in, promise_value_t *out) {
  (void)context, (void)in, (void)out;
  promise_executor_set_main(promise_executor_global(PROMISE_PRIORITY_DEFAULT));
  promise_loop_stop(promise_loop_main());
  return PROMISE_VERDICT_FULFILL;
}

/* Breaks the rules: stops the main loop, and has the jobs of the main executor run on the pool. */
static promise_t *seize(void) {
  return promise_run(promise_executor_main(), replace, NULL, NULL);
}

static const promise_plugin_function_t functions[] = {
    FUNCTION("here() -> promise<bool>", here, NULL),
    FUNCTION("timed() -> promise<bool>", timed, NULL),
    FUNCTION("seize() -> promise<void>", seize, NULL),
};

PLUGIN("org.example.central", "Settles promises on the main thread.", NULL, NULL, functions)
