/* promise_dump, promise_dump_lines: the pending promises, and their settlers. */
#include "dump.h"
#include "race.h"

/* Returns the line of a promise in the last dump; NULL: none. Valid until the next call. */
static const char *line_of(promise_t *promise) {
  static char line[512];
  char id[32];
  snprintf(id, sizeof id, "%p ", (void *)promise);
  for (const char *at = dumped; *at != '\0'; at = strchr(at, '\n') + 1) {
    if (strncmp(at, id, strlen(id)) != 0)
      continue;
    snprintf(line, sizeof line, "%.*s", (int)(strchr(at, '\n') - at), at);
    return line + strlen(id);
  }
  return NULL;
}

/* Dumps, and checks the line of a promise; `of` replaces the %p in `format`, if any. */
static void says(promise_t *promise, const char *format, const void *of) {
  char expected[512];
  dump();
  snprintf(expected, sizeof expected, format, of);
  CHECK_TEXT(line_of(promise), expected);
}

TEST(nothing_is_pending) {
  promise_release(fulfilled(1));
  dump();
  CHECK_TEXT(dumped, "0 promises are pending, 0 rejected and unhandled; ages are known of those made while a "
                     "trace was on\n");
  CHECK_INT(line_count, 1);
}

TEST(a_promise_that_any_holder_can_settle) {
  promise_t *promise = promise_new();
  says(promise, "pending, 1 reference, 0 callbacks: any holder", NULL);
  CHECK(strstr(dumped, "\n1 promise is pending, 0 rejected and unhandled;") != NULL);
  promise_observe(promise, ignore_value, NULL, NULL, NULL);
  promise_t *derived = promise_then(promise, adds_one, NULL, NULL);
  promise_on_cancel_request(promise, ignore_value, NULL, NULL);
  promise_retain(promise);
  says(promise, "pending, 2 references, 2 callbacks: any holder", NULL);
  says(derived, "pending, 2 references, 0 callbacks: a callback, after %p", promise);
  CHECK_INT(line_count, 3);
  CHECK_STATUS(promise_request_cancel(promise, VOID()), PROMISE_OK);
  says(promise, "pending, 2 references, 2 callbacks: was asked to cancel, any holder", NULL);
  promise_release(promise);
  promise_resolve(promise, I64(1));
  dump();
  CHECK_POINTER(line_of(promise), NULL);
  CHECK_POINTER(line_of(derived), NULL);
  RELEASE(derived, promise);
}

TEST(a_chain_names_its_parent_and_its_root) {
  char expected[512];
  promise_t *root = promise_new(), *middle = promise_then(root, adds_one, NULL, NULL);
  promise_t *last = promise_finally(middle, NULL, NULL, NULL);
  CHECK_POINTER(last, NULL);
  last = promise_rescue(middle, NULL, adds_one, NULL, NULL);
  snprintf(expected, sizeof expected, "pending, 2 references, 0 callbacks: a callback, after %p; at the root %p",
           (void *)middle, (void *)root);
  dump();
  CHECK_TEXT(line_of(last), expected);
  RELEASE(last, middle, root);
}

/* The search for the root of a chain ends after a thousand promises. */
TEST(a_long_chain_is_far_from_its_root) {
  enum { LENGTH = 1003 };
  promise_t *chain[LENGTH] = {promise_new()};
  for (int i = 1; i < LENGTH; i++)
    chain[i] = promise_then(chain[i - 1], adds_one, NULL, NULL);
  dump();
  CHECK(strstr(line_of(chain[1001]), "; at the root ") != NULL);
  CHECK(strstr(line_of(chain[1002]), ", far from its root") != NULL);
  for (int i = LENGTH; i-- > 0;)
    promise_release(chain[i]);
}

