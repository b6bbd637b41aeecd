/* What a caller must not do, function by function: NULL, stale, forged and foreign-kind handles, values that are none. Each gives
 * a status, nothing is read or written through it, and contexts and values that were handed over are freed once.
 *
 * `misuse --list` prints the functions of the table; scripts/test-abi.sh holds them against the header. */
#include <limits.h>
#include <sys/mman.h>

#include "support.h"

/* ---- Handles that are none ---- */

static int own_memory[16];
static promise_t *dead_promise, *live_promise;
static promise_executor_t *dead_executor, *live_executor;
static promise_job_t *dead_job, *live_job;
static const promise_type_t *live_type;

static void keep_job(void *ctx, promise_job_t *job) { *(promise_job_t **)ctx = job; }

static promise_job_t *new_job(promise_executor_t *executor) {
  promise_t *promise = fulfilled(1);
  promise_reaction_t reaction = {.size = sizeof reaction, .executor = executor, .on_fulfilled = adds_one};
  promise_t *child = promise_react(promise, &reaction);
  REQUIRE(child != NULL);
  promise_release(child);
  promise_release(promise);
  return NULL;
}

static void make_handles(void) {
  static promise_job_t *submitted;
  live_promise = promise_new();
  live_type = promise_type_register("test.misuse", NULL, NULL);
  live_executor = promise_executor_new(keep_job, &submitted, NULL);
  new_job(live_executor);
  dead_job = submitted;
  REQUIRE(promise_job_run(dead_job) == PROMISE_OK);
  new_job(live_executor);
  live_job = submitted;
  dead_executor = promise_executor_new(keep_job, &submitted, NULL);
  REQUIRE(promise_executor_release(dead_executor) == PROMISE_OK);
  dead_promise = stale();
}

static void release_handles(void) {
  CHECK_STATUS(promise_job_drop(live_job), PROMISE_OK);
  CHECK_STATUS(promise_executor_release(live_executor), PROMISE_OK);
  CHECK_INT(promise_state(live_promise), PROMISE_PENDING);
  CHECK_STATUS(promise_release(live_promise), PROMISE_OK);
}

typedef enum { PROMISES, TYPES, EXECUTORS, JOBS } kind_t;

/* Calls `body` with every handle that is not NULL and not a live one of `kind`. */
static void each_bad_handle(kind_t kind, void (*body)(void *handle)) {
  void *heap = malloc(256);
  void *const forged[] = {
    (void *)1, (void *)2, (void *)7, (void *)8, (void *)16, (void *)64, (void *)4095, (void *)4096, (void *)65536,
    (void *)INTPTR_MAX, (void *)INTPTR_MIN, (void *)UINTPTR_MAX, (void *)(UINTPTR_MAX - 1), (void *)(UINTPTR_MAX - 63),
    (void *)UINT64_C(0xdeadbeefdeadbeef), (void *)UINT64_C(0x0000000100000000), (void *)UINT64_C(0x0000000100000001),
    own_memory, own_memory + 1, heap, &heap, (void *)(uintptr_t)&each_bad_handle, "text",
  };
  make_handles();
  for (size_t i = 0; i < sizeof forged / sizeof *forged; i++) body(forged[i]);

  void *const all[] = {live_promise, (void *)(uintptr_t)live_type, live_executor, live_job,
                       (void *)(uintptr_t)promise_type_named("error")};
  static const kind_t kinds[] = {PROMISES, TYPES, EXECUTORS, JOBS, TYPES};
  uint64_t live = 0;
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    if (kinds[i] != kind) body(all[i]);
    if (kinds[i] == kind && live == 0) live = (uint64_t)(uintptr_t)all[i];
  }
  if (kind == PROMISES) body(dead_promise);
  if (kind == EXECUTORS) body(dead_executor);
  if (kind == JOBS) body(dead_job);

  /* A live handle with something wrong in it, above the bits that could name a neighbour. */
  for (int bit = 28; bit < 64; bit++) body((void *)(uintptr_t)(live ^ UINT64_C(1) << bit));
  body((void *)(uintptr_t)(live ^ UINT64_C(1) << 20));
  body((void *)(uintptr_t)(live | UINT64_C(0x0fffffff)));
  body((void *)(uintptr_t)(live & ~UINT64_C(0x0fffffff)));

  uint64_t random = UINT64_C(0x9e3779b97f4a7c15);
  for (int i = 0; i < 10000; i++) {
    random ^= random << 13, random ^= random >> 7, random ^= random << 17;
    body((void *)(uintptr_t)random);
  }
  free(heap);
  release_handles();
}

