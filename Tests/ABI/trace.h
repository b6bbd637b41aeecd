/* trace.h - a trace that a test examines. */
#ifndef TRACE_H
#define TRACE_H

#if !defined(_GNU_SOURCE)
#define _GNU_SOURCE
#endif
#include "race.h"
#include "support.h"

typedef struct watch {
  promise_trace_event_t events[64];
  char kinds[65]; /* C A S B E D: a letter for each event */
  int count;
  atomic_int frees;
} watch_t;

static inline void watch_event(void *ctx, const promise_trace_event_t *event) {
  watch_t *watch = ctx;
  REQUIRE(watch->count < 64 && event->kind >= 1 && event->kind <= 6);
  watch->kinds[watch->count] = " CASBED"[event->kind];
  watch->events[watch->count++] = *event;
}
static inline void watch_free(void *ctx) {
  atomic_fetch_add(&((watch_t *)ctx)->frees, 1);
}

static inline void trace_to(watch_t *watch, uint64_t capacity) {
  promise_trace_t trace = {
      .size = sizeof trace, .capacity = capacity, .event = watch_event, .ctx = watch, .free_ctx = watch_free};
  REQUIRE(promise_trace_start(&trace) == PROMISE_OK);
}
/* Ends a test: checks that the context was freed once. */
static inline void untrace(watch_t *watch) {
  CHECK_STATUS(promise_trace_stop(), PROMISE_OK);
  CHECK_INT(atomic_load(&watch->frees), 1);
}

#endif /* TRACE_H */
