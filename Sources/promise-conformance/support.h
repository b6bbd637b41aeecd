/* support.h - helpers of the checks and of the programs of Tests/ABI: values, contexts that count their calls and
 * frees, a journal of the execution order. */
#ifndef SUPPORT_H
#define SUPPORT_H

#include <sys/prctl.h>
#include <time.h>

#include "threads.h"

/* ---- Values ---- */

#define VOID() (&(promise_value_t){.kind = PROMISE_KIND_VOID})
#define I64(number) (&(promise_value_t){.kind = PROMISE_KIND_I64, .as.i64 = (number)})

static inline promise_value_t i64(int64_t number) {
  return *I64(number);
}

static inline promise_value_t text(const char *utf8) {
  promise_value_t value;
  REQUIRE(promise_value_string(&value, utf8, strlen(utf8)) == PROMISE_OK);
  return value;
}

/* Returns an ARRAY of `count` elements, and takes over their references. */
static inline promise_value_t array(const promise_value_t *elements, size_t count) {
  promise_value_t value;
  REQUIRE(promise_value_array(&value, elements, count) == PROMISE_OK);
  return value;
}

#define ARRAY(...)                                                                                                     \
  array((promise_value_t[]){__VA_ARGS__}, sizeof((promise_value_t[]){__VA_ARGS__}) / sizeof(promise_value_t))

/* Returns the value of a JSON text. */
static inline promise_value_t json(const char *utf8) {
  promise_value_t value;
  REQUIRE(promise_value_from_json(&value, utf8, strlen(utf8), NULL, NULL) == PROMISE_OK);
  return value;
}

/* Returns `levels` nested ARRAYs around `*innermost`, whose reference it takes over. */
static inline promise_value_t nest(promise_value_t innermost, long levels) {
  for (long i = 0; i < levels; i++)
    innermost = array(&innermost, 1);
  return innermost;
}

static inline promise_value_t error(const char *domain, int64_t code, const char *message) {
  promise_value_t value;
  REQUIRE(promise_value_error(&value, domain, code, message) == PROMISE_OK);
  return value;
}

/* Returns content for *out before a call, which the call must not read or release. */
static inline promise_value_t garbage(void) {
  promise_value_t value = {.kind = 0xdeadbeef, .reserved = 0xdeadbeef, .as.u64 = 0xdeadbeefdeadbeef};
  return value;
}

/* Returns whether two values are equal, which must be comparable. */
static inline bool values_equal(const promise_value_t *one, const promise_value_t *other) {
  bool equal = false;
  CHECK_STATUS(promise_value_equal(one, other, &equal), PROMISE_OK);
  return equal;
}

/* Returns a PROMISE value, which takes over one reference to `promise`. */
static inline promise_value_t holding(promise_t *promise) {
  promise_value_t value = {.kind = PROMISE_KIND_PROMISE, .as.ptr = promise};
  return value;
}

static inline promise_t *retained(promise_t *promise) {
  REQUIRE(promise_retain(promise) == PROMISE_OK);
  return promise;
}

/* ---- Promises ---- */

static inline promise_t *fulfilled(int64_t number) {
  promise_t *promise = promise_new();
  REQUIRE(promise_resolve(promise, I64(number)) == PROMISE_OK);
  return promise;
}

static inline promise_t *rejected(int64_t number) {
  promise_t *promise = promise_new();
  REQUIRE(promise_reject(promise, I64(number)) == PROMISE_OK);
  return promise;
}

/* Returns a promise that follows `source`. */
static inline promise_t *follower_of(promise_t *source) {
  promise_t *follower = promise_new();
  CHECK_STATUS(promise_follow(follower, source), PROMISE_OK);
  return follower;
}

/* Returns the id of a promise in reports and traces. */
static inline uint64_t id_of(promise_t *promise) {
  return (uint64_t)(uintptr_t)promise;
}

/* Returns the token of a promise that was destroyed. */
static inline promise_t *stale(void) {
  promise_t *promise = promise_new();
  REQUIRE(promise != NULL && promise_release(promise) == PROMISE_OK);
  return promise;
}

static inline void check_releases(promise_t *const *promises, size_t count, const char *file, int line) {
  for (size_t i = 0; i < count; i++) {
    promise_status_t status = promise_release(promises[i]);
    check_that(status == PROMISE_OK, file, line, "the release of argument %zu: %s", i, check_status_name(status));
  }
}

/* Release promises, each of which is alive. */
#define RELEASE_EACH(promises, count) CHECK_HERE(check_releases((promises), (size_t)(count), __FILE__, __LINE__))
#define RELEASE(...)                                                                                                   \
  CHECK_HERE(check_releases((promise_t *[]){__VA_ARGS__}, sizeof((promise_t *[]){__VA_ARGS__}) / sizeof(promise_t *),  \
                            __FILE__, __LINE__))

/* Returns whether `promise` is in `state` with the I64 `number`. */
static inline bool ended(promise_t *promise, promise_state_t state, int64_t number) {
  promise_value_t value;
  return promise_state(promise) == state && promise_result(promise, &value) == PROMISE_OK &&
         value.kind == PROMISE_KIND_I64 && value.as.i64 == number;
}

