/* calling.c - functions that call back, and functions to be called back. */
#include "fixture.h"

#include <pthread.h>
#include <stdatomic.h>

typedef struct {
  int32_t x;
  double y;
} point_t;
typedef struct {
  const point_t *data;
  size_t count;
} points_t;

static int64_t apply(int64_t a, int64_t b, int64_t (*f)(int64_t, int64_t)) {
  return f(a, b);
}
static uint64_t natural(uint64_t a, uint64_t (*f)(uint64_t)) {
  return f(a);
}
static double number(double a, double (*f)(double)) {
  return f(a);
}
static double sum(points_t points, double (*f)(point_t)) {
  double sum = 0;
  for (size_t index = 0; index < points.count; index++)
    sum += f(points.data[index]);
  return sum;
}
static int64_t count(int64_t n, bool (*f)(int64_t)) {
  int64_t count = 0;
  for (int64_t i = 0; i < n; i++)
    count += f(i);
  return count;
}
static int32_t call(void (*f)(const char *), const char *text) {
  if (f == NULL)
    return 0;
  f(text);
  return 1;
}

static double halves(double x, int32_t (*f)(double, double *)) {
  double half = 0;
  return f(x, &half) + half;
}
static int32_t halve(double x, double *half) {
  *half = x / 2;
  return 1;
}

static void bisect(double x, double *half) {
  *half = x / 2;
}

static int32_t (*kept)(int32_t);
static void keep(int32_t (*f)(int32_t)) {
  kept = f;
}
static int32_t fire(int32_t x) {
  return kept(x);
}

static _Atomic int64_t visits;
static int32_t visit(const char *path) {
  (void)path;
  visits++;
  return 0;
}
static int64_t visited(void) {
  return visits;
}

typedef struct {
  promise_t *promise;
  int64_t value;
} later_t;

static void *settle(void *context) {
  later_t *later = context;
  promise_resolve(later->promise, &(promise_value_t){.kind = PROMISE_KIND_I64, .as.i64 = later->value});
  promise_release(later->promise);
  free(later);
  return NULL;
}

/* The promise is settled by another thread, so a caller has to wait for it. */
static promise_t *later(int64_t x, int64_t y) {
  later_t *later = malloc(sizeof *later);
  promise_t *promise = promise_new();
  promise_retain(promise);
  *later = (later_t){promise, x * 10 + y};
  pthread_t thread;
  if (pthread_create(&thread, NULL, settle, later) != 0)
    abort();
  pthread_detach(thread);
  return promise;
}

static promise_t *never(int64_t x, int64_t y) {
  (void)x;
  (void)y;
  promise_t *promise = promise_new();
  promise_retain(promise);
  return promise;
}

static const promise_plugin_function_t functions[] = {
    FUNCTION("apply(a: i64, b: i64, f: fn(x: i64, i64) -> i64) -> i64", apply, "The callback's result."),
    FUNCTION("natural(a: u64, f: fn(x: u64) -> u64) -> u64", natural, NULL),
    FUNCTION("number(a: f64, f: fn(x: f64) -> f64) -> f64", number, NULL),
    FUNCTION("sum(points: &[{x: i32, y: f64}], f: fn(p: {x: i32, y: f64}) -> f64) -> f64", sum, NULL),
    FUNCTION("count(n: i64, f: fn(i: i64) -> bool) -> i64", count, "How many numbers it holds for."),
    FUNCTION("call(f: fn(text: cstr)?, text: cstr = \"hi\") -> i32", call, "1 if there is a callback."),
    FUNCTION("halves(x: f64, f: fn(x: f64, half: out f64) -> i32) -> f64", halves, NULL),
    FUNCTION("halve(x: f64, half: out f64) -> i32", halve, "Half of a number."),
    FUNCTION("bisect(x: f64, half: out f64)", bisect, "Half of a number."),
    FUNCTION("keep(f: fn(x: i32) -> i32 @forever)", keep, NULL),
    FUNCTION("fire(x: i32) -> i32", fire, NULL),
    FUNCTION("visit(path: cstr) -> i32", visit, "Counts."),
    FUNCTION("visited() -> i64", visited, NULL),
    FUNCTION("later(x: i64, y: i64) -> promise<i64>", later, "10 x + y."),
    FUNCTION("never(x: i64, y: i64) -> promise<i64>", never, NULL),
};

PLUGIN("org.example.calling", "Callbacks.", NULL, NULL, functions)
