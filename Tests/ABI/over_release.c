/* Handles that a program releases once too often while the library still has a reference: the call is refused, the
 * library keeps its reference, and promises of other owners are not affected. */
#include "queues.h"
#include "scheduling.h"

enum { OTHERS = 64 };
static promise_t *others[OTHERS];

/* Releases the only reference, then releases again. A freed cell would be recycled for the promises that are made
 * meanwhile. */
static void release_too_often(promise_t *promise) {
  CHECK_STATUS(promise_release(promise), PROMISE_OK);
  for (int i = 0; i < OTHERS; i++) {
    promise_value_t value = holding(promise);
    CHECK_STATUS(i % 2 == 0 ? promise_release(promise) : promise_value_release(&value), PROMISE_ESTALE);
    others[i] = promise_new();
  }
}

/* Checks, after the settlement, that the promises of other owners are untouched. */
static void others_are_whole(void) {
  for (int i = 0; i < OTHERS; i++) {
    CHECK_INT(promise_state(others[i]), PROMISE_PENDING);
    CHECK_STATUS(promise_resolve(others[i], I64(i)), PROMISE_OK);
    CHECK_ENDED(others[i], PROMISE_FULFILLED, i);
    CHECK_STATUS(promise_release(others[i]), PROMISE_OK);
    CHECK_STATUS(promise_release(others[i]), PROMISE_ESTALE);
  }
}

TEST(a_release_too_many_spares_a_derived_promise) {
  spy_t spies[3] = {{0}, {0}, {0}};
  promise_t *source = promise_new();
  release_too_often(promise_then(source, spy_handler, &spies[0], spy_free));
  promise_resolve(source, I64(1));
  others_are_whole();
  promise_release(source);

  source = promise_new();
  release_too_often(promise_rescue(source, NULL, spy_handler, &spies[1], spy_free));
  promise_reject(source, I64(1));
  others_are_whole();
  promise_release(source);

  source = promise_new();
  release_too_often(spied(source, NULL, NULL, &spies[2]));
  promise_resolve(source, I64(1));
  others_are_whole();
  promise_release(source);
  for (int i = 0; i < 3; i++)
    CHECK_SPY(&spies[i], 1, 1);
}

/* Attaches to the promise, which keeps the promise from being abandoned. Returns the promise. */
static promise_t *waited_for(promise_t *promise, spy_t *spy) {
  promise_t *behind = promise_then(promise, spy_handler, spy, spy_free);
  CHECK_STATUS(promise_release(behind), PROMISE_OK);
  return promise;
}

TEST(a_release_too_many_spares_a_following_promise) {
  spy_t spies[2] = {{0}, {0}};
  promise_t *source = promise_new(), *next = promise_new(), *set = promise_new();
  promise_t *adopting = promise_then(source, adopts, next, NULL);
  promise_resolve(source, I64(1));
  release_too_often(waited_for(adopting, &spies[0]));
  promise_resolve(next, I64(1));
  others_are_whole();

  promise_t *last = promise_new();
  CHECK_STATUS(promise_follow(set, last), PROMISE_OK);
  release_too_often(waited_for(set, &spies[1]));
  promise_resolve(last, I64(1));
  others_are_whole();
  CHECK_SPY(&spies[0], 1, 1);
  CHECK_SPY(&spies[1], 1, 1);
  RELEASE(source, next, last);
}

TEST(a_release_too_many_spares_the_promise_of_a_job) {
  shelf_t shelf = SHELF_EMPTY;
  spy_t spy = {0}, run = {0};
  promise_executor_t *executor = promise_executor_new(shelve, &shelf, NULL);
  promise_t *source = promise_new();
  promise_t *derived = spied(source, executor, NULL, &spy);
  promise_resolve(source, I64(1));
  release_too_often(derived);
  CHECK_STATUS(promise_job_run(take_job(&shelf)), PROMISE_OK);
  others_are_whole();
  release_too_often(promise_run(executor, spy_handler, &run, spy_free));
  CHECK_STATUS(promise_job_run(take_job(&shelf)), PROMISE_OK);
  others_are_whole();
  CHECK_SPY(&spy, 1, 1);
  CHECK_SPY(&run, 1, 1);
  promise_release(source);
  promise_executor_release(executor);
}

