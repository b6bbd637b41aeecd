/* The descriptor of a completion queue: level- and edge-triggered. */
#include <sys/epoll.h>
#include <unistd.h>

#include "queues.h"

TEST(the_descriptor_is_readable_while_events_wait) {
  promise_queue_t *queue = promise_queue_new();
  promise_t *promise = promise_new();
  for (uint64_t i = 0; i < 3; i++)
    CHECK_STATUS(promise_queue_watch(queue, promise, i), PROMISE_OK);
  int fd = promise_queue_fd(queue);
  CHECK(fd >= 0);
  CHECK_INT(promise_queue_fd(queue), fd);
  CHECK(!readable(fd));
  promise_resolve(promise, VOID());
  CHECK(readable(fd));
  CHECK_INT(promise_queue_take(queue, events, 1, 0), 1);
  CHECK(readable(fd));
  CHECK_INT(promise_queue_unwatch(queue, 1), 1);
  CHECK(readable(fd));
  CHECK_INT(promise_queue_unwatch(queue, 2), 1);
  CHECK(!readable(fd));
  CHECK_STATUS(promise_queue_watch(queue, promise, 3), PROMISE_OK);
  CHECK(readable(fd));
  CHECK_INT(take(queue, 0), 1);
  CHECK(!readable(fd));
  promise_release(promise);
  promise_queue_free(queue);
  struct pollfd file = {.fd = fd, .events = POLLIN};
  CHECK_INT(poll(&file, 1, 0), 1);
  CHECK_INT(file.revents, POLLNVAL);
}

/* A process that has closed its standard input gets 0 as the descriptor. */
TEST(the_descriptor_may_be_0) {
  int input = dup(0);
  close(0);
  promise_queue_t *queue = promise_queue_new();
  CHECK_INT(promise_queue_fd(queue), 0);
  CHECK_INT(promise_queue_fd(queue), 0);
  promise_t *promise = fulfilled(1);
  CHECK_STATUS(promise_queue_watch(queue, promise, 1), PROMISE_OK);
  CHECK(readable(0));
  CHECK_INT(take(queue, 0), 1);
  promise_release(promise);
  promise_queue_free(queue);
  if (input >= 0) {
    CHECK_INT(dup2(input, 0), 0);
    close(input);
  }
}

/* The descriptor is created while events are pending. */
TEST(a_descriptor_asked_for_late_is_readable_at_once) {
  promise_queue_t *queue = promise_queue_new();
  promise_t *promise = fulfilled(1);
  CHECK_STATUS(promise_queue_watch(queue, promise, 1), PROMISE_OK);
  CHECK(readable(promise_queue_fd(queue)));
  promise_release(promise);
  promise_queue_free(queue);
}

TEST(a_take_that_leaves_events_triggers_an_edge) {
  promise_queue_t *queue = promise_queue_new();
  int poller = epoll_create1(0);
  struct epoll_event event = {.events = EPOLLIN | EPOLLET};
  REQUIRE(epoll_ctl(poller, EPOLL_CTL_ADD, promise_queue_fd(queue), &event) == 0);
  promise_t *promise = fulfilled(1);
  for (uint64_t i = 0; i < 10; i++)
    CHECK_STATUS(promise_queue_watch(queue, promise, i), PROMISE_OK);
  int edges = 0, taken = 0;
  while (epoll_wait(poller, &event, 1, 0) == 1) {
    edges++;
    taken += (int)promise_queue_take(queue, events, 3, 0);
  }
  CHECK_INT(edges, 4);
  CHECK_INT(taken, 10);
  CHECK_STATUS(promise_queue_watch(queue, promise, 11), PROMISE_OK);
  CHECK_INT(epoll_wait(poller, &event, 1, 0), 1);
  CHECK_INT(epoll_wait(poller, &event, 1, 0), 0);
  promise_release(promise);
  promise_queue_free(queue);
  close(poller);
}