/* Returns whether the library rejected `promise` with the status `code`. */
static inline bool failed_with(promise_t *promise, promise_status_t code) {
  promise_value_t reason;
  if (promise_state(promise) != PROMISE_REJECTED || promise_result(promise, &reason) != PROMISE_OK)
    return false;
  bool holds = reason.kind == PROMISE_KIND_ERROR && strcmp(promise_value_domain(&reason), "promise") == 0 &&
               promise_value_code(&reason) == code;
  promise_value_release(&reason);
  return holds;
}

/* Expects that the promise is settled with this state and this I64. */
#define CHECK_ENDED(promise, state, number)                                                                            \
  CHECK_HERE(check_ended((promise), (state), (number), #promise, __FILE__, __LINE__))
static inline bool check_ended(promise_t *promise, promise_state_t state, int64_t number, const char *what,
                               const char *file, int line) {
  promise_value_t value = {.kind = 0};
  promise_state_t actual = promise_state(promise);
  promise_status_t status = promise_result(promise, &value);
  bool holds = actual == state && status == PROMISE_OK && value.kind == PROMISE_KIND_I64 && value.as.i64 == number;
  return check_that(holds, file, line,
                    "%s is in state %d with %lld of kind %u (%s), expected state %d with the I64 %lld", what,
                    (int)actual, (long long)value.as.i64, (unsigned)value.kind, check_status_name(status), (int)state,
                    (long long)number);
}

/* Expects that the library itself rejected the promise, with this status as the error's code. */
#define CHECK_LIBRARY_ERROR(promise, code) CHECK(failed_with((promise), (code)))

/* Expects that the promise was discarded. */
#define CHECK_DISCARDED(promise) CHECK(was_discarded(promise))
static inline bool was_discarded(promise_t *promise) {
  promise_value_t reason = {.kind = 0};
  if (promise_state(promise) != PROMISE_REJECTED || promise_result(promise, &reason) != PROMISE_OK)
    return false;
  bool holds = reason.kind == PROMISE_KIND_DISCARDED;
  promise_value_release(&reason);
  return holds;
}

/* ---- Contexts ---- */

/* A context that counts its calls, and its frees by spy_free. No call may follow a free. */
typedef struct spy {
  atomic_int calls;
  atomic_int frees;
  int64_t seen;           /* the last I64 that was passed */
  promise_kind_t kind;    /* the kind of the last value that was passed */
  promise_value_t answer; /* stored in *out by spy_handler */
  promise_verdict_t verdict;
  promise_t *promise; /* a promise for handlers that need one */
  pthread_t thread;   /* the thread of the call */
  pthread_t freed_on; /* the thread of the free */
} spy_t;

static inline void spy_see(spy_t *spy, const promise_value_t *in) {
  atomic_fetch_add(&spy->calls, 1);
  CHECK_INT(atomic_load(&spy->frees), 0);
  spy->thread = pthread_self();
  spy->kind = in->kind;
  spy->seen = in->kind == PROMISE_KIND_I64 ? in->as.i64 : -1;
}

static inline void spy_free(void *ctx) {
  spy_t *spy = ctx;
  spy->freed_on = pthread_self();
  atomic_fetch_add(&spy->frees, 1);
}

/* A handler that counts its calls, and returns its spy's verdict; without one, its argument plus one. */
static inline promise_verdict_t spy_handler(void *ctx, const promise_value_t *in, promise_value_t *out) {
  spy_t *spy = ctx;
  CHECK_INT(out->kind, PROMISE_KIND_VOID);
  spy_see(spy, in);
  if (spy->verdict != 0) {
    *out = spy->answer;
    return spy->verdict;
  }
  *out = *I64(spy->seen + 1);
  return PROMISE_FULFILL;
}

/* A handler that adds one to its argument. It has no context. */
static inline promise_verdict_t adds_one(void *ctx, const promise_value_t *in, promise_value_t *out) {
  CHECK_POINTER(ctx, NULL);
  *out = *I64(in->kind == PROMISE_KIND_I64 ? in->as.i64 + 1 : 0);
  return PROMISE_FULFILL;
}

/* Derives a promise with adds_one. */
static inline promise_t *child_of(promise_t *promise) {
  promise_t *child = promise_then(promise, adds_one, NULL, NULL);
  REQUIRE(child != NULL);
  return child;
}

/* Defines a function that derives a promise or a publisher from `source`. */
#define DERIVES(type, name, ...)                                                                                       \
  static type *name(type *source) {                                                                                    \
    return __VA_ARGS__;                                                                                                \
  }

/* A handler that adopts its context, a promise. */
static inline promise_verdict_t adopts(void *ctx, const promise_value_t *in, promise_value_t *out) {
  (void)in;
  *out = holding(retained(ctx));
  return PROMISE_ADOPT;
}

/* An observer that counts its calls. */
static inline void spy_observer(void *ctx, const promise_value_t *value) {
  spy_see(ctx, value);
}

/* A discard block that counts its calls. */
static inline void spy_discard(void *ctx) {
  spy_see(ctx, VOID());
}

static inline void ignore_value(void *ctx, const promise_value_t *value) {
  (void)ctx, (void)value;
}

static inline void ignore_context(void *ctx) {
  (void)ctx;
}

/* Functions for promise_executor_new(): keep_job stores the job in *ctx. */
static inline void keep_job(void *ctx, promise_job_t *job) {
  *(promise_job_t **)ctx = job;
}

static inline void run_at_once(void *ctx, promise_job_t *job) {
  (void)ctx;
  CHECK_STATUS(promise_job_run(job), PROMISE_OK);
}

static inline void drop_at_once(void *ctx, promise_job_t *job) {
  (void)ctx;
  CHECK_STATUS(promise_job_drop(job), PROMISE_OK);
}

#define CHECK_SPY(spy, expected_calls, expected_frees)                                                                 \
  do {                                                                                                                 \
    CHECK_INT(atomic_load(&(spy)->calls), (expected_calls));                                                           \
    CHECK_INT(atomic_load(&(spy)->frees), (expected_frees));                                                           \
  } while (0)

static inline promise_reaction_t reaction_to(spy_t *spy) {
  return (promise_reaction_t){.size = sizeof(promise_reaction_t),
                              .on_fulfilled = spy_handler,
                              .on_rejected = spy_handler,
                              .ctx = spy,
                              .free_ctx = spy_free};
}

/* Attaches a reaction with both handlers of `spy`. `executor`, `token`: NULL for none. */
static inline promise_t *spied(promise_t *promise, promise_executor_t *executor, promise_token_t *token, spy_t *spy) {
  promise_reaction_t reaction = reaction_to(spy);
  reaction.executor = executor;
  reaction.token = token;
  promise_t *child = promise_react(promise, &reaction);
  REQUIRE(child != NULL);
  return child;
}

/* Attaches a reaction with both handlers of `spy`, and a token. */
static inline promise_t *guarded(promise_t *promise, promise_token_t *token, spy_t *spy) {
  return spied(promise, NULL, token, spy);
}

/* ---- Objects ---- */

/* A payload that counts its destructions. */
typedef struct payload {
  atomic_int destroyed;
} payload_t;

static inline void payload_destroy(void *pointer) {
  if (pointer != NULL)
    atomic_fetch_add(&((payload_t *)pointer)->destroyed, 1);
}

static inline const promise_type_t *payload_type(void) {
  const promise_type_t *type = promise_type_register("test.payload", NULL, payload_destroy);
  REQUIRE(type != NULL);
  return type;
}

/* Returns a value that owns memory, and whose destruction `payload` counts. */
static inline promise_value_t object(payload_t *payload) {
  promise_value_t value;
  REQUIRE(promise_value_object(&value, payload_type(), payload) == PROMISE_OK);
  return value;
}

#define CHECK_DESTROYED(payload, times) CHECK_INT(atomic_load(&(payload)->destroyed), (times))

/* ---- Order ---- */

static inline void note(char letter) {
  size_t length = strlen(journal);
  REQUIRE(length + 1 < sizeof journal);
  journal[length] = letter;
  journal[length + 1] = '\0';
}

static inline void journal_clear(void) {
  journal[0] = '\0';
}

/* ---- Time and memory ---- */

/* Returns the counts of live objects. */
static inline promise_statistics_t statistics(void) {
  promise_statistics_t now;
  memset(&now, 0xff, sizeof now);
  now.size = sizeof now;
  CHECK_STATUS(promise_statistics(&now), PROMISE_OK);
  return now;
}

#define MILLISECONDS INT64_C(1000000)
#define HOUR (3600 * 1000 * MILLISECONDS)
#define FOR_EVER INT64_C(-1)

/* Returns the monotonic time in nanoseconds. */
static inline int64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (int64_t)time.tv_sec * 1000 * MILLISECONDS + time.tv_nsec;
}

/* Switches transparent huge pages off for the process: with them, one touched byte could count as two megabytes of the
 * memory that tests measure. */
__attribute__((constructor)) static void avoid_huge_pages(void) {
  prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
}

/* Returns whether the resident memory shows the program's use of memory. Memory checkers, under which CHECK_QUICK is
 * set, keep freed memory. */
static inline bool resident_is_known(void) {
  return getenv("CHECK_QUICK") == NULL;
}

/* Returns the resident memory of the process, counted from its pages; 0 if it is not known. The count of the second
 * file, which is for kernels without the first, may be off by many pages for each processor. */
static inline long resident_kilobytes(void) {
  if (!resident_is_known())
    return 0;
  long kilobytes = 0;
  char line[128];
  FILE *file = fopen("/proc/self/smaps_rollup", "r");
  if (file == NULL)
    file = fopen("/proc/self/status", "r");
  REQUIRE(file != NULL);
  while (kilobytes == 0 && fgets(line, sizeof line, file) != NULL) {
    if (sscanf(line, "Rss: %ld", &kilobytes) != 1)
      sscanf(line, "VmRSS: %ld", &kilobytes);
  }
  fclose(file);
  return kilobytes;
}

#endif /* SUPPORT_H */
