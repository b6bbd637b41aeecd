/* process.h - random calls of process-wide functions: memory, hooks, traces, dumps. */
#ifndef MONKEY_PROCESS_H
#define MONKEY_PROCESS_H

#include "promises.h"

static int nowhere = -1; /* /dev/null */

static void unhandled_rejection(void *ctx, uint64_t id, const promise_value_t *reason) {
  (void)id;
  observer(ctx, reason);
}

static void settled_again(void *ctx, uint64_t id, promise_state_t state, const promise_value_t *value) {
  (void)id, (void)state;
  observer(ctx, value);
}

static void dropped_pending(void *ctx, uint64_t id, uint64_t callbacks) {
  (void)id, (void)callbacks;
  bond_called(ctx);
}

static void line(void *ctx, const char *text, size_t length) {
  (void)ctx;
  CHECK(text != NULL && length > 0);
}

static void hook_called(void *ctx) {
  bond_called(ctx);
}

static void set_hooks(void) {
  bond_t *bond = bond_often();
  promise_hooks_t hooks = {.size = sizeof hooks, .ctx = bond, .free_ctx = bond_free};
  if (bond == NULL)
    return;
  hooks.unhandled_rejection = toss(2) ? unhandled_rejection : NULL;
  hooks.settled_again = toss(2) ? settled_again : NULL;
  hooks.dropped_pending = toss(2) ? dropped_pending : NULL;
  promise_set_hooks(&hooks);
}

static void memory_move(void) {
  promise_statistics_t statistics = {.size = sizeof statistics};
  if (toss(2))
    CHECK(promise_trim() >= 0);
  else
    CHECK_STATUS(promise_statistics(&statistics), PROMISE_OK);
}

static void hooks_move(void) {
  bond_t *bond = NULL;
  switch (draw(12)) {
  case 0:
    set_hooks();
    break;
  case 1:
    promise_set_hooks(NULL);
    break;
  case 2:
    if (!toss(4) && (bond = bond_in(hook_bonds, &hook_bonds_used, false)) != NULL)
      promise_set_thread_hooks(hook_called, hook_called, bond, hook_bond_free);
    else
      promise_set_thread_hooks(NULL, NULL, NULL, NULL);
    break;
  case 3:
    promise_dump(nowhere);
    break;
  case 4:
    promise_dump_lines(line, NULL);
    break;
  case 5:
    promise_trace_start(NULL);
    break;
  case 6:
    promise_trace_stop();
    break;
  case 7:
    promise_trace_write(nowhere, toss(2) ? PROMISE_TRACE_FORMAT_PERFETTO : PROMISE_TRACE_FORMAT_GRAPHVIZ);
    break;
  default:
    promise_last_status();
  }
}

#endif /* MONKEY_PROCESS_H */