/* ---- Values that are none ---- */

/* Calls `body` with every value that is malformed, and the status that it deserves. */
static void each_bad_value(void (*body)(promise_value_t value, promise_status_t status)) {
  static const promise_kind_t kinds[] = {0, PROMISE_KIND_ARRAY, PROMISE_KIND_MAP, 15, 255, 256, INT32_MAX, UINT32_MAX};
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    body((promise_value_t){.kind = kinds[i], .as.ptr = own_memory}, PROMISE_EINVAL);
    body((promise_value_t){.kind = kinds[i], .reserved = UINT32_MAX, .as.u64 = UINT64_MAX}, PROMISE_EINVAL);
  }
  static const promise_kind_t owning[] = {PROMISE_KIND_STRING, PROMISE_KIND_BYTES, PROMISE_KIND_ERROR,
                                          PROMISE_KIND_OBJECT};
  for (size_t i = 0; i < sizeof owning / sizeof *owning; i++) {
    body((promise_value_t){.kind = owning[i], .as.ptr = NULL}, PROMISE_EINVAL);
    body((promise_value_t){.kind = owning[i], .as.ptr = own_memory}, PROMISE_EINVAL);
    body((promise_value_t){.kind = owning[i], .as.u64 = UINT64_MAX}, PROMISE_EINVAL);
    uint32_t random = 0x9e3779b9;
    for (int j = 0; j < 2000; j++) {
      random ^= random << 13, random ^= random >> 17, random ^= random << 5;
      body((promise_value_t){.kind = owning[i], .reserved = random, .as.ptr = own_memory}, PROMISE_EINVAL);
    }
  }
  /* A good value, told to be another. */
  promise_value_t good = text("good");
  for (size_t i = 1; i < sizeof owning / sizeof *owning; i++) {
    promise_value_t bad = good;
    bad.kind = owning[i];
    body(bad, PROMISE_EINVAL);
  }
  promise_value_t bad = good;
  bad.as.ptr = (char *)good.as.ptr + 1;
  body(bad, PROMISE_EINVAL);
  CHECK_TEXT(promise_value_data(&good, NULL), "good");
  CHECK_STATUS(promise_value_release(&good), PROMISE_OK);

  promise_t *promise = promise_new();
  body((promise_value_t){.kind = PROMISE_KIND_PROMISE, .as.ptr = NULL}, PROMISE_EINVAL);
  body((promise_value_t){.kind = PROMISE_KIND_PROMISE, .as.ptr = stale()}, PROMISE_ESTALE);
  body((promise_value_t){.kind = PROMISE_KIND_PROMISE, .as.ptr = own_memory}, PROMISE_ESTALE);
  body((promise_value_t){.kind = PROMISE_KIND_PROMISE, .as.ptr = (void *)UINTPTR_MAX}, PROMISE_ESTALE);
  body((promise_value_t){.kind = PROMISE_KIND_STRING, .as.ptr = promise}, PROMISE_EINVAL);
  CHECK_STATUS(promise_release(promise), PROMISE_OK);
}

/* ---- Checks of one call ---- */

/* A call that returned NULL: the status, and the context freed once and never called. */
static void refused(const void *result, promise_status_t status, spy_t *spy) {
  CHECK_POINTER(result, NULL);
  CHECK_STATUS(promise_last_status(), status);
  if (spy == NULL) return;
  CHECK_SPY(spy, 0, 1);
  atomic_store(&spy->frees, 0);
}

static spy_t spy;
static payload_t payload;

