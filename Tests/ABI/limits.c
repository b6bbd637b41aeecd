/* As many references as there is room for: the next one is refused, none is lost. */
#include "support.h"

static long const limit = 1L << 26;

static void promise_takes_as_many_references_as_promised(void) {
  promise_t *promise = promise_new();
  promise_status_t status = PROMISE_OK;
  long references = 1;
  while ((status = promise_retain(promise)) == PROMISE_OK && references <= limit)
    references++;
  CHECK_STATUS(status, PROMISE_ENOMEM);
  CHECK_INT(references, limit);
  CHECK_STATUS(promise_retain(promise), PROMISE_ENOMEM);
  CHECK_STATUS(promise_release(promise), PROMISE_OK);
  CHECK_STATUS(promise_retain(promise), PROMISE_OK);
  CHECK_STATUS(promise_retain(promise), PROMISE_ENOMEM);

  /* It works as before: the callbacks' own references are the promise's children's. */
  spy_t spy = {0};
  CHECK_STATUS(promise_observe(promise, spy_observer, NULL, &spy, spy_free), PROMISE_OK);
  CHECK_STATUS(promise_wait(promise, 1), PROMISE_ETIMEDOUT);
  CHECK_STATUS(promise_resolve(promise, I64(1)), PROMISE_OK);
  CHECK_SPY(&spy, 1, 1);
  promise_t *child = promise_then(promise, adds_one, NULL, NULL);
  CHECK(ended(child, PROMISE_FULFILLED, 2));
  promise_release(child);

  for (long i = 1; i < references; i++)
    status |= promise_release(promise) != PROMISE_OK;
  CHECK_STATUS(status, PROMISE_ENOMEM);
  CHECK_INT(promise_state(promise), PROMISE_FULFILLED);
  CHECK_STATUS(promise_release(promise), PROMISE_OK);
  CHECK_STATUS(promise_state(promise), PROMISE_ESTALE);
}

static void value_takes_as_many_references_as_promised(void) {
  payload_t payload = {0};
  promise_value_t value = object(&payload), got;
  promise_t *promise = promise_new();
  long references = 1;
  promise_status_t status = PROMISE_OK;
  CHECK_STATUS(promise_resolve(promise, &value), PROMISE_OK);
  while ((status = promise_value_retain(&value)) == PROMISE_OK && references <= limit)
    references++;
  CHECK_STATUS(status, PROMISE_ENOMEM);
  CHECK_INT(references, limit);
  CHECK_STATUS(promise_result(promise, &got), PROMISE_ENOMEM);
  CHECK_INT(got.kind, PROMISE_KIND_VOID);

  /* A child that cannot share it is rejected with that. */
  promise_t *child = promise_rescue(promise, NULL, adds_one, NULL, NULL);
  CHECK(failed_with(child, PROMISE_ENOMEM));
  promise_release(child);

  for (long i = 1; i < references; i++) {
    promise_value_t copy = value;
    status |= promise_value_release(&copy) != PROMISE_OK;
  }
  CHECK_STATUS(status, PROMISE_ENOMEM);
  CHECK_INT(atomic_load(&payload.destroyed), 0);
  CHECK_STATUS(promise_release(promise), PROMISE_OK);
  CHECK_INT(atomic_load(&payload.destroyed), 1);
}

int main(void) {
  RUN(promise_takes_as_many_references_as_promised);
  RUN(value_takes_as_many_references_as_promised);
  return check_report();
}
