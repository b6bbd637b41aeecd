/* Functions that return promises: settled, wrongly settled, settled later from a thread, or never. */
#include "fixture.h"

#include <pthread.h>

static promise_t *settled(promise_value_t value) {
  promise_t *promise = promise_new();
  promise_resolve(promise, &value);
  return promise;
}

static promise_t *i8(int64_t value) {
  return settled((promise_value_t){.kind = PROMISE_KIND_I64, .as.i64 = value});
}
static promise_t *u16(uint64_t value) {
  return settled((promise_value_t){.kind = PROMISE_KIND_U64, .as.u64 = value});
}
static promise_t *f64(double value) {
  return settled((promise_value_t){.kind = PROMISE_KIND_F64, .as.f64 = value});
}
static promise_t *b(bool value) {
  return settled((promise_value_t){.kind = PROMISE_KIND_BOOL, .as.b = value});
}
static promise_t *none(void) {
  return settled((promise_value_t){.kind = PROMISE_KIND_VOID});
}

static promise_t *str(promise_str_t text) {
  promise_value_t value;
  promise_value_string(&value, text.data, text.length);
  return settled(value);
}

static promise_t *bytes(promise_bytes_t data) {
  promise_value_t value;
  promise_value_bytes(&value, data.data, data.length);
  return settled(value);
}

static promise_t *given(const promise_value_t *value) {
  promise_value_retain(value);
  return settled(*value);
}

static promise_t *address(uint64_t value) {
  return settled((promise_value_t){.kind = PROMISE_KIND_POINTER, .as.ptr = (void *)(uintptr_t)value});
}

static promise_t *fail(promise_str_t text) {
  promise_value_t reason;
  char message[64] = {0};
  memcpy(message, text.data, text.length < 63 ? text.length : 63);
  promise_value_error(&reason, "test.promises", 5, message);
  promise_t *promise = promise_new();
  promise_reject(promise, &reason);
  return promise;
}

static promise_t *twice(void) {
  promise_t *promise = settled((promise_value_t){.kind = PROMISE_KIND_I64, .as.i64 = 1});
  promise_resolve(promise, &(promise_value_t){.kind = PROMISE_KIND_I64, .as.i64 = 2});
  return promise;
}

static promise_t *null(void) {
  return NULL;
}

static promise_t *released(void) {
  promise_t *promise = promise_new();
  promise_release(promise);
  return promise;
}

static promise_t *never(void) {
  return pending_promise();
}

/* Returns a promise that nobody can settle, because the plugin keeps no reference. */
static promise_t *lose(promise_bytes_t data) {
  (void)data;
  return promise_new();
}

static promise_t *held;

/* Returns a promise that nobody can settle once drop() has released it. */
static promise_t *hold(promise_bytes_t data) {
  (void)data;
  return held = pending_promise();
}

static void drop(void) {
  promise_release(held);
}

/* A handler that doubles a number. The promise of the number is borrowed until the derived promise is settled. */
static promise_verdict_t doubled(void *ctx, const promise_value_t *in, promise_value_t *out) {
  (void)ctx;
  out->kind = PROMISE_KIND_I64;
  out->as.i64 = in->as.i64 * 2;
  return PROMISE_FULFILL;
}

/* Returns a promise derived from a promise that drop() releases. */
static promise_t *hold_twofold(void) {
  held = promise_new();
  return promise_then(held, doubled, NULL, NULL);
}

static promise_t *twofold(promise_t *number) {
  return promise_then(number, doubled, NULL, NULL);
}

