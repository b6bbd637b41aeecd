/* promise_resolve_many: equivalent to one call of promise_resolve for each promise. */
#include "support.h"

enum { COUNT = 1000 };

TEST(each_gets_its_own) {
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

TEST(callbacks_run_before_the_next_is_looked_at) {
  promise_t *promises[] = {promise_new(), promise_new()};
  later = promises[1];
  char names[] = "ab";
  for (int i = 0; i < 2; i++)
    promise_release(promise_then(promises[i], notes, &names[i], NULL));
  journal_clear();
  CHECK_STATUS(promise_resolve_many(promises, (promise_value_t[]){*I64(1), *I64(2)}, 2, NULL), PROMISE_OK);
  CHECK_TEXT(journal, "ab");
  RELEASE(promises[0], promises[1]);
}

static promise_verdict_t settles_the_later_one(void *ctx, const promise_value_t *in, promise_value_t *out) {
  (void)ctx, (void)in, (void)out;
  CHECK_STATUS(promise_reject(later, I64(9)), PROMISE_OK);
  return PROMISE_FULFILL;
}

TEST(one_that_fails_stops_no_other) {
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
  RELEASE(later, first);
  CHECK_STATUS(promise_release(promises[5]), PROMISE_OK);
  CHECK_INT(atomic_load(&payloads[0].destroyed), 1);
  CHECK_INT(atomic_load(&payloads[5].destroyed), 1);
}
