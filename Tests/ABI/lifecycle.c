/* The life of a promise: created, retained, settled once, queried, released. */
#include "support.h"

TEST(promises_are_distinct) {
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

TEST(any_kind_may_be_a_reason) {
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
    /* Not compared byte by byte: bytes of the union that an initializer omits are not part of a value. */
    CHECK_INT(got.kind, reasons[i].kind);
    CHECK(values_equal(&got, &reasons[i]));
    CHECK_STATUS(promise_value_release(&got), PROMISE_OK);
    CHECK_STATUS(promise_release(promise), PROMISE_OK);
  }
}

/* The cell of a released promise is recycled more often than it has generations: the old token must not become valid
 * again. */
TEST(stale_token_stays_stale) {
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

/* A released promise lives as long as the library has a reference: its source has one to a derived promise. */
TEST(released_promise_is_stale_when_the_library_releases_it) {
  promise_t *source = promise_new(), *derived = promise_then(source, adds_one, NULL, NULL);
  CHECK_STATUS(promise_release(derived), PROMISE_OK);
  CHECK_INT(promise_state(derived), PROMISE_PENDING);
  promise_t *limited = promise_timeout(derived, INT64_MAX);
  CHECK_STATUS(promise_resolve(source, I64(1)), PROMISE_OK);
  CHECK(ended(limited, PROMISE_FULFILLED, 2));
  CHECK_INT(promise_state(derived), PROMISE_ESTALE);
  CHECK_POINTER(promise_timeout(derived, INT64_MAX), NULL);
  CHECK_STATUS(promise_last_status(), PROMISE_ESTALE);
  RELEASE(limited, source);
}

/* The value that the promise rejects has the only reference to that promise. */
TEST(refused_value_may_be_the_last_reference) {
  promise_t *promise = promise_new();
  promise_value_t value = holding(promise);
  CHECK_STATUS(promise_resolve(promise, &value), PROMISE_EINVAL);
  CHECK_STATUS(promise_state(promise), PROMISE_ESTALE);
}

TEST(churn_does_not_grow) {
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
