/* Calls its callbacks: at once, later, too late, from threads of its own, and with forbidden arguments. */
#include "fixture.h"

#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

LOADS_HOST

/* ---- Scopes ---- */

static int32_t walk(int32_t count, bool (*visit)(int32_t index, const char *name)) {
  static const char *const names[] = {"zero", "one", "two", "three"};
  for (int32_t i = 0; i < count; i++) {
    if (!visit(i, names[i % 4]))
      return i;
  }
  return count;
}

static int32_t maybe(int32_t (*f)(int32_t)) {
  return f == NULL ? -1 : f(20);
}

static int32_t (*kept[4])(int32_t);
static promise_t *pending;

static void keep_call(int32_t (*f)(int32_t)) {
  kept[0] = f;
}

static void keep_once(int32_t (*f)(int32_t)) {
  kept[1] = f;
}

static promise_t *keep_settled(int32_t (*f)(int32_t)) {
  kept[2] = f;
  pending = promise_new();
  promise_retain(pending);
  return pending;
}

static void keep_forever(int32_t (*f)(int32_t)) {
  kept[3] = f;
}

static promise_t *keep_forever_settled(int32_t (*f)(int32_t)) {
  kept[3] = f;
  promise_t *promise = promise_new();
  promise_resolve(promise, &(promise_value_t){.kind = PROMISE_KIND_VOID});
  return promise;
}

static int32_t call_kept(int32_t which, int32_t value) {
  return kept[which] == NULL ? 0 : kept[which](value);
}

static void settle(void) {
  promise_resolve(pending, &(promise_value_t){.kind = PROMISE_KIND_VOID});
  promise_release(pending);
}

static promise_status_t keep_and_fail(int32_t (*f)(int32_t), promise_t **result, promise_value_t *error) {
  (void)result;
  kept[2] = f;
  promise_value_error(error, "test.callbacks", 4, "not this time");
  return PROMISE_EINVAL;
}

/* ---- Threads ---- */

struct worker {
  int32_t (*f)(int32_t, int32_t);
  int32_t number;
  int32_t sum;
};

static void *work(void *ctx) {
  struct worker *worker = ctx;
  for (int32_t turn = 0; turn < 100; turn++)
    worker->sum += worker->f(worker->number, turn);
  return NULL;
}

static int32_t on_threads(int32_t count, int32_t (*f)(int32_t, int32_t)) {
  pthread_t threads[16];
  struct worker workers[16];
  int32_t sum = 0;
  for (int32_t i = 0; i < count; i++) {
    workers[i] = (struct worker){f, i, 0};
    pthread_create(&threads[i], NULL, work, &workers[i]);
  }
  for (int32_t i = 0; i < count; i++) {
    pthread_join(threads[i], NULL);
    sum += workers[i].sum;
  }
  return sum;
}

