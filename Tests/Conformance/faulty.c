/* faulty.c - an implementation that breaks one rule, named by the environment variable FAULT; without it, it conforms.
 *
 * It links the real library and defines only the functions with faults: a lookup of any other function finds the real
 * one. */
#include "faulty.h"

#include <signal.h>
#include <stdio.h>

/* ---- Order: observers of a pending promise are attached when it is settled, the last one first ---- */

typedef void observer_t(void *ctx, const promise_value_t *value);

static struct {
  promise_t *promise;
  observer_t *on_fulfilled, *on_rejected;
  void *ctx;
  promise_free_t free_ctx;
} kept[256];
static int kept_count;

static void attach_kept(promise_t *promise) {
  for (int i = kept_count - 1; i >= 0; i--) {
    if (kept[i].promise != promise)
      continue;
    kept[i].promise = NULL;
    REAL(promise_observe)(promise, kept[i].on_fulfilled, kept[i].on_rejected, kept[i].ctx, kept[i].free_ctx);
  }
}

/* ---- Contexts: freed once too often ---- */

typedef struct doubled {
  observer_t *on_fulfilled, *on_rejected;
  void *ctx;
  promise_free_t free_ctx;
} doubled_t;

static void doubled_fulfilled(void *ctx, const promise_value_t *value) {
  doubled_t *doubled = ctx;
  if (doubled->on_fulfilled != NULL)
    doubled->on_fulfilled(doubled->ctx, value);
}

static void doubled_rejected(void *ctx, const promise_value_t *value) {
  doubled_t *doubled = ctx;
  if (doubled->on_rejected != NULL)
    doubled->on_rejected(doubled->ctx, value);
}

static void doubled_free(void *ctx) {
  doubled_t *doubled = ctx;
  for (int i = 0; i < 2 && doubled->free_ctx != NULL; i++)
    doubled->free_ctx(doubled->ctx);
  free(doubled);
}

promise_status_t promise_observe(promise_t *promise, observer_t *on_fulfilled, observer_t *on_rejected, void *ctx,
                                 promise_free_t free_ctx) {
  if (is("order-reversed") && REAL(promise_state)(promise) == PROMISE_PENDING && kept_count < 256) {
    kept[kept_count].promise = promise;
    kept[kept_count].on_fulfilled = on_fulfilled;
    kept[kept_count].on_rejected = on_rejected;
    kept[kept_count].ctx = ctx;
    kept[kept_count++].free_ctx = free_ctx;
    return PROMISE_OK;
  }
  if (is("context-freed-twice")) {
    doubled_t *doubled = malloc(sizeof *doubled);
    *doubled = (doubled_t){on_fulfilled, on_rejected, ctx, free_ctx};
    return REAL(promise_observe)(promise, doubled_fulfilled, doubled_rejected, doubled, doubled_free);
  }
  return REAL(promise_observe)(promise, on_fulfilled, on_rejected, ctx, free_ctx);
}

/* ---- Settling ---- */

static promise_t *late_promise;
static promise_value_t late_value;

promise_status_t promise_resolve(promise_t *promise, const promise_value_t *value) {
  attach_kept(promise);
  if (is("settled-later") && value != NULL && REAL(promise_state)(promise) == PROMISE_PENDING) {
    /* Delays the settlement until the next one. */
    if (late_promise != NULL)
      REAL(promise_resolve)(late_promise, &late_value);
    late_promise = promise;
    late_value = *value;
    return PROMISE_OK;
  }
  if (is("refused-value-kept"))
    REAL(promise_value_retain)(value);
  promise_status_t status = REAL(promise_resolve)(promise, value);
  if (is("refused-value-kept") && status == PROMISE_OK) {
    promise_value_t copy = *value;
    REAL(promise_value_release)(&copy);
  }
  return status == PROMISE_ESETTLED && is("second-settlement-accepted") ? PROMISE_OK : status;
}

promise_status_t promise_reject(promise_t *promise, const promise_value_t *reason) {
  attach_kept(promise);
  return REAL(promise_reject)(promise, reason);
}

