/* kinds.c - a function for each type, and for each way to end. */
#include "fixture.h"

#include <math.h>
#include <stdio.h>

LOADS_HOST

static bool flip(bool x) {
  return !x;
}
static int8_t tiny(int8_t x) {
  return x;
}
static int64_t whole(int64_t x) {
  return x;
}
static uint64_t natural(uint64_t x) {
  return x;
}
static double number(double x) {
  return x;
}
static float small(float x) {
  return x;
}
typedef struct {
  float x;
  double y;
} mixed_t;
static mixed_t mixed(float x, double y) {
  return (mixed_t){x, y};
}
static int32_t split(float x, float *half, double *third) {
  *half = x / 2;
  *third = x;
  return 1;
}
typedef struct {
  const double *data;
  size_t count;
} numbers_t;
static double total(numbers_t xs) {
  double sum = 0;
  for (size_t index = 0; index < xs.count; index++)
    sum += xs.data[index];
  return sum;
}
typedef struct {
  int32_t kind;
  union {
    int64_t number;
    const char *text;
    struct {
      float x, y;
    } point;
  } data;
} event_t;
#define EVENT "{kind: i32, data: union(kind) {number: i64 = 1, text: cstr = 2, point: {x: f32, y: f32} = 3}}"
static const event_t *event(const event_t *e) {
  static event_t last;
  static char text[64];
  last = *e;
  if (e->kind == 2)
    last.data.text = strncpy(text, e->data.text, sizeof text - 1);
  return &last;
}
static void nothing(void) {}
static void anything(const promise_value_t *x, promise_value_t *result) {
  promise_value_retain(x);
  *result = *x;
}
static void packed(promise_bytes_t x, promise_value_t *result) {
  promise_value_bytes(result, x.data, x.length);
}
static void chatter(const char *line) {
  printf("%s\n", line);
  fflush(stdout);
}

static int32_t start(const char *command) {
  return system(command);
}

static promise_str_t own_text(const void *data, size_t length) {
  char *copy = host->allocate(host, length);
  if (length > 0)
    memcpy(copy, data, length);
  return (promise_str_t){copy, length};
}

static promise_str_t text(promise_str_t x) {
  return own_text(x.data, x.length);
}

static promise_bytes_t blob(promise_bytes_t x) {
  promise_str_t copy = own_text(x.data, x.length);
  return (promise_bytes_t){(const uint8_t *)copy.data, copy.length};
}

static promise_status_t fail(promise_str_t message, promise_value_t *error) {
  char *copy = strndup(message.data, message.length);
  promise_value_error(error, "fixture", 7, copy);
  free(copy);
  return -1;
}

static promise_status_t refuse(const promise_value_t *reason, promise_value_t *error) {
  promise_value_retain(reason);
  *error = *reason;
  return -1;
}

static promise_status_t setting(const char *key, promise_str_t *result, promise_value_t *error) {
  const char *value = host->configuration(host, key);
  if (value == NULL) {
    promise_value_error(error, "fixture", 8, "not set");
    return -1;
  }
  *result = own_text(value, strlen(value));
  return PROMISE_OK;
}

static void say(int32_t level, const char *message) {
  host->log(host, level, message);
}

static const promise_plugin_function_t functions[] = {
    FUNCTION("flip(x: bool) -> bool", flip, "The other truth value."),
    FUNCTION("tiny(x: i8 = -3) -> i8", tiny, "The same."),
    FUNCTION("whole(x: i64) -> i64", whole, "The same."),
    FUNCTION("natural(x: u64) -> u64", natural, "The same."),
    FUNCTION("number(x: f64) -> f64", number, "The same."),
    FUNCTION("small(x: f32) -> f32", small, "The same."),
    FUNCTION("mixed(x: f32, y: f64) -> {x: f32, y: f64}", mixed, "Both."),
    FUNCTION("split(x: f32, half: out f32, third: out f64) -> i32", split, "By address."),
    FUNCTION("total(xs: &[f64]) -> f64", total, "The sum."),
    FUNCTION("event(e: &" EVENT ") -> &" EVENT, event, "The same."),
    FUNCTION("anything(x: value) -> value", anything, "The same."),
    FUNCTION("packed(x: bytes) -> value", packed, "The same, of no type."),
    FUNCTION("chatter(line: cstr)", chatter, "Prints a line to standard output."),
    FUNCTION("start(command: cstr) -> i32", start, "Runs a command; gives its status."),
    FUNCTION("nothing()", nothing, NULL),
    FUNCTION("text(x: str = \"none\") -> own str", text, "The same."),
    FUNCTION("blob(x: bytes) -> own bytes", blob, "The same."),
    FUNCTION("fail(message: str) !", fail, "Fails."),
    FUNCTION("refuse(reason: value) !", refuse, "Fails with that reason."),
    FUNCTION("setting(key: cstr) -> own str !", setting, "A value of the configuration."),
    FUNCTION("say(level: i32, message: cstr)", say, "Writes to the log."),
};

PLUGIN("org.example.kinds", "Every type.", load, NULL, functions)