static int32_t in_child(int32_t (*f)(int32_t)) {
  /* Calls it once before, because the first call allocates resources: the child may use nothing but malloc(). */
  f(6);
  pid_t child = fork();
  if (child == 0)
    _exit(f(6));
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* ---- Types ---- */

struct point {
  double x;
  int32_t y;
};

static struct point shapes(struct point (*f)(uint8_t a, float b, promise_str_t c, promise_bytes_t d, struct point e,
                                             const uint8_t *g, uint32_t n, void *p, int64_t q)) {
  static const uint8_t data[] = {1, 2, 3};
  return f(250, 1.5F, (promise_str_t){"h\xC3\xA9", 3}, (promise_bytes_t){data, 3}, (struct point){-0.5, -7}, data, 2,
           NULL, INT64_MIN);
}

/* Passes arguments that the signature does not allow. */
static int32_t lie(int32_t how, int32_t (*f)(uint8_t flag, promise_str_t text, const char *line)) {
  switch (how) {
  case 1:
    return f(2, (promise_str_t){"", 0}, "");
  case 2:
    return f(1, (promise_str_t){"\xFF", 1}, "");
  case 3:
    return f(1, (promise_str_t){NULL, 5}, "");
  case 4:
    return f(1, (promise_str_t){NULL, 0}, NULL);
  default:
    return f(1, (promise_str_t){NULL, 0}, "fine");
  }
}

static int32_t fib(int32_t (*f)(uint8_t flag)) {
  return f(2);
}

/* Passes `count` bytes of a text of four. */
static int32_t counted(int32_t count, int32_t (*f)(const char *data, int32_t count)) {
  return f("four", count);
}

/* Returns the total length of 64 texts that a callback returns, and frees them. */
static uint64_t length_of_given(char *(*f)(uint64_t index)) {
  uint64_t length = 0;
  for (uint64_t i = 0; i < 64; i++) {
    char *text = f(i);
    length += strlen(text);
    host->deallocate(host, text);
  }
  return length;
}

static int32_t twice(int32_t value) {
  return value * 2;
}

static int32_t (*doubler(void))(int32_t) {
  return twice;
}

/* ---- Contexts ---- */

static int32_t each(int32_t count, int32_t (*f)(void *data, int32_t index), void *data) {
  int32_t sum = 0;
  for (int32_t i = 0; i < count; i++)
    sum += f(data, i);
  return sum;
}

static int32_t forge(int32_t (*f)(void *data, int32_t index), void *data) {
  return f((char *)data + 16, 1) + f(NULL, 1) + f(data, 1);
}

/* ---- Promises that callbacks settle ---- */

struct asked {
  void (*done)(void *, int64_t);
  void *data;
  int64_t value;
};

static void *answer(void *ctx) {
  struct asked *asked = ctx;
  asked->done(asked->data, asked->value);
  free(asked);
  return NULL;
}

static void later(int64_t value, void (*done)(void *, int64_t), void *data) {
  struct asked *asked = malloc(sizeof *asked);
  *asked = (struct asked){done, data, value};
  pthread_t thread;
  pthread_create(&thread, NULL, answer, asked);
  pthread_detach(thread);
}

static void at_once(int64_t value, void (*done)(void *, int64_t), void *data) {
  done(data, value);
  done(data, value + 1);
}

static int32_t start(int32_t status, void (*done)(int32_t status, const char *text, void *), void *data) {
  if (status < 0)
    return status;
  done(status, "text", data);
  return 0;
}

static void ask(bool good, void (*ok)(void *, const char *), void (*no)(void *, const char *), void *a, void *b) {
  if (good) {
    ok(a, "yes");
    no(b, "and no");
  } else {
    no(b, "no");
  }
}

static void null_answer(void (*done)(void *, const char *), void *data) {
  done(data, NULL);
}

static void refuse(void (*done)(void *, const promise_value_t *error), void *data) {
  promise_value_t error;
  promise_value_error(&error, "test.elsewhere", 12, "refused");
  done(data, &error);
  promise_value_release(&error);
}

static void hand_over(void (*done)(const promise_value_t *error, const promise_value_t *value, void *), void *data) {
  promise_value_t value;
  promise_value_bytes(&value, "abc", 3);
  done(NULL, &value, data);
  promise_value_release(&value);
}

static void (*never_done)(void *, int64_t);
static void *never_data;

static void never(void (*done)(void *, int64_t), void *data) {
  never_done = done;
  never_data = data;
}

static void at_last(int64_t value) {
  never_done(never_data, value);
}

struct half {
  int8_t whole;
  double part;
};

static double crowd(double (*f)(int8_t, int8_t, int8_t, int8_t, int8_t, float, struct half, float, int64_t)) {
  return f(1, 2, 3, 4, 5, 0.5f, (struct half){-6, 0.25}, 8, 9);
}

/* ---- Addresses that a callback stores through ---- */

struct spot {
  double x;
  int32_t y;
};

typedef int32_t (*locate_t)(int32_t key, double *x, struct spot *spot, int64_t *count, char **text, void **thing);

static char located[200] = "never";

static const char *locate(int32_t key, bool all, locate_t f) {
  double x = 99;
  struct spot spot = {99, 99};
  int64_t count = 10;
  char *text = NULL;
  void *thing = &x;
  int32_t result = f(key, all ? &x : NULL, all ? &spot : NULL, &count, all ? &text : NULL, all ? &thing : NULL);
  snprintf(located, sizeof located, "%d %g {%g %d} %lld %s %d", result, x, spot.x, spot.y, (long long)count,
           text == NULL ? "-" : text, thing != NULL);
  host->deallocate(host, text);
  return located;
}

static const char *last_located(void) {
  return located;
}

static int32_t step(int32_t start, int32_t times, void (*f)(void *, int32_t *), void *context) {
  for (int32_t i = 0; i < times; i++)
    f(context, &start);
  return start;
}

static void unknown(void (*f)(int32_t *)) {
  f(NULL);
}

static void unload(void) {
  if (kept[3] != NULL)
    kept[3](100);
}

static const promise_plugin_function_t functions[] = {
    FUNCTION("walk(count: i32, visit: fn(index: i32, name: cstr) -> bool) -> i32", walk),
    FUNCTION("qsort(base: inout &[i32; n], n: usize, size: usize = 4, compare: fn(&i32, &i32) -> i32)", qsort),
    FUNCTION("maybe(f: fn(i32) -> i32 @call?) -> i32", maybe),
    FUNCTION("keep_call(f: fn(i32) -> i32 @call)", keep_call),
    FUNCTION("keep_once(f: fn(i32) -> i32 @once)", keep_once),
    FUNCTION("keep_settled(f: fn(i32) -> i32 @settled) -> promise<void>", keep_settled),
    FUNCTION("keep_and_fail(f: fn(i32) -> i32 @settled) -> promise<void> !", keep_and_fail),
    FUNCTION("keep_forever(f: fn(i32) -> i32 @forever)", keep_forever),
    FUNCTION("keep_forever_settled(f: fn(i32) -> i32 @forever) -> promise<void>", keep_forever_settled),
    FUNCTION("call_kept(which: i32, value: i32) -> i32", call_kept),
    FUNCTION("settle()", settle),
    FUNCTION("on_threads(count: i32, f: fn(thread: i32, turn: i32) -> i32) -> i32", on_threads),
    FUNCTION("in_child(f: fn(i32) -> i32) -> i32", in_child),
    FUNCTION("shapes(f: fn(a: u8, b: f32, c: str, d: bytes, e: {x: f64, y: i32}, g: bytes[n], n: u32, p: ptr<thing>?, "
             "q: i64) -> {x: f64, y: i32}) -> {x: f64, y: i32}",
             shapes),
    FUNCTION("crowd(f: fn(i8, i8, i8, i8, i8, f32, {whole: i8, part: f64}, f32, i64) -> f64) -> f64", crowd),
    FUNCTION("lie(how: i32, f: fn(flag: bool, text: str, line: cstr) -> i32) -> i32", lie),
    FUNCTION("fib(f: fn(flag: bool) -> i32) -> i32", fib),
    FUNCTION("counted(count: i32, f: fn(data: bytes[count], count: i32) -> i32) -> i32", counted),
    FUNCTION("length_of_given(f: fn(index: u64) -> own cstr) -> u64", length_of_given),
    FUNCTION("doubler() -> ptr<function>", doubler),
    FUNCTION("each(count: i32, f: fn(context, index: i32) -> i32, data: context) -> i32", each),
    FUNCTION("forge(f: fn(context, index: i32) -> i32, data: context) -> i32", forge),
    FUNCTION("later(value: i64, done: fn(context, resolve i64) @once, data: context) -> promise<i64> by done", later),
    FUNCTION("at_once(value: i64, done: fn(context, resolve i64) @once, data: context) -> promise<i64> by done",
             at_once),
    FUNCTION("start(status: i32, done: fn(reject i32, resolve cstr, context) @once, data: context) -> promise<cstr> by "
             "done returns i32 ! negative",
             start),
    FUNCTION("ask(good: bool, ok: fn(context, resolve cstr) @once, no: fn(context, reject always cstr) @once, "
             "a: context<ok>, b: context<no>) -> promise<cstr> by ok or no",
             ask),
    FUNCTION("null_answer(done: fn(context, resolve cstr) @once, data: context) -> promise<cstr> by done", null_answer),
    FUNCTION("refuse(done: fn(context, reject error) @once, data: context) -> promise<void> by done", refuse),
    FUNCTION(
        "hand_over(done: fn(reject error?, resolve value, context) @once, data: context) -> promise<value> by done",
        hand_over),
    FUNCTION("never(done: fn(context, resolve i64) @once, data: context) -> promise<i64> by done", never),
    FUNCTION("at_last(value: i64)", at_last),
    FUNCTION("locate(key: i32, all: bool, f: fn(key: i32, x: out f64, spot: out {x: f64, y: i32}, count: inout i64, "
             "text: out own cstr?, thing: out ptr<thing>?) -> i32) -> cstr",
             locate),
    FUNCTION("last_located() -> cstr", last_located),
    FUNCTION("step(start: i32, times: i32, f: fn(context, n: inout i32), data: context) -> i32", step),
    FUNCTION("unknown(f: fn(n: inout i32))", unknown),
};

PLUGIN("test.callbacks", .load = load, .unload = unload)