promise_status_t promise_result(promise_t *promise, promise_value_t *out) {
  promise_status_t status = REAL(promise_result)(promise, out);
  if (status == PROMISE_OK && is("result-not-retained")) {
    promise_value_t copy = *out;
    REAL(promise_value_release)(&copy);
  }
  return status;
}

/* ---- Handles ---- */

promise_state_t promise_state(promise_t *promise) {
  promise_state_t state = REAL(promise_state)(promise);
  return state == PROMISE_ESTALE && is("stale-token-accepted") ? PROMISE_PENDING : state;
}

promise_status_t promise_retain(promise_t *promise) {
  return is("retain-does-nothing") ? PROMISE_OK : REAL(promise_retain)(promise);
}

/* ---- Discarding: the block runs before the promise is rejected ---- */

static struct {
  promise_t *promise;
  void (*block)(void *ctx);
  void *ctx;
} blocks[16];
static int block_count;

promise_t *promise_new_discardable(void (*on_discard)(void *ctx), void *ctx, promise_free_t free_ctx) {
  if (!is("block-too-early") || block_count == 16)
    return REAL(promise_new_discardable)(on_discard, ctx, free_ctx);
  promise_t *promise = REAL(promise_new_discardable)(NULL, ctx, free_ctx);
  blocks[block_count].promise = promise;
  blocks[block_count].block = on_discard;
  blocks[block_count++].ctx = ctx;
  return promise;
}

/* The promise that is asked to cancel, and the latest source of promise_follow(). */
static promise_t *asked, *followed;

promise_status_t promise_discard(promise_t *promise) {
  attach_kept(promise);
  for (int i = 0; i < block_count; i++) {
    if (blocks[i].promise == promise && blocks[i].block != NULL && REAL(promise_state)(promise) == PROMISE_PENDING)
      blocks[i].block(blocks[i].ctx);
  }
  if (is("discard-ends-request") && promise == asked)
    REAL(promise_retain)(followed);
  return REAL(promise_discard)(promise);
}

/* ---- Waiting ---- */

promise_status_t promise_wait(promise_t *promise, int64_t timeout_ns) {
  if (is("interrupts-end-waits"))
    return REAL(promise_wait_interruptible)(promise, timeout_ns);
  promise_status_t status = REAL(promise_wait)(promise, is("limit-ignored") ? -1 : timeout_ns);
  return status == PROMISE_EDEADLK && is("deadlock-not-seen") ? PROMISE_ETIMEDOUT : status;
}

/* ---- Reactions ---- */

typedef struct converted {
  promise_handler_t handler;
  void *ctx;
  promise_free_t free_ctx;
} converted_t;

static promise_verdict_t never_adopts(void *ctx, const promise_value_t *in, promise_value_t *out) {
  converted_t *converted = ctx;
  promise_verdict_t verdict = converted->handler(converted->ctx, in, out);
  return verdict == PROMISE_ADOPT ? PROMISE_FULFILL : verdict;
}

static void converted_free(void *ctx) {
  converted_t *converted = ctx;
  if (converted->free_ctx != NULL)
    converted->free_ctx(converted->ctx);
  free(converted);
}

promise_t *promise_then(promise_t *promise, promise_handler_t on_fulfilled, void *ctx, promise_free_t free_ctx) {
  if (is("adoption-fulfils") && on_fulfilled != NULL) {
    converted_t *converted = malloc(sizeof *converted);
    *converted = (converted_t){on_fulfilled, ctx, free_ctx};
    return REAL(promise_then)(promise, never_adopts, converted, converted_free);
  }
  bool fails = on_fulfilled == NULL || REAL(promise_state)(promise) < 0;
  return REAL(promise_then)(promise, on_fulfilled, ctx, fails && is("context-never-freed") ? NULL : free_ctx);
}

