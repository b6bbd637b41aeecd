/* One thread releases the last reference to an object while another thread retains the object. The retaining call
 * finds the object alive or the handle stale; it never touches freed memory. */
#include "race.h"
#include "streams.h"

enum { OBJECTS = 512 };
static void *objects[OBJECTS];
static atomic_int place; /* the index of the object that thread 1 uses */
static atomic_bool is_over;

typedef struct kind {
  void *(*make)(void);
  promise_status_t (*retain)(void *);
  promise_status_t (*release)(void *);
} kind_t;
static const kind_t *kind;

/* Takes references until the object is destroyed. */
static void use(int i) {
  promise_status_t status = PROMISE_OK;
  atomic_store(&place, i);
  while ((status = kind->retain(objects[i])) == PROMISE_OK)
    CHECK_STATUS(kind->release(objects[i]), PROMISE_OK);
  CHECK_STATUS(status, PROMISE_ESTALE);
}

static void release_while_in_use(int i, unsigned random) {
  for (unsigned turns = 1; atomic_load(&place) < i; turns++)
    if (turns % 1024 == 0)
      sched_yield(); /* thread 1 may not be scheduled */
  for (volatile unsigned pause = random >> 24 & 63; pause > 0; pause--) {
  }
  CHECK_STATUS(kind->release(objects[i]), PROMISE_OK);
}

/* Thread 0 releases the reference that an object was created with, while thread 1 takes and releases further
 * references. No object is created meanwhile, so a late call finds no other object in the cell. */
static void *contends(void *number) {
  intptr_t me = (intptr_t)number;
  unsigned random = 1;
  int64_t end = now() + 1000 * MILLISECONDS;
  for (long round = check_scale(500);; round--) {
    if (me == 0) {
      atomic_store(&is_over, round == 0 || now() > end);
      for (int i = 0; i < OBJECTS && !atomic_load(&is_over); i++)
        REQUIRE((objects[i] = kind->make()) != NULL);
      atomic_store(&place, -1);
    }
    meet();
    if (atomic_load(&is_over))
      return NULL;
    for (int i = 0; i < OBJECTS; i++) {
      if (me == 0)
        release_while_in_use(i, random = random * 1664525 + 1013904223);
      else
        use(i);
    }
    meet();
  }
}

static promise_publisher_t *source;

static void *new_token(void) {
  return promise_token_new(0);
}
static void *new_publisher(void) {
  return promise_publisher_new(0);
}
static void *new_subscriber(void) {
  promise_subscription_t wish = {.size = sizeof wish, .overflow = PROMISE_OVERFLOW_BUFFER};
  return promise_publisher_subscribe(source, &wish);
}
static void *new_loop(void) {
  return promise_loop_new();
}
static void *new_queue(void) {
  return promise_queue_new();
}

#define CONTENDED(kind_, name)                                                                                         \
  static promise_status_t retain_##kind_(void *object) {                                                               \
    return promise_##kind_##_retain(object);                                                                           \
  }                                                                                                                    \
  static promise_status_t release_##kind_(void *object) {                                                              \
    return promise_##kind_##_release(object);                                                                          \
  }                                                                                                                    \
  TEST(name) {                                                                                                         \
    source = publisher_new(0);                                                                                         \
    kind = &(const kind_t){new_##kind_, retain_##kind_, release_##kind_};                                              \
    race(contends, 2);                                                                                                 \
    promise_publisher_release(source);                                                                                 \
  }
CONTENDED(token, token_is_alive_or_stale)
CONTENDED(publisher, publisher_is_alive_or_stale)
CONTENDED(loop, loop_is_alive_or_stale)
CONTENDED(queue, queue_is_alive_or_stale)
CONTENDED(subscriber, subscriber_of_one_publisher_is_alive_or_stale)
