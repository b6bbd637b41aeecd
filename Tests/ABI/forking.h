/* forking.h - shared by the programs about fork(): work that runs while the process forks. */
#ifndef FORKING_H
#define FORKING_H

#include "child.h"
#include "scheduling.h"

/* A job that runs on a library thread until the gate opens. */
typedef struct busy {
  gate_t begun, over;
  promise_t *promise; /* settled by the job */
} busy_t;

static inline promise_verdict_t busy_handler(void *ctx, const promise_value_t *in, promise_value_t *out) {
  busy_t *busy = ctx;
  gate_open(&busy->begun);
  gate_wait(&busy->over);
  *out = *in;
  return PROMISE_FULFILL;
}

#define BUSY                                                                                                           \
  { GATE_CLOSED, GATE_CLOSED, NULL }

static inline void be_busy(busy_t *busy, promise_executor_t *executor) {
  busy->promise = react_on(executor, busy_handler, busy, NULL);
  gate_wait(&busy->begun);
}

static inline void end_busy(busy_t *busy) {
  gate_open(&busy->over);
  CHECK_STATUS(promise_wait(busy->promise, FOR_EVER), PROMISE_OK);
  promise_release(busy->promise);
}

/* Checks that this process can run a job on `executor`. */
static inline void works(promise_executor_t *executor) {
  promise_t *child = react_on(executor, adds_one, NULL, NULL);
  CHECK_STATUS(promise_wait(child, FOR_EVER), PROMISE_OK);
  CHECK(ended(child, PROMISE_FULFILLED, 2));
  promise_release(child);
}

#endif /* FORKING_H */
