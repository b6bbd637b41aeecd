/* misuse.h - caller errors, for the programs misuse_*.c: invalid handles and values, checks of the calls that must
 * reject them, and MISUSE(), which begins the test of an exported function.
 *
 * Each such call returns a status, does not read or write through the invalid argument, and frees the contexts and
 * values that it takes over exactly once. scripts/test-abi.sh compares the names of the tests with the header. */
#ifndef MISUSE_H
#define MISUSE_H

#include "support.h"

/* The smallest count that is too large for an array of this type. */
#define TOO_MANY(type) ((size_t)PTRDIFF_MAX / sizeof(type) + 1)

/* ---- Invalid handles ---- */

static int own_memory[16];
static promise_t *dead_promise, *live_promise;
static promise_executor_t *dead_executor, *live_executor;
static promise_job_t *dead_job, *live_job;
static promise_token_t *dead_token, *live_token;
static promise_loop_t *dead_loop, *live_loop;
static promise_queue_t *dead_queue, *live_queue;
static const promise_type_t *live_type;
static promise_builder_t *dead_builder, *live_builder;
static promise_publisher_t *dead_publisher, *live_publisher;
static promise_subscriber_t *dead_subscriber, *live_subscriber;

static inline void submit_job(promise_executor_t *executor) {
  promise_t *promise = fulfilled(1);
  promise_reaction_t reaction = {.size = sizeof reaction, .executor = executor, .on_fulfilled = adds_one};
  promise_t *child = promise_react(promise, &reaction);
  REQUIRE(child != NULL);
  promise_release(child);
  promise_release(promise);
}

static inline void make_handles(void) {
  static promise_job_t *submitted;
  live_promise = promise_new();
  live_type = promise_type_register("test.misuse", NULL, NULL);
  live_executor = promise_executor_new(keep_job, &submitted, NULL);
  submit_job(live_executor);
  dead_job = submitted;
  REQUIRE(promise_job_run(dead_job) == PROMISE_OK);
  submit_job(live_executor);
  live_job = submitted;
  dead_executor = promise_executor_new(keep_job, &submitted, NULL);
  REQUIRE(promise_executor_release(dead_executor) == PROMISE_OK);
  dead_promise = stale();
  dead_loop = promise_loop_new();
  REQUIRE(promise_loop_release(dead_loop) == PROMISE_OK);
  live_loop = promise_loop_new();
  dead_queue = promise_queue_new();
  REQUIRE(promise_queue_release(dead_queue) == PROMISE_OK);
  live_queue = promise_queue_new();
  live_token = promise_token_new(0);
  dead_token = promise_token_new(PROMISE_TOKEN_INVALIDATE_ON_RELEASE);
  REQUIRE(promise_token_release(dead_token) == PROMISE_OK);
  live_builder = promise_builder_new(PROMISE_KIND_ARRAY, 0);
  dead_builder = promise_builder_new(PROMISE_KIND_MAP, 0);
  REQUIRE(promise_builder_drop(dead_builder) == PROMISE_OK);
  live_publisher = promise_publisher_new(0);
  dead_publisher = promise_publisher_new(PROMISE_PUBLISHER_STATEFUL);
  REQUIRE(promise_publisher_release(dead_publisher) == PROMISE_OK);
  promise_subscription_t subscription = {.size = sizeof subscription, .overflow = PROMISE_OVERFLOW_BUFFER};
  live_subscriber = promise_publisher_subscribe(live_publisher, &subscription);
  dead_subscriber = promise_publisher_subscribe(live_publisher, &subscription);
  REQUIRE(promise_subscriber_release(dead_subscriber) == PROMISE_OK);
}

static inline void release_handles(void) {
  CHECK_STATUS(promise_loop_release(live_loop), PROMISE_OK);
  CHECK_STATUS(promise_queue_release(live_queue), PROMISE_OK);
  CHECK_STATUS(promise_job_drop(live_job), PROMISE_OK);
  CHECK_INT(promise_builder_count(live_builder), 0);
  CHECK_STATUS(promise_builder_drop(live_builder), PROMISE_OK);
  CHECK_STATUS(promise_executor_release(live_executor), PROMISE_OK);
  CHECK_INT(promise_state(live_promise), PROMISE_PENDING);
  CHECK_STATUS(promise_release(live_promise), PROMISE_OK);
  CHECK_STATUS(promise_token_release(live_token), PROMISE_OK);
  CHECK_INT(promise_publisher_count(live_publisher), 1);
  CHECK_INT(promise_publisher_state(live_publisher), PROMISE_PENDING);
  CHECK_STATUS(promise_subscriber_release(live_subscriber), PROMISE_OK);
  CHECK_STATUS(promise_publisher_release(live_publisher), PROMISE_OK);
}