TEST(a_release_too_many_spares_a_combined_promise) {
  spy_t spies[4] = {{0}, {0}, {0}, {0}};
  for (int kind = 0; kind < 4; kind++) {
    promise_t *input = promise_new();
    promise_t *all = kind == 0   ? promise_all(&input, 1, 0)
                     : kind == 1 ? promise_all_settled(&input, 1, 0)
                     : kind == 2 ? promise_any(&input, 1, 0)
                                 : promise_race(&input, 1, 0);
    release_too_often(waited_for(all, &spies[kind]));
    promise_resolve(input, I64(1));
    others_are_whole();
    CHECK_SPY(&spies[kind], 1, 1);
    promise_release(input);
  }
}

/* A result whose inputs were destroyed while pending belongs to its holders alone: the last release destroys it. */
TEST(a_lost_result_belongs_to_its_holder) {
  spy_t spy = {0};
  promise_t *input = promise_new();
  promise_t *all = waited_for(promise_all(&input, 1, 0), &spy);
  promise_release(input);
  CHECK_STATUS(promise_release(all), PROMISE_OK);
  CHECK_STATUS(promise_state(all), PROMISE_ESTALE);
  CHECK_SPY(&spy, 0, 1);
}

/* A derived promise whose source, or whose job, was destroyed belongs to its holders alone too. */
TEST(an_abandoned_promise_belongs_to_its_holder) {
  spy_t spy = {0}, behind = {0};
  promise_t *source = promise_new();
  promise_t *derived = waited_for(promise_then(source, spy_handler, &spy, spy_free), &behind);
  promise_release(source);
  CHECK_STATUS(promise_release(derived), PROMISE_OK);
  CHECK_STATUS(promise_state(derived), PROMISE_ESTALE);
  CHECK_SPY(&spy, 0, 1);
  CHECK_SPY(&behind, 0, 1);
}

TEST(a_release_too_many_spares_the_promise_of_a_timer) {
  promise_loop_t *loop = promise_loop_new();
  promise_executor_t *executor = promise_loop_executor(loop);
  spy_t spies[3] = {{0}, {0}, {0}};
  promise_t *source = promise_new();
  release_too_often(waited_for(promise_sleep_on(executor, 1), &spies[0]));
  promise_t *sleep = promise_sleep_on(executor, 2);
  CHECK_STATUS(promise_loop_wait(loop, sleep, -1), PROMISE_OK);
  others_are_whole();
  release_too_often(waited_for(promise_timeout_on(executor, source, 1), &spies[1]));
  promise_t *later = promise_sleep_on(executor, 2 * MILLISECONDS);
  CHECK_STATUS(promise_loop_wait(loop, later, -1), PROMISE_OK);
  others_are_whole();
  CHECK_SPY(&spies[0], 1, 1);
  CHECK_SPY(&spies[1], 0, 1);
  RELEASE(source, sleep, later);
  promise_executor_release(executor);
  promise_loop_release(loop);
}

TEST(a_release_too_many_spares_the_promise_of_an_event) {
  promise_queue_t *queue = promise_queue_new();
  promise_t *source = promise_new();
  /* Releases too often while the source is pending, and while the CALL waits to be taken. */
  promise_t *answer = promise_queue_then(queue, source, 1);
  release_too_often(answer);
  promise_resolve(source, I64(1));
  others_are_whole();
  CHECK_STATUS(promise_release(answer), PROMISE_ESTALE);
  CHECK_INT(take(queue, 0), 1);
  CHECK_EVENT(0, PROMISE_EVENT_CALL, PROMISE_FULFILLED, 1);
  CHECK(events[0].promise == answer);
  /* The reference of the taker belongs to the program. */
  CHECK_STATUS(promise_resolve(answer, I64(2)), PROMISE_OK);
  CHECK_STATUS(promise_release(answer), PROMISE_OK);
  CHECK_STATUS(promise_release(answer), PROMISE_ESTALE);
  /* So does the reference of a taker that does not settle the promise. */
  answer = promise_queue_then(queue, source, 2);
  CHECK_STATUS(promise_release(answer), PROMISE_OK);
  CHECK_INT(take(queue, 0), 1);
  CHECK_STATUS(promise_release(events[0].promise), PROMISE_OK);
  CHECK_STATUS(promise_release(events[0].promise), PROMISE_ESTALE);
  promise_release(source);
  promise_queue_release(queue);
}

