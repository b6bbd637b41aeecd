/* faulty.c - a plugin with one fault, which a macro chooses; without a macro it has none. */
#include "../../../Fixtures/plugins/fixture.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static const promise_host_t *host;
static int32_t (*kept)(int32_t);
void *volatile kept_memory;
promise_t *volatile kept_promise;

static void *sleep_for_ever(void *context) {
  while (pause() < 0) {
  }
  return context;
}

static inline void leave_thread(void) {
  pthread_t thread;
  if (pthread_create(&thread, NULL, sleep_for_ever, NULL) != 0)
    abort();
}

static inline void leave_descriptor(void) {
  if (open("/dev/null", O_RDONLY) < 0)
    abort();
}

/* Leaves an orphan: a process whose parent has ended. */
static inline void leave_process(void) {
  if (fork() != 0) {
    wait(NULL);
    return;
  }
  if (fork() == 0)
    sleep_for_ever(NULL);
  _exit(0);
}

static inline void crash(void) {
  *(volatile int *)8 = 1;
}

static inline void *crash_soon(void *context) {
  usleep(20000);
  crash();
  return context;
}

static promise_status_t load(const promise_host_t *offered, promise_value_t *error) {
  (void)error;
  host = offered;
#ifdef REFUSES
  promise_value_error(error, "faulty", 9, "not\001 on a \033Sunday");
  return -1;
#endif
#ifdef LEAVES_THREAD
  leave_thread();
#endif
#ifdef LEAVES_DESCRIPTOR
  leave_descriptor();
#endif
#ifdef LEAVES_PROCESS
  leave_process();
#endif
  return PROMISE_OK;
}

static void unload(void) {
#ifdef CRASHES_IN_UNLOAD
  crash();
#endif
}

/* Ends a process that has inherited blocked or ignored signals, that would dump its core, or outlive plugin-host. */
static inline void look_around(void) {
  struct rlimit core;
  struct sigaction hangup;
  sigset_t blocked;
  int signal_at_end = 0;
  sigprocmask(SIG_SETMASK, NULL, &blocked);
  if (sigismember(&blocked, SIGUSR1) != 0 || sigaction(SIGHUP, NULL, &hangup) != 0 || hangup.sa_handler != SIG_DFL)
    abort();
  if (getrlimit(RLIMIT_CORE, &core) != 0 || core.rlim_cur != 0 || core.rlim_max != 0)
    abort();
  if (prctl(PR_GET_PDEATHSIG, &signal_at_end) != 0 || signal_at_end != SIGKILL)
    abort();
  if (getpgrp() != getpid())
    abort();
}

static int32_t number(int32_t value) {
#ifdef LOOKS_AROUND
  look_around();
#endif
#ifdef CRASHES
  if (value == INT32_MIN)
    crash();
#endif
#ifdef EXITS
  if (value == 0)
    exit(0);
#endif
#ifdef HANGS
  if (value == 1)
    sleep_for_ever(NULL);
#endif
#ifdef SAYS_AND_DIES
  fputs("one < two & \"three\"\001\n", stderr);
  raise(SIGKILL);
#endif
#ifdef CRASHES_ON_A_THREAD
  pthread_t thread;
  if (pthread_create(&thread, NULL, crash_soon, NULL) != 0)
    abort();
  pthread_detach(thread);
#endif
#ifdef LEAKS_MEMORY
  kept_memory = malloc(100);
#endif
#ifdef LEAKS_PROMISES
  kept_promise = promise_new();
#endif
#ifdef FILLS_A_CACHE
  /* The second round of 200 calls fills it, and no later one. */
  static int calls;
  if (calls++ / 200 == 1)
    kept_promise = promise_new();
#endif
  return value;
}

static promise_bytes_t text(promise_str_t given) {
#ifdef GIVES_BAD_TEXT
  static const uint8_t bad[] = {0xFF};
  return given.length == 0 ? (promise_bytes_t){NULL, 0} : (promise_bytes_t){bad, 1};
#else
  char *copy = given.length == 0 ? NULL : host->allocate(host, given.length);
  for (size_t index = 0; index < given.length; index++)
    copy[index] = given.data[index];
  return (promise_bytes_t){(uint8_t *)copy, given.length};
#endif
}

static inline void stop(void *context) {
  (void)context;
#ifdef CRASHES_WHEN_DISCARDED
  crash();
#endif
}

/* Settled by a thread, soon after the call. */
static inline void *settle(void *context) {
  usleep(1000);
  promise_resolve(context, &(promise_value_t){.kind = PROMISE_KIND_I64, .as.i64 = 1});
#ifdef SETTLES_TWICE
  promise_resolve(context, &(promise_value_t){.kind = PROMISE_KIND_I64, .as.i64 = 2});
#endif
  promise_release(context);
  return NULL;
}