/* A payload handed over to a call was destroyed once. */
static void destroyed(void) {
  CHECK_INT(atomic_load(&payload.destroyed), 1);
  atomic_store(&payload.destroyed, 0);
}

/* ---- Version and status ---- */

static void abi_version(void) {
  /* Takes nothing: it must not depend on what went wrong before. */
  promise_retain((promise_t *)own_memory);
  CHECK(promise_abi_version() >= PROMISE_ABI_VERSION);
}

static void status_name(void) {
  CHECK_TEXT(promise_status_name(INT32_MIN), "PROMISE_UNKNOWN");
  CHECK_TEXT(promise_status_name(INT32_MAX), "PROMISE_UNKNOWN");
  CHECK_TEXT(promise_status_name(1), "PROMISE_UNKNOWN");
}

static void last_status(void) {
  refused(promise_then((promise_t *)own_memory, adds_one, NULL, NULL), PROMISE_ESTALE, NULL);
  refused(promise_then(NULL, adds_one, NULL, NULL), PROMISE_EINVAL, NULL);
}

/* ---- Values ---- */

static void retain_bad_value(promise_value_t value, promise_status_t status) {
  CHECK_STATUS(promise_value_retain(&value), status);
}
static void value_retain(void) {
  CHECK_STATUS(promise_value_retain(NULL), PROMISE_EINVAL);
  each_bad_value(retain_bad_value);
}

static void release_bad_value(promise_value_t value, promise_status_t status) {
  promise_value_t before = value;
  CHECK_STATUS(promise_value_release(&value), status);
  CHECK(memcmp(&before, &value, sizeof value) == 0);
}
static void value_release(void) {
  CHECK_STATUS(promise_value_release(NULL), PROMISE_EINVAL);
  each_bad_value(release_bad_value);
  promise_value_t value = text("once, and longer than what fits into a few words"), copy = value;
  CHECK_STATUS(promise_value_release(&value), PROMISE_OK);
  CHECK_STATUS(promise_value_release(&copy), PROMISE_EINVAL);
}

static void value_string(void) {
  promise_value_t value = {.kind = 77};
  CHECK_STATUS(promise_value_string(NULL, "text", 4), PROMISE_EINVAL);
  CHECK_STATUS(promise_value_string(NULL, NULL, 0), PROMISE_EINVAL);
  CHECK_STATUS(promise_value_string(&value, NULL, 1), PROMISE_EINVAL);
  CHECK_INT(value.kind, PROMISE_KIND_VOID);
  CHECK_STATUS(promise_value_string(&value, NULL, SIZE_MAX), PROMISE_EINVAL);
  value.kind = 77;
  CHECK(promise_value_string(&value, "\xff", SIZE_MAX) < 0);
  CHECK_INT(value.kind, PROMISE_KIND_VOID);
}

static void value_bytes(void) {
  promise_value_t value = {.kind = 77};
  CHECK_STATUS(promise_value_bytes(NULL, "bytes", 5), PROMISE_EINVAL);
  CHECK_STATUS(promise_value_bytes(&value, NULL, 1), PROMISE_EINVAL);
  CHECK_INT(value.kind, PROMISE_KIND_VOID);
  value.kind = 77;
  CHECK(promise_value_bytes(&value, "x", SIZE_MAX) < 0);
  CHECK_INT(value.kind, PROMISE_KIND_VOID);
  CHECK(promise_value_bytes(&value, "x", SIZE_MAX / 2) < 0);
  CHECK(promise_value_bytes(&value, "x", SIZE_MAX / 2 + 1) < 0);
  CHECK_INT(value.kind, PROMISE_KIND_VOID);
}

