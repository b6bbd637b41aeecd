/* The life of a promise: created, retained, settled once, queried, released. */
#include "support.h"

static void new_promise_is_pending(void) {
  promise_t *promise = promise_new();
  promise_value_t value = {.kind = PROMISE_KIND_I64, .as.i64 = 5};
  CHECK(promise != NULL);
  CHECK_INT(promise_state(promise), PROMISE_PENDING);
  CHECK_STATUS(promise_result(promise, &value), PROMISE_EPENDING);
  CHECK_INT(value.kind, PROMISE_KIND_VOID);
  CHECK_STATUS(promise_release(promise), PROMISE_OK);
}

static void promises_are_distinct(void) {
  promise_t *promises[1000];
  for (int i = 0; i < 1000; i++) {
    promises[i] = promise_new();
    if (i % 2 == 0)
      CHECK_STATUS(promise_resolve(promises[i], I64(i)), PROMISE_OK);
  }
  for (int i = 0; i < 1000; i++) {
    if (i % 2 == 0)
      CHECK(ended(promises[i], PROMISE_FULFILLED, i));
    if (i % 2 == 1)
      CHECK_INT(promise_state(promises[i]), PROMISE_PENDING);
    CHECK_STATUS(promise_release(promises[i]), PROMISE_OK);
  }
}

static void fulfilled_promise_keeps_its_value(void) {
  promise_t *promise = promise_new();
  CHECK_STATUS(promise_resolve(promise, I64(42)), PROMISE_OK);
  CHECK(ended(promise, PROMISE_FULFILLED, 42));
  CHECK_STATUS(promise_resolve(promise, I64(43)), PROMISE_ESETTLED);
  CHECK_STATUS(promise_reject(promise, I64(44)), PROMISE_ESETTLED);
  CHECK_STATUS(promise_discard(promise), PROMISE_ESETTLED);
  CHECK(ended(promise, PROMISE_FULFILLED, 42));
  CHECK_STATUS(promise_release(promise), PROMISE_OK);
}

static void rejected_promise_keeps_its_reason(void) {
  promise_t *promise = promise_new();
  CHECK_STATUS(promise_reject(promise, I64(42)), PROMISE_OK);
  CHECK(ended(promise, PROMISE_REJECTED, 42));
  CHECK_STATUS(promise_resolve(promise, I64(43)), PROMISE_ESETTLED);
  CHECK_STATUS(promise_reject(promise, I64(44)), PROMISE_ESETTLED);
  CHECK_STATUS(promise_discard(promise), PROMISE_ESETTLED);
  CHECK(ended(promise, PROMISE_REJECTED, 42));
  CHECK_STATUS(promise_release(promise), PROMISE_OK);
}

static void any_kind_may_be_a_reason(void) {
  promise_value_t reasons[] = {
      {.kind = PROMISE_KIND_VOID},
      {.kind = PROMISE_KIND_BOOL, .as.b = 1},
      {.kind = PROMISE_KIND_DISCARDED},
      {.kind = PROMISE_KIND_POINTER, .as.ptr = journal},
      text("a reason"),
      error("test", 1, "a reason"),
      holding(promise_new()),
  };
  for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++) {
    promise_t *promise = promise_new();
    promise_value_t got;
    CHECK_STATUS(promise_reject(promise, &reasons[i]), PROMISE_OK);
    CHECK_INT(promise_state(promise), PROMISE_REJECTED);
    CHECK_STATUS(promise_result(promise, &got), PROMISE_OK);
    /* Not byte by byte: bytes of the union that an initializer omits are not part of a value. */
    CHECK_INT(got.kind, reasons[i].kind);
    CHECK(values_equal(&got, &reasons[i]));
    CHECK_STATUS(promise_value_release(&got), PROMISE_OK);
    CHECK_STATUS(promise_release(promise), PROMISE_OK);
  }
}

static void released_promise_is_stale(void) {
  promise_t *promise = promise_new();
  promise_value_t value;
  CHECK_STATUS(promise_release(promise), PROMISE_OK);
  CHECK_STATUS(promise_release(promise), PROMISE_ESTALE);
  CHECK_STATUS(promise_retain(promise), PROMISE_ESTALE);
  CHECK_STATUS(promise_state(promise), PROMISE_ESTALE);
  CHECK_STATUS(promise_result(promise, &value), PROMISE_ESTALE);
  CHECK_STATUS(promise_resolve(promise, VOID()), PROMISE_ESTALE);
  CHECK_STATUS(promise_wait(promise, 0), PROMISE_ESTALE);
}

