/* promises.c - a tour of libpromise.so in a C program that uses nothing else: create, chain, rescue by type, adopt,
 * discard, wait for a thread. Each function below is a page of the tour; together they print expected.txt. */
#include <promise.h>

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static promise_value_t integer(int64_t number) {
  return (promise_value_t){.kind = PROMISE_KIND_I64, .as.i64 = number};
}

/* Prints how a promise ended, and releases it. */
static void report(const char *what, promise_t *promise) {
  promise_value_t value;
  promise_state_t state = promise_state(promise);
  promise_status_t status = promise_result(promise, &value);
  if (status != PROMISE_OK) {
    printf("  %s: %s\n", what, promise_status_name(status));
  } else {
    printf("  %s: %s with ", what, state == PROMISE_FULFILLED ? "fulfilled" : "rejected");
    switch (value.kind) {
    case PROMISE_KIND_I64:
      printf("%" PRId64 "\n", value.as.i64);
      break;
    case PROMISE_KIND_STRING:
      printf("\"%s\"\n", promise_value_data(&value, NULL));
      break;
    case PROMISE_KIND_ERROR:
      printf("error %s %" PRId64 ": %s\n", promise_value_domain(&value), promise_value_code(&value),
             promise_value_data(&value, NULL));
      break;
    default:
      printf("a value of type %s\n", promise_type_name(promise_value_type(&value)));
    }
  }
  promise_value_release(&value);
  promise_release(promise);
}

static void title(const char *text) {
  printf("%s\n", text);
}

/* ---- A value propagates down a chain ---- */

static promise_verdict_t twice(void *ctx, const promise_value_t *in, promise_value_t *out) {
  (void)ctx;
  *out = integer(in->as.i64 * 2);
  return PROMISE_FULFILL;
}

static promise_verdict_t as_text(void *ctx, const promise_value_t *in, promise_value_t *out) {
  (void)ctx;
  char text[64];
  int length = snprintf(text, sizeof text, "the answer is %" PRId64, in->as.i64);
  promise_value_string(out, text, (size_t)length);
  return PROMISE_FULFILL;
}

static void chain(void) {
  title("chain");
  promise_t *answer = promise_new();
  promise_t *doubled = promise_then(answer, twice, NULL, NULL);
  promise_t *text = promise_then(doubled, as_text, NULL, NULL);
  printf("  pending: %s\n", promise_state(text) == PROMISE_PENDING ? "yes" : "no");
  promise_value_t value = integer(21);
  promise_resolve(answer, &value);
  report("answer", answer);
  report("doubled", doubled);
  report("text", text);
}

/* ---- A reason is rescued by its type ---- */

static promise_verdict_t instead(void *ctx, const promise_value_t *in, promise_value_t *out) {
  (void)in;
  *out = integer(*(const int64_t *)ctx);
  return PROMISE_FULFILL;
}

static void destroy_payload(void *payload) {
  puts("  the payload is freed");
  free(payload);
}

static void rescue(void) {
  title("rescue by type");
  const promise_type_t *network = promise_type_register("org.promises.example.network", NULL, NULL);
  const promise_type_t *timeout = promise_type_register("org.promises.example.timeout", network, destroy_payload);
  const promise_type_t *disk = promise_type_register("org.promises.example.disk", NULL, NULL);
  static int64_t from_disk = 1, from_network = 2;

  promise_t *download = promise_new();
  promise_t *not_this = promise_rescue(download, disk, instead, &from_disk, NULL);
  promise_t *this_one = promise_rescue(not_this, network, instead, &from_network, NULL);
  int *seconds = malloc(sizeof *seconds);
  if (seconds == NULL)
    abort();
  *seconds = 30;
  promise_value_t reason;
  promise_value_object(&reason, timeout, seconds);
  promise_reject(download, &reason);
  report("rescue of disk errors", not_this);
  report("rescue of network errors", this_one);
  report("download", download);
}

/* ---- Errors pass through, and come from handlers too ---- */

static promise_verdict_t fail(void *ctx, const promise_value_t *in, promise_value_t *out) {
  (void)ctx, (void)in;
  promise_value_error(out, "org.promises.example", 7, "the handler did not like it");
  return PROMISE_REJECT;
}