TEST(a_release_too_many_spares_the_promise_of_a_stream) {
  promise_publisher_t *publisher = promise_publisher_new(0);
  promise_subscription_t terms = {.size = sizeof terms, .capacity = 1, .overflow = PROMISE_OVERFLOW_BUFFER};
  promise_subscriber_t *subscriber = promise_publisher_subscribe(publisher, &terms);
  spy_t spies[3] = {{0}, {0}, {0}};
  promise_t *next = waited_for(promise_subscriber_next(subscriber), &spies[0]);
  release_too_often(next);
  promise_publisher_publish(publisher, I64(1));
  others_are_whole();
  promise_publisher_publish(publisher, I64(2));
  release_too_often(waited_for(promise_publisher_ready(publisher), &spies[1]));
  promise_t *second = promise_subscriber_next(subscriber);
  others_are_whole();
  promise_release(second);
  release_too_often(waited_for(promise_subscriber_end(subscriber), &spies[2]));
  promise_publisher_finish(publisher);
  others_are_whole();
  for (int i = 0; i < 3; i++)
    CHECK_INT(atomic_load(&spies[i].frees), 1);
  promise_subscriber_release(subscriber);
  promise_publisher_release(publisher);
}

/* Makes promises, which reuse the cells that were freed. */
static void make_others(void) {
  for (int i = 0; i < OTHERS; i++)
    others[i] = promise_new();
}

/* The reference of a value belongs to the program, so one release too many takes it. The value then releases
 * nothing. */
TEST(a_value_releases_no_other_reference_to_its_promise) {
  for (int kind = 0; kind < 3; kind++) {
    promise_t *held = promise_new();
    promise_value_t value = holding(retained(held)), list;
    if (kind == 1)
      CHECK_STATUS(promise_value_array(&list, &value, 1), PROMISE_OK);
    promise_t *holder = kind == 0   ? promise_new_rejected(&value)
                        : kind == 1 ? promise_new_resolved(&list)
                                    : promise_new();
    if (kind == 2)
      CHECK_STATUS(promise_reject(holder, &value), PROMISE_OK);
    CHECK_STATUS(promise_release(held), PROMISE_OK);
    CHECK_STATUS(promise_release(held), PROMISE_OK);
    make_others();
    CHECK_STATUS(promise_release(holder), PROMISE_OK);
    others_are_whole();
  }
}

/* A link has a handle of its target, which one release too many takes, and a reference, which stays. */
TEST(a_release_too_many_spares_the_target_of_a_link) {
  promise_publisher_t *source = promise_publisher_new(0), *target = promise_publisher_new(0);
  promise_subscriber_t *link = promise_publisher_forward(source, target, 0);
  CHECK_STATUS(promise_publisher_release(target), PROMISE_OK);
  CHECK_STATUS(promise_publisher_release(target), PROMISE_OK);
  CHECK_STATUS(promise_publisher_release(target), PROMISE_ESTALE);
  promise_publisher_t *windows[OTHERS];
  for (int i = 0; i < OTHERS; i++)
    windows[i] = promise_publisher_window(source, 3);
  CHECK_STATUS(promise_publisher_publish(source, I64(1)), PROMISE_OK);
  CHECK_STATUS(promise_subscriber_release(link), PROMISE_OK);
  for (int i = 0; i < OTHERS; i++) {
    CHECK_INT(promise_publisher_state(windows[i]), PROMISE_PENDING);
    CHECK_STATUS(promise_publisher_release(windows[i]), PROMISE_OK);
  }
  CHECK_STATUS(promise_publisher_release(source), PROMISE_OK);
}

/* A handler is detached when another call settles its promise, or nobody needs the promise. The promise stays in the
 * list of its source, behind newer ones. */
