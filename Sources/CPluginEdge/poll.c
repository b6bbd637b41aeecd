#define _GNU_SOURCE
#include "plugin_process.h"

#include <errno.h>
#include <sys/select.h>

/* Finds the events of one descriptor, without waiting. select() does not depend on RLIMIT_NOFILE, but on FD_SETSIZE; it
 * reports an end as data. */
static int events_of(struct pollfd *entry) {
  int ready = poll(entry, 1, 0);
  if (ready >= 0 || errno != EINVAL || entry->fd < 0 || entry->fd >= FD_SETSIZE)
    return ready > 0;
  fd_set readable, writable;
  FD_ZERO(&readable);
  FD_ZERO(&writable);
  if (entry->events & POLLIN)
    FD_SET(entry->fd, &readable);
  if (entry->events & POLLOUT)
    FD_SET(entry->fd, &writable);
  if (select(entry->fd + 1, &readable, &writable, NULL, &(struct timeval){0}) <= 0)
    return 0;
  entry->revents = FD_ISSET(entry->fd, &readable) ? POLLIN : 0;
  entry->revents |= FD_ISSET(entry->fd, &writable) ? POLLOUT : 0;
  return 1;
}

int32_t plugin_poll(struct pollfd *entries, size_t count, int32_t timeout) {
  int ready = poll(entries, count, timeout);
  if (ready >= 0 || errno != EINVAL)
    return ready;
  const int tick = 10;
  for (int waited = 0;; waited += tick) {
    ready = 0;
    for (size_t i = 0; i < count; i++) {
      entries[i].revents = 0;
      ready += events_of(&entries[i]);
    }
    if (ready > 0 || (timeout >= 0 && waited >= timeout))
      return ready;
    if (poll(NULL, 0, tick) < 0)
      return -1;
  }
}
