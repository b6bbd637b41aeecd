/* Calls beyond words and texts: out parameters, counts, slices, optionals, failures by result. */
#define _GNU_SOURCE
#include "fixture.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <unistd.h>

LOADS_HOST

static double split(double x, int32_t *exponent) {
  *exponent = 0;
  for (; x >= 1; x /= 2)
    ++*exponent;
  return x;
}

struct pair {
  int32_t a, b;
};

static void swap(struct pair *pair) {
  *pair = (struct pair){pair->b, pair->a};
}

static uint32_t sum_bytes(uint32_t seed, const uint8_t *data, uint8_t size) {
  for (uint8_t i = 0; i < size; i++)
    seed += data[i];
  return seed;
}

static int32_t copy(uint8_t *to, uint64_t *room, const uint8_t *from, uint64_t size) {
  if (size > *room)
    return -5;
  memcpy(to, from, size);
  *room = size;
  return 0;
}

/* Reports a count that is one beyond the room. */
static void overrun(uint8_t *to, uint8_t *room) {
  if (*room > 0)
    to[0] = 1;
  *room = (uint8_t)(*room + 1);
}

/* Reads as read() does: returns the number of bytes, at most `room`, or -1. */
static ptrdiff_t read_some(int32_t left, char *to, size_t room) {
  if (left < 0) {
    errno = EBADF;
    return -1;
  }
  size_t count = (size_t)left < room ? (size_t)left : room;
  memset(to, 0, count);
  return (ptrdiff_t)count;
}

static ptrdiff_t reads_too_much(char *to, size_t room) {
  (void)to;
  return (ptrdiff_t)room + 1;
}

static int32_t host_name(char *name, size_t room) {
  return gethostname(name, room);
}

static int32_t fails_with(int32_t code) {
  errno = code;
  return code == 0 ? 7 : -1;
}

static bool agree(const int32_t *left, size_t left_count, const int32_t *right) {
  return left_count == 0 || memcmp(left, right, left_count * sizeof *left) == 0;
}

struct point {
  double x, y;
};
struct points {
  const struct point *data;
  size_t length;
};

static struct point centroid(struct points points) {
  struct point sum = {0, 0};
  for (size_t i = 0; i < points.length; i++) {
    sum.x += points.data[i].x / (double)points.length;
    sum.y += points.data[i].y / (double)points.length;
  }
  return sum;
}

static char *greet(const char *name, const int32_t *times) {
  if (name == NULL)
    return NULL;
  size_t length = strlen(name);
  int32_t count = times == NULL ? 1 : *times;
  char *text = host->allocate(host, length * (size_t)count + 1);
  for (int32_t i = 0; i < count; i++)
    memcpy(text + (size_t)i * length, name, length);
  text[length * (size_t)count] = 0;
  return text;
}

struct item {
  const char *name;
};
static struct item items[] = {{"one"}, {"two"}};

static struct item *find(const char *key) {
  for (size_t i = 0; i < 2; i++)
    if (strcmp(items[i].name, key) == 0)
      return &items[i];
  return NULL;
}

struct holder {
  struct item *item;
};

static const char *name_in(struct holder holder) {
  return holder.item->name;
}

static const char *name_of(struct item *item) {
  return item == NULL ? "none" : item->name;
}

static int32_t live;
void release_text(void *text);
void release_text(void *text) {
  live--;
  free(text);
}
static char *duplicate(const char *text) {
  if (text[0] == 0)
    return NULL;
  live++;
  return strdup(text);
}
static int32_t living(void) {
  return live;
}

/* Returns a text that the caller must free, and stores one that is not UTF-8. */
static char *botched(const char **text) {
  *text = "\xff";
  live++;
  return strdup("given away");
}

/* Returns a code as sqlite3_exec() does, and stores a message that the caller must free. */
static int32_t run(const char *text, char **message) {
  if (strcmp(text, "good") == 0)
    return 0;
  live++;
  *message = strdup("near \"bad\"");
  return 1;
}

static promise_bytes_t bytes_of(struct points *points) {
  return (promise_bytes_t){(const uint8_t *)points->data, points->length * sizeof *points->data};
}

static double total(const char *format, ...) {
  double sum = 0;
  va_list list;
  va_start(list, format);
  for (; *format != 0; format++)
    sum += *format == 'd'   ? va_arg(list, double)
           : *format == 'l' ? (double)va_arg(list, int64_t)
                            : va_arg(list, int32_t);
  va_end(list);
  return sum;
}

static void same(const promise_value_t *value, promise_value_t *result) {
  *result = *value;
  promise_value_retain(value);
}

