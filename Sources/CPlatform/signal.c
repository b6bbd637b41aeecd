#define _GNU_SOURCE
#include "platform_signal.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "platform.h"
#include "uncancelled.h"

static bool watch(int poll, int file) {
  struct epoll_event event = {.events = EPOLLIN};
  return file >= 0 && epoll_ctl(poll, EPOLL_CTL_ADD, file, &event) == 0;
}

static int new_poll(void) {
  return epoll_create1(EPOLL_CLOEXEC);
}

static int new_event(void) {
  return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
}

static int new_timer(void) {
  return timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
}

bool platform_signal_open(struct platform_signal *signal) {
  signal->poll = new_poll();
  signal->event = new_event();
  signal->timer = new_timer();
  if (signal->poll >= 0 && watch(signal->poll, signal->event) && watch(signal->poll, signal->timer))
    return true;
  platform_signal_close(signal);
  return false;
}

void platform_signal_close(const struct platform_signal *signal) {
  const int files[] = {signal->poll, signal->event, signal->timer};
  for (int i = 0; i < 3; i++)
    if (files[i] >= 0)
      platform_event_close(files[i]);
}

/* Replaces the open file of descriptor `old` with that of `new`. */
static bool replace(int old, int new) {
  bool replaced = new >= 0 && dup3(new, old, O_CLOEXEC) == old;
  if (new >= 0)
    close(new);
  return replaced;
}

bool platform_signal_renew(struct platform_signal *signal) {
  if (replace(signal->poll, new_poll()) && replace(signal->event, new_event()) && replace(signal->timer, new_timer()) &&
      watch(signal->poll, signal->event) && watch(signal->poll, signal->timer))
    return true;
  platform_signal_close(signal);
  return false;
}

int platform_event_open(void) {
  return new_event();
}

void platform_event_close(int event) {
  int cancellation = uncancelled_begin();
  close(event);
  uncancelled_end(cancellation);
}

void platform_event_set(int event, bool readable) {
  uint64_t count = 1;
  int cancellation = uncancelled_begin();
  ssize_t size = readable ? write(event, &count, sizeof count) : read(event, &count, sizeof count);
  uncancelled_end(cancellation);
  /* The write cannot overflow, and the read finds the written count. */
  (void)size;
}

bool platform_event_renew(int event) {
  if (replace(event, new_event()))
    return true;
  close(event);
  return false;
}

void platform_signal_set(const struct platform_signal *signal, bool readable) {
  platform_event_set(signal->event, readable);
}

void platform_signal_arm(const struct platform_signal *signal, int64_t deadline) {
  struct itimerspec time = {{0, 0}, {0, 0}};
  /* Zero would disarm the timer. */
  int64_t at = deadline == INT64_MAX ? 0 : deadline > 0 ? deadline : 1;
  time.it_value.tv_sec = at / 1000000000;
  time.it_value.tv_nsec = at % 1000000000;
  timerfd_settime(signal->timer, TFD_TIMER_ABSTIME, &time, NULL);
}

void platform_signal_wait(const struct platform_signal *signal, int64_t deadline) {
  struct pollfd file = {.fd = signal->poll, .events = POLLIN};
  int64_t left = deadline < 0 ? 0 : deadline - platform_now();
  if (left < 0)
    left = 0;
  struct timespec time = {.tv_sec = left / 1000000000, .tv_nsec = left % 1000000000};
  int cancellation = uncancelled_begin();
  ppoll(&file, 1, deadline < 0 ? NULL : &time, NULL);
  uncancelled_end(cancellation);
}