static void value_error(void) {
  promise_value_t value = {.kind = 77};
  CHECK_STATUS(promise_value_error(NULL, "domain", 1, "message"), PROMISE_EINVAL);
  CHECK_STATUS(promise_value_error(&value, NULL, 1, "message"), PROMISE_EINVAL);
  CHECK_INT(value.kind, PROMISE_KIND_VOID);
  value.kind = 77;
  CHECK_STATUS(promise_value_error(&value, "domain", 1, NULL), PROMISE_EINVAL);
  CHECK_INT(value.kind, PROMISE_KIND_VOID);
  CHECK_STATUS(promise_value_error(&value, "\xff", 1, "message"), PROMISE_EINVAL);
  CHECK_STATUS(promise_value_error(&value, "domain", 1, "\xff"), PROMISE_EINVAL);
}

static void object_of_bad_type(void *type) {
  promise_value_t value = {.kind = 77};
  CHECK_STATUS(promise_value_object(&value, type, &payload), PROMISE_ESTALE);
  CHECK_INT(value.kind, PROMISE_KIND_VOID);
  CHECK_INT(atomic_load(&payload.destroyed), 0); /* it stays the caller's */
}
static void value_object(void) {
  promise_value_t value = {.kind = 77};
  CHECK_STATUS(promise_value_object(NULL, payload_type(), &payload), PROMISE_EINVAL);
  CHECK_STATUS(promise_value_object(&value, NULL, &payload), PROMISE_EINVAL);
  CHECK_INT(value.kind, PROMISE_KIND_VOID);
  each_bad_handle(TYPES, object_of_bad_type);
  /* Built-in types are registered by nobody. */
  object_of_bad_type((void *)(uintptr_t)promise_type_named("string"));
  object_of_bad_type((void *)(uintptr_t)promise_type_named("error"));
  CHECK_INT(atomic_load(&payload.destroyed), 0);
}

static void data_of_bad_value(promise_value_t value, promise_status_t status) {
  size_t length = 4711;
  (void)status;
  CHECK_POINTER(promise_value_data(&value, &length), NULL);
  CHECK_INT(length, 0);
}
static void value_data(void) {
  size_t length = 4711;
  CHECK_POINTER(promise_value_data(NULL, NULL), NULL);
  CHECK_POINTER(promise_value_data(NULL, &length), NULL);
  each_bad_value(data_of_bad_value);
}

static void domain_of_bad_value(promise_value_t value, promise_status_t status) {
  (void)status;
  CHECK_POINTER(promise_value_domain(&value), NULL);
}
static void value_domain(void) {
  promise_value_t value = text("no error");
  CHECK_POINTER(promise_value_domain(NULL), NULL);
  CHECK_POINTER(promise_value_domain(&value), NULL);
  promise_value_release(&value);
  each_bad_value(domain_of_bad_value);
}

static void code_of_bad_value(promise_value_t value, promise_status_t status) {
  (void)status;
  CHECK_INT(promise_value_code(&value), 0);
}
static void value_code(void) {
  CHECK_INT(promise_value_code(NULL), 0);
  CHECK_INT(promise_value_code(I64(404)), 0);
  each_bad_value(code_of_bad_value);
}

/* ---- Types ---- */

static void register_with_bad_parent(void *parent) {
  refused(promise_type_register("test.misuse.child", parent, NULL), PROMISE_ESTALE, NULL);
}
static void type_register(void) {
  refused(promise_type_register(NULL, NULL, NULL), PROMISE_EINVAL, NULL);
  refused(promise_type_register("", NULL, NULL), PROMISE_EINVAL, NULL);
  refused(promise_type_register("\xff", NULL, NULL), PROMISE_EINVAL, NULL);
  static const char *const builtins[] = {"void",  "bool",  "i64", "u64",   "f64",       "pointer", "string",
                                         "bytes", "array", "map", "error", "discarded", "promise", "object"};
  for (size_t i = 0; i < sizeof builtins / sizeof *builtins; i++) {
    refused(promise_type_register(builtins[i], NULL, payload_destroy), PROMISE_EINVAL, NULL);
  }
  each_bad_handle(TYPES, register_with_bad_parent);
  refused(promise_type_named("test.misuse.child"), PROMISE_EINVAL, NULL);
}

