/* promise/core.h: settling, and reading the state. */
#include "../checked.h"

CHECKS(settle)

RULE(a_promise_begins_pending, "a promise begins pending") {
  promise_value_t out = i64(1);
  promise_t *promise = promise_new(), *other = promise_new();
  CHECK(promise != NULL && other != NULL && promise != other);
  CHECK_INT(promise_state(promise), PROMISE_PENDING);
  CHECK_STATUS(promise_result(promise, &out), PROMISE_EPENDING);
  CHECK_INT(out.kind, PROMISE_KIND_VOID);
  RELEASE(promise, other);
}

RULE(settling_settles, "resolve fulfils, reject rejects, discard rejects with a DISCARDED") {
  promise_t *promise = fulfilled(7);
  CHECK_ENDED(promise, PROMISE_FULFILLED, 7);
  release(promise);
  promise = rejected(8);
  CHECK_ENDED(promise, PROMISE_REJECTED, 8);
  release(promise);
  promise = pending();
  CHECK_STATUS(promise_discard(promise), PROMISE_OK);
  CHECK_DISCARDED(promise);
  release(promise);
}

typedef promise_status_t settling_t(promise_t *promise);
static promise_status_t resolves(promise_t *promise) {
  promise_value_t value = i64(1);
  return promise_resolve(promise, &value);
}
static promise_status_t rejects(promise_t *promise) {
  promise_value_t value = i64(2);
  return promise_reject(promise, &value);
}
static promise_status_t discards(promise_t *promise) {
  return promise_discard(promise);
}

static void expect_settled_by(promise_t *promise, int first) {
  if (first == 0)
    CHECK_ENDED(promise, PROMISE_FULFILLED, 1);
  else if (first == 1)
    CHECK_ENDED(promise, PROMISE_REJECTED, 2);
  else
    CHECK_DISCARDED(promise);
}

RULE(the_first_settlement_wins, "the first settlement wins, each later one is PROMISE_ESETTLED and changes nothing") {
  static settling_t *const ways[] = {resolves, rejects, discards};
  for (int first = 0; first < 3; first++) {
    spy_t spy = {0};
    promise_t *promise = pending();
    CHECK_STATUS(promise_observe(promise, spy_observer, spy_observer, &spy, spy_free), PROMISE_OK);
    CHECK_STATUS(ways[first](promise), PROMISE_OK);
    for (int second = 0; second < 3; second++) {
      CHECK_STATUS(ways[second](promise), PROMISE_ESETTLED);
      expect_settled_by(promise, first);
      CHECK_SPY(&spy, 1, 1);
    }
    release(promise);
  }
}

static promise_t *subject;
static void settles_again(void *ctx, const promise_value_t *value) {
  (void)value;
  CHECK_INT(promise_state(subject), PROMISE_FULFILLED);
  CHECK_STATUS(resolves(subject), PROMISE_ESETTLED);
  CHECK_STATUS(rejects(subject), PROMISE_ESETTLED);
  CHECK_STATUS(discards(subject), PROMISE_ESETTLED);
  ++*(int *)ctx;
}

RULE(the_state_is_final_while_callbacks_run, "the state is final while callbacks run") {
  int calls = 0;
  subject = pending();
  CHECK_STATUS(promise_observe(subject, settles_again, settles_again, &calls, NULL), PROMISE_OK);
  resolve(subject, 7);
  CHECK_INT(calls, 1);
  CHECK_ENDED(subject, PROMISE_FULFILLED, 7);
  release(subject);
}

RULE(settlement_is_synchronous, "when a settling call returns, every callback has run, on that thread") {
  spy_t good = {0}, bad = {0}, child_spy = {0}, grandchild_spy = {0};
  promise_t *promise = pending();
  promise_t *child = promise_then(promise, spy_handler, &child_spy, spy_free);
  promise_t *grandchild = promise_then(child, spy_handler, &grandchild_spy, spy_free);
  CHECK_STATUS(promise_observe(promise, spy_observer, NULL, &good, spy_free), PROMISE_OK);
  CHECK_STATUS(promise_observe(promise, NULL, spy_observer, &bad, spy_free), PROMISE_OK);
  CHECK_SPY(&good, 0, 0);
  resolve(promise, 1);
  CHECK_SPY(&good, 1, 1);
  CHECK_SPY(&bad, 0, 1);
  CHECK_SPY(&child_spy, 1, 1);
  CHECK_SPY(&grandchild_spy, 1, 1);
  CHECK(pthread_equal(good.thread, pthread_self()));
  CHECK(pthread_equal(grandchild_spy.freed_on, pthread_self()));
  CHECK_ENDED(grandchild, PROMISE_FULFILLED, 3);
  RELEASE(promise, child, grandchild);
}

RULE(a_promise_is_stored_as_it_is, "a PROMISE is stored as it is, not followed") {
  promise_t *inner = pending(), *outer = pending();
  promise_value_t value = holding(retained(inner)), out;
  CHECK_STATUS(promise_resolve(outer, &value), PROMISE_OK);
  CHECK_INT(promise_state(outer), PROMISE_FULFILLED);
  CHECK_STATUS(promise_result(outer, &out), PROMISE_OK);
  CHECK_INT(out.kind, PROMISE_KIND_PROMISE);
  CHECK_POINTER(out.as.ptr, inner);
  CHECK_STATUS(promise_value_release(&out), PROMISE_OK);
  release(inner);
  CHECK_INT(promise_state(inner), PROMISE_PENDING);
  release(outer);
  CHECK_STATUS(promise_state(inner), PROMISE_ESTALE);
}

