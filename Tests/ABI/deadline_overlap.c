/* cancel.h: a second call for a token during promise_token_set_deadline, at each release of a lock. */
#include "overlap.h"

#include "support.h"

static promise_token_t *token;
static int64_t hour;

/* Sets a deadline, and makes the second call in the unlock with that number. Returns whether there were so many
 * unlocks. */
static bool is_overlapped_at(long number) {
  begin_overlap(number);
  CHECK_STATUS(promise_token_set_deadline(token, NULL, hour), PROMISE_OK);
  return end_overlap();
}

/* Overlaps promise_token_set_deadline with `call` at each unlock in turn, and runs `check` after each time. */
static void overlap(void (*call)(void), void (*check)(void)) {
  /* The clock is created on its first use, under a lock that the second call needs: create it before. */
  promise_token_t *first = promise_token_new(0);
  CHECK_STATUS(promise_token_set_deadline(first, NULL, promise_now() + HOUR), PROMISE_OK);
  CHECK_STATUS(promise_token_release(first), PROMISE_OK);
  second_call = call;
  long count = 0;
  for (bool was_made = true; was_made; count++) {
    token = promise_token_new(0);
    REQUIRE(token != NULL);
    hour = promise_now() + HOUR;
    was_made = is_overlapped_at(count);
    if (was_made)
      check();
    else
      CHECK_STATUS(promise_token_release(token), PROMISE_OK);
  }
  CHECK(count > 1); /* the timer, at least, is added under a lock */
}

static void sets_an_earlier_one(void) {
  CHECK_STATUS(promise_token_set_deadline(token, NULL, hour - 1), PROMISE_OK);
}

static void has_the_earlier_one(void) {
  CHECK_INT(promise_token_deadline(token), hour - 1);
  CHECK_STATUS(promise_token_release(token), PROMISE_OK);
}

TEST_BY(an_earlier_deadline_set_concurrently_is_kept, overlap(sets_an_earlier_one, has_the_earlier_one))

static void releases_the_token(void) {
  CHECK_STATUS(promise_token_release(token), PROMISE_OK);
}

/* The token has no timer left, which would keep an object for an hour: check.h counts objects. */
static void is_stale(void) {
  CHECK_INT(promise_token_deadline(token), PROMISE_ESTALE);
}

TEST_BY(a_token_released_concurrently_leaves_no_timer, overlap(releases_the_token, is_stale))
