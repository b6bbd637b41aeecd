/* Misuse of cancellation: promises, handlers, tokens. */
#include "misuse.h"

static void no_request(void *ctx, const promise_value_t *reason) {
  (void)reason;
  atomic_fetch_add(&((spy_t *)ctx)->calls, 1);
}

/* ---- Requests ---- */

MISUSE(promise_request_cancel) {
  CHECK_STATUS(promise_request_cancel(NULL, NULL), PROMISE_EINVAL);
  EACH_BAD_HANDLE(PROMISES, handle)
    CHECK_STATUS(promise_request_cancel(handle, NULL), PROMISE_ESTALE);
  EACH_BAD_VALUE(value) {
    promise_t *promise = promise_new();
    CHECK_STATUS(promise_request_cancel(promise, &value), PROMISE_EINVAL);
    CHECK_INT(promise_cancel_requested(promise), 0);
    promise_release(promise);
  }
}

MISUSE_OF_HANDLE(promise_cancel_requested, PROMISES)

MISUSE(promise_on_cancel_request) {
  CHECK_STATUS(promise_on_cancel_request(NULL, no_request, &spy, spy_free), PROMISE_EINVAL);
  freed_uncalled();
  promise_t *promise = promise_new();
  CHECK_STATUS(promise_on_cancel_request(promise, NULL, &spy, spy_free), PROMISE_EINVAL);
  freed_uncalled();
  promise_release(promise);
  EACH_BAD_HANDLE(PROMISES, handle) {
    CHECK_STATUS(promise_on_cancel_request(handle, no_request, &spy, spy_free), PROMISE_ESTALE);
    freed_uncalled();
  }
}

MISUSE_OF_HANDLE(promise_seal, PROMISES)

MISUSE(promise_value_discarded) {
  promise_value_t out = *I64(5), cause;
  CHECK_STATUS(promise_value_discarded(&out, NULL), PROMISE_EINVAL);
  CHECK_INT(out.kind, PROMISE_KIND_VOID);
  REQUIRE(promise_value_object(&cause, payload_type(), &payload) == PROMISE_OK);
  CHECK_STATUS(promise_value_discarded(NULL, &cause), PROMISE_EINVAL);
  destroyed();
  EACH_BAD_VALUE(value) {
    promise_value_t out = *I64(5);
    CHECK_STATUS(promise_value_discarded(&out, &value), PROMISE_EINVAL);
    CHECK_INT(out.kind, PROMISE_KIND_VOID);
  }
}

/* ---- Tokens ---- */

MISUSE(promise_token_new) {
  refused(promise_token_new(PROMISE_TOKEN_INVALIDATE_ON_RELEASE | 1), PROMISE_EINVAL, NULL);
  refused(promise_token_new(PROMISE_CHAIN_CANCEL), PROMISE_EINVAL, NULL);
  promise_token_t *token = promise_token_new(PROMISE_TOKEN_INVALIDATE_ON_RELEASE);
  CHECK(token != NULL);
  CHECK_STATUS(promise_release((promise_t *)token), PROMISE_ESTALE);
  CHECK_STATUS(promise_token_release(token), PROMISE_OK);
}

MISUSE_OF_HANDLE(promise_token_retain, TOKENS)
MISUSE_OF_HANDLE(promise_token_release, TOKENS)

MISUSE(promise_token_invalidate) {
  CHECK_STATUS(promise_token_invalidate(NULL, NULL), PROMISE_EINVAL);
  EACH_BAD_HANDLE(TOKENS, handle)
    CHECK_STATUS(promise_token_invalidate(handle, NULL), PROMISE_ESTALE);
  EACH_BAD_VALUE(value) {
    promise_token_t *token = promise_token_new(0);
    CHECK_STATUS(promise_token_invalidate(token, &value), PROMISE_EINVAL);
    CHECK_INT(promise_token_generation(token), 0);
    CHECK_STATUS(promise_token_cancel(token, &value), PROMISE_EINVAL);
    promise_token_release(token);
  }
}

MISUSE(promise_token_cancel) {
  CHECK_STATUS(promise_token_cancel(NULL, NULL), PROMISE_EINVAL);
  EACH_BAD_HANDLE(TOKENS, handle)
    CHECK_STATUS(promise_token_cancel(handle, NULL), PROMISE_ESTALE);
}

MISUSE(promise_token_add) {
  promise_token_t *token = promise_token_new(0);
  promise_t *promise = promise_new();
  CHECK_STATUS(promise_token_add(NULL, promise), PROMISE_EINVAL);
  CHECK_STATUS(promise_token_add(token, NULL), PROMISE_EINVAL);
  promise_release(promise);
  promise_token_release(token);
  EACH_BAD_HANDLE(TOKENS, handle)
    CHECK_STATUS(promise_token_add(handle, live_promise), PROMISE_ESTALE);
  EACH_BAD_HANDLE(PROMISES, handle)
    CHECK_STATUS(promise_token_add(live_token, handle), PROMISE_ESTALE);
}

MISUSE(promise_token_chain) {
  promise_token_t *token = promise_token_new(0), *parent = promise_token_new(0);
  CHECK_STATUS(promise_token_chain(NULL, token, PROMISE_CHAIN_CANCEL), PROMISE_EINVAL);
  CHECK_STATUS(promise_token_chain(token, NULL, PROMISE_CHAIN_CANCEL), PROMISE_EINVAL);
  CHECK_STATUS(promise_token_chain(token, parent, PROMISE_CHAIN_CANCEL | 1), PROMISE_EINVAL);
  CHECK_STATUS(promise_token_chain(token, parent, PROMISE_TOKEN_INVALIDATE_ON_RELEASE), PROMISE_EINVAL);
  promise_token_release(parent);
  promise_token_release(token);
  EACH_BAD_HANDLE(TOKENS, handle) {
    CHECK_STATUS(promise_token_chain(handle, live_token, PROMISE_CHAIN_CANCEL), PROMISE_ESTALE);
    CHECK_STATUS(promise_token_chain(live_token, handle, 0), PROMISE_ESTALE);
  }
}

MISUSE_OF_HANDLE(promise_token_is_cancelled, TOKENS)

MISUSE(promise_token_set_deadline) {
  promise_token_t *token = promise_token_new(0);
  CHECK_STATUS(promise_token_set_deadline(NULL, NULL, 1), PROMISE_EINVAL);
  CHECK_STATUS(promise_token_set_deadline(token, NULL, -1), PROMISE_EINVAL);
  CHECK_STATUS(promise_token_set_deadline(token, NULL, INT64_MIN), PROMISE_EINVAL);
  CHECK_INT(promise_token_deadline(token), INT64_MAX);
  promise_token_release(token);
  EACH_BAD_HANDLE(TOKENS, handle)
    CHECK_STATUS(promise_token_set_deadline(handle, NULL, 1), PROMISE_ESTALE);
  EACH_BAD_HANDLE(EXECUTORS, handle) {
    CHECK_STATUS(promise_token_set_deadline(live_token, handle, 1), PROMISE_ESTALE);
    CHECK_INT(promise_token_deadline(live_token), INT64_MAX);
  }
}

MISUSE_OF_HANDLE(promise_token_deadline, TOKENS)
MISUSE_OF_HANDLE(promise_token_generation, TOKENS)
