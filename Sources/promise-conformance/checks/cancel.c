/* promise/cancel.h: requests to cancel promises, and their propagation upstream. Tokens: token.c. */
#include "../checked.h"

CHECKS(cancel)

/* The context of a request handler, which writes the letter to the journal, and keeps the reason if it is a number. */
typedef struct asked {
  char letter;
  int64_t reason;
  promise_kind_t kind; /* the kind of the reason */
  int frees;
  promise_t *discards; /* the promise that the handler discards; NULL: none */
  promise_t *releases; /* the promise that it releases then; NULL: none */
} asked_t;

static void on_request(void *ctx, const promise_value_t *reason) {
  asked_t *asked = ctx;
  note(asked->letter);
  asked->kind = reason->kind;
  if (reason->kind == PROMISE_KIND_I64)
    asked->reason = reason->as.i64;
  if (asked->discards != NULL)
    CHECK_STATUS(promise_discard(asked->discards), PROMISE_OK);
  if (asked->releases != NULL)
    CHECK_STATUS(promise_release(asked->releases), PROMISE_OK);
}

static void free_asked(void *ctx) {
  ((asked_t *)ctx)->frees++;
}

static void on_request_of(promise_t *promise, asked_t *asked) {
  CHECK_STATUS(promise_on_cancel_request(promise, on_request, asked, free_asked), PROMISE_OK);
}

RULE(a_request_is_advice, "a promise that is asked to cancel stays pending, and its handlers are called once") {
  asked_t first = {.letter = 'a'}, second = {.letter = 'b'};
  promise_t *promise = promise_new();
  on_request_of(promise, &first);
  on_request_of(promise, &second);
  CHECK_INT(promise_cancel_requested(promise), 0);
  CHECK_STATUS(promise_request_cancel(promise, I64(7)), PROMISE_OK);
  CHECK_TEXT(journal, "ab");
  CHECK_INT(first.reason, 7);
  CHECK_INT(first.frees + second.frees, 2);
  CHECK_INT(promise_cancel_requested(promise), 1);
  CHECK_INT(promise_state(promise), PROMISE_PENDING);
  CHECK_STATUS(promise_request_cancel(promise, NULL), PROMISE_OK);
  CHECK_TEXT(journal, "ab");
  CHECK_STATUS(promise_resolve(promise, I64(1)), PROMISE_OK);
  CHECK_INT(promise_cancel_requested(promise), 0);
  CHECK_STATUS(promise_request_cancel(promise, NULL), PROMISE_ESETTLED);
  promise_release(promise);
}

RULE(a_handler_attached_late_gets_the_reason,
     "a handler that comes after the request is called at once, with the first reason") {
  asked_t late = {.letter = 'l'}, never = {.letter = 'n'};
  promise_t *promise = promise_new();
  promise_value_t why = text("because");
  CHECK_STATUS(promise_request_cancel(promise, &why), PROMISE_OK);
  CHECK_STATUS(promise_value_release(&why), PROMISE_OK);
  CHECK_STATUS(promise_request_cancel(promise, I64(9)), PROMISE_OK);
  on_request_of(promise, &late);
  CHECK_TEXT(journal, "l");
  CHECK_INT(late.reason, 0); /* the reason is that of the first request, a text */
  CHECK_STATUS(promise_resolve(promise, VOID()), PROMISE_OK);
  on_request_of(promise, &never);
  CHECK_TEXT(journal, "l");
  CHECK_INT(never.frees, 1);
  promise_release(promise);
}

/* A handler of a promise that was discarded for a reason is called at once, with the reason. */
RULE(a_handler_of_a_discarded_promise_gets_the_cause,
     "a handler of a discarded promise is called at once, with the cause") {
  for (int has_cause = 0; has_cause < 2; has_cause++) {
    asked_t asked = {.letter = 'a'};
    promise_t *promise = promise_new();
    journal_clear();
    CHECK_STATUS(promise_discard_with(promise, has_cause ? I64(5) : NULL), PROMISE_OK);
    on_request_of(promise, &asked);
    CHECK_TEXT(journal, "a");
    CHECK_INT(asked.kind, has_cause ? PROMISE_KIND_I64 : PROMISE_KIND_VOID);
    CHECK_INT(asked.reason, has_cause ? 5 : 0);
    CHECK_INT(asked.frees, 1);
    promise_release(promise);
  }
}

