/* threads.h - threads of a test, and gates between them. */
#ifndef THREADS_H
#define THREADS_H

#include <pthread.h>

#include "check.h"

static inline pthread_t start(void *(*body)(void *), void *argument) {
  pthread_t thread;
  REQUIRE(pthread_create(&thread, NULL, body, argument) == 0);
  return thread;
}

static inline void finish(pthread_t thread) {
  REQUIRE(pthread_join(thread, NULL) == 0);
}

/* Runs `body` on a thread with a stack of 512 KiB, which recursion would overflow. */
static inline void on_small_stack(void *(*body)(void *), void *argument) {
  pthread_attr_t attributes;
  pthread_t thread;
  REQUIRE(pthread_attr_init(&attributes) == 0);
  REQUIRE(pthread_attr_setstacksize(&attributes, 512 * 1024) == 0);
  REQUIRE(pthread_create(&thread, &attributes, body, argument) == 0);
  pthread_attr_destroy(&attributes);
  finish(thread);
}

/* A gate that is opened once; waiters pass from then on. */
typedef struct gate {
  pthread_mutex_t mutex;
  pthread_cond_t condition;
  bool open;
} gate_t;

#define GATE_CLOSED                                                                                                    \
  { PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, false }

static inline void gate_open(gate_t *gate) {
  pthread_mutex_lock(&gate->mutex);
  gate->open = true;
  pthread_cond_broadcast(&gate->condition);
  pthread_mutex_unlock(&gate->mutex);
}

static inline void gate_wait(gate_t *gate) {
  pthread_mutex_lock(&gate->mutex);
  while (!gate->open)
    pthread_cond_wait(&gate->condition, &gate->mutex);
  pthread_mutex_unlock(&gate->mutex);
}

/* Functions of a gate as a context: a job, and an observer or a handler of a request. */
static inline void open_gate(void *gate) {
  gate_open(gate);
}

static inline void open_gate_for(void *gate, const promise_value_t *value) {
  (void)value;
  gate_open(gate);
}

/* The body of a thread that resolves its promise with 1. */
static inline void *resolve_there(void *promise) {
  promise_value_t one = {.kind = PROMISE_KIND_I64, .as.i64 = 1};
  CHECK_STATUS(promise_resolve(promise, &one), PROMISE_OK);
  return NULL;
}

#endif /* THREADS_H */
