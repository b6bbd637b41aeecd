/* Objects that the host owns: boxes, which are counted, and may hold one another. ID is the id of the plugin. */
#include "fixture.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <time.h>

#ifndef ID
#define ID "test.objects"
#endif

struct box {
  int32_t number;
  bool is_open;
};

/* The numbers of the boxes in the order of their destruction: "3 2 ". */
static char log_text[4096];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t ends = PTHREAD_COND_INITIALIZER;
static int32_t alive;
static atomic_int destructors, other_threads;
static pthread_t loader;
static const promise_host_t *host;

static void note(struct box *box) {
  pthread_mutex_lock(&lock);
  size_t length = strlen(log_text);
  snprintf(log_text + length, sizeof log_text - length, "%s%d ", box->is_open ? "" : "closed before: ", box->number);
  box->is_open = false;
  alive--;
  pthread_cond_broadcast(&ends);
  pthread_mutex_unlock(&lock);
}

static struct box *box_new(int32_t number) {
  struct box *box = calloc(1, sizeof *box);
  *box = (struct box){number, true};
  pthread_mutex_lock(&lock);
  alive++;
  pthread_mutex_unlock(&lock);
  return box;
}

/* Makes a box once no other is alive; NULL if some are alive after a minute. */
static struct box *box_alone(int32_t number) {
  struct timespec deadline;
  timespec_get(&deadline, TIME_UTC);
  deadline.tv_sec += 60;
  int failure = 0;
  pthread_mutex_lock(&lock);
  while (alive > 0 && failure == 0)
    failure = pthread_cond_timedwait(&ends, &lock, &deadline);
  pthread_mutex_unlock(&lock);
  return failure == 0 ? box_new(number) : NULL;
}

static int32_t box_count(void) {
  pthread_mutex_lock(&lock);
  int32_t count = alive;
  pthread_mutex_unlock(&lock);
  return count;
}

/* A destructor with a result, as some libraries have it. Keeps the memory, so that a second call is noticed. */
int32_t box_free(struct box *box) {
  destructors++;
  if (!pthread_equal(pthread_self(), loader))
    other_threads++;
  note(box);
  return -1;
}

static struct box *box_maybe(int32_t number) {
  return number == 0 ? NULL : box_new(number);
}

static int32_t box_make(int32_t number, struct box **box) {
  *box = box_maybe(number);
  return number < 0 ? 7 : 0;
}

static struct box *box_within(struct box *outer, int32_t number) {
  return box_new(outer->number * 10 + number);
}

static struct box *box_fails(int32_t number) {
  errno = ENOENT;
  return number == 0 ? NULL : box_new(number);
}

static int32_t box_number(const struct box *box) {
  return box->is_open ? box->number : -1;
}

struct holder {
  const struct box *box;
};

static int32_t box_in(struct holder holder) {
  return box_number(holder.box);
}

static int32_t box_sum(struct box *left, struct box *right) {
  return left->number + (right == NULL ? 0 : right->number);
}

static int32_t box_close(struct box *box, uint8_t code) {
  if (box == NULL)
    return 0;
  note(box);
  free(box);
  return code;
}

static struct box *box_same(struct box *box) {
  return box;
}

static int32_t box_show(struct box *box, int32_t (*body)(struct box *)) {
  return body(box);
}

static struct box *box_given(struct box *(*body)(void)) {
  return body();
}

/* Has the host make a box of another plugin. */
static promise_t *box_of(const char *plugin, int32_t number) {
  promise_value_t argument = {.kind = PROMISE_KIND_I64, .as.i64 = number};
  return host->call(host, plugin, "box_new", &argument, 1);
}

static promise_t *held;

static promise_t *box_hold(struct box *box) {
  (void)box;
  held = promise_new();
  promise_retain(held);
  return held;
}

static void box_let_go(void) {
  promise_value_t value = {.kind = PROMISE_KIND_VOID};
  promise_resolve(held, &value);
  promise_release(held);
}

static int32_t later_state(promise_t *box) {
  return promise_state(box);
}

static const char *ended(void) {
  return log_text;
}

static int32_t destroyed(void) {
  return destructors;
}

static int32_t elsewhere(void) {
  return other_threads;
}

static promise_status_t load(const promise_host_t *table, promise_value_t *error) {
  (void)error;
  host = table;
  loader = pthread_self();
  return PROMISE_OK;
}

static void unload(void) {
  pthread_mutex_lock(&lock);
  strcat(log_text, "unloaded");
  pthread_mutex_unlock(&lock);
}

static const promise_plugin_function_t functions[] = {
    FUNCTION("box_new(number: i32) -> own(box_free) ptr<box>", box_new),
    FUNCTION("box_alone(number: i32) -> own(box_free) ptr<box>", box_alone),
    FUNCTION("box_count() -> i32", box_count),
    FUNCTION("box_show(box: ptr<box>, body: fn(box: ptr<box>) -> i32) -> i32", box_show),
    FUNCTION("box_given(body: fn() -> ptr<box>) -> ptr<box>", box_given),
    FUNCTION("box_of(plugin: cstr, number: i32) -> promise<value>", box_of),
    FUNCTION("box_maybe(number: i32) -> own(box_free) ptr<box>?", box_maybe),
    FUNCTION("box_make(number: i32, box: out own(box_free) ptr<box>?) -> i32 ! nonzero", box_make),
    FUNCTION("box_within(outer: ptr<box>, number: i32) -> own(box_free) ptr<box>", box_within),
    FUNCTION("box_fails(number: i32) -> own(box_free) ptr<box> ! errno", box_fails),
    FUNCTION("box_number(box: ptr<box>) -> i32", box_number),
    FUNCTION("box_sum(left: ptr<box>, right: ptr<box>?) -> i32", box_sum),
    FUNCTION("box_in(holder: {box: ptr<box>}) -> i32", box_in),
    FUNCTION("box_close(box: own ptr<box>?, code: u8 = 0) -> i32 ! nonzero", box_close),
    FUNCTION("box_free(box: ptr<box>)", box_free),
    FUNCTION("box_same(box: ptr<box>) -> ptr<box>", box_same),
    FUNCTION("box_hold(box: ptr<box>) -> promise<void>", box_hold),
    FUNCTION("box_let_go()", box_let_go),
    FUNCTION("crate_number(crate: ptr<crate>) -> i32", box_number),
    FUNCTION("later_state(box: promise<ptr<box>>) -> i32", later_state),
    FUNCTION("ended() -> cstr", ended),
    FUNCTION("destroyed() -> i32", destroyed),
    FUNCTION("elsewhere() -> i32", elsewhere),
};

PLUGIN(ID, .load = load, .unload = unload)
