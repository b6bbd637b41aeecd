/* promise/callback.h: the callback that runs, and the outcome of the derived promise. */
#include "../checked.h"

CHECKS(callback)

static promise_t *derived;

RULE(then_maps_a_fulfilment, "promise_then() maps a fulfilment") {
  for (int late = 0; late < 2; late++) {
    spy_t spy = {0};
    promise_t *promise = late ? fulfilled(1) : pending();
    promise_t *child = promise_then(promise, spy_handler, &spy, spy_free);
    CHECK(child != NULL && child != promise);
    if (!late)
      resolve(promise, 1);
    CHECK_SPY(&spy, 1, 1);
    CHECK_INT(spy.seen, 1);
    CHECK_ENDED(child, PROMISE_FULFILLED, 2);
    RELEASE(child, promise);
  }
}

RULE(then_passes_a_rejection_through, "promise_then() passes a rejection through, and frees the context") {
  for (int late = 0; late < 2; late++) {
    spy_t spy = {0};
    promise_t *promise = late ? rejected(7) : pending();
    promise_t *child = promise_then(promise, spy_handler, &spy, spy_free);
    if (!late)
      reject(promise, 7);
    CHECK_SPY(&spy, 0, 1);
    CHECK_ENDED(child, PROMISE_REJECTED, 7);
    RELEASE(child, promise);
  }
}

RULE(rescue_maps_a_rejection, "promise_rescue() maps a rejection, and passes a fulfilment through") {
  for (int fulfils = 0; fulfils < 2; fulfils++) {
    spy_t spy = {0};
    promise_t *promise = pending();
    promise_t *child = promise_rescue(promise, NULL, spy_handler, &spy, spy_free);
    (fulfils ? resolve : reject)(promise, 7);
    CHECK_SPY(&spy, fulfils ? 0 : 1, 1);
    CHECK_ENDED(child, PROMISE_FULFILLED, fulfils ? 7 : 8);
    RELEASE(child, promise);
  }
}

/* Rejects with `reason`. Returns whether a handler for `type` was called; if not, checks that the reason passes
 * through. */
static bool rescues(const promise_type_t *type, promise_value_t reason) {
  spy_t spy = {0};
  promise_t *promise = promise_new();
  promise_t *child = promise_rescue(promise, type, spy_handler, &spy, spy_free);
  promise_value_t expected = reason, got;
  REQUIRE(child != NULL);
  CHECK_STATUS(promise_reject(promise, &reason), PROMISE_OK);
  CHECK_INT(atomic_load(&spy.frees), 1);
  bool called = atomic_load(&spy.calls) == 1;
  CHECK_INT(promise_state(child), called ? PROMISE_FULFILLED : PROMISE_REJECTED);
  if (!called) {
    CHECK_STATUS(promise_result(child, &got), PROMISE_OK);
    CHECK(memcmp(&got, &expected, sizeof got) == 0);
    promise_value_release(&got);
  }
  RELEASE(child, promise);
  return called;
}

static promise_value_t of(const promise_type_t *type) {
  promise_value_t value;
  REQUIRE(promise_value_object(&value, type, NULL) == PROMISE_OK);
  return value;
}

RULE(type_chooses_among_kinds, "promise_rescue() chooses among the kinds of reasons") {
  promise_value_t discarded = {.kind = PROMISE_KIND_DISCARDED};
  CHECK(rescues(promise_type_named("i64"), *I64(1)));
  CHECK(!rescues(promise_type_named("u64"), *I64(1)));
  CHECK(!rescues(promise_type_named("error"), *I64(1)));
  CHECK(rescues(promise_type_named("string"), text("reason")));
  CHECK(!rescues(promise_type_named("bytes"), text("reason")));
  CHECK(rescues(promise_type_named("error"), error("test", 1, "reason")));
  CHECK(!rescues(promise_type_named("discarded"), error("test", 1, "reason")));
  CHECK(!rescues(promise_type_named("object"), error("test", 1, "reason")));
  CHECK(rescues(promise_type_named("discarded"), discarded));
  CHECK(rescues(promise_type_named("error"), discarded));
  CHECK(rescues(NULL, discarded));
}

RULE(type_chooses_among_objects, "promise_rescue() is for reasons of its type and of those that descend from it") {
  const promise_type_t *parent = promise_type_register("test.rescue.parent", NULL, NULL);
  const promise_type_t *child = promise_type_register("test.rescue.child", parent, NULL);
  const promise_type_t *other = promise_type_register("test.rescue.other", parent, NULL);
  const promise_type_t *failure = promise_type_register("test.rescue.failure", promise_type_named("error"), NULL);
  CHECK(rescues(child, of(child)));
  CHECK(rescues(parent, of(child)));
  CHECK(rescues(promise_type_named("object"), of(child)));
  CHECK(rescues(NULL, of(child)));
  CHECK(!rescues(other, of(child)));
  CHECK(!rescues(child, of(parent)));
  CHECK(!rescues(promise_type_named("error"), of(child)));
  CHECK(rescues(promise_type_named("error"), of(failure)));
  CHECK(!rescues(failure, error("test", 1, "reason")));
  CHECK(!rescues(failure, (promise_value_t){.kind = PROMISE_KIND_DISCARDED}));
  CHECK(!rescues(failure, *I64(7)));
}