TEST(followers_and_links) {
  promise_t *source = promise_new(), *follower = promise_new();
  /* A promise with a discard block follows by means of a callback of its own. */
  promise_t *links[] = {promise_new_discardable(ignore_context, NULL, NULL),
                        promise_new_discardable(NULL, NULL, ignore_context)};
  CHECK_STATUS(promise_follow(follower, source), PROMISE_OK);
  says(follower, "pending, 2 references, 0 callbacks: follows %p", source);
  for (int i = 0; i < 2; i++) {
    CHECK_STATUS(promise_follow(links[i], source), PROMISE_OK);
    dump();
    const char *line = line_of(links[i]);
    char expected[64];
    snprintf(expected, sizeof expected, ": follows %p", (void *)source);
    CHECK(line != NULL && strstr(line, expected) != NULL);
    /* The source has no known settler. */
    says(source,
         i == 0 ? "pending, 1 reference, 2 callbacks: any holder" : "pending, 1 reference, 3 callbacks: any holder",
         NULL);
  }
  promise_resolve(source, I64(1));
  RELEASE(links[0], links[1], follower, source);
}

/* A detached callback, which will not be called, stays in the list of its source behind a newer one. */
TEST(a_detached_callback_is_not_counted) {
  promise_t *source = promise_new(), *derived = promise_then(source, adds_one, NULL, NULL);
  promise_observe(source, ignore_value, NULL, NULL, NULL);
  says(source, "pending, 1 reference, 2 callbacks: any holder", NULL);
  CHECK_STATUS(promise_resolve(derived, I64(1)), PROMISE_OK);
  says(source, "pending, 1 reference, 1 callback: any holder", NULL);
  promise_resolve(source, I64(1));
  RELEASE(derived, source);
}

TEST(gathers) {
  promise_t *inputs[] = {promise_new(), promise_new(), fulfilled(1)};
  promise_t *all = promise_all(inputs, 3, 0), *race = promise_race(inputs, 2, 0);
  says(all, "pending, 2 references, 0 callbacks: all of its inputs: 2 of them are pending", NULL);
  promise_resolve(inputs[1], I64(1));
  says(all, "pending, 2 references, 0 callbacks: all of its inputs: 1 of them are pending", NULL);
  dump();
  CHECK_POINTER(line_of(race), NULL);
  RELEASE(race, all);
  RELEASE_EACH(inputs, 3);
}

TEST(gathers_name_their_mode) {
  promise_t *inputs[] = {promise_new(), promise_new()};
  promise_t *settled = promise_all_settled(inputs, 2, 0), *any = promise_any(inputs, 2, 0);
  promise_t *race = promise_race(inputs, 2, 0);
  says(settled, "pending, 2 references, 0 callbacks: all, however they end, of its inputs: 2 of them are pending",
       NULL);
  says(any, "pending, 2 references, 0 callbacks: any of its inputs: 2 of them are pending", NULL);
  says(race, "pending, 2 references, 0 callbacks: the first of its inputs: 2 of them are pending", NULL);
  RELEASE(race, any, settled, inputs[0], inputs[1]);
}

TEST(timers) {
  promise_loop_t *loop = promise_loop_new();
  promise_executor_t *executor = promise_loop_executor(loop);
  promise_t *asleep[] = {promise_sleep(INT64_C(3600) * 1000 * MILLISECONDS),
                         promise_sleep_on(executor, INT64_C(3600) * 1000 * MILLISECONDS)};
  promise_executor_release(executor);
  for (int i = 0; i < 2; i++) {
    dump();
    const char *line = line_of(asleep[i]);
    const char *due = line != NULL ? strstr(line, ": a timer due in 3599.") : NULL;
    char decimals[8] = "";
    int length = 0;
    CHECK(due != NULL && sscanf(due, ": a timer due in 3599.%7[0-9] s%n", decimals, &length) == 1 && length > 0);
    CHECK_INT(strlen(decimals), 3);
    promise_discard(asleep[i]);
    promise_release(asleep[i]);
  }
  promise_loop_release(loop);
}

