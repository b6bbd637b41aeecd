/* promise/callback.h: the order of callbacks. */
#include "../checked.h"

CHECKS(order)

RULE(callbacks_run_as_attached, "callbacks run in the order in which they were attached") {
  promise_t *promise = pending(), *children[26] = {NULL};
  for (int i = 0; i < 26; i++) {
    if (i % 3 == 0)
      children[i] = then(promise, (char)('a' + i));
    else
      observe(promise, (char)('a' + i));
  }
  resolve(promise, 1);
  CHECK_TEXT(journal, "abcdefghijklmnopqrstuvwxyz");
  for (int i = 0; i < 26; i += 3)
    release(children[i]);
  release(promise);
}

RULE(derived_promises_settle_depth_first, "callbacks of derived promises run depth first") {
  promise_t *promise = pending();
  promise_t *a = then(promise, 'a');
  promise_t *b = then(promise, 'b');
  promise_t *aa = then(a, 'c');
  observe(a, 'd');
  observe(aa, 'e');
  observe(b, 'f');
  promise_t *ab = then(a, 'g');
  observe(promise, 'h');
  observe(ab, 'i');
  observe(aa, 'j');
  resolve(promise, 1);
  /* a, its reactions c (then e j), d, g (then i); b (then f); h */
  CHECK_TEXT(journal, "acejdgibfh");
  RELEASE(promise, a, b, aa, ab);
}

static promise_t *subject;

static void attaches(void *ctx, const promise_value_t *value) {
  (void)value;
  note_block(ctx);
  observe(subject, '1');
  note('2');
  release(then(subject, '3'));
  note('4');
}

RULE(callbacks_attached_to_a_settled_promise_run_at_once,
     "a callback attached to a settled promise runs before the attaching call returns") {
  subject = fulfilled(1);
  observe(subject, 'a');
  note('b');
  release(then(subject, 'c'));
  note('d');
  CHECK_TEXT(journal, "abcd");
  release(subject);
}

RULE(nested_attachment_runs_at_once,
     "a callback attached within a callback of its promise runs before the attaching call returns") {
  subject = pending();
  CHECK_STATUS(promise_observe(subject, attaches, NULL, LETTER('a'), NULL), PROMISE_OK);
  observe(subject, 'b');
  resolve(subject, 1);
  CHECK_TEXT(journal, "a1234b");
  release(subject);
}

static promise_verdict_t attaches_to_its_child(void *ctx, const promise_value_t *in, promise_value_t *out) {
  (void)ctx;
  *out = *in;
  note('h');
  CHECK_INT(promise_state(subject), PROMISE_PENDING);
  observe(subject, '2');
  note('-');
  return PROMISE_FULFILL;
}

RULE(attachment_to_the_promise_being_settled_waits_its_turn,
     "a callback attached to the promise that a handler is about to settle is queued") {
  promise_t *promise = pending();
  subject = promise_then(promise, attaches_to_its_child, NULL, NULL);
  observe(subject, '1');
  observe(promise, 'z');
  resolve(promise, 1);
  CHECK_TEXT(journal, "h-12z");
  RELEASE(subject, promise);
}

static void settles_subject(void *ctx, const promise_value_t *value) {
  (void)value;
  note_block(ctx);
  resolve(subject, 1);
  note(')');
}

RULE(nested_settlement_is_whole, "a settlement within a callback is whole when its call returns") {
  promise_t *promise = pending();
  subject = pending();
  promise_t *child = then(subject, 'c');
  observe(subject, 'd');
  observe(child, 'e');
  CHECK_STATUS(promise_observe(promise, settles_subject, NULL, LETTER('('), NULL), PROMISE_OK);
  observe(promise, 'z');
  resolve(promise, 1);
  CHECK_TEXT(journal, "(ced)z");
  RELEASE(promise, subject, child);
}

RULE(pass_through_keeps_its_place, "an outcome without a handler keeps its place in the order") {
  promise_t *promise = pending();
  promise_t *skipped = then(promise, 'X');
  promise_t *deeper = then(skipped, 'X');
  observe(promise, 'c');
  observe(deeper, 'a');
  observe(skipped, 'b');
  reject(promise, 1);
  CHECK_TEXT(journal, "abc");
  RELEASE(promise, skipped, deeper);
}

static promise_verdict_t adopts_subject(void *ctx, const promise_value_t *in, promise_value_t *out) {
  (void)in;
  note_block(ctx);
  *out = holding(retained(subject));
  return PROMISE_ADOPT;
}

/* A follower gets its place among the reactions of the inner promise when its handler adopts that promise. */
RULE(follower_settles_in_its_turn,
     "a follower stands where the adoption happened in the order of the other one's callbacks") {
  subject = pending();
  promise_t *outer = fulfilled(1);
  observe(subject, 'b');
  promise_t *follower = promise_then(outer, adopts_subject, LETTER('a'), NULL);
  observe(follower, 'c');
  promise_t *child = then(follower, 'd');
  observe(child, 'e');
  observe(subject, 'f');
  resolve(subject, 1);
  CHECK_TEXT(journal, "abcdef");
  RELEASE(subject, outer, follower, child);
}