RULE(reason_propagates_to_the_first_handler_of_its_type,
     "a reason passes through to the first promise_rescue() of its type") {
  const promise_type_t *type = promise_type_register("test.rescue.traveller", NULL, NULL);
  spy_t skipped = {0}, wrong = {0}, right = {0}, after = {0};
  promise_value_t reason = of(type);
  promise_t *head = promise_new();
  promise_t *first = promise_then(head, spy_handler, &skipped, spy_free);
  promise_t *second = promise_rescue(first, promise_type_named("error"), spy_handler, &wrong, spy_free);
  promise_t *third = promise_rescue(second, type, spy_handler, &right, spy_free);
  promise_t *fourth = promise_then(third, spy_handler, &after, spy_free);
  promise_reject(head, &reason);
  CHECK_SPY(&skipped, 0, 1);
  CHECK_SPY(&wrong, 0, 1);
  CHECK_SPY(&right, 1, 1);
  CHECK_SPY(&after, 1, 1);
  CHECK_INT(promise_state(second), PROMISE_REJECTED);
  CHECK(ended(third, PROMISE_FULFILLED, 0));
  CHECK(ended(fourth, PROMISE_FULFILLED, 1));
  RELEASE(head, first, second, third, fourth);
}

RULE(a_verdict_decides, "the verdict decides the outcome of the derived promise") {
  spy_t rejects = {.verdict = PROMISE_REJECT, .answer = i64(9)};
  spy_t fulfils = {.verdict = PROMISE_FULFILL, .answer = i64(9)};
  promise_t *good = fulfilled(1), *bad = rejected(1);
  promise_t *children[] = {
      promise_then(good, spy_handler, &rejects, NULL), promise_then(good, spy_handler, &fulfils, NULL),
      promise_rescue(bad, NULL, spy_handler, &rejects, NULL), promise_rescue(bad, NULL, spy_handler, &fulfils, NULL)};
  for (int i = 0; i < 4; i++) {
    CHECK_ENDED(children[i], i % 2 == 0 ? PROMISE_REJECTED : PROMISE_FULFILLED, 9);
    release(children[i]);
  }
  RELEASE(good, bad);
}

RULE(a_wrong_verdict_rejects, "an invalid verdict or value rejects the derived promise with an ERROR of domain "
                              "\"promise\", code PROMISE_EINVAL") {
  static const promise_verdict_t verdicts[] = {15,
                                               255,
                                               256,
                                               -1,
                                               4711,
                                               INT32_MAX,
                                               INT32_MIN,
                                               PROMISE_PENDING,
                                               PROMISE_FULFILLED,
                                               PROMISE_REJECTED,
                                               PROMISE_VERDICT_PASS};
  promise_t *promise = fulfilled(1);
  for (size_t i = 0; i < sizeof verdicts / sizeof *verdicts; i++) {
    spy_t spy = {.verdict = verdicts[i], .answer = i64(1)};
    promise_t *child = promise_then(promise, spy_handler, &spy, spy_free);
    CHECK_LIBRARY_ERROR(child, PROMISE_EINVAL);
    CHECK_SPY(&spy, 1, 1);
    release(child);
  }
  const promise_value_t wrong[] = {{.kind = 0},
                                   {.kind = 4711},
                                   {.kind = PROMISE_KIND_ARRAY},
                                   {.kind = PROMISE_KIND_STRING, .as.ptr = NULL},
                                   {.kind = PROMISE_KIND_BYTES, .as.ptr = &derived},
                                   {.kind = PROMISE_KIND_ERROR, .as.u64 = UINT64_MAX},
                                   {.kind = PROMISE_KIND_OBJECT, .reserved = 12345, .as.ptr = &derived},
                                   {.kind = PROMISE_KIND_PROMISE, .as.ptr = NULL}};
  for (size_t i = 0; i < 2 * (sizeof wrong / sizeof *wrong); i++) {
    spy_t spy = {.verdict = i % 2 == 0 ? PROMISE_FULFILL : PROMISE_REJECT, .answer = wrong[i / 2]};
    promise_t *child = promise_then(promise, spy_handler, &spy, spy_free);
    CHECK_LIBRARY_ERROR(child, PROMISE_EINVAL);
    release(child);
  }
  release(promise);
}

RULE(a_settled_child_detaches_its_handler, "settling a derived promise detaches its handler, and frees the context") {
  for (int rejects = 0; rejects < 2; rejects++) {
    spy_t spy = {0};
    promise_t *promise = pending();
    promise_t *child = promise_then(promise, spy_handler, &spy, spy_free);
    (rejects ? reject : resolve)(child, 5);
    CHECK_SPY(&spy, 0, 1);
    CHECK_INT(promise_state(promise), PROMISE_PENDING);
    resolve(promise, 1);
    CHECK_SPY(&spy, 0, 1);
    CHECK_ENDED(child, rejects ? PROMISE_REJECTED : PROMISE_FULFILLED, 5);
    RELEASE(child, promise);
  }
}

/* A handler that settles its derived promise before it returns the verdict. */
static promise_verdict_t rejects_its_own(void *ctx, const promise_value_t *value, promise_value_t *out) {
  promise_verdict_t verdict = spy_handler(ctx, value, out);
  reject(derived, 5);
  return verdict;
}

RULE(a_child_settled_meanwhile_stays_so,
     "a promise that is settled while its handler runs stays so, and the handler's value is released") {
  static const promise_verdict_t verdicts[] = {PROMISE_FULFILL, PROMISE_REJECT, 99};
  for (int i = 0; i < 3; i++) {
    payload_t payload = {0};
    spy_t spy = {.verdict = verdicts[i], .answer = object(&payload)};
    promise_t *promise = pending();
    derived = promise_then(promise, rejects_its_own, &spy, spy_free);
    resolve(promise, 1);
    CHECK_SPY(&spy, 1, 1);
    CHECK_DESTROYED(&payload, 1);
    CHECK_ENDED(derived, PROMISE_REJECTED, 5);
    RELEASE(derived, promise);
  }
}