RULE(a_settled_promise_drops_its_handlers, "a promise that is settled drops its handlers uncalled") {
  for (int way = 0; way < 3; way++) {
    asked_t asked = {.letter = 'x'}, late = {.letter = 'l'};
    journal_clear();
    promise_t *promise = promise_new();
    on_request_of(promise, &asked);
    if (way == 0)
      promise_resolve(promise, VOID());
    if (way == 1)
      promise_reject(promise, VOID());
    if (way == 2)
      promise_discard(promise);
    CHECK_TEXT(journal, "");
    CHECK_INT(asked.frees, 1);
    on_request_of(promise, &late);
    CHECK_TEXT(journal, way == 2 ? "l" : ""); /* a discarded promise is cancelled, so the handler is called */
    CHECK_INT(promise_cancel_requested(promise), way == 2);
    CHECK_INT(late.frees, 1);
    promise_release(promise);
  }
}

RULE(a_promise_that_dies_drops_its_handlers, "a promise destroyed while pending drops its handlers") {
  asked_t asked = {.letter = 'x'};
  promise_t *promise = promise_new();
  on_request_of(promise, &asked);
  promise_release(promise);
  CHECK_TEXT(journal, "");
  CHECK_INT(asked.frees, 1);
}

RULE(every_handler_runs_though_the_first_settles,
     "every handler of a request is called, also if the first settles the promise") {
  promise_t *promise = promise_new();
  asked_t first = {.letter = 'a', .discards = promise}, second = {.letter = 'b'};
  on_request_of(promise, &first);
  on_request_of(promise, &second);
  promise_t *child = child_of(promise);
  CHECK_STATUS(promise_request_cancel(promise, NULL), PROMISE_OK);
  CHECK_TEXT(journal, "ab");
  CHECK_INT(first.kind, PROMISE_KIND_VOID);
  CHECK_INT(promise_state(child), PROMISE_REJECTED);
  RELEASE(child, promise);
}

/* ---- Propagation upstream ---- */

RULE(a_request_propagates_when_nobody_else_is_interested,
     "a request propagates upstream with the last interest: every derived promise asked, no reference left") {
  asked_t asked = {.letter = 'r'};
  promise_t *root = promise_new(); /* the producer's reference */
  on_request_of(root, &asked);
  promise_t *handle = retained(root);
  promise_t *one = child_of(root), *two = child_of(root);
  promise_request_cancel(one, NULL);
  promise_request_cancel(one, NULL);
  CHECK_TEXT(journal, "");
  promise_request_cancel(two, I64(3));
  CHECK_TEXT(journal, "");
  promise_release(handle); /* this handle was the last interest */
  CHECK_TEXT(journal, "r");
  promise_resolve(root, I64(1));
  CHECK(ended(one, PROMISE_FULFILLED, 2));
  promise_release(one), promise_release(two), promise_release(root);
}

RULE(a_settled_child_has_no_interest, "a settled derived promise holds no request back") {
  asked_t asked = {.letter = 'r'};
  promise_t *root = promise_new();
  on_request_of(root, &asked);
  promise_t *one = child_of(root), *two = child_of(root);
  promise_discard(one);
  promise_request_cancel(two, I64(3));
  CHECK_TEXT(journal, "r");
  CHECK_INT(asked.reason, 3);
  promise_release(one), promise_release(two), promise_release(root);
}

RULE(an_observer_is_interested_for_good_and_a_tap_never,
     "promise_observe() holds a request back, promise_tap() does not") {
  for (int taps = 0; taps < 2; taps++) {
    asked_t asked = {.letter = 'r'};
    spy_t spy = {0};
    journal_clear();
    promise_t *root = promise_new();
    on_request_of(root, &asked);
    promise_t *child = child_of(root);
    CHECK_STATUS((taps ? promise_tap : promise_observe)(root, spy_observer, spy_observer, &spy, spy_free), PROMISE_OK);
    promise_request_cancel(child, NULL);
    CHECK_TEXT(journal, taps ? "r" : "");
    promise_resolve(root, I64(1));
    CHECK_SPY(&spy, 1, 1);
    promise_release(child), promise_release(root);
  }
}

