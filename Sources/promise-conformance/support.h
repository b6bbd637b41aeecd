/* support.h - helpers of the checks: values, contexts that count their calls and frees, a journal of the order of
 * callbacks, gates between threads. */
#ifndef CONFORMANCE_SUPPORT_H
#define CONFORMANCE_SUPPORT_H

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "expect.h"
#include "families.h"
#include "implementation.h"

#define FOR_EVER INT64_C(-1)
#define MILLISECOND INT64_C(1000000)

/* ---- Values ---- */

promise_value_t i64_value(int64_t number);
promise_value_t string_value(const char *text);
/* Returns a value that takes over one reference of `promise`. */
promise_value_t holding(promise_t *promise);

/* A payload that counts its destructions, and a value that owns it. */
typedef struct payload {
  atomic_int destroyed;
} payload_t;
promise_value_t object_value(payload_t *payload);

#define EXPECT_DESTROYED(payload, times) EXPECT_INT(atomic_load(&(payload)->destroyed), (times))

/* ---- Promises ---- */

promise_t *pending(void);
promise_t *fulfilled(int64_t number);
promise_t *rejected(int64_t number);
/* Adds a reference, and returns the promise. */
promise_t *retained(promise_t *promise);
/* Returns a token of a destroyed promise. */
promise_t *stale(void);
void resolve(promise_t *promise, int64_t number);
void reject(promise_t *promise, int64_t number);
void release(promise_t *promise);

/* Expects that the promise is settled with this state and this I64. */
#define EXPECT_ENDED(promise, state, number) (EXPECT_HERE(), expect_ended((promise), (state), (number), #promise))
void expect_ended(promise_t *promise, promise_state_t state, int64_t number, const char *what);

/* Expects that the library itself rejected the promise, with this status as the error's code. */
#define EXPECT_LIBRARY_ERROR(promise, code) (EXPECT_HERE(), expect_library_error((promise), (code), #promise))
void expect_library_error(promise_t *promise, promise_status_t code, const char *what);

/* Expects that the promise was discarded. */
#define EXPECT_DISCARDED(promise) (EXPECT_HERE(), expect_discarded((promise), #promise))
void expect_discarded(promise_t *promise, const char *what);

/* ---- Contexts ---- */

/* A context to pass as `ctx`, with spy_free: counts the calls and the frees. There must be one free. */
typedef struct spy {
  atomic_int calls;
  atomic_int frees;
  int64_t seen;        /* the last I64 that was passed */
  promise_kind_t kind; /* of the last value that was passed */
  promise_verdict_t
      verdict; /* returned by spy_handler with `answer`; 0: FULFILL with the number that it got plus one */
  promise_value_t answer;
  pthread_t called_on, freed_on;
} spy_t;

promise_verdict_t spy_handler(void *ctx, const promise_value_t *in, promise_value_t *out);
void spy_observer(void *ctx, const promise_value_t *value);
void spy_block(void *ctx);
void spy_free(void *ctx);

#define EXPECT_SPY(spy, expected_calls, expected_frees)                                                                \
  (EXPECT_INT(atomic_load(&(spy)->calls), (expected_calls)), EXPECT_INT(atomic_load(&(spy)->frees), (expected_frees)))

/* A handler without a context: fulfils with the number plus one. */
promise_verdict_t adds_one(void *ctx, const promise_value_t *in, promise_value_t *out);

/* ---- Order ---- */

/* The letters of the callbacks that ran, in order. */
extern char journal[256];
void note(char letter);

/* A context that is one letter, and callbacks that write it to the journal. note_free writes it as a capital letter. */
#define LETTER(letter) ((void *)(intptr_t)(letter))
void note_observer(void *ctx, const promise_value_t *value);
promise_verdict_t note_handler(void *ctx, const promise_value_t *in, promise_value_t *out);
void note_block(void *ctx);
void note_free(void *ctx);
/* Attaches note_observer to both outcomes. */
void observe(promise_t *promise, char letter);
/* Derives a promise with note_handler. */
promise_t *then(promise_t *promise, char letter);

/* ---- Threads ---- */

pthread_t start(void *(*body)(void *argument), void *argument);
void finish(pthread_t thread);
/* Runs `body` on a thread with a stack of 512 KiB, which unwanted recursion overflows. */
void on_small_stack(void *(*body)(void *argument), void *argument);

/* A gate that is opened once and stays open. Threads wait until then. */
typedef struct gate {
  pthread_mutex_t mutex;
  pthread_cond_t condition;
  bool is_open;
} gate_t;

#define GATE_CLOSED                                                                                                    \
  { PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, false }

void gate_open(gate_t *gate);
void gate_wait(gate_t *gate);

#endif /* CONFORMANCE_SUPPORT_H */
