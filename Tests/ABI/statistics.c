/* promise_statistics: live objects by kind. */
#include "memory.h"
#include "scheduling.h"
#include "streams.h"

static promise_statistics_t before;

static void begin(void) {
  before = statistics();
}

/* The number of objects of a kind, minus the number at the beginning. */
#define MORE(kind) ((long long)(statistics().kind - before.kind))

TEST(promises_by_state) {
  begin();
  promise_t *one = promise_new(), *other = promise_new();
  CHECK_INT(MORE(promises_pending), 2);
  promise_resolve(one, I64(1));
  CHECK_INT(MORE(promises_pending), 1);
  CHECK_INT(MORE(promises_settled), 1);
  promise_t *derived = promise_then(other, adds_one, NULL, NULL);
  CHECK_INT(MORE(promises_pending), 2);
  promise_observe(other, NULL, NULL, NULL, NULL);
  promise_reject(other, I64(2));
  CHECK_INT(MORE(promises_pending), 0);
  CHECK_INT(MORE(promises_settled), 3);
  RELEASE(one, other, derived);
  CHECK_INT(MORE(promises_settled), 0);
}

TEST(callbacks_and_gathers) {
  begin();
  promise_t *source = promise_new();
  promise_observe(source, ignore_value, NULL, NULL, NULL);
  promise_on_cancel_request(source, ignore_value, NULL, NULL);
  CHECK_INT(MORE(callbacks), 2);
  promise_t *all = promise_all(&source, 1, 0);
  CHECK(MORE(callbacks) > 2); /* for example an input, and the state of a request to cancel */
  CHECK_INT(MORE(gathers), 1);
  CHECK_INT(MORE(promises_pending), 2);
  promise_resolve(source, I64(1));
  RELEASE(all, source);
  CHECK_INT(MORE(callbacks), 0);
  CHECK_INT(MORE(gathers), 0);
}

TEST(values_that_own_memory) {
  begin();
  promise_value_t value = text("a text that is too long for the cell that it has");
  CHECK_INT(MORE(values), 1);
  promise_value_t list = ARRAY(value, error("test", 1, "an error"));
  CHECK_INT(MORE(values), 3);
  promise_builder_t *builder = promise_builder_new(PROMISE_KIND_ARRAY, 0);
  CHECK_INT(MORE(values), 4);
  promise_builder_drop(builder);
  promise_value_release(&list);
  CHECK_INT(MORE(values), 0);
}

static promise_job_t *kept;

TEST(executors_jobs_and_tokens) {
  begin();
  promise_executor_t *executor = promise_executor_new(keep_job, &kept, NULL);
  promise_executor_t *serial = promise_executor_serial(executor);
  CHECK_INT(MORE(executors), 2);
  promise_executor_release(promise_executor_global(PROMISE_PRIORITY_DEFAULT));
  promise_executor_release(promise_executor_immediate());
  promise_executor_release(promise_executor_main());
  CHECK_INT(MORE(executors), 2);
  CHECK_INT(MORE(loops), 0);
  promise_t *promise = fulfilled(1);
  promise_reaction_t reaction = {.size = sizeof reaction, .executor = executor, .on_fulfilled = adds_one};
  promise_t *child = promise_react(promise, &reaction);
  CHECK_INT(MORE(jobs), 1);
  promise_job_run(kept);
  CHECK_INT(MORE(jobs), 0);
  RELEASE(child, promise);
  promise_executor_release(serial);
  promise_executor_release(executor);
  promise_token_t *token = promise_token_new(0);
  CHECK_INT(MORE(tokens), 1);
  promise_token_release(token);
  CHECK_INT(MORE(executors), 0);
  CHECK_INT(MORE(tokens), 0);
}

TEST(loops_and_streams) {
  begin();
  promise_loop_t *loop = promise_loop_new();
  CHECK_INT(MORE(loops), 1);
  CHECK_INT(MORE(executors), 1);
  promise_loop_release(loop);
  promise_publisher_t *publisher = promise_publisher_new(0);
  CHECK_INT(MORE(publishers), 1);
  listener_t listener = {0};
  promise_subscriber_t *subscriber = listen(publisher, &listener);
  CHECK_INT(MORE(subscribers), 1);
  promise_publisher_finish(publisher);
  promise_subscriber_release(subscriber);
  promise_publisher_release(publisher);
  CHECK_INT(MORE(loops), 0);
  CHECK_INT(MORE(publishers), 0);
  CHECK_INT(MORE(subscribers), 0);
}

TEST(types_and_threads) {
  begin();
  CHECK(promise_type_named("string") != NULL);
  CHECK_INT(MORE(types), 0);
  CHECK(promise_type_register("test.statistics", NULL, NULL) != NULL);
  CHECK(promise_type_register("test.statistics", NULL, NULL) != NULL);
  CHECK_INT(MORE(types), 1);
  CHECK_INT(statistics().threads, 0);
}

TEST(memory_of_cells) {
  begin();
  peak_t peak = peak_room(check_scale(100000));
  peak_rise(&peak);
  long in_use = (long)statistics().bytes_resident - (long)statistics().bytes_reusable;
  CHECK(in_use >= peak.count * 64);
  CHECK(in_use < peak.count * 64 + (1 << 20));
  peak_fall(&peak, 0);
  in_use = (long)statistics().bytes_resident - (long)statistics().bytes_reusable;
  CHECK(in_use < 1 << 20);
  free(peak.promises);
}