RULE(a_sealed_promise_is_asked_while_it_is_held, "references to a sealed promise hold no request back") {
  asked_t asked = {.letter = 'r'};
  promise_t *root = promise_new(), *handle = retained(root);
  on_request_of(root, &asked);
  CHECK_STATUS(promise_seal(root), PROMISE_OK);
  promise_t *child = child_of(root);
  promise_request_cancel(child, NULL);
  CHECK_TEXT(journal, "r");
  promise_release(child), promise_release(handle);
  promise_resolve(root, VOID());
  CHECK_STATUS(promise_seal(root), PROMISE_OK);
  promise_release(root);
}

RULE(a_request_reaches_an_adopted_promise,
     "a request propagates to the adopted promise, before and after the adoption") {
  for (int before = 0; before < 2; before++) {
    asked_t asked = {.letter = 'i'};
    journal_clear();
    promise_t *inner = promise_new();
    on_request_of(inner, &asked);
    promise_t *root = promise_new(), *child = promise_then(root, adopts, inner, NULL);
    if (before)
      promise_request_cancel(child, I64(5));
    promise_resolve(root, VOID());
    if (!before)
      promise_request_cancel(child, I64(5));
    CHECK_TEXT(journal, "i");
    CHECK_INT(asked.reason, 5);
    promise_resolve(inner, I64(8));
    CHECK(ended(child, PROMISE_FULFILLED, 8));
    promise_release(child), promise_release(root), promise_release(inner);
  }
}

RULE(a_request_propagates_up_a_long_chain, "a request propagates up a chain of 100,000 promises") {
  asked_t asked = {.letter = 'r'};
  enum { LINKS = 100000 };
  promise_t *root = promise_new(), *end = retained(root);
  on_request_of(root, &asked);
  for (int i = 0; i < LINKS; i++) {
    promise_t *next = child_of(end);
    promise_release(end);
    end = next;
  }
  promise_request_cancel(end, NULL);
  CHECK_TEXT(journal, "r");
  promise_release(end), promise_release(root);
}

/* ---- Following ---- */

RULE(a_request_propagates_from_a_follower, "a request propagates from a promise to the source that it follows") {
  for (int discardable = 0; discardable < 2; discardable++) {
    asked_t asked = {.letter = 's'};
    journal_clear();
    promise_t *source = promise_new();
    promise_t *promise = discardable ? promise_new_discardable(ignore_context, NULL, NULL) : promise_new();
    on_request_of(source, &asked);
    CHECK_STATUS(promise_follow(promise, source), PROMISE_OK);
    promise_request_cancel(promise, I64(2));
    CHECK_TEXT(journal, "s");
    CHECK_INT(asked.reason, 2);
    promise_discard(source);
    CHECK_INT(promise_cancel_requested(promise), 1);
    promise_release(promise), promise_release(source);
  }
}

/* Returns a promise that waits for one source or both, in one of four ways. Attaches the handler before the sources
 * where that is possible. */
static promise_t *giving_up(int way, promise_t **sources, asked_t *asked) {
  promise_t *promise = way == 0   ? child_of(sources[0])
                       : way == 1 ? promise_new()
                       : way == 2 ? promise_new_discardable(ignore_context, NULL, NULL)
                                  : promise_all(sources, 2, 0);
  REQUIRE(promise != NULL);
  on_request_of(promise, asked);
  if (way == 1 || way == 2)
    CHECK_STATUS(promise_follow(promise, sources[0]), PROMISE_OK);
  return promise;
}

/* A handler that settles or releases its own promise, or both, still ends the interest of that promise in the sources,
 * also if a token made the request. */
RULE(a_request_propagates_though_a_handler_settles,
     "a request propagates also if a handler of it settles or releases its promise") {
  enum { SETTLES = 1, RELEASES = 2, BY_TOKEN = 4 };
  for (int i = 0; i < 32; i++) {
    journal_clear();
    asked_t first = {.letter = 'f'}, above[] = {{.letter = 's'}, {.letter = 't'}};
    promise_t *sources[] = {promise_new(), promise_new()};
    on_request_of(sources[0], &above[0]), on_request_of(sources[1], &above[1]);
    promise_t *promise = giving_up(i / 8, sources, &first);
    first.discards = i & SETTLES ? promise : NULL;
    first.releases = i & RELEASES ? promise : NULL;
    if (i & BY_TOKEN) {
      promise_token_t *token = promise_token_new(0);
      CHECK_STATUS(promise_token_add(token, promise), PROMISE_OK);
      CHECK_STATUS(promise_token_cancel(token, I64(5)), PROMISE_OK);
      CHECK_STATUS(promise_token_release(token), PROMISE_OK);
    } else {
      CHECK_STATUS(promise_request_cancel(promise, I64(5)), PROMISE_OK);
    }
    CHECK_TEXT(journal, i / 8 == 3 ? "fst" : "fs");
    CHECK_INT(above[0].reason, 5);
    CHECK_INT(promise_cancel_requested(sources[0]), 1);
    CHECK_INT(first.frees, 1);
    CHECK_INT(above[0].frees, 1);
    if (first.releases == NULL)
      promise_release(promise);
    promise_release(sources[0]), promise_release(sources[1]);
    CHECK_INT(first.frees + above[0].frees + above[1].frees, 3);
  }
}

