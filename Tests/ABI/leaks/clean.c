/* Uses permanent memory, threads and descriptors of the library, and releases everything else: LeakSanitizer reports no
 * leak. */
#include "support.h"

static bool same(const void *one, const void *other) {
  return one == other;
}

static void report(void *ctx, uint64_t id, uint64_t callbacks) {
  (void)ctx, (void)id, (void)callbacks;
}

TEST(types) {
  char name[64];
  for (int i = 0; i < 100; i++) {
    snprintf(name, sizeof name, "test.leaks.a-name-of-its-own.%d", i);
    const promise_type_t *type = promise_type_register(name, NULL, NULL);
    CHECK_STATUS(promise_type_methods(type, same, NULL), PROMISE_OK);
    promise_value_t object;
    CHECK_STATUS(promise_value_object(&object, type, NULL), PROMISE_OK);
    CHECK_STATUS(promise_value_release(&object), PROMISE_OK);
  }
}

TEST(timers_and_executors) {
  for (promise_priority_t priority = PROMISE_PRIORITY_BACKGROUND; priority <= PROMISE_PRIORITY_USER_INTERACTIVE;
       priority++) {
    promise_executor_t *global = promise_executor_global(priority), *serial = promise_executor_serial(global);
    promise_t *sleep = promise_sleep_on(serial, 1000);
    CHECK_STATUS(promise_wait(sleep, -1), PROMISE_OK);
    promise_release(sleep);
    promise_executor_release(serial);
    promise_executor_release(global);
  }
  promise_t *sleep = promise_sleep(1000), *late = promise_sleep(3600 * INT64_C(1000000000));
  CHECK_STATUS(promise_wait(sleep, -1), PROMISE_OK);
  CHECK_STATUS(promise_wait(late, 1000), PROMISE_ETIMEDOUT);
  promise_release(sleep);
  promise_discard(late);
  promise_release(late);
  promise_executor_release(promise_executor_main());
  promise_executor_release(promise_executor_immediate());
}

TEST(loops) {
  promise_loop_t *loop = promise_loop_new();
  promise_executor_t *executor = promise_loop_executor(loop);
  promise_t *sleep = promise_sleep_on(executor, 1000);
  CHECK_STATUS(promise_loop_wait(loop, sleep, -1), PROMISE_OK);
  promise_release(sleep);
  promise_executor_release(executor);
  CHECK_STATUS(promise_loop_release(loop), PROMISE_OK);
  CHECK(promise_loop_main() != NULL);
}

TEST(hooks_and_traces) {
  promise_hooks_t hooks = {.size = sizeof hooks, .dropped_pending = report};
  CHECK_STATUS(promise_set_hooks(&hooks), PROMISE_OK);
  promise_trace_t trace = {.size = sizeof trace, .capacity = 1000};
  CHECK_STATUS(promise_trace_start(&trace), PROMISE_OK);
  promise_release(promise_new());
}

TEST(values) {
  promise_value_t value = json("{\"key\": [1, \"a string that is too long for its cell\", {\"more\": null}]}");
  promise_t *promise = promise_new();
  CHECK_STATUS(promise_resolve(promise, &value), PROMISE_OK);
  promise_release(promise);
}