TEST(jobs) {
  promise_loop_t *loop = promise_loop_new();
  promise_executor_t *executor = promise_loop_executor(loop);
  promise_reaction_t reaction = {.size = sizeof reaction, .executor = executor, .on_fulfilled = adds_one};
  promise_t *source = promise_new(), *derived = promise_react(source, &reaction);
  char expected[256];
  snprintf(expected, sizeof expected, "pending, 2 references, 0 callbacks: a callback on the loop %p, after %p",
           (void *)executor, (void *)source);
  dump();
  CHECK_TEXT(line_of(derived), expected);
  promise_resolve(source, I64(1));
  says(derived, "pending, 2 references, 0 callbacks: a callback submitted to the loop %p", executor);
  promise_loop_release(loop);
  CHECK(failed_with(derived, PROMISE_ECLOSED));
  RELEASE(derived, source);
  promise_executor_release(executor);
}

TEST(callbacks_name_their_executor) {
  promise_job_t *kept = NULL;
  struct {
    promise_executor_t *executor;
    const char *name;
  } all[] = {{promise_executor_serial(promise_executor_immediate()), "the serial executor"},
             {promise_executor_global(PROMISE_PRIORITY_DEFAULT), "the pool"},
             {promise_executor_main(), "the main executor"},
             {promise_executor_new(keep_job, &kept, NULL), "the executor"}};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    promise_reaction_t reaction = {.size = sizeof reaction, .executor = all[i].executor, .on_fulfilled = adds_one};
    promise_t *source = promise_new(), *derived = promise_react(source, &reaction);
    char expected[256];
    snprintf(expected, sizeof expected, "pending, 2 references, 0 callbacks: a callback on %s %p, after %p",
             all[i].name, (void *)all[i].executor, (void *)source);
    dump();
    CHECK_TEXT(line_of(derived), expected);
    RELEASE(derived, source);
    promise_executor_release(all[i].executor);
  }
}

TEST(orphans) {
  promise_t *source = promise_new(), *derived = promise_then(source, adds_one, NULL, NULL);
  promise_release(source);
  says(derived, "pending, 1 reference, 0 callbacks: no settler: its source was destroyed while pending", NULL);
  promise_release(derived);
}

static promise_verdict_t dumps(void *ctx, const promise_value_t *in, promise_value_t *out) {
  (void)in, (void)out;
  dump();
  CHECK(line_of(*(promise_t **)ctx) != NULL);
  CHECK(strstr(line_of(*(promise_t **)ctx), "a callback") != NULL);
  return PROMISE_FULFILL;
}

TEST(a_callback_may_dump) {
  promise_t *source = promise_new(), *derived = NULL;
  derived = promise_then(source, dumps, &derived, NULL);
  promise_resolve(source, I64(1));
  CHECK_INT(promise_state(derived), PROMISE_FULFILLED);
  RELEASE(derived, source);
}

static void on_unhandled(void *ctx, uint64_t id, const promise_value_t *reason) {
  (void)ctx, (void)id, (void)reason;
}

TEST(rejections_that_nobody_has_taken) {
  promise_hooks_t hooks = {.size = sizeof hooks, .unhandled_rejection = on_unhandled};
  CHECK_STATUS(promise_set_hooks(&hooks), PROMISE_OK);
  promise_t *promise = rejected(7);
  says(promise, "rejected and unhandled; 1 reference", NULL);
  CHECK(strstr(dumped, "\n0 promises are pending, 1 rejected and unhandled;") != NULL);
  CHECK_INT(promise_state(promise), PROMISE_REJECTED);
  dump();
  CHECK_POINTER(line_of(promise), NULL);
  promise_release(promise);
  CHECK_STATUS(promise_set_hooks(NULL), PROMISE_OK);
}