typedef enum { PROMISES, TYPES, EXECUTORS, JOBS, TOKENS, BUILDERS, LOOPS, QUEUES, PUBLISHERS, SUBSCRIBERS } kind_t;

static void *bad_handles[10100];
static size_t bad_handle_count;

static inline void add_bad_handle(uint64_t bits) {
  bad_handles[bad_handle_count++] = (void *)(uintptr_t)bits;
}

/* Makes handles of every sort except NULL and live handles of `kind`. */
static inline void make_bad_handles(kind_t kind) {
  static char *heap;
  if (heap == NULL)
    heap = malloc(256);
  void *const forged[] = {
      (void *)1,
      (void *)2,
      (void *)7,
      (void *)8,
      (void *)16,
      (void *)64,
      (void *)4095,
      (void *)4096,
      (void *)65536,
      (void *)INTPTR_MAX,
      (void *)INTPTR_MIN,
      (void *)UINTPTR_MAX,
      (void *)(UINTPTR_MAX - 1),
      (void *)(UINTPTR_MAX - 63),
      (void *)UINT64_C(0xdeadbeefdeadbeef),
      (void *)UINT64_C(0x0000000100000000),
      (void *)UINT64_C(0x0000000100000001),
      own_memory,
      own_memory + 1,
      heap,
      &heap,
      (void *)(uintptr_t)&make_bad_handles,
      "text",
  };
  make_handles();
  for (size_t i = 0; i < sizeof forged / sizeof *forged; i++)
    add_bad_handle((uintptr_t)forged[i]);

  const struct {
    kind_t kind;
    const void *live, *dead;
  } handles[] = {
      {PROMISES, live_promise, dead_promise},
      {TYPES, live_type, NULL},
      {EXECUTORS, live_executor, dead_executor},
      {JOBS, live_job, dead_job},
      {TOKENS, live_token, dead_token},
      {BUILDERS, live_builder, dead_builder},
      {TYPES, promise_type_named("error"), NULL},
      {LOOPS, live_loop, dead_loop},
      {QUEUES, live_queue, dead_queue},
      {PUBLISHERS, live_publisher, dead_publisher},
      {SUBSCRIBERS, live_subscriber, dead_subscriber},
  };
  uint64_t live = 0;
  for (size_t i = 0; i < sizeof handles / sizeof *handles; i++) {
    if (handles[i].kind != kind)
      add_bad_handle((uintptr_t)handles[i].live);
    else if (handles[i].dead != NULL)
      add_bad_handle((uintptr_t)handles[i].dead);
    if (handles[i].kind == kind && live == 0)
      live = (uintptr_t)handles[i].live;
  }

  /* A live handle with a corrupt bit, above the bits that could name a neighbour. */
  for (int bit = 28; bit < 64; bit++)
    add_bad_handle(live ^ UINT64_C(1) << bit);
  add_bad_handle(live ^ UINT64_C(1) << 20);
  add_bad_handle(live | UINT64_C(0x0fffffff));
  add_bad_handle(live & ~UINT64_C(0x0fffffff));

  uint64_t random = UINT64_C(0x9e3779b97f4a7c15);
  for (int i = 0; i < 10000; i++) {
    random ^= random << 13, random ^= random >> 7, random ^= random << 17;
    add_bad_handle(random);
  }
}

/* Gets the next bad handle; false after the last one, when the live handles have been released. */
static inline bool next_bad_handle(kind_t kind, void **handle) {
  static size_t next;
  if (next == 0)
    make_bad_handles(kind);
  if (next < bad_handle_count) {
    *handle = bad_handles[next++];
    return true;
  }
  release_handles();
  bad_handle_count = next = 0;
  return false;
}

/* Runs the statement behind it with each bad handle of `kind`, while the live handles exist. */
#define EACH_BAD_HANDLE(kind, handle) for (void *handle = NULL; next_bad_handle((kind), &handle);)

/* ---- Invalid values ---- */

static promise_value_t bad_values[12100];
static size_t bad_value_count;
static promise_value_t good_value;
static promise_t *good_promise;

static inline void add_bad_value(promise_value_t value) {
  bad_values[bad_value_count++] = value;
}

static inline void add_bad_promise(void *promise) {
  add_bad_value((promise_value_t){.kind = PROMISE_KIND_PROMISE, .as.ptr = promise});
}

