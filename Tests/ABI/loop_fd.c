/* The descriptor of a loop: level- and edge-triggered. */
#include <sched.h>
#include <sys/epoll.h>

#include "loops.h"

static bool becomes_readable(promise_loop_t *loop) {
  struct pollfd file = {.fd = promise_loop_fd(loop), .events = POLLIN};
  return poll(&file, 1, -1) == 1;
}

TEST(is_readable_exactly_while_a_job_waits) {
  fixture_t fixture = setup();
  for (int round = 0; round < 3; round++) {
    CHECK(!readable(fixture.loop));
    submit(fixture, notes, (void *)'a');
    CHECK(readable(fixture.loop));
    submit(fixture, notes, (void *)'b');
    CHECK(readable(fixture.loop));
    CHECK_INT(promise_loop_run_once(fixture.loop), 2);
    CHECK(!readable(fixture.loop));
  }
  teardown(fixture);
}

TEST(is_readable_exactly_once_a_timer_is_due) {
  fixture_t fixture = setup();
  int64_t before = now();
  promise_t *late = promise_sleep_on(fixture.executor, 3600 * 1000 * MILLISECONDS);
  promise_t *nap = promise_sleep_on(fixture.executor, 20 * MILLISECONDS);
  CHECK(becomes_readable(fixture.loop));
  CHECK(now() - before >= 20 * MILLISECONDS);
  CHECK_INT(promise_state(nap), PROMISE_PENDING);
  CHECK_INT(promise_loop_run_once(fixture.loop), 1);
  CHECK_INT(promise_state(nap), PROMISE_FULFILLED);
  CHECK(!readable(fixture.loop));
  promise_release(nap);
  /* A timer that is due, then stopped, leaves no event. */
  nap = promise_sleep_on(fixture.executor, 1);
  CHECK(becomes_readable(fixture.loop));
  CHECK_STATUS(promise_discard(nap), PROMISE_OK);
  CHECK(!readable(fixture.loop));
  CHECK_INT(promise_loop_run_once(fixture.loop), 0);
  promise_release(nap);
  /* The later timer is still pending. */
  CHECK_INT(promise_state(late), PROMISE_PENDING);
  CHECK_STATUS(promise_discard(late), PROMISE_OK);
  promise_release(late);
  teardown(fixture);
}

TEST(is_readable_while_it_is_to_stop) {
  fixture_t fixture = setup();
  CHECK_STATUS(promise_loop_stop(fixture.loop), PROMISE_OK);
  CHECK(readable(fixture.loop));
  submit(fixture, notes, (void *)'a');
  CHECK_INT(promise_loop_run_once(fixture.loop), 0);
  CHECK(readable(fixture.loop));
  CHECK_INT(promise_loop_run_once(fixture.loop), 1);
  CHECK(!readable(fixture.loop));
  teardown(fixture);
}

static fixture_t shared;
static void submits_another(void *left) {
  intptr_t number = (intptr_t)left;
  note((char)('0' + number));
  if (number > 0)
    submit(shared, submits_another, (void *)(number - 1));
}

/* Jobs submitted during a turn wait for the next turn, and the descriptor stays readable. */
TEST(turn_takes_the_jobs_queued_before_it) {
  shared = setup();
  submit(shared, submits_another, (void *)2);
  static const char *const journals[] = {"2", "21", "210"};
  for (int turn = 0; turn < 3; turn++) {
    CHECK(readable(shared.loop));
    CHECK_INT(promise_loop_run_once(shared.loop), 1);
    CHECK_TEXT(journal, journals[turn]);
  }
  CHECK(!readable(shared.loop));
  teardown(shared);
}

/* ---- Edges ---- */

typedef struct edges {
  int poll;
  fixture_t fixture;
} edges_t;

static edges_t watch_edges(void) {
  edges_t edges = {.poll = epoll_create1(EPOLL_CLOEXEC), .fixture = setup()};
  struct epoll_event event = {.events = EPOLLIN | EPOLLET};
  REQUIRE(edges.poll >= 0);
  REQUIRE(epoll_ctl(edges.poll, EPOLL_CTL_ADD, promise_loop_fd(edges.fixture.loop), &event) == 0);
  return edges;
}