static void type_named(void) {
  refused(promise_type_named(NULL), PROMISE_EINVAL, NULL);
  refused(promise_type_named(""), PROMISE_EINVAL, NULL);
  refused(promise_type_named("String"), PROMISE_EINVAL, NULL);
  refused(promise_type_named("\xff"), PROMISE_EINVAL, NULL);
}

static void name_of_bad_type(void *type) { refused(promise_type_name(type), PROMISE_ESTALE, NULL); }
static void type_name(void) {
  refused(promise_type_name(NULL), PROMISE_EINVAL, NULL);
  each_bad_handle(TYPES, name_of_bad_type);
}

static void is_of_bad_type(void *type) { CHECK(!promise_value_is(I64(1), type)); }
static void bad_value_is(promise_value_t value, promise_status_t status) {
  (void)status;
  CHECK(!promise_value_is(&value, promise_type_named("object")));
  CHECK(!promise_value_is(&value, promise_type_named("string")));
}
static void value_is(void) {
  CHECK(!promise_value_is(NULL, promise_type_named("i64")));
  CHECK(!promise_value_is(I64(1), NULL));
  CHECK(!promise_value_is(NULL, NULL));
  each_bad_handle(TYPES, is_of_bad_type);
  each_bad_value(bad_value_is);
}

static void type_of_bad_value(promise_value_t value, promise_status_t status) {
  (void)status;
  CHECK_POINTER(promise_value_type(&value), NULL);
}
static void value_type(void) {
  refused(promise_value_type(NULL), PROMISE_EINVAL, NULL);
  each_bad_value(type_of_bad_value);
}

/* ---- Promises ---- */

static void new_promise(void) {
  /* Takes nothing; what was misused before must not have spoilt the allocator. */
  for (int i = 0; i < 100; i++) {
    promise_t *promise = promise_new(), *other = promise_new();
    CHECK(promise != NULL && other != NULL && promise != other);
    CHECK_STATUS(promise_release(promise), PROMISE_OK);
    CHECK_STATUS(promise_release(promise), PROMISE_ESTALE);
    CHECK_STATUS(promise_release(other), PROMISE_OK);
    CHECK_STATUS(promise_release(promise), PROMISE_ESTALE);
  }
}

static void new_discardable(void) {
  promise_t *promise = promise_new_discardable(NULL, NULL, NULL);
  CHECK(promise != NULL);
  CHECK_STATUS(promise_discard(promise), PROMISE_OK);
  CHECK_STATUS(promise_release(promise), PROMISE_OK);
  CHECK_STATUS(promise_discard(promise), PROMISE_ESTALE);
  promise = promise_new_discardable(NULL, &spy, spy_free);
  CHECK_STATUS(promise_release(promise), PROMISE_OK);
  CHECK_STATUS(promise_release(promise), PROMISE_ESTALE);
  CHECK_SPY(&spy, 0, 1);
}

static void retain_bad(void *handle) { CHECK_STATUS(promise_retain(handle), PROMISE_ESTALE); }
static void retain(void) {
  CHECK_STATUS(promise_retain(NULL), PROMISE_EINVAL);
  each_bad_handle(PROMISES, retain_bad);
}

static void release_bad(void *handle) { CHECK_STATUS(promise_release(handle), PROMISE_ESTALE); }
static void release(void) {
  CHECK_STATUS(promise_release(NULL), PROMISE_EINVAL);
  each_bad_handle(PROMISES, release_bad);
}

static void resolve_bad(void *handle) {
  promise_value_t value = object(&payload);
  CHECK_STATUS(promise_resolve(handle, &value), PROMISE_ESTALE);
  destroyed();
}
static void resolve_with_bad(promise_value_t value, promise_status_t status) {
  promise_t *promise = promise_new();
  (void)status;
  CHECK_STATUS(promise_resolve(promise, &value), PROMISE_EINVAL);
  CHECK_INT(promise_state(promise), PROMISE_PENDING);
  CHECK(promise_resolve(NULL, &value) < 0);
  CHECK(promise_resolve((promise_t *)own_memory, &value) < 0);
  promise_release(promise);
}
static void resolve(void) {
  promise_value_t value = object(&payload);
  CHECK_STATUS(promise_resolve(NULL, &value), PROMISE_EINVAL);
  destroyed();
  CHECK_STATUS(promise_resolve(NULL, NULL), PROMISE_EINVAL);
  promise_t *promise = promise_new();
  CHECK_STATUS(promise_resolve(promise, NULL), PROMISE_EINVAL);
  CHECK_INT(promise_state(promise), PROMISE_PENDING);
  promise_release(promise);
  each_bad_handle(PROMISES, resolve_bad);
  each_bad_value(resolve_with_bad);
}