/* The cell of a released promise is recycled more often than it has generations: the old token must not become valid
 * with any of them. */
static void stale_token_stays_stale(void) {
  promise_t *old = stale();
  long rounds = check_scale(140 * 1000 * 1000);
  long alive = 0;
  for (long i = 0; i < rounds; i++) {
    promise_t *promise = promise_new();
    alive += promise_state(old) != PROMISE_ESTALE;
    promise_release(promise);
  }
  CHECK_INT(alive, 0);
}

/* The library holds references too: the source has one to a derived promise. */
static void released_promise_is_stale_when_the_library_releases_it(void) {
  promise_t *source = promise_new(), *derived = promise_then(source, adds_one, NULL, NULL);
  CHECK_STATUS(promise_release(derived), PROMISE_OK);
  CHECK_INT(promise_state(derived), PROMISE_PENDING);
  promise_t *limited = promise_timeout(derived, INT64_MAX);
  CHECK_STATUS(promise_resolve(source, I64(1)), PROMISE_OK);
  CHECK(ended(limited, PROMISE_FULFILLED, 2));
  CHECK_INT(promise_state(derived), PROMISE_ESTALE);
  CHECK_POINTER(promise_timeout(derived, INT64_MAX), NULL);
  CHECK_STATUS(promise_last_status(), PROMISE_ESTALE);
  CHECK_STATUS(promise_release(limited), PROMISE_OK);
  CHECK_STATUS(promise_release(source), PROMISE_OK);
}

static void retained_promise_needs_as_many_releases(void) {
  promise_t *promise = promise_new();
  for (int i = 0; i < 1000; i++)
    CHECK_STATUS(promise_retain(promise), PROMISE_OK);
  CHECK_STATUS(promise_resolve(promise, I64(1)), PROMISE_OK);
  for (int i = 0; i < 1000; i++) {
    CHECK_STATUS(promise_release(promise), PROMISE_OK);
    CHECK(ended(promise, PROMISE_FULFILLED, 1));
  }
  CHECK_STATUS(promise_release(promise), PROMISE_OK);
  CHECK_STATUS(promise_release(promise), PROMISE_ESTALE);
}

static void value_is_freed_with_the_promise(void) {
  payload_t payload = {0};
  promise_t *promise = promise_new();
  promise_value_t value = object(&payload);
  CHECK_STATUS(promise_resolve(promise, &value), PROMISE_OK);
  CHECK_INT(atomic_load(&payload.destroyed), 0);
  CHECK_STATUS(promise_release(promise), PROMISE_OK);
  CHECK_INT(atomic_load(&payload.destroyed), 1);
}

static void result_outlives_the_promise(void) {
  payload_t payload = {0};
  promise_t *promise = promise_new();
  promise_value_t value = object(&payload), first, second;
  CHECK_STATUS(promise_reject(promise, &value), PROMISE_OK);
  CHECK_STATUS(promise_result(promise, &first), PROMISE_OK);
  CHECK_STATUS(promise_result(promise, &second), PROMISE_OK);
  CHECK_STATUS(promise_release(promise), PROMISE_OK);
  CHECK_STATUS(promise_value_release(&first), PROMISE_OK);
  CHECK_INT(atomic_load(&payload.destroyed), 0);
  CHECK_POINTER(promise_value_data(&second, NULL), &payload);
  CHECK_STATUS(promise_value_release(&second), PROMISE_OK);
  CHECK_INT(atomic_load(&payload.destroyed), 1);
}

