/* Misuse of hooks, dumps and traces. */
#include "misuse.h"

static void report(void *ctx, uint64_t id, uint64_t callbacks) {
  (void)ctx, (void)id, (void)callbacks;
}

MISUSE(promise_set_hooks) {
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
  atomic_store(&spy.frees, 0);
}

MISUSE(promise_dump) {
  CHECK_STATUS(promise_dump(-1), PROMISE_EINVAL);
  CHECK_STATUS(promise_dump(INT32_MAX), PROMISE_EINVAL);
}
MISUSE(promise_dump_lines) {
  CHECK_STATUS(promise_dump_lines(NULL, &spy), PROMISE_EINVAL);
}

MISUSE(promise_trace_start) {
  promise_trace_t good = {.size = sizeof good, .capacity = 1, .ctx = &spy, .free_ctx = spy_free};
  promise_trace_t bad = good;
  CHECK_STATUS(promise_trace_start(NULL), PROMISE_EINVAL);
  for (uint32_t size = 0; size < sizeof good; size++) {
    bad.size = size;
    CHECK_STATUS(promise_trace_start(&bad), PROMISE_EINVAL);
    CHECK_SPY(&spy, 0, 0);
  }
  bad = good;
  bad.size = UINT32_MAX;
  CHECK_STATUS(promise_trace_start(&bad), PROMISE_EINVAL);
  bad = good;
  bad.reserved = 1;
  CHECK_STATUS(promise_trace_start(&bad), PROMISE_EINVAL);
  bad = good;
  bad.capacity = 0;
  CHECK_STATUS(promise_trace_start(&bad), PROMISE_EINVAL);
  bad.capacity = UINT64_MAX;
  CHECK_STATUS(promise_trace_start(&bad), PROMISE_ENOMEM);
  CHECK_SPY(&spy, 0, 4);
}
MISUSE(promise_trace_stop) {
  CHECK_STATUS(promise_trace_stop(), PROMISE_OK);
  CHECK_STATUS(promise_trace_stop(), PROMISE_OK);
}
MISUSE(promise_trace_write) {
  static const promise_trace_format_t none[] = {0, 3, 255, UINT32_MAX};
  for (int i = 0; i < 4; i++)
    CHECK_STATUS(promise_trace_write(1, none[i]), PROMISE_EINVAL);
  CHECK_STATUS(promise_trace_write(-1, PROMISE_TRACE_FORMAT_PERFETTO), PROMISE_EINVAL);
  CHECK_STATUS(promise_trace_write(INT32_MAX, PROMISE_TRACE_FORMAT_GRAPHVIZ), PROMISE_EINVAL);
}