/* Stores the value in `given`; leaves `given` as it is if the value is an integer. */
static void give(const promise_value_t *value, promise_value_t *given) {
  if (value->kind == PROMISE_KIND_I64)
    return;
  *given = *value;
  promise_value_retain(value);
}

static void fill(uint8_t *to, int32_t room) {
  for (int32_t i = 0; i < room; i++)
    to[i] = 7;
}

static promise_status_t raise(const promise_value_t *reason, promise_value_t *error) {
  *error = *reason;
  promise_value_retain(reason);
  return PROMISE_EINVAL;
}

struct tags {
  const char *const *data;
  size_t length;
};
struct person {
  promise_str_t name;
  struct tags tags;
  const uint8_t *age;
};
static struct person older(struct person person) {
  static uint8_t age;
  static const char *const none[] = {"grown"};
  if (person.age != NULL) {
    age = (uint8_t)(*person.age + 1);
    person.age = &age;
  }
  person.name = (promise_str_t){"somebody", 8};
  person.tags = (struct tags){none, person.tags.length > 0 ? 1 : 0};
  return person;
}

static struct person nobody(void) {
  return (struct person){{"\xff", 1}, {NULL, 0}, NULL};
}

/* Texts and data of a struct, which joined() concatenates. */
struct page {
  promise_str_t name;
  const char *title;
  promise_bytes_t data;
};
static promise_bytes_t joined(struct page page) {
  static uint8_t all[64];
  size_t title = strlen(page.title);
  if (page.name.length + title + page.data.length > sizeof all)
    return (promise_bytes_t){NULL, 0};
  memcpy(all, page.name.data, page.name.length);
  memcpy(all + page.name.length, page.title, title);
  memcpy(all + page.name.length + title, page.data.data, page.data.length);
  return (promise_bytes_t){all, page.name.length + title + page.data.length};
}

/* The arguments that two functions keep until go(). */
static struct {
  const double *values;
  size_t length;
  const char *text;
  promise_t *promise;
} kept;
struct values {
  const double *data;
  size_t length;
};
static promise_t *later(struct values values, const char *const *texts) {
  kept.text = texts[0];
  kept.values = values.data;
  kept.length = values.length;
  kept.promise = promise_new();
  promise_retain(kept.promise);
  return kept.promise;
}
static void go(void) {
  struct point sum = {0, (double)kept.length};
  (void)*(volatile const char *)kept.text;
  for (size_t i = 0; i < kept.length; i++)
    sum.x += kept.values[i];
  promise_value_t value;
  promise_value_bytes(&value, &sum, sizeof sum);
  promise_resolve(kept.promise, &value);
  promise_release(kept.promise);
}

static int32_t wide(int32_t a, int32_t b, int32_t c, int32_t d, int32_t e, int32_t f, int32_t g, int32_t h, double i,
                    double j, double k, double l, uint8_t m, int64_t n, float o, uint16_t p) {
  return a + b + c + d + e + f + g + h + (int32_t)(i + j + k + l) + m + (int32_t)n + (int32_t)o + p;
}

static uint64_t sum_bytes_of(promise_str_t text) {
  uint64_t sum = 0;
  for (size_t i = 0; i < text.length; i++)
    sum += (uint8_t)text.data[i];
  return sum;
}

static struct point middle(struct point a, struct point b) {
  return (struct point){(a.x + b.x) / 2, (a.y + b.y) / 2};
}

struct narrow {
  int32_t a;
};
struct wide {
  int32_t cells[16];
};

static promise_t *promise_of(const void *row, size_t size) {
  promise_value_t value;
  promise_value_bytes(&value, row, size);
  return promise_new_resolved(&value);
}

static promise_t *narrow_row(struct narrow row) {
  return promise_of(&row, sizeof row);
}

static promise_t *wide_row(struct wide row) {
  return promise_of(&row, sizeof row);
}

static promise_t *same_promise(promise_t *promise) {
  promise_retain(promise);
  return promise;
}

static double length_of(const struct point *point) {
  return point->x + point->y;
}

static uint8_t maybe(uint8_t byte) {
  return byte;
}

static int32_t apply(int32_t (*function)(int32_t), int32_t value) {
  return function == NULL ? -1 : function(value);
}
static int32_t negate(int32_t value) {
  return -value;
}
static void *negation(void) {
  return (void *)(uintptr_t)negate;
}

#define WIDE                                                                                                           \
  "{a: i32, b: i32, c: i32, d: i32, e: i32, f: i32, g: i32, h: i32, i: i32, j: i32, k: i32, l: i32, m: i32, n: i32, "  \
  "o: i32, p: i32}"