/* "Takes over the value's reference, on every path, failing ones included." */
static void value_is_taken_over_on_every_path(void) {
  static promise_status_t (*const settle[])(promise_t *, const promise_value_t *) = {promise_resolve, promise_reject};
  for (int i = 0; i < 2; i++) {
    payload_t payload = {0};
    promise_value_t value = object(&payload);
    CHECK_STATUS(settle[i](NULL, &value), PROMISE_EINVAL);
    CHECK_INT(atomic_load(&payload.destroyed), 1);

    value = object(&payload);
    CHECK_STATUS(settle[i](stale(), &value), PROMISE_ESTALE);
    CHECK_INT(atomic_load(&payload.destroyed), 2);

    promise_t *promise = fulfilled(1);
    value = object(&payload);
    CHECK_STATUS(settle[i](promise, &value), PROMISE_ESETTLED);
    CHECK_INT(atomic_load(&payload.destroyed), 3);
    CHECK(ended(promise, PROMISE_FULFILLED, 1));
    promise_release(promise);

    promise = promise_new();
    promise_discard(promise);
    value = object(&payload);
    CHECK_STATUS(settle[i](promise, &value), PROMISE_ESETTLED);
    CHECK_INT(atomic_load(&payload.destroyed), 4);
    promise_release(promise);

    value = object(&payload);
    CHECK_STATUS(settle[i]((promise_t *)payload_type(), &value), PROMISE_ESTALE);
    CHECK_INT(atomic_load(&payload.destroyed), 5);
  }
}

static void promise_cannot_hold_itself(void) {
  promise_t *promise = promise_new();
  promise_value_t value = holding(retained(promise));
  CHECK_STATUS(promise_resolve(promise, &value), PROMISE_EINVAL);
  CHECK_INT(promise_state(promise), PROMISE_PENDING);
  value = holding(retained(promise));
  CHECK_STATUS(promise_reject(promise, &value), PROMISE_EINVAL);
  CHECK_INT(promise_state(promise), PROMISE_PENDING);
  CHECK_STATUS(promise_resolve(promise, I64(1)), PROMISE_OK);
  CHECK_STATUS(promise_release(promise), PROMISE_OK);
  CHECK_STATUS(promise_state(promise), PROMISE_ESTALE);
}

/* The only reference to the promise is in the value that it rejects. */
static void refused_value_may_be_the_last_reference(void) {
  promise_t *promise = promise_new();
  promise_value_t value = holding(promise);
  CHECK_STATUS(promise_resolve(promise, &value), PROMISE_EINVAL);
  CHECK_STATUS(promise_state(promise), PROMISE_ESTALE);
}

static void value_that_is_none_settles_nothing(void) {
  static const promise_kind_t kinds[] = {0, PROMISE_KIND_ARRAY, PROMISE_KIND_MAP, 15, 16, 255, 256, UINT32_MAX};
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    promise_t *promise = promise_new();
    promise_value_t value = {.kind = kinds[i], .as.ptr = promise};
    CHECK_STATUS(promise_resolve(promise, &value), PROMISE_EINVAL);
    CHECK_STATUS(promise_reject(promise, &value), PROMISE_EINVAL);
    CHECK_INT(promise_state(promise), PROMISE_PENDING);
    CHECK_STATUS(promise_release(promise), PROMISE_OK);
  }
}

static void churn_does_not_grow(void) {
  long rounds = check_scale(5 * 1000 * 1000);
  long wrong = 0;
  for (long i = 0; i < rounds; i++) {
    promise_t *promise = promise_new();
    promise_t *child = promise_then(promise, adds_one, NULL, NULL);
    if (i % 2 == 0)
      wrong += promise_resolve(promise, I64(i)) != PROMISE_OK;
    wrong += promise_release(child) != PROMISE_OK;
    wrong += promise_release(promise) != PROMISE_OK;
  }
  CHECK_INT(wrong, 0);

  long kilobytes = resident_kilobytes();
  if (getenv("CHECK_QUICK") == NULL)
    CHECK(kilobytes > 0 && kilobytes < 64 * 1024);
}

int main(void) {
  RUN(new_promise_is_pending);
  RUN(promises_are_distinct);
  RUN(fulfilled_promise_keeps_its_value);
  RUN(rejected_promise_keeps_its_reason);
  RUN(any_kind_may_be_a_reason);
  RUN(released_promise_is_stale);
  RUN(stale_token_stays_stale);
  RUN(released_promise_is_stale_when_the_library_releases_it);
  RUN(retained_promise_needs_as_many_releases);
  RUN(value_is_freed_with_the_promise);
  RUN(result_outlives_the_promise);
  RUN(value_is_taken_over_on_every_path);
  RUN(promise_cannot_hold_itself);
  RUN(refused_value_may_be_the_last_reference);
  RUN(value_that_is_none_settles_nothing);
  RUN(churn_does_not_grow);
  return check_report();
}