static void reject_bad(void *handle) {
  promise_value_t value = object(&payload);
  CHECK_STATUS(promise_reject(handle, &value), PROMISE_ESTALE);
  destroyed();
}
static void reject_with_bad(promise_value_t value, promise_status_t status) {
  promise_t *promise = promise_new();
  (void)status;
  CHECK_STATUS(promise_reject(promise, &value), PROMISE_EINVAL);
  CHECK_INT(promise_state(promise), PROMISE_PENDING);
  promise_release(promise);
}
static void reject(void) {
  promise_value_t value = object(&payload);
  CHECK_STATUS(promise_reject(NULL, &value), PROMISE_EINVAL);
  destroyed();
  CHECK_STATUS(promise_reject(NULL, NULL), PROMISE_EINVAL);
  promise_t *promise = promise_new();
  CHECK_STATUS(promise_reject(promise, NULL), PROMISE_EINVAL);
  CHECK_INT(promise_state(promise), PROMISE_PENDING);
  promise_release(promise);
  each_bad_handle(PROMISES, reject_bad);
  each_bad_value(reject_with_bad);
}

static void discard_bad(void *handle) { CHECK_STATUS(promise_discard(handle), PROMISE_ESTALE); }
static void discard(void) {
  CHECK_STATUS(promise_discard(NULL), PROMISE_EINVAL);
  each_bad_handle(PROMISES, discard_bad);
}

static void state_bad(void *handle) { CHECK_STATUS(promise_state(handle), PROMISE_ESTALE); }
static void state(void) {
  CHECK_STATUS(promise_state(NULL), PROMISE_EINVAL);
  each_bad_handle(PROMISES, state_bad);
}

static void result_bad(void *handle) {
  promise_value_t value = {.kind = 77};
  CHECK_STATUS(promise_result(handle, &value), PROMISE_ESTALE);
  CHECK_INT(value.kind, PROMISE_KIND_VOID);
}
static void result(void) {
  promise_value_t value = {.kind = 77};
  CHECK_STATUS(promise_result(NULL, &value), PROMISE_EINVAL);
  CHECK_INT(value.kind, PROMISE_KIND_VOID);
  promise_t *promise = fulfilled(1);
  CHECK_STATUS(promise_result(promise, NULL), PROMISE_EINVAL);
  CHECK_STATUS(promise_result(NULL, NULL), PROMISE_EINVAL);
  promise_release(promise);
  each_bad_handle(PROMISES, result_bad);
}

static void wait_bad(void *handle) {
  CHECK_STATUS(promise_wait(handle, -1), PROMISE_ESTALE);
  CHECK_STATUS(promise_wait(handle, 0), PROMISE_ESTALE);
}
static void wait_for(void) {
  CHECK_STATUS(promise_wait(NULL, -1), PROMISE_EINVAL);
  CHECK_STATUS(promise_wait(NULL, 0), PROMISE_EINVAL);
  each_bad_handle(PROMISES, wait_bad);
}

/* ---- Callbacks ---- */

static void then_bad(void *handle) {
  refused(promise_then(handle, spy_handler, &spy, spy_free), PROMISE_ESTALE, &spy);
}
static void then(void) {
  refused(promise_then(NULL, spy_handler, &spy, spy_free), PROMISE_EINVAL, &spy);
  refused(promise_then(NULL, NULL, &spy, spy_free), PROMISE_EINVAL, &spy);
  promise_t *promise = fulfilled(1);
  refused(promise_then(promise, NULL, &spy, spy_free), PROMISE_EINVAL, &spy);
  promise_release(promise);
  each_bad_handle(PROMISES, then_bad);
}

