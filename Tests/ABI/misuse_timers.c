/* Misuse of timers. */
#include "misuse.h"

static const int64_t negative[] = {-1, -1000000000, INT64_MIN};

MISUSE(promise_sleep_on) {
  for (int i = 0; i < 3; i++)
    refused(promise_sleep_on(promise_executor_immediate(), negative[i]), PROMISE_EINVAL, NULL);
  EACH_BAD_HANDLE(EXECUTORS, handle)
    refused(promise_sleep_on(handle, 0), PROMISE_ESTALE, NULL);
}

MISUSE(promise_sleep) {
  for (int i = 0; i < 3; i++)
    refused(promise_sleep(negative[i]), PROMISE_EINVAL, NULL);
}

/* Functions that derive a promise from another and a time. */
static void check_timed(promise_t *(*timed)(promise_t *, int64_t)) {
  refused(timed(NULL, 0), PROMISE_EINVAL, NULL);
  promise_t *promise = fulfilled(1);
  for (int i = 0; i < 3; i++)
    refused(timed(promise, negative[i]), PROMISE_EINVAL, NULL);
  promise_release(promise);
  EACH_BAD_HANDLE(PROMISES, handle)
    refused(timed(handle, 0), PROMISE_ESTALE, NULL);
}

static void check_timed_on(promise_t *(*timed_on)(promise_executor_t *, promise_t *, int64_t)) {
  refused(timed_on(NULL, NULL, 0), PROMISE_EINVAL, NULL);
  promise_t *promise = fulfilled(1);
  for (int i = 0; i < 3; i++)
    refused(timed_on(promise_executor_immediate(), promise, negative[i]), PROMISE_EINVAL, NULL);
  promise_release(promise);
  EACH_BAD_HANDLE(PROMISES, handle)
    refused(timed_on(promise_executor_immediate(), handle, 0), PROMISE_ESTALE, NULL);
  EACH_BAD_HANDLE(EXECUTORS, executor)
    refused(timed_on(executor, live_promise, 0), PROMISE_ESTALE, NULL);
}

MISUSE_BY(check_timed, promise_delay)
MISUSE_BY(check_timed_on, promise_delay_on)
MISUSE_BY(check_timed, promise_timeout)
MISUSE_BY(check_timed_on, promise_timeout_on)

MISUSE(promise_now) {
  CHECK(promise_now() > 0);
}
