/* The order of callbacks: order of attachment, depth first, nested ones at once. */
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

static void callbacks_run_as_they_were_attached(void) {
  journal_clear();
  promise_t *promise = promise_new(), *children[26];
  for (int i = 0; i < 26; i++) {
    if (i % 2 == 0)
      observe(promise, (char)('a' + i));
    if (i % 2 == 1)
      children[i] = then(promise, (char)('a' + i));
  }
  promise_resolve(promise, I64(1));
  CHECK_TEXT(journal, "abcdefghijklmnopqrstuvwxyz");
  for (int i = 1; i < 26; i += 2)
    promise_release(children[i]);
  promise_release(promise);
}

/* As if by recursion: a child's callbacks before its next sibling's. */
static void derived_promises_settle_depth_first(void) {
  journal_clear();
  promise_t *promise = promise_new();
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
  promise_resolve(promise, I64(1));
  /* a; its list c(e j) d g(i); then b(f); then h */
  CHECK_TEXT(journal, "acejdgibfh");
  promise_t *all[] = {promise, a, b, aa, ab};
  for (int i = 0; i < 5; i++)
    promise_release(all[i]);
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

static void attaches(void *ctx, const promise_value_t *value) {
  (void)value;
  note((char)(intptr_t)ctx);
  observe(subject, '1');
  note('2');
  promise_release(then(subject, '3'));
  note('4');
}

static void nested_attachment_runs_at_once(void) {
  journal_clear();
  subject = promise_new();
  promise_observe(subject, attaches, NULL, LETTER('a'), NULL);
  observe(subject, 'b');
  promise_resolve(subject, I64(1));
  CHECK_TEXT(journal, "a1234b");
  promise_release(subject);
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

static void attachment_to_the_promise_being_settled_waits_its_turn(void) {
  journal_clear();
  promise_t *promise = promise_new();
  subject = promise_then(promise, attaches_to_its_child, NULL, NULL);
  observe(subject, '1');
  observe(promise, 'z');
  promise_resolve(promise, I64(1));
  CHECK_TEXT(journal, "h-12z");
  promise_release(subject);
  promise_release(promise);
}

static void settles_another(void *ctx, const promise_value_t *value) {
  (void)value;
  note((char)(intptr_t)ctx);
  CHECK_STATUS(promise_resolve(subject, I64(1)), PROMISE_OK);
  note(')');
}

/* A settling call within a callback has run all of its own callbacks when it returns, and none of the outer call's. */
static void nested_settlement_is_whole(void) {
  journal_clear();
  promise_t *promise = promise_new();
  subject = promise_new();
  promise_t *child = then(subject, 'c');
  observe(subject, 'd');
  observe(child, 'e');
  promise_observe(promise, settles_another, NULL, LETTER('('), NULL);
  observe(promise, 'z');
  promise_resolve(promise, I64(1));
  CHECK_TEXT(journal, "(ced)z");
  promise_t *all[] = {promise, subject, child};
  for (int i = 0; i < 3; i++)
    promise_release(all[i]);
}

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

static void frees_note(void *ctx) {
  note((char)((intptr_t)ctx - 'a' + 'A'));
}

/* Each context is freed with its callback, not at the end. */
static void context_is_freed_right_after_its_callback(void) {
  journal_clear();
  promise_t *promise = promise_new();
  promise_observe(promise, noting, NULL, LETTER('a'), frees_note);
  promise_release(promise_then(promise, noting_handler, LETTER('b'), frees_note));
  promise_observe(promise, NULL, noting, LETTER('c'), frees_note);
  promise_observe(promise, noting, NULL, LETTER('d'), frees_note);
  promise_resolve(promise, I64(1));
  CHECK_TEXT(journal, "aAbBCdD");
  promise_release(promise);
}

int main(void) {
  RUN(callbacks_run_as_they_were_attached);
  RUN(derived_promises_settle_depth_first);
  RUN(pass_through_settles_depth_first_too);
  RUN(nested_attachment_runs_at_once);
  RUN(attachment_to_the_promise_being_settled_waits_its_turn);
  RUN(nested_settlement_is_whole);
  RUN(follower_settles_in_its_turn);
  RUN(context_is_freed_right_after_its_callback);
  return check_report();
}