RULE(a_promise_cannot_hold_itself, "a promise cannot hold itself") {
  promise_status_t (*const settle[])(promise_t *, const promise_value_t *) = {promise_resolve, promise_reject,
                                                                              promise_discard_with};
  promise_t *promise = pending();
  for (int i = 0; i < 3; i++) {
    promise_value_t value = holding(retained(promise));
    CHECK_STATUS(settle[i](promise, &value), PROMISE_EINVAL);
    CHECK_INT(promise_state(promise), PROMISE_PENDING);
  }
  release(promise);
  CHECK_STATUS(promise_state(promise), PROMISE_ESTALE);
}

enum { COUNT = 1000 };

RULE(each_gets_its_own, "promise_resolve_many() gives each promise its value") {
  promise_t *promises[COUNT];
  promise_value_t values[COUNT];
  promise_status_t statuses[COUNT];
  for (int i = 0; i < COUNT; i++) {
    promises[i] = promise_new();
    values[i] = *I64(i);
    statuses[i] = 1;
  }
  CHECK_STATUS(promise_resolve_many(promises, values, COUNT, statuses), PROMISE_OK);
  for (int i = 0; i < COUNT; i++) {
    CHECK(ended(promises[i], PROMISE_FULFILLED, i));
    CHECK_STATUS(statuses[i], PROMISE_OK);
    promise_release(promises[i]);
  }
}

static promise_t *later;

static promise_verdict_t notes(void *ctx, const promise_value_t *in, promise_value_t *out) {
  (void)out;
  note(*(char *)ctx);
  CHECK_INT(promise_state(later), in->as.i64 == 1 ? PROMISE_PENDING : PROMISE_FULFILLED);
  return PROMISE_FULFILL;
}

RULE(callbacks_run_before_the_next_is_looked_at, "callbacks of one promise of many run before the next is settled") {
  promise_t *promises[] = {promise_new(), promise_new()};
  later = promises[1];
  char names[] = "ab";
  for (int i = 0; i < 2; i++)
    promise_release(promise_then(promises[i], notes, &names[i], NULL));
  CHECK_STATUS(promise_resolve_many(promises, (promise_value_t[]){*I64(1), *I64(2)}, 2, NULL), PROMISE_OK);
  CHECK_TEXT(journal, "ab");
  RELEASE(promises[0], promises[1]);
}

static promise_verdict_t settles_the_later_one(void *ctx, const promise_value_t *in, promise_value_t *out) {
  (void)ctx, (void)in, (void)out;
  CHECK_STATUS(promise_reject(later, I64(9)), PROMISE_OK);
  return PROMISE_FULFILL;
}

RULE(one_that_fails_stops_no_other, "many are settled as one by one, and one that fails stops no other") {
  payload_t payloads[6] = {0};
  promise_value_t values[6];
  for (int i = 0; i < 6; i++)
    values[i] = object(&payloads[i]);
  promise_t *first = promise_new();
  later = promise_new();
  promise_release(promise_then(first, settles_the_later_one, NULL, NULL));
  promise_t *promises[] = {first, first, NULL, stale(), later, promise_new()};
  const promise_status_t expected[] = {PROMISE_OK,     PROMISE_ESETTLED, PROMISE_EINVAL,
                                       PROMISE_ESTALE, PROMISE_ESETTLED, PROMISE_OK};
  promise_status_t statuses[6] = {0};
  CHECK_STATUS(promise_resolve_many(promises, values, 6, statuses), PROMISE_ESETTLED);
  for (int i = 0; i < 6; i++) {
    CHECK_STATUS(statuses[i], expected[i]);
    /* Each value that was not stored is freed once. */
    CHECK_INT(atomic_load(&payloads[i].destroyed), expected[i] != PROMISE_OK);
  }
  CHECK(ended(later, PROMISE_REJECTED, 9));
  RELEASE(later, first, promises[5]);
  CHECK_INT(atomic_load(&payloads[0].destroyed), 1);
  CHECK_INT(atomic_load(&payloads[5].destroyed), 1);
}

RULE(a_promise_may_begin_settled, "promise_new_resolved() and promise_new_rejected() make settled promises") {
  promise_value_t value = i64(7);
  promise_t *good = promise_new_resolved(&value), *bad = promise_new_rejected(&value);
  CHECK_ENDED(good, PROMISE_FULFILLED, 7);
  CHECK_ENDED(bad, PROMISE_REJECTED, 7);
  RELEASE(good, bad);
  CHECK_POINTER(promise_new_resolved(NULL), NULL);
  CHECK_STATUS(promise_last_status(), PROMISE_EINVAL);
}

RULE(missing_arguments_are_refused, "missing arguments are refused") {
  promise_value_t out = i64(1);
  promise_t *promise = pending();
  CHECK_STATUS(promise_resolve(promise, NULL), PROMISE_EINVAL);
  CHECK_STATUS(promise_reject(promise, NULL), PROMISE_EINVAL);
  CHECK_INT(promise_state(promise), PROMISE_PENDING);
  resolve(promise, 1);
  CHECK_STATUS(promise_result(promise, NULL), PROMISE_EINVAL);
  CHECK_STATUS(promise_result(NULL, &out), PROMISE_EINVAL);
  CHECK_INT(out.kind, PROMISE_KIND_VOID);
  release(promise);
}
