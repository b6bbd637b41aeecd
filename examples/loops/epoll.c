/* epoll.c - promises in a loop over epoll, with a timerfd for the host's own timer. */
#include "story.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

typedef struct host {
  int epoll;
  int timer;
  promise_t *promise; /* fulfilled by the timer */
  bool quits;
} host_t;

static void fulfil_later(void *ctx, promise_t *promise) {
  host_t *host = ctx;
  host->promise = promise;
  timerfd_settime(host->timer, 0, &(struct itimerspec){.it_value.tv_nsec = 10 * 1000 * 1000}, NULL);
}

static void quit(void *ctx) {
  ((host_t *)ctx)->quits = true;
}

static void watch(host_t *host, int file) {
  struct epoll_event event = {.events = EPOLLIN, .data.fd = file};
  epoll_ctl(host->epoll, EPOLL_CTL_ADD, file, &event);
}

int main(void) {
  host_t host = {.epoll = epoll_create1(EPOLL_CLOEXEC), .timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC)};
  promise_loop_t *loop = promise_loop_new();
  if (host.epoll < 0 || host.timer < 0 || loop == NULL)
    return 1;
  watch(&host, promise_loop_fd(loop));
  watch(&host, host.timer);

  story_t story = {loop, &host, fulfil_later, quit};
  story_begin(&story);
  while (!host.quits) {
    struct epoll_event events[8];
    int count = epoll_wait(host.epoll, events, 8, -1);
    for (int i = 0; i < count; i++) {
      if (events[i].data.fd == host.timer) {
        uint64_t ends;
        if (read(host.timer, &ends, sizeof ends) == sizeof ends)
          story_fulfil(host.promise);
      } else {
        promise_loop_run_once(loop);
      }
    }
  }

  close(host.epoll);
  close(host.timer);
  promise_loop_release(loop);
  return 0;
}
