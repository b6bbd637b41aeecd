/* The calls of hooks: from any thread, replaced at any time, re-entrant. */
#include "race.h"
#include "support.h"

static void count_rejection(void *ctx, uint64_t id, const promise_value_t *reason) {
  CHECK(id != 0);
  spy_see(ctx, reason);
}

static promise_hooks_t rejections_to(spy_t *spy) {
  return (promise_hooks_t){
      .size = sizeof(promise_hooks_t), .unhandled_rejection = count_rejection, .ctx = spy, .free_ctx = spy_free};
}

TEST(a_hook_left_out_is_not_called) {
  spy_t spy = {0};
  promise_hooks_t hooks = rejections_to(&spy);
  CHECK_STATUS(promise_set_hooks(&hooks), PROMISE_OK);
  promise_release(promise_new());
  promise_t *promise = fulfilled(1);
  CHECK_STATUS(promise_resolve(promise, I64(2)), PROMISE_ESETTLED);
  promise_release(promise);
  CHECK_SPY(&spy, 0, 0);
  CHECK_STATUS(promise_set_hooks(NULL), PROMISE_OK);
}

/* A hook that triggers its own event, and the events of all other hooks. */
static void busy(void *ctx, uint64_t id, const promise_value_t *reason) {
  (void)id;
  spy_see(ctx, reason);
  promise_release(rejected(1));
  promise_release(promise_new());
  promise_t *promise = fulfilled(1);
  CHECK_STATUS(promise_resolve(promise, I64(2)), PROMISE_ESETTLED);
  promise_t *derived = promise_then(promise, adds_one, NULL, NULL);
  CHECK(ended(derived, PROMISE_FULFILLED, 2));
  RELEASE(derived, promise);
  promise_value_t kept = *reason;
  CHECK_STATUS(promise_value_retain(&kept), PROMISE_OK);
  CHECK_STATUS(promise_value_release(&kept), PROMISE_OK);
}

TEST(a_hook_may_do_anything_without_calling_itself) {
  spy_t spy = {0};
  promise_hooks_t hooks = rejections_to(&spy);
  hooks.unhandled_rejection = busy;
  CHECK_STATUS(promise_set_hooks(&hooks), PROMISE_OK);
  promise_release(rejected(7));
  CHECK_SPY(&spy, 1, 0);
  promise_release(rejected(8));
  CHECK_SPY(&spy, 2, 0);
  CHECK_STATUS(promise_set_hooks(NULL), PROMISE_OK);
  CHECK_SPY(&spy, 2, 1);
}

/* A hook that frees a value, in the middle of the disposal that reports to it. */
static void frees_a_text(void *ctx, uint64_t id, const promise_value_t *reason) {
  (void)id;
  spy_see(ctx, reason);
  promise_value_t value = text("a text that is too long to lie in a cell");
  CHECK_STATUS(promise_value_release(&value), PROMISE_OK);
}

static void loses_a_rejection(void *ctx) {
  (void)ctx;
  promise_release(rejected(2));
}

static promise_t *left;
static void leaves_and_loses(void *payload) {
  (void)payload;
  CHECK_STATUS(promise_discard(left), PROMISE_OK);
  promise_release(rejected(1));
}

/* The context of the discarded promise waits until the destructor has returned, and so does the first rejection. */
TEST(an_error_of_a_context_that_waits_is_reported_too) {
  spy_t spy = {0};
  promise_hooks_t hooks = rejections_to(&spy);
  hooks.unhandled_rejection = frees_a_text;
  promise_t *source = promise_new();
  left = promise_then(source, adds_one, NULL, loses_a_rejection);
  promise_value_t value;
  const promise_type_t *type = promise_type_register("test.leaves", NULL, leaves_and_loses);
  CHECK_STATUS(promise_value_object(&value, type, NULL), PROMISE_OK);
  CHECK_STATUS(promise_set_hooks(&hooks), PROMISE_OK);
  CHECK_STATUS(promise_value_release(&value), PROMISE_OK);
  CHECK_SPY(&spy, 2, 0);
  CHECK_INT(spy.seen, 2);
  CHECK_STATUS(promise_set_hooks(NULL), PROMISE_OK);
  RELEASE(left, source);
}

/* A hook that replaces itself: its context lives until it returns. */
static void removes_itself(void *ctx, uint64_t id, const promise_value_t *reason) {
  (void)id;
  CHECK_STATUS(promise_set_hooks(NULL), PROMISE_OK);
  spy_see(ctx, reason);
}

TEST(a_hook_may_replace_the_hooks) {
  spy_t spy = {0};
  promise_hooks_t hooks = rejections_to(&spy);
  hooks.unhandled_rejection = removes_itself;
  CHECK_STATUS(promise_set_hooks(&hooks), PROMISE_OK);
  promise_release(rejected(7));
  CHECK_SPY(&spy, 1, 1);
  promise_release(rejected(7));
  CHECK_SPY(&spy, 1, 1);
}

static void refused(const promise_hooks_t *hooks, spy_t *spy, int frees) {
  atomic_store(&spy->frees, 0);
  CHECK_STATUS(promise_set_hooks(hooks), PROMISE_EINVAL);
  CHECK_SPY(spy, 0, frees);
}