TEST(ages) {
  promise_trace_t trace = {.size = sizeof trace, .capacity = 1};
  promise_t *before = promise_new();
  CHECK_STATUS(promise_trace_start(&trace), PROMISE_OK);
  promise_t *promise = promise_new(), *derived = promise_then(promise, adds_one, NULL, NULL);
  CHECK_STATUS(promise_trace_stop(), PROMISE_OK);
  dump();
  CHECK(strncmp(line_of(before), "pending, ", 9) == 0);
  CHECK(strncmp(line_of(promise), "pending for ", 12) == 0);
  CHECK(strncmp(line_of(derived), "pending for ", 12) == 0);
  uint64_t id = (uint64_t)(uintptr_t)promise;
  RELEASE(derived, promise);
  /* A recycled cell does not keep the age of its previous promise. */
  for (int i = 0; i < 4; i++) {
    promise_t *later = promise_new();
    CHECK((uint64_t)(uintptr_t)later != id);
    dump();
    CHECK(strncmp(line_of(later), "pending, ", 9) == 0);
    promise_release(later);
  }
  promise_release(before);
}

/* Returns the milliseconds that the last dump has behind `label` in the line of a promise; -1: none. */
static int64_t milliseconds_behind(const char *label, promise_t *promise) {
  long long seconds;
  int thousandths;
  const char *line = line_of(promise), *at = line != NULL ? strstr(line, label) : NULL;
  if (at == NULL || sscanf(at + strlen(label), "%lld.%3d s", &seconds, &thousandths) != 2)
    return -1;
  return seconds * 1000 + thousandths;
}

TEST(times_have_thousandths) {
  const int64_t delay = 3600456 * MILLISECONDS + 300000;
  promise_trace_t trace = {.size = sizeof trace, .capacity = 1};
  CHECK_STATUS(promise_trace_start(&trace), PROMISE_OK);
  int64_t before = now();
  promise_t *promise = promise_new(), *asleep = promise_sleep(delay);
  CHECK_STATUS(promise_trace_stop(), PROMISE_OK);
  dump();
  int64_t passed = now() - before;
  int64_t age = milliseconds_behind("pending for ", promise);
  int64_t due = milliseconds_behind(": a timer due in ", asleep);
  CHECK(age >= 0 && age <= passed / MILLISECONDS);
  CHECK(due >= (delay - passed) / MILLISECONDS && due <= delay / MILLISECONDS);
  promise_discard(asleep);
  RELEASE(asleep, promise);
}

/* ---- Other threads continue meanwhile ---- */

static atomic_bool done;

static void count_line(void *ctx, const char *line, size_t length) {
  CHECK(length > 0 && line[0] != '\0');
  ++*(long *)ctx;
}

static void *dump_or_work(void *thread) {
  if ((intptr_t)thread == 0) {
    for (long round = check_scale(2000); round > 0; round--) {
      long lines = 0;
      CHECK_STATUS(promise_dump_lines(count_line, &lines), PROMISE_OK);
      CHECK(lines > 0);
    }
    atomic_store(&done, true);
    return NULL;
  }
  while (!atomic_load(&done)) {
    promise_t *promise = promise_new(), *chain = retained(promise);
    for (int i = 0; i < 20; i++) {
      promise_t *next = promise_then(chain, adds_one, NULL, NULL);
      promise_observe(chain, ignore_value, ignore_value, NULL, NULL);
      promise_release(chain);
      chain = next;
    }
    promise_t *both[] = {promise, chain}, *all = promise_all(both, 2, 0);
    if ((intptr_t)thread == 1)
      promise_resolve(promise, I64(1));
    RELEASE(all, chain, promise);
  }
  return NULL;
}

TEST(dump_races_with_other_threads) {
  race(dump_or_work, 4);
  dump();
  CHECK_INT(line_count, 1);
}

/* A long chain is dumped in linear time. */
TEST(a_long_chain_is_dumped_in_linear_time) {
  long count = check_scale(200000), lines = 0;
  promise_t *root = promise_new(), *last = retained(root);
  for (long i = 0; i < count; i++) {
    promise_t *next = promise_then(last, adds_one, NULL, NULL);
    promise_release(last);
    last = next;
  }
  int64_t begin = now();
  CHECK_STATUS(promise_dump_lines(count_line, &lines), PROMISE_OK);
  CHECK_INT(lines, count + 2);
  CHECK(now() - begin < 60000 * MILLISECONDS);
  promise_resolve(root, I64(1));
  RELEASE(last, root);
}
