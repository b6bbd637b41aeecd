/* promise_then: clauses 3.1.2 and 3.1.3. */
#include "support.h"

/* A handler that releases the last reference to the promise it is attached to, then reads the value. */
static promise_verdict_t releases_and_reads(void *ctx, const promise_value_t *in, promise_value_t *out) {
  spy_t *spy = ctx;
  CHECK_STATUS(promise_release(spy->promise), PROMISE_OK);
  promise_value_t other = text("takes the place of what is freed");
  CHECK_TEXT(promise_value_data(in, NULL), "a text that the promise held");
  promise_value_release(&other);
  spy_see(spy, in);
  *out = *I64(1);
  return PROMISE_FULFILL;
}

TEST(handler_keeps_the_value_of_a_promise_that_it_releases) {
  for (int is_rejected = 0; is_rejected < 2; is_rejected++) {
    spy_t spy = {.promise = promise_new()};
    promise_value_t value = text("a text that the promise held");
    CHECK_STATUS(is_rejected ? promise_reject(spy.promise, &value) : promise_resolve(spy.promise, &value), PROMISE_OK);
    promise_t *child = is_rejected ? promise_rescue(spy.promise, NULL, releases_and_reads, &spy, spy_free)
                                   : promise_then(spy.promise, releases_and_reads, &spy, spy_free);
    CHECK_SPY(&spy, 1, 1);
    CHECK_STATUS(promise_state(spy.promise), PROMISE_ESTALE);
    CHECK(ended(child, PROMISE_FULFILLED, 1));
    promise_release(child);
  }
}

TEST(released_middle_does_not_break_the_chain) {
  spy_t first = {0}, second = {0};
  promise_t *promise = promise_new();
  promise_t *child = promise_then(promise, spy_handler, &first, spy_free);
  promise_t *grandchild = promise_then(child, spy_handler, &second, spy_free);
  promise_release(child);
  promise_resolve(promise, I64(1));
  CHECK_SPY(&first, 1, 1);
  CHECK_SPY(&second, 1, 1);
  CHECK(ended(grandchild, PROMISE_FULFILLED, 3));
  RELEASE(grandchild, promise);
}

TEST(whole_chain_is_freed_with_its_head) {
  spy_t spies[10] = {{0}};
  promise_t *head = promise_new(), *last = head;
  for (int i = 0; i < 10; i++) {
    promise_t *next = promise_then(last, spy_handler, &spies[i], spy_free);
    if (last != head)
      promise_release(last);
    last = next;
  }
  promise_release(last);
  for (int i = 0; i < 10; i++)
    CHECK_SPY(&spies[i], 0, 0);
  CHECK_STATUS(promise_release(head), PROMISE_OK);
  for (int i = 0; i < 10; i++)
    CHECK_SPY(&spies[i], 0, 1);
  CHECK_STATUS(promise_state(last), PROMISE_ESTALE);
}

TEST(pass_through_to_a_settled_child_is_dropped) {
  payload_t payload = {0};
  spy_t spy = {0};
  promise_value_t reason = object(&payload);
  promise_t *promise = promise_new();
  promise_t *child = promise_then(promise, spy_handler, &spy, spy_free);
  promise_resolve(child, I64(9));
  promise_reject(promise, &reason);
  CHECK_SPY(&spy, 0, 1);
  CHECK(ended(child, PROMISE_FULFILLED, 9));
  RELEASE(child, promise);
  CHECK_INT(atomic_load(&payload.destroyed), 1);
}

static promise_verdict_t pass_on(void *ctx, const promise_value_t *in, promise_value_t *out) {
  *out = *in;
  CHECK_STATUS(promise_value_retain(out), PROMISE_OK);
  return *(promise_verdict_t *)ctx;
}

TEST(handler_may_pass_its_argument_on) {
  promise_verdict_t verdicts[] = {PROMISE_FULFILL, PROMISE_REJECT};
  for (int i = 0; i < 2; i++) {
    payload_t payload = {0};
    promise_value_t value = object(&payload);
    promise_t *promise = promise_new();
    promise_t *child = promise_then(promise, pass_on, &verdicts[i], NULL);
    promise_resolve(promise, &value);
    promise_release(promise);
    CHECK_INT(atomic_load(&payload.destroyed), 0);
    CHECK_INT(promise_state(child), i == 0 ? PROMISE_FULFILLED : PROMISE_REJECTED);
    promise_release(child);
    CHECK_INT(atomic_load(&payload.destroyed), 1);
  }
}

static promise_verdict_t leave_void(void *ctx, const promise_value_t *in, promise_value_t *out) {
  (void)ctx, (void)in;
  CHECK_INT(out->kind, PROMISE_KIND_VOID);
  return PROMISE_FULFILL;
}

TEST(untouched_out_is_void) {
  promise_value_t value;
  promise_t *promise = fulfilled(1);
  promise_t *child = promise_then(promise, leave_void, NULL, NULL);
  CHECK_STATUS(promise_result(child, &value), PROMISE_OK);
  CHECK_INT(value.kind, PROMISE_KIND_VOID);
  RELEASE(child, promise);
}

static promise_verdict_t no_verdict(void *ctx, const promise_value_t *in, promise_value_t *out) {
  (void)ctx, (void)in, (void)out;
  return 0;
}

TEST(no_verdict_rejects) {
  promise_t *promise = fulfilled(1);
  promise_t *child = promise_then(promise, no_verdict, NULL, NULL);
  CHECK(failed_with(child, PROMISE_EINVAL));
  RELEASE(child, promise);
}

static promise_verdict_t returns_a_state(void *ctx, const promise_value_t *in, promise_value_t *out) {
  (void)in;
  *out = *I64(1);
  return promise_state(*(promise_t **)ctx);
}

TEST(a_promise_state_is_not_a_verdict) {
  promise_t *states[] = {promise_new(), fulfilled(1), rejected(1), stale(), NULL}, *promise = fulfilled(1);
  for (size_t i = 0; i < sizeof states / sizeof *states; i++) {
    promise_t *child = promise_then(promise, returns_a_state, &states[i], NULL);
    CHECK(failed_with(child, PROMISE_EINVAL));
    promise_value_t reason;
    CHECK_STATUS(promise_result(child, &reason), PROMISE_OK);
    CHECK(strstr(promise_value_data(&reason, NULL), "must return PROMISE_FULFILL") != NULL);
    promise_value_release(&reason);
    promise_release(child);
    if (i < 3)
      promise_release(states[i]);
  }
  promise_release(promise);
}

static atomic_int null_frees;
static void free_null(void *ctx) {
  CHECK_POINTER(ctx, NULL);
  atomic_fetch_add(&null_frees, 1);
}

TEST(null_context_is_freed_too) {
  promise_t *promise = fulfilled(1);
  promise_release(promise_then(promise, leave_void, NULL, free_null));
  CHECK_INT(atomic_load(&null_frees), 1);
  promise_release(promise);
}