/* Returns whether the descriptor has reported an edge since the last call. */
static bool has_edge(edges_t edges) {
  struct epoll_event event;
  return epoll_wait(edges.poll, &event, 1, 0) == 1;
}

static void end_edges(edges_t edges) {
  CHECK(!has_edge(edges));
  close(edges.poll);
  teardown(edges.fixture);
}

/* One turn per edge is enough: work that a turn leaves raises another edge. */
TEST(a_turn_that_leaves_jobs_gives_another_edge) {
  edges_t edges = watch_edges();
  shared = edges.fixture;
  CHECK(!has_edge(edges));
  submit(shared, submits_another, (void *)3);
  for (int turns = 0; turns < 4; turns++) {
    CHECK(has_edge(edges));
    CHECK(!has_edge(edges));
    CHECK_INT(promise_loop_run_once(shared.loop), 1);
  }
  CHECK_TEXT(journal, "3210");
  end_edges(edges);
}

static void stops_the_shared_loop(void *ctx) {
  (void)ctx;
  CHECK_STATUS(promise_loop_stop(shared.loop), PROMISE_OK);
}

TEST(a_turn_that_is_stopped_gives_another_edge) {
  edges_t edges = watch_edges();
  shared = edges.fixture;
  submit(shared, stops_the_shared_loop, NULL);
  submit(shared, notes, (void *)'a');
  CHECK(has_edge(edges));
  CHECK_INT(promise_loop_run_once(shared.loop), 1);
  CHECK(has_edge(edges));
  CHECK_INT(promise_loop_run_once(shared.loop), 1);
  CHECK_TEXT(journal, "a");
  end_edges(edges);
}

static promise_t *added;
static void adds_a_due_timer(void *ctx) {
  fixture_t *fixture = ctx;
  added = promise_sleep_on(fixture->executor, 1);
  int64_t time = now();
  while (now() <= time + 1)
    ;
}

/* A timer that becomes due while the loop runs raises an edge, whether it is due before or after the previous timer. */
TEST(a_timer_that_is_due_gives_an_edge) {
  edges_t edges = watch_edges();
  promise_t *nap = promise_sleep_on(edges.fixture.executor, 1);
  struct epoll_event event;
  CHECK_INT(epoll_wait(edges.poll, &event, 1, -1), 1);
  submit(edges.fixture, adds_a_due_timer, &edges.fixture);
  while (promise_state(nap) == PROMISE_PENDING)
    promise_loop_run_once(edges.fixture.loop);
  while (added == NULL)
    promise_loop_run_once(edges.fixture.loop);
  CHECK_INT(epoll_wait(edges.poll, &event, 1, -1), 1);
  CHECK_INT(promise_loop_run_once(edges.fixture.loop), 1);
  CHECK_INT(promise_state(added), PROMISE_FULFILLED);
  promise_release(added), promise_release(nap);
  end_edges(edges);
}

static edges_t watched;
static int64_t due;
static void takes_the_edge_of_a_timer(void *ctx) {
  (void)ctx;
  while (now() <= due)
    sched_yield();
  /* The system may report the edge a moment later. */
  struct epoll_event event;
  CHECK_INT(epoll_wait(watched.poll, &event, 1, -1), 1);
}

/* A poller takes an edge while the loop runs. The turn has not taken the timer, so its end raises another edge. */
TEST(a_timer_that_is_due_before_the_turn_ends_gives_another_edge) {
  watched = watch_edges();
  submit(watched.fixture, takes_the_edge_of_a_timer, NULL);
  CHECK(has_edge(watched));
  promise_t *nap = promise_sleep_on(watched.fixture.executor, 50 * 1000 * 1000);
  due = now() + 50 * 1000 * 1000;
  promise_loop_run_once(watched.fixture.loop);
  /* On a busy machine the timer may have been due before the turn began. */
  if (promise_state(nap) == PROMISE_PENDING) {
    CHECK(has_edge(watched));
    CHECK_INT(promise_loop_run_once(watched.fixture.loop), 1);
  }
  CHECK_INT(promise_state(nap), PROMISE_FULFILLED);
  promise_release(nap);
  end_edges(watched);
}
