/* promise/operator.h, promise/flatten.h: operators that group, remember and flatten. */
#include "../checked.h"

#include "../operators.h"

CHECKS(group)

RULE(groups_and_zips, "promise_publisher_buffer() and _zip() have each value once") {
  promise_publisher_t *publisher = publisher_new(0), *twice[] = {publisher, publisher};
  promise_subscriber_t *groups = listener_of(promise_publisher_buffer(publisher, 2));
  for (int i = 0; i < 3; i++)
    publish(publisher, i);
  CHECK_TEXT(journal, "[ab]");
  CHECK_STATUS(promise_publisher_finish(publisher), PROMISE_OK);
  CHECK_TEXT(journal, "[ab][c].");
  release_stream(groups, publisher);
  journal_clear();
  twice[0] = publisher_new(0), twice[1] = publisher_new(0);
  promise_subscriber_t *zip = listener_of(promise_publisher_zip(twice, 2));
  publish(twice[1], 3);
  publish(twice[0], 0);
  publish(twice[0], 1);
  CHECK_STATUS(promise_publisher_finish(twice[0]), PROMISE_OK);
  CHECK_TEXT(journal, "[ad]");
  publish(twice[1], 4);
  CHECK_TEXT(journal, "[ad][be].");
  CHECK_STATUS(promise_publisher_release(twice[1]), PROMISE_OK);
  release_stream(zip, twice[0]);
}

RULE(the_latest_events_are_replayed, "promise_publisher_replay() has the latest events for new subscribers") {
  promise_publisher_t *publisher = publisher_new(0);
  promise_publisher_t *replay = promise_publisher_replay(publisher, 2);
  for (int i = 0; i < 3; i++)
    publish(publisher, i);
  promise_subscriber_t *subscriber = listener_of(replay);
  CHECK_TEXT(journal, "bc");
  publish(publisher, 3);
  CHECK_TEXT(journal, "bcd");
  release_stream(subscriber, publisher);
}

static promise_publisher_t *inner_publishers[2];
static promise_publisher_t *chooses_inner(void *ctx, const promise_value_t *value) {
  spy_see(ctx, value);
  promise_publisher_t *chosen = inner_publishers[value->kind == PROMISE_KIND_I64];
  CHECK_STATUS(promise_publisher_retain(chosen), PROMISE_OK);
  return chosen;
}

static void check_flat_map(promise_flatten_t strategy, const char *expected) {
  spy_t spy = {0};
  promise_publisher_t *publisher = publisher_new(0);
  journal_clear();
  inner_publishers[0] = publisher_new(0), inner_publishers[1] = publisher_new(0);
  promise_subscriber_t *subscriber =
      listener_of(promise_publisher_flat_map(publisher, strategy, chooses_inner, &spy, spy_free));
  promise_value_t nothing = {.kind = PROMISE_KIND_VOID};
  CHECK_STATUS(promise_publisher_publish(publisher, &nothing), PROMISE_OK);
  publish(publisher, 1);
  publish(inner_publishers[0], 0);
  publish(inner_publishers[1], 1);
  CHECK_STATUS(promise_publisher_finish(publisher), PROMISE_OK);
  CHECK_STATUS(promise_publisher_finish(inner_publishers[0]), PROMISE_OK);
  publish(inner_publishers[1], 2);
  CHECK_STATUS(promise_publisher_finish(inner_publishers[1]), PROMISE_OK);
  CHECK_TEXT(journal, expected);
  release_stream(subscriber, publisher);
  CHECK_SPY(&spy, 2, 1);
  for (int i = 0; i < 2; i++)
    CHECK_STATUS(promise_publisher_release(inner_publishers[i]), PROMISE_OK);
}

RULE(values_become_streams, "promise_publisher_flat_map() publishes streams by its strategy") {
  check_flat_map(PROMISE_FLATTEN_MERGE, "abc.");
  check_flat_map(PROMISE_FLATTEN_CONCAT, "ac.");
  check_flat_map(PROMISE_FLATTEN_LATEST, "bc.");
}

RULE(errors_are_retried, "promise_publisher_retry() makes another stream of an error") {
  spy_t spy = {0};
  journal_clear();
  inner_publishers[0] = publisher_new(0), inner_publishers[1] = publisher_new(0);
  promise_subscriber_t *subscriber = listener_of(promise_publisher_retry(1, chooses_inner, &spy, spy_free));
  publish(inner_publishers[0], 0);
  publish_error(inner_publishers[0], 5);
  publish(inner_publishers[0], 1);
  publish(inner_publishers[1], 2);
  publish_error(inner_publishers[1], 3);
  CHECK_TEXT(journal, "acD");
  CHECK_STATUS(promise_publisher_finish(inner_publishers[1]), PROMISE_OK);
  CHECK_TEXT(journal, "acD.");
  CHECK_STATUS(promise_subscriber_release(subscriber), PROMISE_OK);
  CHECK_SPY(&spy, 2, 1);
  for (int i = 0; i < 2; i++)
    CHECK_STATUS(promise_publisher_release(inner_publishers[i]), PROMISE_OK);
}