static const promise_plugin_function_t functions[] = {
    FUNCTION("split(x: f64, exponent: out i32) -> f64", split),
    FUNCTION("swap(pair: inout {a: i32, b: i32})", swap),
    FUNCTION("sum_bytes(seed: u32 = 1, data: bytes[size], size: u8) -> u32", sum_bytes),
    FUNCTION("copy(to: out bytes[room], room: inout u64, from: bytes[size], size: u64) -> i32 ! nonzero", copy),
    FUNCTION("overrun(to: out bytes[room], room: inout u8)", overrun),
    FUNCTION("read_some(left: i32, to: out bytes[room], room: usize) -> isize counts to ! errno", read_some),
    FUNCTION("reads_too_much(to: out bytes[room], room: usize) -> isize counts to", reads_too_much),
    FUNCTION("host_name(name: out str[room], room: usize = 256) -> i32 ! errno", host_name),
    FUNCTION("fails_with(code: i32) -> i32 ! errno", fails_with),
    FUNCTION("sets_errno(code: i32) -> i32", fails_with),
    FUNCTION("agree(left: &[i32; n], n: usize, right: &[i32; n]) -> bool", agree),
    FUNCTION("centroid(points: &[{x: f64, y: f64}]) -> {x: f64, y: f64}", centroid),
    FUNCTION("greet(name: cstr?, times: i32?) -> own cstr?", greet),
    FUNCTION("find(key: cstr) -> ptr<item>?", find),
    FUNCTION("find_some(key: cstr) -> ptr<item>", find),
    FUNCTION("name_of(item: ptr<item>?) -> cstr", name_of),
    FUNCTION("name_of_other(item: ptr<other>) -> cstr", name_of),
    FUNCTION("name_in(holder: {item: ptr<item>}) -> cstr", name_in),
    FUNCTION("duplicate(text: cstr) -> own(release_text) cstr ! null", duplicate),
    FUNCTION("botched(text: out cstr) -> own(release_text) cstr", botched),
    FUNCTION("botched_maybe(text: out cstr) -> own(release_text) cstr?", botched),
    FUNCTION("living() -> i32", living),
    FUNCTION("run(text: cstr, message: out own(release_text) cstr?) -> i32 ! nonzero", run),
    FUNCTION("bytes_of(points: inout &[{x: f64, y: f64}]) -> bytes", bytes_of),
    FUNCTION("total(format: cstr, ...rest: i32 | i64 | f64) -> f64", total),
    FUNCTION("same(value: value) -> value", same),
    FUNCTION("give(value: value, given: out value)", give),
    FUNCTION("fill(to: out bytes[room], room: i32)", fill),
    FUNCTION("raise(reason: error) !", raise),
    FUNCTION("older(person: {name: str, tags: &[cstr], age: u8?}) -> {name: str, tags: &[cstr], age: u8?}", older),
    FUNCTION("joined(page: {name: str, title: cstr, data: bytes}) -> bytes", joined),
    FUNCTION("nobody() -> {name: str, tags: &[cstr], age: u8?}", nobody),
    FUNCTION("later(values: &[f64], ignored: [cstr; 2]) -> promise<{x: f64, y: f64}>", later),
    FUNCTION("go()", go),
    FUNCTION("wide(a: i32, b: i32, c: i32, d: i32, e: i32, f: i32, g: i32, h: i32, i: f64, j: f64, k: f64, l: f64, "
             "m: u8, n: i64, o: f32, p: u16) -> i32",
             wide),
    FUNCTION("sum_bytes_of(text: str) -> u64", sum_bytes_of),
    FUNCTION("middle(a: {x: f64, y: f64}, b: {x: f64, y: f64}) -> {x: f64, y: f64}", middle),
    FUNCTION("narrow_row(row: {a: i32}) -> promise<{a: i32}>", narrow_row),
    FUNCTION("wide_row(row: " WIDE ") -> promise<" WIDE ">", wide_row),
    FUNCTION("narrow_promise(row: promise<{a: i32}>) -> promise<{a: i32}>", same_promise),
    FUNCTION("wide_promise(row: promise<" WIDE ">) -> promise<" WIDE ">", same_promise),
    FUNCTION("length_of(point: &{x: f64, y: f64}) -> f64", length_of),
    FUNCTION("maybe(byte: u8) -> bool", maybe),
    FUNCTION("apply(function: fn(i32) -> i32 @call?, value: i32) -> i32", apply),
    FUNCTION("negation() -> ptr<function>", negation),
};

PLUGIN("test.dispatch", .load = load)
