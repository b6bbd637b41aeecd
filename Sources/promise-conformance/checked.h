/* checked.h - calls that are checked, and callbacks that write to the journal. */
#ifndef CHECKED_H
#define CHECKED_H

#include "support.h"

static inline promise_t *pending(void) {
  promise_t *promise = promise_new();
  REQUIRE(promise != NULL);
  return promise;
}

static inline void resolve(promise_t *promise, int64_t number) {
  CHECK_STATUS(promise_resolve(promise, I64(number)), PROMISE_OK);
}

static inline void reject(promise_t *promise, int64_t number) {
  CHECK_STATUS(promise_reject(promise, I64(number)), PROMISE_OK);
}

static inline void release(promise_t *promise) {
  CHECK_STATUS(promise_release(promise), PROMISE_OK);
}

/* A context that is one letter, and callbacks that write it to the journal. note_free writes it as a capital letter. */
#define LETTER(letter) ((void *)(intptr_t)(letter))

static inline void note_observer(void *ctx, const promise_value_t *value) {
  (void)value;
  note((char)(intptr_t)ctx);
}

static inline promise_verdict_t note_handler(void *ctx, const promise_value_t *in, promise_value_t *out) {
  note((char)(intptr_t)ctx);
  *out = *in;
  promise_value_retain(in);
  return PROMISE_FULFILL;
}

static inline void note_block(void *ctx) {
  note((char)(intptr_t)ctx);
}

static inline void note_free(void *ctx) {
  note((char)((intptr_t)ctx - 'a' + 'A'));
}

/* Submits a job that notes the letter, and its capital when it is freed. */
static inline void submit_letter(promise_executor_t *executor, char letter) {
  CHECK_STATUS(promise_executor_submit(executor, note_block, LETTER(letter), note_free), PROMISE_OK);
}

/* Attaches note_observer to both outcomes. */
static inline void observe(promise_t *promise, char letter) {
  CHECK_STATUS(promise_observe(promise, note_observer, note_observer, LETTER(letter), NULL), PROMISE_OK);
}

/* Derives a promise with note_handler. */
static inline promise_t *then(promise_t *promise, char letter) {
  promise_t *child = promise_then(promise, note_handler, LETTER(letter), NULL);
  CHECK(child != NULL);
  return child;
}

#endif /* CHECKED_H */
