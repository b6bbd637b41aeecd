/* Deep structures while there is no memory at all: cancelled and released without recursion. */
#include "scarce.h"

enum { DEPTH = 20000 };

/* Nests promise_all() in promise_all(), DEPTH levels around `*innermost`. Returns the outermost promise. The caller has
 * a reference to it and one to the innermost. */
static promise_t *nested(promise_t **innermost) {
  promise_t *promise = *innermost = promise_new();
  for (int i = 0; i < DEPTH; i++) {
    promise_t *outer = promise_all(&promise, 1, 0);
    REQUIRE(outer != NULL);
    if (i > 0)
      promise_release(promise);
    promise = outer;
  }
  return promise;
}

/* Runs `body` with the outermost promise on a small stack, without a free cell. */
static void without_memory(void *(*body)(void *outermost), int32_t is_cancelled) {
  promise_t *innermost, *outermost = nested(&innermost);
  scarce_begin();
  atomic_store(&scarce_full_for_all, true);
  scarce_take_all();
  on_small_stack(body, outermost);
  CHECK_INT(promise_state(innermost), PROMISE_PENDING);
  CHECK_INT(promise_cancel_requested(innermost), is_cancelled);
  promise_release(innermost);
  atomic_store(&scarce_full_for_all, false);
  scarce_end();
}

static void *requests_cancel(void *outermost) {
  scarce_blocks = 0;
  CHECK_STATUS(promise_request_cancel(outermost, NULL), PROMISE_OK);
  CHECK_STATUS(promise_release(outermost), PROMISE_OK);
  return NULL;
}
static void cancels(void) {
  without_memory(requests_cancel, 1);
}

static void *discards(void *outermost) {
  scarce_blocks = 0;
  CHECK_STATUS(promise_discard(outermost), PROMISE_OK);
  CHECK_STATUS(promise_release(outermost), PROMISE_OK);
  return NULL;
}
static void discards_the_outermost(void) {
  without_memory(discards, 0);
}

static void *releases(void *outermost) {
  scarce_blocks = 0;
  CHECK_STATUS(promise_release(outermost), PROMISE_OK);
  return NULL;
}
static void releases_the_outermost(void) {
  without_memory(releases, 0);
}

int main(void) {
  RUN(cancels);
  RUN(discards_the_outermost);
  RUN(releases_the_outermost);
  return check_report();
}
