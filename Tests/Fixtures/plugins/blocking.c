/* A function that blocks until another function releases it, and an unload() that reports its call. */
#include "fixture.h"

#include <pthread.h>

LOADS_HOST

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static int open_gates, inside;

static void unload(void) {
  host->log(host, PROMISE_LOG_INFO, "unloaded");
}

static int32_t block(void) {
  pthread_mutex_lock(&mutex);
  inside++;
  pthread_cond_broadcast(&condition);
  while (open_gates == 0)
    pthread_cond_wait(&condition, &mutex);
  pthread_mutex_unlock(&mutex);
  return 1;
}

static void await(void) {
  pthread_mutex_lock(&mutex);
  while (inside == 0)
    pthread_cond_wait(&condition, &mutex);
  pthread_mutex_unlock(&mutex);
}

static void release_all(void) {
  pthread_mutex_lock(&mutex);
  open_gates = 1;
  pthread_cond_broadcast(&condition);
  pthread_mutex_unlock(&mutex);
}

static const promise_plugin_function_t functions[] = {
    FUNCTION("block() -> i32", block),
    FUNCTION("await()", await),
    FUNCTION("release_all()", release_all),
};

PLUGIN("test.blocking", .load = load, .unload = unload)
