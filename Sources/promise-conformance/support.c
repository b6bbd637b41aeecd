#include "support.h"

/* ---- Values ---- */

promise_value_t i64_value(int64_t number) {
  return (promise_value_t){.kind = PROMISE_KIND_I64, .as.i64 = number};
}

promise_value_t string_value(const char *text) {
  promise_value_t value;
  EXPECT_STATUS(promise_value_string(&value, text, strlen(text)), PROMISE_OK);
  return value;
}

promise_value_t holding(promise_t *promise) {
  return (promise_value_t){.kind = PROMISE_KIND_PROMISE, .as.ptr = promise};
}

static void payload_destroy(void *pointer) {
  atomic_fetch_add(&((payload_t *)pointer)->destroyed, 1);
}

promise_value_t object_value(payload_t *payload) {
  promise_value_t value;
  const promise_type_t *type = promise_type_register("org.promises.conformance.payload", NULL, payload_destroy);
  EXPECT(type != NULL);
  EXPECT_STATUS(promise_value_object(&value, type, payload), PROMISE_OK);
  return value;
}

/* ---- Promises ---- */

promise_t *pending(void) {
  promise_t *promise = promise_new();
  EXPECT(promise != NULL);
  return promise;
}

promise_t *fulfilled(int64_t number) {
  promise_t *promise = pending();
  resolve(promise, number);
  return promise;
}

promise_t *rejected(int64_t number) {
  promise_t *promise = pending();
  reject(promise, number);
  return promise;
}

promise_t *retained(promise_t *promise) {
  EXPECT_STATUS(promise_retain(promise), PROMISE_OK);
  return promise;
}

promise_t *stale(void) {
  promise_t *promise = pending();
  release(promise);
  return promise;
}

void resolve(promise_t *promise, int64_t number) {
  promise_value_t value = i64_value(number);
  EXPECT_STATUS(promise_resolve(promise, &value), PROMISE_OK);
}

void reject(promise_t *promise, int64_t number) {
  promise_value_t reason = i64_value(number);
  EXPECT_STATUS(promise_reject(promise, &reason), PROMISE_OK);
}

void release(promise_t *promise) {
  EXPECT_STATUS(promise_release(promise), PROMISE_OK);
}

static const char *state_name(promise_state_t state) {
  static const char *const names[] = {"PENDING", "FULFILLED", "REJECTED"};
  return state >= PROMISE_PENDING && state <= PROMISE_REJECTED ? names[state - PROMISE_PENDING] : "in no known state";
}

static promise_value_t result_in(promise_t *promise, promise_state_t state, const char *what) {
  promise_value_t value = {.kind = 0};
  promise_state_t actual = promise_state(promise);
  if (actual != state)
    expect_failed("%s is %s (%d), expected %s", what, state_name(actual), (int)actual, state_name(state));
  promise_status_t status = promise_result(promise, &value);
  if (status != PROMISE_OK)
    expect_failed("promise_result() of %s, which is %s, returned %d, expected PROMISE_OK", what, state_name(state),
                  (int)status);
  return value;
}

void expect_ended(promise_t *promise, promise_state_t state, int64_t number, const char *what) {
  promise_value_t value = result_in(promise, state, what);
  if (value.kind != PROMISE_KIND_I64)
    expect_failed("%s is %s with a value of kind %u, expected an I64", what, state_name(state), (unsigned)value.kind);
  if (value.as.i64 != number)
    expect_failed("%s is %s with %lld, expected %lld", what, state_name(state), (long long)value.as.i64,
                  (long long)number);
}

void expect_library_error(promise_t *promise, promise_status_t code, const char *what) {
  promise_value_t reason = result_in(promise, PROMISE_REJECTED, what);
  if (reason.kind != PROMISE_KIND_ERROR)
    expect_failed("%s is rejected with a value of kind %u, expected an ERROR", what, (unsigned)reason.kind);
  const char *domain = promise_value_domain(&reason);
  if (domain == NULL || strcmp(domain, "promise") != 0)
    expect_failed("the domain of %s's reason is \"%.100s\", expected \"promise\"", what,
                  domain == NULL ? "(null)" : domain);
  expect_status((int32_t)promise_value_code(&reason), code, "the code of its reason");
  promise_value_release(&reason);
}

