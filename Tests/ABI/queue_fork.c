/* fork() and completion queues: a queue keeps its events, and wakes its own process. */
#include <sys/resource.h>

#include "forking.h"
#include "queues.h"

typedef struct forked {
  promise_queue_t *queue;
  int fd;
  promise_t *pending;
} forked_t;

static void takes_in_the_child(void *argument) {
  forked_t *forked = argument;
  CHECK_INT(promise_queue_fd(forked->queue), forked->fd);
  CHECK(readable(forked->fd));
  CHECK_INT(take(forked->queue, FOR_EVER), 1);
  CHECK_EVENT(0, PROMISE_EVENT_SETTLED, PROMISE_FULFILLED, 1);
  CHECK(!readable(forked->fd));
  CHECK_STATUS(promise_resolve(forked->pending, VOID()), PROMISE_OK);
  CHECK(readable(forked->fd));
  CHECK_INT(take(forked->queue, FOR_EVER), 1);
  CHECK_EVENT(0, PROMISE_EVENT_SETTLED, PROMISE_FULFILLED, 2);
  /* The child has no thread that could add an event. */
  CHECK_INT(take(forked->queue, FOR_EVER), PROMISE_EDEADLK);
  /* The timer thread of the child can add an event. */
  promise_t *timer = promise_sleep(1 * MILLISECONDS);
  CHECK_STATUS(promise_queue_watch(forked->queue, timer, 3), PROMISE_OK);
  CHECK_INT(take(forked->queue, FOR_EVER), 1);
  promise_release(timer);
  CHECK_STATUS(promise_queue_free(forked->queue), PROMISE_OK);
}

TEST(a_queue_keeps_its_events_and_wakes_one_process_only) {
  forked_t forked = {.queue = promise_queue_new(), .pending = promise_new()};
  forked.fd = promise_queue_fd(forked.queue);
  promise_t *settled = fulfilled(1);
  CHECK_STATUS(promise_queue_watch(forked.queue, settled, 1), PROMISE_OK);
  CHECK_STATUS(promise_queue_watch(forked.queue, forked.pending, 2), PROMISE_OK);
  IN_CHILD(takes_in_the_child, &forked);
  CHECK(readable(forked.fd));
  CHECK_INT(take(forked.queue, FOR_EVER), 1);
  CHECK(!readable(forked.fd));
  RELEASE(settled, forked.pending);
  promise_queue_free(forked.queue);
}

static void *takes_for_ever(void *queue) {
  CHECK_INT(take(queue, FOR_EVER), PROMISE_ECLOSED);
  return NULL;
}

static void is_the_only_taker(void *argument) {
  promise_queue_t *queue = argument;
  promise_t *promise = fulfilled(1);
  CHECK_STATUS(promise_queue_watch(queue, promise, 1), PROMISE_OK);
  CHECK_INT(take(queue, FOR_EVER), 1);
  promise_release(promise);
  CHECK_STATUS(promise_queue_free(queue), PROMISE_OK);
}

TEST(a_taker_that_sleeps_is_not_in_the_child) {
  promise_queue_t *queue = promise_queue_new();
  pthread_t taker = start(takes_for_ever, queue);
  for (int i = 0; i < 20; i++)
    IN_CHILD(is_the_only_taker, queue);
  CHECK_STATUS(promise_queue_free(queue), PROMISE_OK);
  finish(taker);
}

static void goes_on_without_a_descriptor(void *argument) {
  forked_t *forked = argument;
  struct rlimit limit;
  CHECK_INT(take(forked->queue, FOR_EVER), 1);
  REQUIRE(getrlimit(RLIMIT_NOFILE, &limit) == 0);
  limit.rlim_cur = 64; /* valgrind forbids changes of the hard limit */
  REQUIRE(setrlimit(RLIMIT_NOFILE, &limit) == 0);
  CHECK(promise_queue_fd(forked->queue) >= 0);
  CHECK_STATUS(promise_queue_free(forked->queue), PROMISE_OK);
}

TEST(a_child_without_descriptors) {
  forked_t forked = {.queue = promise_queue_new()};
  promise_t *settled = fulfilled(1);
  CHECK_STATUS(promise_queue_watch(forked.queue, settled, 1), PROMISE_OK);
  forked.fd = promise_queue_fd(forked.queue);
  CHECK(forked.fd >= 0);
  struct rlimit before, none;
  REQUIRE(getrlimit(RLIMIT_NOFILE, &before) == 0);
  none = before;
  none.rlim_cur = (rlim_t)forked.fd;
  REQUIRE(setrlimit(RLIMIT_NOFILE, &none) == 0);
  IN_CHILD(goes_on_without_a_descriptor, &forked);
  REQUIRE(setrlimit(RLIMIT_NOFILE, &before) == 0);
  promise_release(settled);
  promise_queue_free(forked.queue);
}