promise_t *promise_rescue(promise_t *promise, const promise_type_t *type, promise_handler_t on_rejected, void *ctx,
                          promise_free_t free_ctx) {
  return REAL(promise_rescue)(promise, is("type-ignored") ? NULL : type, on_rejected, ctx, free_ctx);
}

promise_t *promise_react(promise_t *promise, const promise_reaction_t *reaction) {
  if (!is("executor-ignored") || reaction == NULL)
    return REAL(promise_react)(promise, reaction);
  promise_reaction_t here = *reaction;
  here.executor = NULL;
  return REAL(promise_react)(promise, &here);
}

promise_status_t promise_job_drop(promise_job_t *job) {
  return is("dropped-job-runs") ? REAL(promise_job_run)(job) : REAL(promise_job_drop)(job);
}

promise_status_t promise_follow(promise_t *promise, promise_t *source) {
  followed = source;
  promise_status_t status = REAL(promise_follow)(promise, source);
  return status == PROMISE_EDEADLK && is("circle-accepted") ? PROMISE_OK : status;
}

promise_status_t promise_resolve_many(promise_t *const *promises, const promise_value_t *values, size_t count,
                                      promise_status_t *statuses) {
  if (!is("many-end-early"))
    return REAL(promise_resolve_many)(promises, values, count, statuses);
  promise_status_t status = PROMISE_OK;
  for (size_t i = 0; i < count && status == PROMISE_OK; i++)
    status = REAL(promise_resolve_many)(promises + i, values + i, 1, statuses + i);
  return status;
}

/* ---- Cancellation and time ---- */

promise_status_t promise_request_cancel(promise_t *promise, const promise_value_t *reason) {
  if (is("request-discards"))
    REAL(promise_discard)(promise);
  asked = promise;
  return REAL(promise_request_cancel)(promise, reason);
}

promise_status_t promise_token_invalidate(promise_token_t *token, const promise_value_t *reason) {
  return is("nobody-silenced") ? REAL(promise_token_cancel)(token, reason)
                               : REAL(promise_token_invalidate)(token, reason);
}

int64_t promise_token_deadline(promise_token_t *token) {
  int64_t deadline = REAL(promise_token_deadline)(token);
  return deadline > 0 && is("deadline-hidden") ? INT64_MAX : deadline;
}

promise_t *promise_sleep(int64_t ns) {
  return REAL(promise_sleep)(ns > 0 && is("sleep-too-short") ? 0 : ns);
}

promise_t *promise_all(promise_t *const *promises, size_t count, uint32_t flags) {
  promise_t *reversed[8];
  if (!is("inputs-reversed") || count > 8)
    return REAL(promise_all)(promises, count, flags);
  for (size_t i = 0; i < count; i++)
    reversed[i] = promises[count - 1 - i];
  return REAL(promise_all)(reversed, count, flags);
}

promise_status_t promise_loop_release(promise_loop_t *loop) {
  /* Runs the pending jobs instead of dropping them. */
  if (is("released-loop-runs"))
    REAL(promise_loop_run_once)(loop);
  return REAL(promise_loop_release)(loop);
}

promise_status_t promise_queue_free(promise_queue_t *queue) {
  /* Releases one reference, which closes the queue only if it was the last. */
  if (is("freed-queue-goes-on"))
    return REAL(promise_queue_release)(queue);
  return REAL(promise_queue_free)(queue);
}

promise_status_t promise_queue_answer(promise_event_t *events, size_t count) {
  /* Retains each promise, so that the answer does not release its last reference. */
  for (size_t i = 0; i < count && is("answered-promise-kept"); i++)
    if (events[i].promise != NULL)
      promise_retain(events[i].promise);
  for (size_t i = 0; i < count && events != NULL && is("skipped-events-kept"); i++)
    if (events[i].kind != PROMISE_EVENT_CALL && events[i].state == PROMISE_VERDICT_SKIP)
      events[i].state = 0;
  return REAL(promise_queue_answer)(events, count);
}

