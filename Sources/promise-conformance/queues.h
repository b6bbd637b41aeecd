/* queues.h - shared by the programs about completion queues. */
#ifndef QUEUES_H
#define QUEUES_H

#include <poll.h>

#include "support.h"

enum { ROOM = 64 };
static _Thread_local promise_event_t events[ROOM];

/* Takes events into `events`, and returns their number. Waits for the first one, `timeout` nanoseconds at most. */
static inline int64_t take(promise_queue_t *queue, int64_t timeout) {
  memset(events, 0xee, sizeof events);
  return promise_queue_take(queue, events, ROOM, timeout);
}

/* Checks the event at `place`: it has a promise if it is a CALL, and a value if its flag is set. */
static inline void check_event(int place, uint32_t kind, promise_state_t state, uint64_t tag, const char *file,
                               int line) {
  const promise_event_t *event = &events[place];
  check_that(event->kind == kind && event->state == state && event->tag == tag, file, line,
             "event %d is %u, state %d, tag %llu, expected %u, state %d, tag %llu", place, event->kind, event->state,
             (unsigned long long)event->tag, kind, state, (unsigned long long)tag);
  check_that((event->promise != NULL) == (kind == PROMISE_EVENT_CALL), file, line, "event %d has the promise %p", place,
             (void *)event->promise);
  check_that(event->reserved == 0, file, line, "event %d has something reserved", place);
  bool is_void = event->value.kind == PROMISE_KIND_VOID;
  check_that(is_void || kind != PROMISE_EVENT_FREED, file, line, "event %d has a value", place);
}

#define CHECK_EVENT(place, kind, state, tag) check_event((place), (kind), (state), (tag), __FILE__, __LINE__)

static inline bool readable(int fd) {
  struct pollfd file = {.fd = fd, .events = POLLIN};
  return poll(&file, 1, 0) == 1 && file.revents == POLLIN;
}

#endif /* QUEUES_H */
