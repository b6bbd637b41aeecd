/* Requests to cancel do not recurse: 100,000 links are asked, cancelled, settled and released on a stack of 512 KiB. */
#include "support.h"

static long count(void) {
  return check_scale(100 * 1000);
}

DERIVES(promise_t, delays, promise_delay(source, HOUR))
DERIVES(promise_t, limits, promise_timeout(source, HOUR))
DERIVES(promise_t, gathers, promise_all(&source, 1, 0))
static promise_verdict_t tries_again(void *ctx, const promise_value_t *in, promise_value_t *out) {
  (void)ctx, (void)in;
  *out = holding(promise_sleep(HOUR));
  return PROMISE_ADOPT;
}
DERIVES(promise_t, retries, promise_rescue(source, NULL, tries_again, NULL, NULL))

typedef promise_t *link_t(promise_t *source);
static link_t *const links[] = {delays, limits, gathers, follower_of, retries};
#define LINKS ((int)(sizeof links / sizeof *links))

static promise_t *chain(promise_t *source, link_t *link) {
  promise_t *last = retained(source);
  for (long i = 0; i < count(); i++) {
    promise_t *next = link(last);
    REQUIRE(next != NULL);
    promise_release(last);
    last = next;
  }
  return last;
}

static int asked;

static void discards(void *ctx, const promise_value_t *reason) {
  (void)reason;
  asked++;
  promise_discard(ctx);
}

static void *request(void *link) {
  promise_t *source = promise_new();
  asked = 0;
  promise_on_cancel_request(source, discards, source, NULL);
  promise_t *last = chain(source, *(link_t *const *)link);
  CHECK_STATUS(promise_request_cancel(last, NULL), PROMISE_OK);
  CHECK_INT(asked, 1);
  CHECK_INT(promise_state(last), PROMISE_REJECTED);
  CHECK(promise_cancel_requested(last));
  RELEASE(source, last);
  return NULL;
}
TEST(request_propagates) {
  for (int i = 0; i < LINKS; i++)
    on_small_stack(request, (void *)&links[i]);
}

static void *release(void *link) {
  promise_t *source = promise_new(), *last = chain(source, *(link_t *const *)link);
  RELEASE(last, source);
  return NULL;
}
TEST(pending_chain_is_released) {
  for (int i = 0; i < LINKS; i++)
    on_small_stack(release, (void *)&links[i]);
}

/* Used for all links but delays, which would take their time. */
static void *settle(void *link) {
  promise_t *source = promise_new(), *last = chain(source, *(link_t *const *)link);
  CHECK_STATUS(promise_resolve(source, I64(7)), PROMISE_OK);
  CHECK_INT(promise_state(last), PROMISE_FULFILLED);
  RELEASE(source, last);
  return NULL;
}
TEST(chain_is_settled) {
  for (int i = 1; i < LINKS; i++)
    on_small_stack(settle, (void *)&links[i]);
}