/* ---- Causes ---- */

RULE(a_cancelled_promise_has_a_cause,
     "a promise rejected with a DISCARDED is cancelled, and so are its derived promises") {
  asked_t late = {.letter = 'l'};
  promise_value_t cause = error("test", 5, "no more"), reason;
  CHECK_STATUS(promise_value_discarded(&reason, &cause), PROMISE_OK);
  CHECK_INT(reason.kind, PROMISE_KIND_DISCARDED);
  CHECK(promise_value_is(&reason, promise_type_named("discarded")));
  promise_t *promise = promise_new(), *child = child_of(promise);
  CHECK_STATUS(promise_reject(promise, &reason), PROMISE_OK);
  CHECK_INT(promise_cancel_requested(child), 1);
  promise_value_t got;
  CHECK_STATUS(promise_result(child, &got), PROMISE_OK);
  CHECK_INT(got.kind, PROMISE_KIND_DISCARDED);
  CHECK_STATUS(promise_value_release(&got), PROMISE_OK);
  on_request_of(child, &late);
  CHECK_TEXT(journal, "l");
  promise_release(child), promise_release(promise);
}

RULE(a_discarded_reason_has_a_cause, "promise_value_discarded() makes a DISCARDED, and takes over its cause") {
  payload_t payload = {0};
  promise_value_t cause = object(&payload), reason;
  CHECK_STATUS(promise_value_discarded(&reason, &cause), PROMISE_OK);
  CHECK_INT(reason.kind, PROMISE_KIND_DISCARDED);
  CHECK(promise_value_is(&reason, promise_type_named("discarded")));
  CHECK(promise_value_cause(&reason) != NULL);
  CHECK_POINTER(promise_value_data(promise_value_cause(&reason), NULL), &payload);
  promise_t *promise = pending();
  CHECK_STATUS(promise_reject(promise, &reason), PROMISE_OK);
  CHECK_DISCARDED(promise);
  CHECK_INT(promise_cancel_requested(promise), 1);
  release(promise);
  cause = object(&payload);
  CHECK_STATUS(promise_value_discarded(NULL, &cause), PROMISE_EINVAL);
  CHECK_DESTROYED(&payload, 2);
  CHECK_STATUS(promise_value_discarded(&reason, NULL), PROMISE_EINVAL);
  CHECK_INT(reason.kind, PROMISE_KIND_VOID);
}

RULE(invalid_arguments_are_refused, "invalid arguments are refused, and contexts freed") {
  spy_t spy = {0};
  promise_value_t forged = {.kind = 4711};
  promise_t *const handles[] = {NULL, stale()};
  for (int i = 0; i < 2; i++) {
    promise_status_t status = i == 0 ? PROMISE_EINVAL : PROMISE_ESTALE;
    CHECK_STATUS(promise_request_cancel(handles[i], NULL), status);
    CHECK_STATUS(promise_cancel_requested(handles[i]), status);
    CHECK_STATUS(promise_seal(handles[i]), status);
    CHECK_STATUS(promise_on_cancel_request(handles[i], spy_observer, &spy, spy_free), status);
    CHECK_SPY(&spy, 0, i + 1);
  }
  promise_t *promise = pending();
  CHECK_STATUS(promise_request_cancel(promise, &forged), PROMISE_EINVAL);
  CHECK_INT(promise_cancel_requested(promise), 0);
  CHECK_STATUS(promise_on_cancel_request(promise, NULL, &spy, spy_free), PROMISE_EINVAL);
  CHECK_SPY(&spy, 0, 3);
  release(promise);
}