static void rescue_bad(void *handle) {
  refused(promise_rescue(handle, NULL, spy_handler, &spy, spy_free), PROMISE_ESTALE, &spy);
}
static void rescue_bad_type(void *type) {
  refused(promise_rescue(live_promise, type, spy_handler, &spy, spy_free), PROMISE_ESTALE, &spy);
}
static void rescue(void) {
  refused(promise_rescue(NULL, NULL, spy_handler, &spy, spy_free), PROMISE_EINVAL, &spy);
  promise_t *promise = rejected(1);
  refused(promise_rescue(promise, NULL, NULL, &spy, spy_free), PROMISE_EINVAL, &spy);
  promise_release(promise);
  each_bad_handle(PROMISES, rescue_bad);
  each_bad_handle(TYPES, rescue_bad_type);
}

static void observe_bad(void *handle) {
  CHECK_STATUS(promise_observe(handle, spy_observer, spy_observer, &spy, spy_free), PROMISE_ESTALE);
  CHECK_SPY(&spy, 0, 1);
  atomic_store(&spy.frees, 0);
}
static void observe(void) {
  CHECK_STATUS(promise_observe(NULL, spy_observer, spy_observer, &spy, spy_free), PROMISE_EINVAL);
  CHECK_SPY(&spy, 0, 1);
  atomic_store(&spy.frees, 0);
  each_bad_handle(PROMISES, observe_bad);
}

