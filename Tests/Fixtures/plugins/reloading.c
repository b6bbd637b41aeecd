/* A plugin that is built again and again: REVISION is the number of the build. Other macros choose a failure. */
#define _GNU_SOURCE
#include "fixture.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/file.h>
#include <unistd.h>

#ifndef REVISION
#define REVISION 1
#endif

static int64_t revision(void) {
  return REVISION;
}

static int32_t process(void) {
  return getpid();
}

/* Appends a line to the file EVENTS, if that macro is defined. */
static void append(const char *event) {
#ifdef EVENTS
  FILE *file = fopen(EVENTS, "a");
  if (file == NULL)
    return;
  fprintf(file, "%s %d\n", event, REVISION);
  fclose(file);
#else
  (void)event;
#endif
}

/* Promises that open_gates() settles. */
static promise_t *gates[64];
static int gate_count;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static promise_t *gate(void) {
  promise_t *promise = promise_new();
  promise_retain(promise);
  pthread_mutex_lock(&lock);
  if (gate_count < 64)
    gates[gate_count++] = promise;
  pthread_mutex_unlock(&lock);
  return promise;
}

static int32_t open_gates(void) {
  pthread_mutex_lock(&lock);
  int count = gate_count;
  gate_count = 0;
  pthread_mutex_unlock(&lock);
  for (int index = 0; index < count; index++) {
    promise_resolve(gates[index], &(promise_value_t){.kind = PROMISE_KIND_I64, .as.i64 = REVISION});
    promise_release(gates[index]);
  }
  return count;
}

/* Opens all gates after `context` milliseconds. */
static void *opener(void *context) {
  usleep((useconds_t)(uintptr_t)context * 1000);
  open_gates();
  return NULL;
}

static void open_later(uint32_t milliseconds) {
  pthread_t thread;
  if (pthread_create(&thread, NULL, opener, (void *)(uintptr_t)milliseconds) == 0)
    pthread_detach(thread);
}

struct thing {
  int32_t process;
};

static struct thing *make(void) {
  struct thing *thing = malloc(sizeof *thing);
  thing->process = getpid();
  return thing;
}

static int32_t look(const struct thing *thing) {
  return thing->process;
}

struct things {
  const struct thing *const *data;
  size_t count;
};

static int32_t look_at(struct things things) {
  return things.count == 0 ? 0 : things.data[things.count - 1]->process;
}

struct holder {
  int32_t number;
  const struct thing *thing;
};

static int32_t look_in(struct holder holder) {
  return holder.thing->process;
}

/* A lock on the file LOCK, if that macro is defined. */
static int lock_file = -1;

/* Takes the lock. Returns whether it was free, or has become free if `waits` is true. */
static inline int take_lock(int waits) {
#ifdef LOCK
  lock_file = open(LOCK, O_WRONLY | O_CREAT, 0600);
  return flock(lock_file, waits ? LOCK_EX : LOCK_EX | LOCK_NB) == 0;
#else
  return waits >= 0;
#endif
}

static void release_lock(void) {
  if (lock_file >= 0)
    close(lock_file);
}

__attribute__((unused)) static promise_status_t fail(promise_value_t *error, const char *text) {
  promise_value_error(error, "test.reloading", REVISION, text);
  return -1;
}

static promise_status_t quiesce(promise_value_t *error) {
  append("quiesce");
  release_lock();
#ifdef WAITS
  while (access(WAITS, F_OK) != 0)
    usleep(1000);
#endif
#ifdef REFUSES
  return fail(error, "busy");
#else
  (void)error;
  return PROMISE_OK;
#endif
}

static promise_status_t resume(promise_value_t *error) {
  append("resume");
#ifdef TIRED
  return fail(error, "tired");
#else
  return take_lock(0) ? PROMISE_OK : fail(error, "locked");
#endif
}

static promise_status_t health(promise_value_t *error) {
  append("health");
#ifdef WAITS_IN_HEALTH
  while (access(WAITS_IN_HEALTH, F_OK) != 0)
    usleep(1000);
#endif
#ifdef SICK
  return fail(error, "sick");
#else
  (void)error;
  return PROMISE_OK;
#endif
}

/* A function that the host must not call to check a revision, because it has a parameter. */
__attribute__((unused)) static int64_t health_of(int64_t given) {
  return given == REVISION ? 0 : -1;
}

static promise_status_t load(const promise_host_t *host, promise_value_t *error) {
  (void)host;
  (void)error;
  append("load");
  take_lock(1);
#ifdef FAILS
  return fail(error, "fails to load");
#else
  return PROMISE_OK;
#endif
}

static void unload(void) {
#ifdef LOCK
  /* Other processes that take the lock without waiting find it taken meanwhile. */
  sleep(1);
#endif
  append("unload");
}

static const promise_plugin_function_t functions[] = {
    FUNCTION("revision() -> i64", revision),
    FUNCTION("process() -> i32", process),
#ifdef WAITS
    FUNCTION("waits() -> i32", process),
#endif
    FUNCTION("gate() -> promise<i64>", gate),
    FUNCTION("open_gates() -> i32", open_gates),
    FUNCTION("open_later(milliseconds: u32)", open_later),
    FUNCTION("make() -> ptr<thing>", make),
    FUNCTION("look(thing: ptr<thing>) -> i32", look),
    FUNCTION("look_at(things: &[ptr<thing>]) -> i32", look_at),
    FUNCTION("look_in(holder: {number: i32, thing: ptr<thing>}) -> i32", look_in),
#ifdef ASKS
    FUNCTION("health(revision: i64) -> i64", health_of),
#elif !defined PLAIN
    FUNCTION("quiesce() !", quiesce),
    FUNCTION("resume() !", resume),
    FUNCTION("health() !", health),
#endif
};

#ifndef ID
#define ID "test.reloading"
#endif

#ifdef REQUIRES
static const char *const requirements[] = {REQUIRES, NULL};
#define REQUIREMENTS requirements
#else
#define REQUIREMENTS NULL
#endif

#if defined PLAIN || defined ASKS
__attribute__((unused)) static void *const unused[] = {(void *)quiesce, (void *)resume, (void *)health};
#endif

PLUGIN(ID, .required = REQUIREMENTS, .load = load, .unload = unload)
