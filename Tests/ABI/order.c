/* The order of callbacks that an outcome passes through, or that follow another promise. The conformance program checks
 * the other rules of order (checks/order.c). */
#include "support.h"

/* A context that is one letter. */
#define LETTER(letter) ((void *)(intptr_t)(letter))

static void noting(void *ctx, const promise_value_t *value) {
  (void)value;
  note((char)(intptr_t)ctx);
}

static promise_verdict_t noting_handler(void *ctx, const promise_value_t *in, promise_value_t *out) {
  *out = *in;
  note((char)(intptr_t)ctx);
  return PROMISE_FULFILL;
}

static void observe(promise_t *promise, char letter) {
  CHECK_STATUS(promise_observe(promise, noting, noting, LETTER(letter), NULL), PROMISE_OK);
}

static promise_t *then(promise_t *promise, char letter) {
  promise_t *child = promise_then(promise, noting_handler, LETTER(letter), NULL);
  CHECK(child != NULL);
  return child;
}

static void pass_through_settles_depth_first_too(void) {
  journal_clear();
  promise_t *promise = promise_new();
  promise_t *skipped = then(promise, 'X');
  promise_t *deeper = then(skipped, 'X');
  observe(promise, 'c');
  observe(deeper, 'a');
  observe(skipped, 'b');
  promise_reject(promise, I64(1));
  CHECK_TEXT(journal, "abc");
  promise_t *all[] = {promise, skipped, deeper};
  for (int i = 0; i < 3; i++)
    promise_release(all[i]);
}

static promise_t *subject;

static promise_verdict_t adopts_subject(void *ctx, const promise_value_t *in, promise_value_t *out) {
  (void)in;
  note((char)(intptr_t)ctx);
  *out = holding(retained(subject));
  return PROMISE_ADOPT;
}

/* A follower's position in the list of its inner promise is that of the adoption. */
static void follower_settles_in_its_turn(void) {
  journal_clear();
  subject = promise_new();
  promise_t *outer = fulfilled(1);
  observe(subject, 'b');
  promise_t *follower = promise_then(outer, adopts_subject, LETTER('a'), NULL);
  observe(follower, 'c');
  promise_t *child = then(follower, 'd');
  observe(child, 'e');
  observe(subject, 'f');
  promise_resolve(subject, I64(1));
  CHECK_TEXT(journal, "abcdef");
  promise_t *all[] = {subject, outer, follower, child};
  for (int i = 0; i < 4; i++)
    promise_release(all[i]);
}

int main(void) {
  RUN(pass_through_settles_depth_first_too);
  RUN(follower_settles_in_its_turn);
  return check_report();
}