/* Makes every malformed value. */
static inline void make_bad_values(void) {
  static const promise_kind_t kinds[] = {0, PROMISE_KIND_ARRAY, PROMISE_KIND_MAP, 15, 255, 256, INT32_MAX, UINT32_MAX};
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    add_bad_value((promise_value_t){.kind = kinds[i], .as.ptr = own_memory});
    add_bad_value((promise_value_t){.kind = kinds[i], .reserved = UINT32_MAX, .as.u64 = UINT64_MAX});
  }
  static const promise_kind_t owning[] = {PROMISE_KIND_STRING, PROMISE_KIND_BYTES, PROMISE_KIND_ERROR,
                                          PROMISE_KIND_OBJECT, PROMISE_KIND_ARRAY, PROMISE_KIND_MAP};
  for (size_t i = 0; i < sizeof owning / sizeof *owning; i++) {
    add_bad_value((promise_value_t){.kind = owning[i], .as.ptr = NULL});
    add_bad_value((promise_value_t){.kind = owning[i], .as.ptr = own_memory});
    add_bad_value((promise_value_t){.kind = owning[i], .as.u64 = UINT64_MAX});
    uint32_t random = 0x9e3779b9;
    for (int j = 0; j < 2000; j++) {
      random ^= random << 13, random ^= random >> 17, random ^= random << 5;
      add_bad_value((promise_value_t){.kind = owning[i], .reserved = random, .as.ptr = own_memory});
    }
  }
  /* A valid value that is labelled as another kind. */
  good_value = text("good");
  promise_value_t bad = good_value;
  for (size_t i = 1; i < sizeof owning / sizeof *owning; i++) {
    bad.kind = owning[i];
    add_bad_value(bad);
  }
  bad = good_value;
  bad.as.ptr = (char *)good_value.as.ptr + 1;
  add_bad_value(bad);

  good_promise = promise_new();
  add_bad_value((promise_value_t){.kind = PROMISE_KIND_STRING, .as.ptr = good_promise});
  add_bad_promise(NULL);
  add_bad_promise(stale());
  add_bad_promise(own_memory);
  add_bad_promise((void *)UINTPTR_MAX);
}

/* The status for the value that EACH_BAD_VALUE passes. */
static promise_status_t bad_value_status;

/* Gets the next bad value; false after the last one, when the good ones behind them have been released. */
static inline bool next_bad_value(promise_value_t *value) {
  static size_t next;
  if (next == 0)
    make_bad_values();
  if (next < bad_value_count) {
    *value = bad_values[next++];
    bool is_stale = value->kind == PROMISE_KIND_PROMISE && value->as.ptr != NULL;
    bad_value_status = is_stale ? PROMISE_ESTALE : PROMISE_EINVAL;
    return true;
  }
  CHECK_TEXT(promise_value_data(&good_value, NULL), "good");
  CHECK_STATUS(promise_value_release(&good_value), PROMISE_OK);
  CHECK_STATUS(promise_release(good_promise), PROMISE_OK);
  bad_value_count = next = 0;
  return false;
}

/* Runs the statement behind it with each malformed value. */
#define EACH_BAD_VALUE(value) for (promise_value_t value; next_bad_value(&value);)

/* ---- Checks of one call ---- */

static spy_t spy;
static payload_t payload;

/* Checks that the context of a call was freed once, and its callback never ran. */
static inline void freed_uncalled(void) {
  CHECK_SPY(&spy, 0, 1);
  atomic_store(&spy.frees, 0);
}

/* Checks the status of a call that returned NULL, and its context, if it has one. */
static inline void refused(const void *result, promise_status_t status, spy_t *context) {
  CHECK_POINTER(result, NULL);
  CHECK_STATUS(promise_last_status(), status);
  if (context != NULL)
    freed_uncalled();
}

/* Checks that a payload taken over by a call was destroyed once. */
static inline void destroyed(void) {
  CHECK_INT(atomic_load(&payload.destroyed), 1);
  atomic_store(&payload.destroyed, 0);
}

/* MISUSE(promise_release) { ... } tests a function. */
#define MISUSE(function) CHECK_DEFINE(misuse_of_##function, #function, NULL)

/* Tests a function by a check that takes it. */
#define MISUSE_BY(check, function)                                                                                     \
  MISUSE(function) {                                                                                                   \
    check(function);                                                                                                   \
  }

/* The tests of functions of a handle alone, which return a status or a number, and a pointer. */
#define MISUSE_OF_HANDLE(function, HANDLES)                                                                            \
  MISUSE(function) {                                                                                                   \
    CHECK_INT(function(NULL), PROMISE_EINVAL);                                                                         \
    EACH_BAD_HANDLE(HANDLES, handle)                                                                                   \
      CHECK_INT(function(handle), PROMISE_ESTALE);                                                                     \
  }
#define MISUSE_OF_HANDLE_GIVING_NULL(function, HANDLES)                                                                \
  MISUSE(function) {                                                                                                   \
    refused(function(NULL), PROMISE_EINVAL, NULL);                                                                     \
    EACH_BAD_HANDLE(HANDLES, handle)                                                                                   \
      refused(function(handle), PROMISE_ESTALE, NULL);                                                                 \
  }

#endif /* MISUSE_H */