TEST(a_release_too_many_spares_a_detached_promise_in_a_list) {
  spy_t spies[8] = {{0}};
  for (int kind = 0; kind < 4; kind++) {
    promise_t *source = promise_new();
    promise_t *detached = promise_then(source, spy_handler, &spies[2 * kind], spy_free);
    promise_t *newer = promise_then(source, spy_handler, &spies[2 * kind + 1], spy_free);
    if (kind % 2 == 0)
      CHECK_STATUS(promise_request_cancel(detached, NULL), PROMISE_OK);
    else
      CHECK_STATUS(promise_resolve(detached, I64(1)), PROMISE_OK);
    release_too_often(detached);
    /* The list runs, or is released with its source. */
    if (kind < 2)
      CHECK_STATUS(promise_resolve(source, I64(1)), PROMISE_OK);
    CHECK_STATUS(promise_release(source), PROMISE_OK);
    others_are_whole();
    CHECK_STATUS(promise_release(newer), PROMISE_OK);
    CHECK_SPY(&spies[2 * kind], 0, 1);
    CHECK_SPY(&spies[2 * kind + 1], kind < 2, 1);
  }
}

/* Once the list has released the promise, the last reference belongs to its holder. */
TEST(a_detached_promise_belongs_to_its_holder_afterwards) {
  spy_t spy = {0};
  for (int kind = 0; kind < 3; kind++) {
    promise_t *source = promise_new();
    promise_t *detached = promise_then(source, spy_handler, &spy, NULL);
    promise_t *newer = promise_then(source, spy_handler, &spy, NULL);
    CHECK_STATUS(promise_resolve(detached, I64(1)), PROMISE_OK);
    if (kind == 0)
      CHECK_STATUS(promise_resolve(source, I64(1)), PROMISE_OK);
    if (kind < 2)
      CHECK_STATUS(promise_release(source), PROMISE_OK);
    else
      CHECK_STATUS(promise_discard(newer), PROMISE_OK);
    CHECK_STATUS(promise_release(detached), PROMISE_OK);
    CHECK_STATUS(promise_release(detached), PROMISE_ESTALE);
    CHECK_STATUS(promise_release(newer), PROMISE_OK);
    if (kind == 2)
      CHECK_STATUS(promise_release(source), PROMISE_OK);
  }
}

/* Each pending job has a reference to its executor. */
TEST(a_release_too_many_spares_the_executor_of_a_job) {
  shelf_t shelf = SHELF_EMPTY;
  spy_t spy = {0}, jobs[2] = {{0}, {0}};
  promise_executor_t *executor = promise_executor_new(shelve, &shelf, NULL);
  promise_executor_t *serial = promise_executor_serial(executor);
  promise_executor_submit(executor, spy_discard, &jobs[0], spy_free);
  promise_executor_submit(serial, spy_discard, &jobs[1], spy_free);
  CHECK_STATUS(promise_executor_retain(executor), PROMISE_OK);
  CHECK_STATUS(promise_executor_release(executor), PROMISE_OK);
  CHECK_STATUS(promise_executor_release(executor), PROMISE_OK);
  CHECK_STATUS(promise_executor_release(serial), PROMISE_OK);
  for (int i = 0; i < 4; i++) {
    CHECK_STATUS(promise_executor_release(executor), PROMISE_ESTALE);
    CHECK_STATUS(promise_executor_release(serial), PROMISE_ESTALE);
    CHECK_STATUS(promise_executor_retain(executor), PROMISE_ESTALE);
  }
  for (promise_job_t *job; (job = take_job(&shelf)) != NULL;)
    CHECK_STATUS(promise_job_run(job), PROMISE_OK);
  CHECK_SPY(&jobs[0], 1, 1);
  CHECK_SPY(&jobs[1], 1, 1);
  CHECK_SPY(&spy, 0, 0);
  promise_loop_t *loop = promise_loop_new();
  executor = promise_loop_executor(loop);
  CHECK_STATUS(promise_executor_release(executor), PROMISE_OK);
  CHECK_STATUS(promise_executor_release(executor), PROMISE_ESTALE);
  CHECK(promise_loop_executor(loop) == executor);
  CHECK_STATUS(promise_loop_release(loop), PROMISE_OK);
  CHECK_STATUS(promise_executor_release(executor), PROMISE_OK);
  CHECK_STATUS(promise_executor_release(executor), PROMISE_ESTALE);
}