int64_t promise_queue_take(promise_queue_t *queue, promise_event_t *events, size_t room, int64_t timeout_ns) {
  int64_t count, kept = 0;
  do
    count = REAL(promise_queue_take)(queue, events, room, timeout_ns);
  while (count == PROMISE_EINTR && is("take-goes-on"));
  if (!is("obsolete-call-is-silent"))
    return count;
  for (int64_t i = 0; i < count; i++)
    if (events[i].kind != PROMISE_EVENT_OBSOLETE)
      events[kept++] = events[i];
  return count < 0 ? count : kept;
}

promise_status_t promise_queue_watch(promise_queue_t *queue, promise_t *promise, uint64_t tag) {
  return is("watch-without-interest") ? REAL(promise_queue_tap)(queue, promise, tag)
                                      : REAL(promise_queue_watch)(queue, promise, tag);
}

/* ---- Hooks ---- */

static void (*tell)(void *ctx, uint64_t id, const promise_value_t *reason);
static void *tell_ctx;

promise_status_t promise_set_hooks(const promise_hooks_t *hooks) {
  tell = hooks != NULL ? hooks->unhandled_rejection : NULL;
  tell_ctx = hooks != NULL ? hooks->ctx : NULL;
  if (hooks == NULL || !is("hooks-never-called"))
    return REAL(promise_set_hooks)(hooks);
  promise_hooks_t none = *hooks;
  none.unhandled_rejection = NULL;
  return REAL(promise_set_hooks)(&none);
}

/* Reports the rejection even if it has been handled. */
promise_status_t promise_release(promise_t *promise) {
  promise_value_t reason;
  if (is("handled-rejection-reported") && tell != NULL && REAL(promise_state)(promise) == PROMISE_REJECTED &&
      REAL(promise_result)(promise, &reason) == PROMISE_OK) {
    tell(tell_ctx, (uint64_t)(uintptr_t)promise, &reason);
    REAL(promise_value_release)(&reason);
  }
  promise_status_t status = REAL(promise_release)(promise);
  bool accepts = status == PROMISE_ESTALE && is("release-too-many-accepted") && REAL(promise_state)(promise) > 0;
  return accepts ? PROMISE_OK : status;
}

promise_status_t promise_dump_lines(void (*line)(void *ctx, const char *text, size_t length), void *ctx) {
  return line != NULL && is("dump-is-empty") ? PROMISE_OK : REAL(promise_dump_lines)(line, ctx);
}

promise_status_t promise_trace_stop(void) {
  return is("trace-goes-on") ? PROMISE_OK : REAL(promise_trace_stop)();
}

/* ---- Types and values ---- */

const promise_type_t *promise_type_register(const char *name, const promise_type_t *parent, promise_free_t destroy) {
  static int count;
  char own[256];
  if (!is("one-name-two-types") || name == NULL || *name == '\0')
    return REAL(promise_type_register)(name, parent, destroy);
  snprintf(own, sizeof own, "%.200s#%d", name, ++count);
  return REAL(promise_type_register)(own, parent, destroy);
}

const char *promise_value_data(const promise_value_t *value, size_t *length) {
  if (is("crash") && value == NULL)
    raise(SIGSEGV);
  return REAL(promise_value_data)(value, length);
}

promise_status_t promise_value_array(promise_value_t *out, const promise_value_t *elements, size_t count) {
  for (size_t i = 0; i < count && elements != NULL && is("elements-kept"); i++)
    REAL(promise_value_retain)(&elements[i]);
  return REAL(promise_value_array)(out, elements, count);
}

promise_status_t promise_value_error_sized(promise_value_t *out, const char *domain, size_t domain_length, int64_t code,
                                           const char *message, size_t message_length) {
  if (is("lengths-ignored") && domain != NULL && message != NULL)
    return REAL(promise_value_error)(out, domain, code, message);
  return REAL(promise_value_error_sized)(out, domain, domain_length, code, message, message_length);
}

const char *promise_status_name(promise_status_t status) {
  if (is("exit"))
    exit(0);
  return REAL(promise_status_name)(status);
}
