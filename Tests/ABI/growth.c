/* Memory that does not grow while objects are created and destroyed. */
#include "support.h"

/* Operations overlap: the token always has a live promise when another one is added. */
TEST(a_token_does_not_grow_with_destroyed_promises) {
  promise_token_t *token = promise_token_new(0), *children[2] = {promise_token_new(0)};
  promise_t *before = promise_new();
  CHECK_STATUS(promise_token_add(token, before), PROMISE_OK);
  long rounds = check_scale(1000 * 1000), kilobytes = 0;
  for (long i = 0; i < rounds; i++) {
    promise_t *promise = promise_new();
    promise_token_add(token, promise);
    promise_release(before);
    before = promise;
    children[1] = promise_token_new(0);
    promise_token_chain(children[1], token, 0);
    promise_token_release(children[0]);
    children[0] = children[1];
    if (i == rounds / 10)
      kilobytes = resident_kilobytes();
  }
  if (getenv("CHECK_QUICK") == NULL)
    CHECK(resident_kilobytes() < kilobytes + 2048);
  CHECK_STATUS(promise_token_invalidate(token, NULL), PROMISE_OK);
  CHECK_INT(promise_cancel_requested(before), 1);
  CHECK_INT(promise_token_generation(children[0]), 1);
  promise_release(before);
  promise_token_release(children[0]);
  promise_token_release(token);
}

TEST(builders_do_not_grow_the_process) {
  long rounds = check_scale(200000), wrong = 0, before = 0;
  for (long i = 0; i < rounds; i++) {
    promise_builder_t *builder = promise_builder_new(i % 2 ? PROMISE_KIND_MAP : PROMISE_KIND_ARRAY, (size_t)(i % 20));
    for (int j = 0; j < 10; j++)
      wrong += (i % 2 ? promise_builder_set(builder, &"some key"[j % 8], (size_t)(8 - j % 8), I64(j))
                      : promise_builder_add(builder, I64(j))) != PROMISE_OK;
    promise_value_t value;
    wrong += promise_builder_finish(builder, &value) != PROMISE_OK;
    wrong += promise_value_release(&value) != PROMISE_OK;
    if (i == rounds / 10)
      before = resident_kilobytes();
  }
  CHECK_INT(wrong, 0);
  if (getenv("CHECK_QUICK") == NULL)
    CHECK(resident_kilobytes() < before + 2048);
}