TEST(invalid_arguments_are_refused_without_a_change) {
  spy_t good = {0}, spy = {0};
  promise_hooks_t hooks = rejections_to(&good);
  CHECK_STATUS(promise_set_hooks(&hooks), PROMISE_OK);
  promise_hooks_t bad = rejections_to(&spy);
  bad.reserved = 1;
  refused(&bad, &spy, 1);
  bad = rejections_to(&spy);
  bad.unhandled_rejection = NULL;
  refused(&bad, &spy, 1);
  bad = rejections_to(&spy);
  bad.size = sizeof bad - 1;
  refused(&bad, &spy, 0);
  bad.size = 0;
  refused(&bad, &spy, 0);
  struct {
    promise_hooks_t hooks;
    char later[4096];
  } newer;
  memset(&newer, 0, sizeof newer);
  newer.hooks = rejections_to(&spy);
  newer.hooks.size = 4097;
  refused(&newer.hooks, &spy, 1);
  newer.hooks.size = sizeof newer.hooks + 8;
  newer.later[7] = 1;
  refused(&newer.hooks, &spy, 1);
  promise_release(rejected(7));
  CHECK_SPY(&good, 1, 0);
  newer.later[7] = 0;
  atomic_store(&spy.frees, 0);
  CHECK_STATUS(promise_set_hooks(&newer.hooks), PROMISE_OK);
  CHECK_SPY(&good, 1, 1);
  promise_release(rejected(7));
  CHECK_SPY(&spy, 1, 0);
  CHECK_STATUS(promise_set_hooks(NULL), PROMISE_OK);
}

/* Without hooks the library writes nothing to descriptor 2, which the test captures. */
TEST(nothing_is_printed) {
  int ends[2], error = dup(2);
  char text[16];
  REQUIRE(pipe(ends) == 0 && error >= 0 && dup2(ends[1], 2) == 2);
  promise_release(rejected(7));
  promise_release(promise_new());
  promise_t *promise = fulfilled(1);
  promise_resolve(promise, I64(2));
  promise_release(promise);
  REQUIRE(dup2(error, 2) == 2 && close(ends[1]) == 0);
  CHECK_INT(read(ends[0], text, sizeof text), 0);
  close(ends[0]);
  close(error);
}

/* ---- Threads ---- */

static promise_t *shared_promise;
static long rounds;

/* One thread rejects while another attaches a handler: no report, in either order. */
static void *reject_or_take(void *thread) {
  for (long round = 0; round < rounds; round++) {
    if (thread == NULL)
      shared_promise = retained(promise_new());
    meet();
    if (thread == NULL) {
      promise_reject(shared_promise, I64(7));
    } else {
      promise_release(promise_rescue(shared_promise, NULL, adds_one, NULL, NULL));
    }
    promise_release(shared_promise);
    meet();
  }
  return NULL;
}

TEST(taking_races_with_rejecting) {
  spy_t spy = {0};
  promise_hooks_t hooks = rejections_to(&spy);
  CHECK_STATUS(promise_set_hooks(&hooks), PROMISE_OK);
  rounds = check_scale(20000);
  race(reject_or_take, 2);
  CHECK_SPY(&spy, 0, 0);
  CHECK_STATUS(promise_set_hooks(NULL), PROMISE_OK);
  CHECK_SPY(&spy, 0, 1);
}

static atomic_int installed, freed, heard;

static void count_shared(void *ctx, uint64_t id, const promise_value_t *reason) {
  CHECK(id != 0 && reason->as.i64 == 7);
  CHECK_INT(atomic_load((atomic_int *)ctx), 1);
  atomic_fetch_add(&heard, 1);
}
static void free_shared(void *ctx) {
  CHECK_INT(atomic_exchange((atomic_int *)ctx, 0), 1);
  free(ctx);
  atomic_fetch_add(&freed, 1);
}

/* Two threads replace the hooks while two others call them: no context is freed while in use, and each is freed
 * once. */
static void *replace_or_report(void *thread) {
  for (long round = 0; round < rounds; round++) {
    if ((intptr_t)thread < 2) {
      atomic_int *alive = malloc(sizeof *alive);
      atomic_init(alive, 1);
      promise_hooks_t hooks = {
          .size = sizeof hooks, .unhandled_rejection = count_shared, .ctx = alive, .free_ctx = free_shared};
      CHECK_STATUS(promise_set_hooks(&hooks), PROMISE_OK);
      atomic_fetch_add(&installed, 1);
    } else {
      promise_release(rejected(7));
    }
  }
  return NULL;
}

TEST(replacing_races_with_calls) {
  promise_hooks_t first = {.size = sizeof first, .unhandled_rejection = count_shared, .free_ctx = free_shared};
  first.ctx = malloc(sizeof(atomic_int));
  atomic_init((atomic_int *)first.ctx, 1);
  CHECK_STATUS(promise_set_hooks(&first), PROMISE_OK);
  atomic_fetch_add(&installed, 1);
  promise_release(rejected(7));
  rounds = check_scale(20000);
  race(replace_or_report, 4);
  CHECK_STATUS(promise_set_hooks(NULL), PROMISE_OK);
  CHECK_INT(atomic_load(&freed), atomic_load(&installed));
  CHECK(atomic_load(&heard) > 0);
}
