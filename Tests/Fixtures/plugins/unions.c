/* Functions that take and return unions with a tag; -DDEFECT=... changes one number of the layouts. */
#include "fixture.h"

#include <stdio.h>

struct point {
  double x, y;
};

union data {
  int64_t number;
  const char *text;
  struct point point;
};

struct event {
  int32_t kind;
  union data data;
};

#define EVENT "{kind: i32, data: union(kind) {number: i64 = 1, text: cstr = 2, point: {x: f64, y: f64} = 3}}"

struct events {
  const struct event *data;
  size_t length;
};

static const struct event examples[] = {
    {1, {.number = INT64_MIN}},
    {2, {.text = "zwei"}},
    {3, {.point = {1.5, -2.5}}},
    {9, {.text = (const char *)1}},
};

static const char *describe(const struct event *event) {
  static _Thread_local char text[256];
  static const union data nothing;
  switch (event->kind) {
  case 1:
    snprintf(text, sizeof text, "number %lld", (long long)event->data.number);
    break;
  case 2:
    snprintf(text, sizeof text, "text %s", event->data.text);
    break;
  case 3:
    snprintf(text, sizeof text, "point %g %g", event->data.point.x, event->data.point.y);
    break;
  default:
    snprintf(text, sizeof text, "%d %s", event->kind,
             memcmp(&event->data, &nothing, sizeof nothing) ? "junk" : "zeros");
  }
  return text;
}

static const struct event *example(uint8_t index) {
  return &examples[index % 4];
}

static void make(uint8_t index, struct event *made) {
  *made = examples[index % 4];
}

/* Changes to the next member: from a number to its digits, and to a point of half their value. */
static void turn(struct event *event) {
  static _Thread_local char digits[32];
  double half;
  switch (event->kind) {
  case 1:
    snprintf(digits, sizeof digits, "%lld", (long long)event->data.number);
    event->data.text = digits;
    break;
  case 2:
    half = atof(event->data.text) / 2;
    event->data.point = (struct point){half, half};
    break;
  case 3:
    event->data.number = (int64_t)(event->data.point.x + event->data.point.y);
    break;
  default:
    return;
  }
  event->kind = event->kind % 3 + 1;
}

static struct events all(void) {
  return (struct events){examples, 4};
}

static double total(struct events events) {
  double sum = 0;
  for (size_t i = 0; i < events.length; i++)
    sum += events.data[i].kind == 1   ? (double)events.data[i].data.number
           : events.data[i].kind == 2 ? (double)strlen(events.data[i].data.text)
           : events.data[i].kind == 3 ? events.data[i].data.point.x
                                      : 0;
  return sum;
}

LOADS_HOST

/* Counts the bytes behind the members that are not 0. Overwrites the memory before it frees it. */
static uint64_t junk(struct events events) {
  uint64_t count = 0;
  for (size_t i = 0; i < events.length; i++) {
    int32_t kind = events.data[i].kind;
    const char *bytes = (const char *)&events.data[i].data;
    for (size_t j = kind == 3 ? sizeof(union data) : kind == 1 || kind == 2 ? 8 : 0; j < sizeof(union data); j++)
      count += bytes[j] != 0;
  }
  memset((void *)events.data, 0xA5, events.length * sizeof(struct event));
  host->deallocate(host, (void *)events.data);
  return count;
}

static int32_t kinds(const struct event events[2]) {
  return 10 * events[0].kind + events[1].kind;
}

static int32_t kind_of(const struct event *event) {
  return event ? event->kind : -1;
}

static int32_t visit(int32_t (*see)(const struct event *event)) {
  int32_t seen = 0;
  for (size_t i = 0; i < 4; i++)
    seen += see(&examples[i]);
  return seen;
}

static void later(uint8_t index, void (*done)(void *data, const struct event *event), void *data) {
  done(data, &examples[index % 4]);
}

/* Nested unions, a tag that two unions share, and tags at the limits of their types. */
struct nest {
  uint8_t id;
  struct {
    int8_t sub;
    union {
      struct {
        uint64_t code;
        union {
          bool flag;
          const int32_t *number;
        } value;
      } deep;
      uint8_t bytes[17];
    } of;
  } inner;
  union {
    const char *name;
    uint8_t small;
  } more;
  union {
    double f;
    uint16_t none;
  } last;
};

#define NEST                                                                                                           \
  "{id: u8, inner: {sub: i8, of: union(sub) {"                                                                         \
  "deep: {code: u64, value: union(code) {flag: bool = 18446744073709551615, number: i32? = 0}} = -128, "               \
  "bytes: [u8; 17] = 127}}, more: union(id) {name: cstr = 255, small: u8 = 1}, "                                       \
  "last: union(id) {f: f64 = 255, none: u16 = 2}}"

static void same(const struct nest *given, struct nest *copy, uint64_t *size) {
  *copy = *given;
  *size = sizeof *copy;
}

static const promise_plugin_function_t functions[] = {
    FUNCTION("describe(event: &" EVENT ") -> cstr", describe),
    FUNCTION("example(index: u8) -> &" EVENT, example),
    FUNCTION("make(index: u8, made: out " EVENT ")", make),
    FUNCTION("turn(event: inout " EVENT ")", turn),
    FUNCTION("all() -> &[" EVENT "]", all),
    FUNCTION("total(events: &[" EVENT "]) -> f64", total),
    FUNCTION("junk(events: own &[" EVENT "]) -> u64", junk),
    FUNCTION("kinds(events: [" EVENT "; 2]) -> i32", kinds),
    FUNCTION("kind_of(event: " EVENT "?) -> i32", kind_of),
    FUNCTION("visit(see: fn(event: &" EVENT ") -> i32) -> i32", visit),
    FUNCTION("later(index: u8, done: fn(context, resolve &" EVENT ") @once, data: context) -> promise<" EVENT
             "> by done",
             later),
    FUNCTION("same(given: &" NEST ", copy: out " NEST ", size: out u64)", same),
    FUNCTION("preset(event: &" EVENT " = {\"data\": {\"text\": \"preset\"}}) -> cstr", describe),
};

const promise_plugin_t *promise_plugin_entry(uint32_t host_abi) {
  static promise_layout_t layouts[] = {
      PROMISE_LAYOUT("describe.event", struct event, kind, data),
      PROMISE_LAYOUT("describe.event.data", union data, number, text, point),
      PROMISE_LAYOUT("describe.event.data.point", struct point, x, y),
      PROMISE_LAYOUT("same.given", struct nest, id, inner, more, last),
  };
  static promise_plugin_t plugin =
      DESCRIPTOR("test.unions", .load = load, .layouts = layouts, .layout_count = sizeof layouts / sizeof layouts[0]);
  (void)host_abi;
#ifdef DEFECT
  DEFECT;
#endif
  return &plugin;
}
