#include "story.h"

#include <inttypes.h>
#include <stdio.h>

static promise_executor_t *executor;

/* Prints a line, with a warning if it is printed on the wrong thread. */
static promise_verdict_t tell(const char *line) {
  printf("%s%s\n", line, promise_executor_is_current(executor) == 1 ? "" : " - on the wrong thread");
  return PROMISE_FULFILL;
}

/* Returns the next page of the story: `handler` runs on the loop once the page `before` is over. Takes over
 * `before`. */
static promise_t *page(promise_t *before, promise_handler_t handler, story_t *story) {
  promise_reaction_t reaction = {.size = sizeof reaction, .executor = executor, .on_fulfilled = handler, .ctx = story};
  promise_t *next = promise_react(before, &reaction);
  promise_release(before);
  return next;
}

static promise_verdict_t multiplies(void *ctx, const promise_value_t *in, promise_value_t *out) {
  (void)ctx;
  *out = (promise_value_t){.kind = PROMISE_KIND_I64, .as.i64 = in->as.i64 * 7};
  return PROMISE_FULFILL;
}

static promise_verdict_t tells_the_answer(void *ctx, const promise_value_t *in, promise_value_t *out) {
  (void)ctx, (void)out;
  char line[64];
  snprintf(line, sizeof line, "a thread of the pool found %" PRId64, in->as.i64);
  return tell(line);
}

static promise_verdict_t asks_the_host(void *ctx, const promise_value_t *in, promise_value_t *out) {
  (void)in;
  story_t *story = ctx;
  promise_t *promise = promise_new();
  *out = (promise_value_t){.kind = PROMISE_KIND_PROMISE, .as.ptr = promise};
  promise_retain(promise);
  story->fulfil_later(story->host, promise);
  return PROMISE_ADOPT;
}

static promise_verdict_t tells_of_the_host(void *ctx, const promise_value_t *in, promise_value_t *out) {
  (void)ctx, (void)in, (void)out;
  return tell("a timer of the host's has ended");
}

static promise_verdict_t sleeps(void *ctx, const promise_value_t *in, promise_value_t *out) {
  (void)ctx, (void)in;
  promise_t *nap = promise_sleep_on(executor, 10 * 1000 * 1000);
  *out = (promise_value_t){.kind = PROMISE_KIND_PROMISE, .as.ptr = nap};
  return PROMISE_ADOPT;
}

static promise_verdict_t tells_of_the_timer(void *ctx, const promise_value_t *in, promise_value_t *out) {
  (void)ctx, (void)in, (void)out;
  return tell("a timer of the loop's has ended");
}

static promise_verdict_t ends(void *ctx, const promise_value_t *in, promise_value_t *out) {
  (void)in, (void)out;
  story_t *story = ctx;
  tell("the end");
  promise_executor_release(executor);
  story->quit(story->host);
  return PROMISE_FULFILL;
}

void story_begin(story_t *story) {
  executor = promise_loop_executor(story->loop);
  promise_t *six = promise_new();
  promise_value_t value = {.kind = PROMISE_KIND_I64, .as.i64 = 6};
  promise_resolve(six, &value);
  promise_reaction_t work = {
      .size = sizeof work, .executor = promise_executor_global(PROMISE_PRIORITY_DEFAULT), .on_fulfilled = multiplies};
  promise_t *told = promise_react(six, &work);
  promise_release(six);
  const promise_handler_t pages[] = {tells_the_answer, asks_the_host,      tells_of_the_host,
                                     sleeps,           tells_of_the_timer, ends};
  for (size_t i = 0; i < sizeof pages / sizeof *pages; i++)
    told = page(told, pages[i], story);
  promise_release(told);
}

void story_fulfil(promise_t *promise) {
  promise_value_t nothing = {.kind = PROMISE_KIND_VOID};
  promise_resolve(promise, &nothing);
  promise_release(promise);
}
