/* loops.h - shared by the programs about loops. */
#ifndef LOOPS_H
#define LOOPS_H

#include <poll.h>

#include "scheduling.h"

typedef struct fixture {
  promise_loop_t *loop;
  promise_executor_t *executor;
} fixture_t;

/* Returns a new loop with its executor, and clears the journal. */
static inline fixture_t setup(void) {
  journal_clear();
  fixture_t fixture = {.loop = promise_loop_new()};
  REQUIRE(fixture.loop != NULL);
  fixture.executor = promise_loop_executor(fixture.loop);
  REQUIRE(fixture.executor != NULL);
  return fixture;
}

static inline void teardown(fixture_t fixture) {
  CHECK_STATUS(promise_executor_release(fixture.executor), PROMISE_OK);
  CHECK_STATUS(promise_loop_release(fixture.loop), PROMISE_OK);
  CHECK_STATUS(promise_loop_release(fixture.loop), PROMISE_ESTALE);
}

static inline bool readable(promise_loop_t *loop) {
  struct pollfd file = {.fd = promise_loop_fd(loop), .events = POLLIN};
  REQUIRE(file.fd >= 0);
  return poll(&file, 1, 0) == 1;
}

static inline void submit(fixture_t fixture, void (*body)(void *), void *ctx) {
  CHECK_STATUS(promise_executor_submit(fixture.executor, body, ctx, NULL), PROMISE_OK);
}

static inline void notes(void *letter) {
  note((char)(intptr_t)letter);
}

#endif /* LOOPS_H */
