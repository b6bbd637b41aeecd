/* Misuse of timers. */
#include "misuse.h"

static const int64_t negative[] = {-1, -1000000000, INT64_MIN};

static void sleep_on_bad(void *handle) {
  refused(promise_sleep_on(handle, 0), PROMISE_ESTALE, NULL);
}
static void sleep_on(void) {
  for (int i = 0; i < 3; i++)
    refused(promise_sleep_on(promise_executor_immediate(), negative[i]), PROMISE_EINVAL, NULL);
  each_bad_handle(EXECUTORS, sleep_on_bad);
}

static void sleeps(void) {
  for (int i = 0; i < 3; i++)
    refused(promise_sleep(negative[i]), PROMISE_EINVAL, NULL);
}

static const misuse_t table[] = {
    {"promise_sleep", sleeps},
    {"promise_sleep_on", sleep_on},
};

MISUSE_MAIN(table)