#ifdef DROPS
static promise_t *later(void) {
  promise_t *promise = promise_new();
  promise_release(promise_new());
  promise_resolve(promise, &(promise_value_t){.kind = PROMISE_KIND_I64, .as.i64 = 1});
  return promise;
}
#elif defined NEVER_SETTLES
static promise_t *later(void) {
  promise_t *promise = promise_new_discardable(stop, NULL, NULL);
  promise_retain(promise);
  kept_promise = promise;
  return promise;
}
#else
static promise_t *later(void) {
  promise_t *promise = promise_new_discardable(stop, NULL, NULL);
  promise_retain(promise);
  pthread_t thread;
  if (pthread_create(&thread, NULL, settle, promise) != 0)
    abort();
  pthread_detach(thread);
  return promise;
}
#endif

#ifdef WITH_OBJECTS
typedef struct {
  int32_t value;
} thing_t;

static thing_t things[4];

static thing_t *make(void) {
  static unsigned next;
  return &things[next++ % 4];
}

static int32_t make_two(thing_t **first, thing_t **second) {
  *first = make();
  *second = make();
  return 2;
}

static int32_t look(const thing_t *thing) {
  return thing->value;
}

/* Must outlive its parts, which the host does not own. */
typedef struct {
  bool is_gone;
} whole_t;

typedef struct {
  whole_t *whole;
} part_t;

static whole_t wholes[1024];

static whole_t *make_whole(void) {
  static unsigned next;
  whole_t *whole = &wholes[next++ % 1024];
  whole->is_gone = false;
  return whole;
}

static void *make_owned(void) {
  return malloc(1000);
}

/* The memory stays, for parts that look at it. */
void free_whole(whole_t *whole) {
  whole->is_gone = true;
}

static part_t *make_part(whole_t *whole) {
  part_t *part = malloc(sizeof *part);
  *part = (part_t){whole};
  return part;
}

static int32_t look_at_part(const part_t *part) {
  if (part->whole->is_gone)
    crash();
  return 1;
}

static void *tie(void *knot) {
  return knot;
}

static int32_t (*listener)(int32_t);

static void listen(int32_t (*given)(int32_t)) {
  listener = given;
}
#endif

#ifdef LEAKS_WITH_OBJECT
static void *make_owned(void) {
  kept_memory = malloc(1000);
  return malloc(8);
}
#endif

static int32_t apply(int32_t (*f)(int32_t)) {
#ifdef CALLS_LATE
  if (kept != NULL)
    kept(1);
#endif
  kept = f;
  return f(1);
}

/* A signature that may be wrong. */
#ifndef NUMBER
#define NUMBER "number(value: i32) -> i32"
#endif

static const promise_plugin_function_t functions[] = {
    {NUMBER, (promise_function_t)number, NULL},
#ifdef GIVES_BAD_TEXT
    {"text(given: str) -> str", (promise_function_t)text, NULL},
#else
    {"text(given: str) -> own str", (promise_function_t)text, NULL},
#endif
    {"later() -> promise<i32>", (promise_function_t)later, NULL},
#ifdef LEAKS_WITH_OBJECT
    {"make_owned() -> own(free) ptr<owned>", (promise_function_t)make_owned, NULL},
#endif
#ifdef WITH_OBJECTS
    {"make_owned() -> own(free) ptr<owned>", (promise_function_t)make_owned, NULL},
    {"make() -> ptr<thing>", (promise_function_t)make, NULL},
    {"make_two(first: out ptr<thing>, second: out ptr<other>) -> i32", (promise_function_t)make_two, NULL},
    {"look(thing: ptr<thing>) -> i32", (promise_function_t)look, NULL},
    {"look_at_other(thing: ptr<other>) -> i32", (promise_function_t)look, NULL},
    {"look_at_none(thing: ptr<none>) -> i32", (promise_function_t)look, NULL},
    {"make_whole() -> own(free_whole) ptr<whole>", (promise_function_t)make_whole, NULL},
    {"make_part(whole: ptr<whole>) -> ptr<part>", (promise_function_t)make_part, NULL},
    {"look_at_part(part: ptr<part>) -> i32", (promise_function_t)look_at_part, NULL},
    {"tie(knot: ptr<knot>) -> ptr<knot>", (promise_function_t)tie, NULL},
    {"listen(f: fn(i32) -> i32 @forever)", (promise_function_t)listen, NULL},
#endif
    {"apply(f: fn(i32) -> i32) -> i32", (promise_function_t)apply, NULL},
};

PLUGIN("org.example.faulty", .load = load, .unload = unload)