/* A thread adds up the argument once go() is called, without a copy of the argument. */
struct work {
  promise_t *promise;
  promise_bytes_t data;
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static int permits, discards, last_sum;

static void *run(void *argument) {
  struct work *work = argument;
  pthread_mutex_lock(&mutex);
  while (permits == 0)
    pthread_cond_wait(&condition, &mutex);
  permits--;
  uint64_t sum = 0;
  for (size_t i = 0; i < work->data.length; i++)
    sum += work->data.data[i];
  last_sum = (int)sum;
  pthread_mutex_unlock(&mutex);
  promise_resolve(work->promise, &(promise_value_t){.kind = PROMISE_KIND_U64, .as.u64 = sum});
  promise_release(work->promise);
  pthread_mutex_lock(&mutex);
  last_sum |= 1 << 30; /* the promise is released */
  pthread_cond_broadcast(&condition);
  pthread_mutex_unlock(&mutex);
  free(work);
  return NULL;
}

static void on_discard(void *ctx) {
  (void)ctx;
  pthread_mutex_lock(&mutex);
  discards++;
  pthread_mutex_unlock(&mutex);
}

static promise_t *sum(promise_bytes_t data) {
  struct work *work = malloc(sizeof *work);
  *work = (struct work){promise_new_discardable(on_discard, NULL, NULL), data};
  promise_retain(work->promise);
  promise_t *promise = work->promise;
  pthread_t thread;
  pthread_create(&thread, NULL, run, work);
  pthread_detach(thread);
  return promise;
}

/* A promise that a request to cancel settles. */
struct requested {
  promise_t *promise;
  int64_t value;
};

static _Atomic int32_t waits, requests;

/* The number of promises that until_request() has returned, and of those that were asked to cancel. */
static int32_t waiting_count(void) {
  return waits;
}

static int32_t request_count(void) {
  return requests;
}

static void on_request(void *ctx, const promise_value_t *reason) {
  struct requested *requested = ctx;
  (void)reason;
  requests++;
  if (requested->value == 0)
    promise_discard(requested->promise);
  else
    promise_resolve(requested->promise, &(promise_value_t){.kind = PROMISE_KIND_I64, .as.i64 = requested->value});
  promise_release(requested->promise);
}

/* Returns a promise that is fulfilled with the value, or discarded if that is 0, when it is asked to cancel. */
static promise_t *until_request(int64_t value) {
  struct requested *requested = malloc(sizeof *requested);
  *requested = (struct requested){pending_promise(), value};
  promise_t *promise = requested->promise;
  promise_on_cancel_request(promise, on_request, requested, free);
  waits++;
  return promise;
}

static promise_t *until_request_after(void (*first)(void), int64_t value) {
  first();
  return until_request(value);
}

static promise_t *sum_after(void (*first)(void), promise_bytes_t data) {
  first();
  return sum(data);
}

static void go(void) {
  pthread_mutex_lock(&mutex);
  permits++;
  pthread_cond_broadcast(&condition);
  pthread_mutex_unlock(&mutex);
}

/* Waits until a thread of sum() has released its promise. Returns the sum that the thread computed. */
static int32_t seen(void) {
  pthread_mutex_lock(&mutex);
  while ((last_sum & 1 << 30) == 0)
    pthread_cond_wait(&condition, &mutex);
  int32_t result = last_sum & ~(1 << 30);
  pthread_mutex_unlock(&mutex);
  return result;
}

static int32_t discarded(void) {
  pthread_mutex_lock(&mutex);
  int32_t result = discards;
  pthread_mutex_unlock(&mutex);
  return result;
}

static const promise_plugin_function_t functions[] = {
    FUNCTION("i8(value: i64) -> promise<i8>", i8),
    FUNCTION("u16(value: u64) -> promise<u16>", u16),
    FUNCTION("f64(value: f64) -> promise<f64>", f64),
    FUNCTION("b(value: bool) -> promise<bool>", b),
    FUNCTION("none() -> promise<void>", none),
    FUNCTION("str(text: str) -> promise<str>", str),
    FUNCTION("cstr(text: str) -> promise<cstr>", str),
    FUNCTION("bytes(data: bytes) -> promise<bytes>", bytes),
    FUNCTION("address(value: u64) -> promise<ptr<thing>>", address),
    FUNCTION("numbers(data: bytes) -> promise<&[i16]>", bytes),
    FUNCTION("pair(data: bytes) -> promise<{a: u8, b: u8}>", bytes),
    FUNCTION("given(pair: value) -> promise<{a: u8, b: u8}>", given),
    FUNCTION("str_as_number(text: str) -> promise<i32>", str),
    FUNCTION("number_as_void(value: i64) -> promise<void>", i8),
    FUNCTION("signed_as_unsigned(value: i64) -> promise<u64>", i8),
    FUNCTION("fail(text: str) -> promise<i32>", fail),
    FUNCTION("twice() -> promise<i32>", twice),
    FUNCTION("null() -> promise<i32>", null),
    FUNCTION("released() -> promise<i32>", released),
    FUNCTION("never() -> promise<i32>", never),
    FUNCTION("lose(data: bytes) -> promise<i32>", lose),
    FUNCTION("hold(data: bytes) -> promise<i32>", hold),
    FUNCTION("hold_twofold() -> promise<i64>", hold_twofold),
    FUNCTION("drop()", drop),
    FUNCTION("twofold(number: promise<i64>) -> promise<i64>", twofold),
    FUNCTION("until_request(value: i64 = 5) -> promise<i64>", until_request),
    FUNCTION("waiting_count() -> i32", waiting_count),
    FUNCTION("request_count() -> i32", request_count),
    FUNCTION("until_request_after(first: fn(), value: i64) -> promise<i64>", until_request_after),
    FUNCTION("sum(data: bytes) -> promise<u64>", sum),
    FUNCTION("sum_after(first: fn(), data: bytes) -> promise<u64>", sum_after),
    FUNCTION("go()", go),
    FUNCTION("seen() -> i32", seen),
    FUNCTION("discarded() -> i32", discarded),
};

PLUGIN("test.promises", .description = NULL)
