/* Misuse of hooks. */
#include "misuse.h"

static void report(void *ctx, uint64_t id, uint64_t callbacks) {
  (void)ctx, (void)id, (void)callbacks;
}

static void set_hooks(void) {
  promise_hooks_t good = {.size = sizeof good, .dropped_pending = report, .ctx = &spy, .free_ctx = spy_free};
  promise_hooks_t bad = good;
  CHECK_STATUS(promise_set_hooks(NULL), PROMISE_OK);
  for (uint32_t size = 0; size < sizeof good; size++) {
    bad.size = size;
    CHECK_STATUS(promise_set_hooks(&bad), PROMISE_EINVAL);
    CHECK_SPY(&spy, 0, 0);
  }
  bad = good;
  bad.size = UINT32_MAX;
  CHECK_STATUS(promise_set_hooks(&bad), PROMISE_EINVAL);
  bad = good;
  bad.reserved = UINT32_MAX;
  CHECK_STATUS(promise_set_hooks(&bad), PROMISE_EINVAL);
  bad = good;
  bad.dropped_pending = NULL;
  CHECK_STATUS(promise_set_hooks(&bad), PROMISE_EINVAL);
  CHECK_SPY(&spy, 0, 3);
}

static const misuse_t table[] = {
    {"promise_set_hooks", set_hooks},
};

MISUSE_MAIN(table)