void expect_discarded(promise_t *promise, const char *what) {
  promise_value_t reason = result_in(promise, PROMISE_REJECTED, what);
  if (reason.kind != PROMISE_KIND_DISCARDED)
    expect_failed("%s is rejected with a value of kind %u, expected a DISCARDED", what, (unsigned)reason.kind);
  promise_value_release(&reason);
}

/* ---- Contexts ---- */

static void spy_see(spy_t *spy, const promise_value_t *in) {
  atomic_fetch_add(&spy->calls, 1);
  if (atomic_load(&spy->frees) != 0)
    expect_failed("a callback was called after its context was freed");
  spy->called_on = pthread_self();
  spy->kind = in->kind;
  spy->seen = in->kind == PROMISE_KIND_I64 ? in->as.i64 : -1;
}

promise_verdict_t spy_handler(void *ctx, const promise_value_t *in, promise_value_t *out) {
  spy_t *spy = ctx;
  spy_see(spy, in);
  if (out->kind != PROMISE_KIND_VOID)
    expect_failed("*out is of kind %u when the handler is called, expected a VOID", (unsigned)out->kind);
  if (spy->verdict != 0) {
    *out = spy->answer;
    return spy->verdict;
  }
  *out = i64_value(spy->seen + 1);
  return PROMISE_FULFILL;
}

void spy_observer(void *ctx, const promise_value_t *value) {
  spy_see(ctx, value);
}

void spy_block(void *ctx) {
  spy_see(ctx, &(promise_value_t){.kind = PROMISE_KIND_VOID});
}

void spy_free(void *ctx) {
  spy_t *spy = ctx;
  spy->freed_on = pthread_self();
  atomic_fetch_add(&spy->frees, 1);
}

promise_verdict_t adds_one(void *ctx, const promise_value_t *in, promise_value_t *out) {
  (void)ctx;
  *out = i64_value(in->kind == PROMISE_KIND_I64 ? in->as.i64 + 1 : 0);
  return PROMISE_FULFILL;
}

/* ---- Order ---- */

char journal[256];

void note(char letter) {
  size_t length = strlen(journal);
  if (length + 1 >= sizeof journal)
    expect_failed("callbacks run again and again: \"%.100s...\"", journal);
  journal[length] = letter;
  journal[length + 1] = '\0';
}

void note_observer(void *ctx, const promise_value_t *value) {
  (void)value;
  note((char)(intptr_t)ctx);
}

promise_verdict_t note_handler(void *ctx, const promise_value_t *in, promise_value_t *out) {
  note((char)(intptr_t)ctx);
  *out = *in;
  promise_value_retain(in);
  return PROMISE_FULFILL;
}

void note_block(void *ctx) {
  note((char)(intptr_t)ctx);
}

void note_free(void *ctx) {
  note((char)((intptr_t)ctx - 'a' + 'A'));
}

void observe(promise_t *promise, char letter) {
  EXPECT_STATUS(promise_observe(promise, note_observer, note_observer, LETTER(letter), NULL), PROMISE_OK);
}

promise_t *then(promise_t *promise, char letter) {
  promise_t *child = promise_then(promise, note_handler, LETTER(letter), NULL);
  EXPECT(child != NULL);
  return child;
}

/* ---- Threads ---- */

pthread_t start(void *(*body)(void *argument), void *argument) {
  pthread_t thread;
  EXPECT(pthread_create(&thread, NULL, body, argument) == 0);
  return thread;
}

void finish(pthread_t thread) {
  EXPECT(pthread_join(thread, NULL) == 0);
}

void on_small_stack(void *(*body)(void *argument), void *argument) {
  pthread_attr_t attributes;
  pthread_t thread;
  EXPECT(pthread_attr_init(&attributes) == 0);
  EXPECT(pthread_attr_setstacksize(&attributes, 512 * 1024) == 0);
  EXPECT(pthread_create(&thread, &attributes, body, argument) == 0);
  pthread_attr_destroy(&attributes);
  finish(thread);
}

void gate_open(gate_t *gate) {
  pthread_mutex_lock(&gate->mutex);
  gate->is_open = true;
  pthread_cond_broadcast(&gate->condition);
  pthread_mutex_unlock(&gate->mutex);
}

void gate_wait(gate_t *gate) {
  pthread_mutex_lock(&gate->mutex);
  while (!gate->is_open)
    pthread_cond_wait(&gate->condition, &gate->mutex);
  pthread_mutex_unlock(&gate->mutex);
}
