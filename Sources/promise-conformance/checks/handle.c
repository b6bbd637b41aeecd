/* promise.h, HANDLES: functions reject a token that is NULL, released, forged or of another kind. */
#include "../checked.h"

CHECKS(handle)

static int own_memory[64];

/* Expects that every function that takes a promise rejects this one with `status`. */
static void expect_refused(promise_t *promise, promise_status_t status) {
  spy_t spy = {0};
  promise_value_t value = i64(1);
  CHECK_STATUS(promise_retain(promise), status);
  CHECK_STATUS(promise_release(promise), status);
  CHECK_STATUS(promise_state(promise), status);
  CHECK_STATUS(promise_resolve(promise, &value), status);
  CHECK_STATUS(promise_reject(promise, &value), status);
  CHECK_STATUS(promise_discard(promise), status);
  CHECK_STATUS(promise_wait(promise, FOR_EVER), status);
  CHECK_STATUS(promise_result(promise, &value), status);
  CHECK_INT(value.kind, PROMISE_KIND_VOID);
  CHECK_POINTER(promise_then(promise, spy_handler, &spy, spy_free), NULL);
  CHECK_STATUS(promise_last_status(), status);
  CHECK_POINTER(promise_rescue(promise, NULL, spy_handler, &spy, spy_free), NULL);
  CHECK_STATUS(promise_last_status(), status);
  CHECK_STATUS(promise_observe(promise, spy_observer, NULL, &spy, spy_free), status);
  CHECK_SPY(&spy, 0, 3);
}

RULE(null_is_refused, "NULL is PROMISE_EINVAL for every function that takes a promise") {
  expect_refused(NULL, PROMISE_EINVAL);
}

RULE(a_released_token_is_refused, "a released token is PROMISE_ESTALE for every function that takes a promise") {
  expect_refused(stale(), PROMISE_ESTALE);
}

/* A token stays stale even if its memory is recycled for another promise. */
RULE(a_released_token_stays_stale, "a released token stays stale, however many promises are made") {
  enum { COUNT = 1000 };
  static promise_t *later[COUNT];
  promise_t *old = stale();
  for (int i = 0; i < COUNT; i++) {
    later[i] = pending();
    CHECK(later[i] != old);
    CHECK_STATUS(promise_state(old), PROMISE_ESTALE);
  }
  expect_refused(old, PROMISE_ESTALE);
  for (int i = 0; i < COUNT; i++) {
    CHECK_INT(promise_state(later[i]), PROMISE_PENDING);
    release(later[i]);
  }
}

RULE(a_forged_token_is_refused, "a forged token is PROMISE_ESTALE, and nothing is read through it") {
  promise_t *live = pending();
  const uintptr_t forged[] = {1,
                              8,
                              64,
                              4096,
                              (uintptr_t)own_memory,
                              (uintptr_t)&own_memory[1],
                              UINTPTR_MAX,
                              UINTPTR_MAX - 63,
                              (uintptr_t)INTPTR_MAX,
                              (uintptr_t)live + 1,
                              ~(uintptr_t)live};
  for (size_t i = 0; i < sizeof forged / sizeof *forged; i++)
    expect_refused((promise_t *)forged[i], PROMISE_ESTALE);
  uintptr_t random = (uintptr_t)UINT64_C(0x9e3779b97f4a7c15);
  for (int i = 0; i < 10000; i++) {
    random ^= random << 13, random ^= random >> 7, random ^= random << 17;
    CHECK_STATUS(promise_state((promise_t *)random), PROMISE_ESTALE);
  }
  CHECK_INT(promise_state(live), PROMISE_PENDING);
  release(live);
}

RULE(a_handle_of_another_kind_is_refused, "a handle of another kind is PROMISE_ESTALE") {
  promise_job_t *job = NULL;
  promise_executor_t *executor = promise_executor_new(keep_job, &job, NULL);
  promise_reaction_t reaction = {.size = sizeof reaction, .executor = executor, .on_fulfilled = adds_one};
  promise_t *promise = fulfilled(1);
  promise_t *child = promise_react(promise, &reaction);
  CHECK(job != NULL);
  expect_refused((promise_t *)(void *)executor, PROMISE_ESTALE);
  expect_refused((promise_t *)(void *)job, PROMISE_ESTALE);
  expect_refused((promise_t *)(uintptr_t)promise_type_named("error"), PROMISE_ESTALE);
  CHECK_STATUS(promise_executor_release((promise_executor_t *)(void *)promise), PROMISE_ESTALE);
  CHECK_STATUS(promise_job_run((promise_job_t *)(void *)promise), PROMISE_ESTALE);
  CHECK_STATUS(promise_job_run(job), PROMISE_OK);
  CHECK_ENDED(child, PROMISE_FULFILLED, 2);
  RELEASE(child, promise);
  CHECK_STATUS(promise_executor_release(executor), PROMISE_OK);
}