static promise_reaction_t good_reaction(void) {
  promise_reaction_t reaction = {.size = sizeof reaction, .on_fulfilled = spy_handler, .on_rejected = spy_handler,
                                 .ctx = &spy, .free_ctx = spy_free};
  return reaction;
}
static void react_bad(void *handle) {
  promise_reaction_t reaction = good_reaction();
  refused(promise_react(handle, &reaction), PROMISE_ESTALE, &spy);
}
static void react_on_bad_executor(void *executor) {
  promise_reaction_t reaction = good_reaction();
  reaction.executor = executor;
  refused(promise_react(live_promise, &reaction), PROMISE_ESTALE, &spy);
}
static void react_to_bad_type(void *type) {
  promise_reaction_t reaction = good_reaction();
  reaction.type = type;
  refused(promise_react(live_promise, &reaction), PROMISE_ESTALE, &spy);
}
static void react(void) {
  promise_t *promise = fulfilled(1);
  promise_reaction_t reaction = good_reaction();
  refused(promise_react(NULL, NULL), PROMISE_EINVAL, NULL);
  refused(promise_react(promise, NULL), PROMISE_EINVAL, NULL);
  refused(promise_react(NULL, &reaction), PROMISE_EINVAL, &spy);

  static const uint32_t small[] = {0, 1, 8, sizeof(promise_reaction_t) - 1};
  for (size_t i = 0; i < sizeof small / sizeof *small; i++) {
    reaction.size = small[i];
    refused(promise_react(promise, &reaction), PROMISE_EINVAL, NULL);
    CHECK_SPY(&spy, 0, 0); /* "unless it is too small to tell" */
  }

  reaction = good_reaction();
  reaction.reserved = 1;
  refused(promise_react(promise, &reaction), PROMISE_EINVAL, &spy);
  reaction = good_reaction();
  reaction.token = (promise_token_t *)promise;
  refused(promise_react(promise, &reaction), PROMISE_EINVAL, &spy);
  reaction = good_reaction();
  reaction.on_fulfilled = reaction.on_rejected = NULL;
  refused(promise_react(promise, &reaction), PROMISE_EINVAL, &spy);

  struct {
    promise_reaction_t reaction;
    unsigned char later[64];
  } newer = {.reaction = good_reaction()};
  newer.reaction.size = sizeof newer;
  for (size_t i = 0; i < sizeof newer.later; i++) {
    memset(newer.later, 0, sizeof newer.later);
    newer.later[i] = 1;
    refused(promise_react(promise, &newer.reaction), PROMISE_EINVAL, &spy);
  }

  /* A size that was never set: no reading on through the caller's memory for it. */
  long page = sysconf(_SC_PAGESIZE);
  char *memory = mmap(NULL, (size_t)page * 2, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  REQUIRE(memory != MAP_FAILED && mprotect(memory + page, (size_t)page, PROT_NONE) == 0);
  promise_reaction_t *last = (promise_reaction_t *)(void *)memory;
  *last = good_reaction();
  last->size = UINT32_MAX;
  refused(promise_react(promise, last), PROMISE_EINVAL, &spy);
  munmap(memory, (size_t)page * 2);

  promise_release(promise);
  each_bad_handle(PROMISES, react_bad);
  each_bad_handle(EXECUTORS, react_on_bad_executor);
  each_bad_handle(TYPES, react_to_bad_type);
}

/* ---- Executors ---- */

static void executor_new(void) { refused(promise_executor_new(NULL, &spy, spy_free), PROMISE_EINVAL, &spy); }

static void executor_retain_bad(void *handle) { CHECK_STATUS(promise_executor_retain(handle), PROMISE_ESTALE); }
static void executor_retain(void) {
  CHECK_STATUS(promise_executor_retain(NULL), PROMISE_EINVAL);
  each_bad_handle(EXECUTORS, executor_retain_bad);
}

static void executor_release_bad(void *handle) { CHECK_STATUS(promise_executor_release(handle), PROMISE_ESTALE); }
static void executor_release(void) {
  CHECK_STATUS(promise_executor_release(NULL), PROMISE_EINVAL);
  each_bad_handle(EXECUTORS, executor_release_bad);
}

static void job_run_bad(void *handle) { CHECK_STATUS(promise_job_run(handle), PROMISE_ESTALE); }
static void job_run(void) {
  CHECK_STATUS(promise_job_run(NULL), PROMISE_EINVAL);
  each_bad_handle(JOBS, job_run_bad);
}

static void job_drop_bad(void *handle) { CHECK_STATUS(promise_job_drop(handle), PROMISE_ESTALE); }
static void job_drop(void) {
  CHECK_STATUS(promise_job_drop(NULL), PROMISE_EINVAL);
  each_bad_handle(JOBS, job_drop_bad);
}

static const struct {
  const char *function;
  void (*test)(void);
} table[] = {
  {"promise_abi_version", abi_version},
  {"promise_discard", discard},
  {"promise_executor_new", executor_new},
  {"promise_executor_release", executor_release},
  {"promise_executor_retain", executor_retain},
  {"promise_job_drop", job_drop},
  {"promise_job_run", job_run},
  {"promise_last_status", last_status},
  {"promise_new", new_promise},
  {"promise_new_discardable", new_discardable},
  {"promise_observe", observe},
  {"promise_react", react},
  {"promise_reject", reject},
  {"promise_release", release},
  {"promise_rescue", rescue},
  {"promise_resolve", resolve},
  {"promise_result", result},
  {"promise_retain", retain},
  {"promise_state", state},
  {"promise_status_name", status_name},
  {"promise_then", then},
  {"promise_type_name", type_name},
  {"promise_type_named", type_named},
  {"promise_type_register", type_register},
  {"promise_value_bytes", value_bytes},
  {"promise_value_code", value_code},
  {"promise_value_data", value_data},
  {"promise_value_domain", value_domain},
  {"promise_value_error", value_error},
  {"promise_value_is", value_is},
  {"promise_value_object", value_object},
  {"promise_value_release", value_release},
  {"promise_value_retain", value_retain},
  {"promise_value_string", value_string},
  {"promise_value_type", value_type},
  {"promise_wait", wait_for},
};

int main(int argc, char **argv) {
  for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
    if (argc == 2 && strcmp(argv[1], "--list") == 0) {
      puts(table[i].function);
    } else {
      atomic_store(&spy.frees, 0);
      check_run(table[i].function, table[i].test);
    }
  }
  return argc == 2 ? 0 : check_report();
}
