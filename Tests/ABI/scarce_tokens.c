/* Tokens when memory runs out: at each allocation in turn. */
#include "scarce.h"

OUT_OF_MEMORY(token_new) {
  scarce();
  promise_token_t *made = promise_token_new(PROMISE_TOKEN_INVALIDATE_ON_RELEASE);
  promise_status_t status = plenty(of(made));
  promise_token_release(made);
  return status;
}

OUT_OF_MEMORY(token_add) {
  promise_token_t *asking = promise_token_new(0);
  promise_t *promise = promise_new();
  scarce();
  promise_status_t status = plenty(promise_token_add(asking, promise));
  promise_token_cancel(asking, NULL);
  CHECK_INT(promise_cancel_requested(promise), status == PROMISE_OK);
  promise_release(promise);
  promise_token_release(asking);
  return status;
}

OUT_OF_MEMORY(token_chain) {
  promise_token_t *chained = promise_token_new(0), *parent = promise_token_new(0);
  scarce();
  promise_status_t status = plenty(promise_token_chain(chained, parent, PROMISE_CHAIN_CANCEL));
  promise_token_release(parent);
  promise_token_release(chained);
  return status;
}

/* With and without memory, the token itself ends: its own promises are asked to cancel. */
static promise_status_t ended_by(promise_status_t (*end)(promise_token_t *ending, const promise_value_t *reason)) {
  promise_token_t *parent = promise_token_new(0), *child = promise_token_new(0);
  promise_t *one = promise_new(), *other = promise_new();
  CHECK_STATUS(promise_token_chain(child, parent, PROMISE_CHAIN_CANCEL), PROMISE_OK);
  CHECK_STATUS(promise_token_add(parent, one), PROMISE_OK);
  CHECK_STATUS(promise_token_add(child, other), PROMISE_OK);
  scarce();
  promise_status_t status = plenty(end(parent, NULL));
  CHECK_INT(promise_cancel_requested(one), 1);
  CHECK_INT(promise_cancel_requested(other), status == PROMISE_OK);
  promise_release(one);
  promise_release(other);
  promise_token_release(parent);
  promise_token_release(child);
  return status;
}

OUT_OF_MEMORY_BY(token_cancel, ended_by(promise_token_cancel))
OUT_OF_MEMORY_BY(token_invalidate, ended_by(promise_token_invalidate))

OUT_OF_MEMORY(token_set_deadline) {
  promise_loop_t *loop = promise_loop_new();
  promise_executor_t *executor = promise_loop_executor(loop);
  promise_token_t *hurried = promise_token_new(0);
  scarce();
  promise_status_t status =
      plenty(promise_token_set_deadline(hurried, executor, promise_now() + 3600 * 1000 * MILLISECONDS));
  CHECK_INT(promise_token_deadline(hurried) == INT64_MAX, status != PROMISE_OK);
  promise_token_release(hurried);
  promise_executor_release(executor);
  promise_loop_release(loop);
  return status;
}