static void errors(void) {
  title("errors");
  promise_t *start = promise_new();
  promise_t *failed = promise_then(start, fail, NULL, NULL);
  promise_t *skipped = promise_then(failed, twice, NULL, NULL);
  promise_value_t value = integer(1);
  promise_resolve(start, &value);
  report("what follows", skipped);
  promise_release(failed);
  promise_release(start);
}

/* ---- A handler returns another promise, which its own promise follows ---- */

static promise_verdict_t follow(void *ctx, const promise_value_t *in, promise_value_t *out) {
  (void)in;
  promise_retain(ctx);
  *out = (promise_value_t){.kind = PROMISE_KIND_PROMISE, .as.ptr = ctx};
  return PROMISE_ADOPT;
}

static void adopt(void) {
  title("adopt");
  promise_t *first = promise_new(), *second = promise_new();
  promise_t *result = promise_then(first, follow, second, NULL);
  promise_value_t value = integer(1);
  promise_resolve(first, &value);
  printf("  pending after the first: %s\n", promise_state(result) == PROMISE_PENDING ? "yes" : "no");
  value = integer(2);
  promise_resolve(second, &value);
  report("result", result);
  promise_release(first);
  promise_release(second);
}

/* ---- Nobody wants the result any more ---- */

static void stop_work(void *ctx) {
  printf("  the work on %s is stopped\n", (const char *)ctx);
}

static void free_context(void *ctx) {
  printf("  the context of %s is freed\n", (const char *)ctx);
}

static void discard(void) {
  title("discard");
  static char name[] = "a long search";
  promise_t *search = promise_new_discardable(stop_work, name, free_context);
  promise_t *derived = promise_then(search, twice, NULL, NULL);
  promise_discard(search);
  report("search", search);
  report("derived", derived);
}

/* ---- Mistakes return a status, and do no harm ---- */

static void mistakes(void) {
  title("mistakes");
  promise_t *promise = promise_new();
  promise_value_t value = integer(1);
  printf("  settled once: %s\n", promise_status_name(promise_resolve(promise, &value)));
  value = integer(2);
  printf("  settled twice: %s\n", promise_status_name(promise_resolve(promise, &value)));
  promise_release(promise);
  printf("  used after release: %s\n", promise_status_name(promise_release(promise)));
  printf("  no promise at all: %s\n", promise_status_name(promise_discard(NULL)));
}

/* ---- Another thread settles a promise ---- */

typedef struct gate {
  pthread_mutex_t lock;
  pthread_cond_t opened;
  bool open;
  promise_t *promise;
} gate_t;

static void *settle_when_open(void *pointer) {
  gate_t *gate = pointer;
  pthread_mutex_lock(&gate->lock);
  while (!gate->open)
    pthread_cond_wait(&gate->opened, &gate->lock);
  pthread_mutex_unlock(&gate->lock);
  promise_value_t value = integer(5);
  promise_resolve(gate->promise, &value);
  return NULL;
}

static void wait_for_thread(void) {
  title("wait");
  gate_t gate = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, false, promise_new()};
  promise_t *doubled = promise_then(gate.promise, twice, NULL, NULL);
  pthread_t thread;
  if (pthread_create(&thread, NULL, settle_when_open, &gate) != 0)
    abort();
  printf("  for a millisecond: %s\n", promise_status_name(promise_wait(doubled, 1000000)));
  pthread_mutex_lock(&gate.lock);
  gate.open = true;
  pthread_cond_signal(&gate.opened);
  pthread_mutex_unlock(&gate.lock);
  printf("  until it is settled: %s\n", promise_status_name(promise_wait(doubled, -1)));
  report("doubled", doubled);
  pthread_join(thread, NULL);
  promise_release(gate.promise);
}

int main(void) {
  if (promise_abi_version() < PROMISE_ABI_VERSION) {
    fprintf(stderr, "this program needs version %u of the promise ABI, and the library has %u\n", PROMISE_ABI_VERSION,
            promise_abi_version());
    return 1;
  }
  chain();
  rescue();
  errors();
  adopt();
  discard();
  mistakes();
  wait_for_thread();
  return 0;
}
