/* Misuse of callbacks, executors and jobs. */
#include <sys/mman.h>

#include "misuse.h"

/* ---- Callbacks ---- */

MISUSE(promise_then) {
  refused(promise_then(NULL, spy_handler, &spy, spy_free), PROMISE_EINVAL, &spy);
  refused(promise_then(NULL, NULL, &spy, spy_free), PROMISE_EINVAL, &spy);
  promise_t *promise = fulfilled(1);
  refused(promise_then(promise, NULL, &spy, spy_free), PROMISE_EINVAL, &spy);
  promise_release(promise);
  EACH_BAD_HANDLE(PROMISES, handle)
    refused(promise_then(handle, spy_handler, &spy, spy_free), PROMISE_ESTALE, &spy);
}

MISUSE(promise_rescue) {
  refused(promise_rescue(NULL, NULL, spy_handler, &spy, spy_free), PROMISE_EINVAL, &spy);
  promise_t *promise = rejected(1);
  refused(promise_rescue(promise, NULL, NULL, &spy, spy_free), PROMISE_EINVAL, &spy);
  promise_release(promise);
  EACH_BAD_HANDLE(PROMISES, handle)
    refused(promise_rescue(handle, NULL, spy_handler, &spy, spy_free), PROMISE_ESTALE, &spy);
  EACH_BAD_HANDLE(TYPES, type)
    refused(promise_rescue(live_promise, type, spy_handler, &spy, spy_free), PROMISE_ESTALE, &spy);
}

static void check_observing(__typeof__(promise_observe) *observe) {
  CHECK_STATUS(observe(NULL, spy_observer, spy_observer, &spy, spy_free), PROMISE_EINVAL);
  freed_uncalled();
  EACH_BAD_HANDLE(PROMISES, handle) {
    CHECK_STATUS(observe(handle, spy_observer, spy_observer, &spy, spy_free), PROMISE_ESTALE);
    freed_uncalled();
  }
}

MISUSE_BY(check_observing, promise_observe)
MISUSE_BY(check_observing, promise_tap)

MISUSE(promise_finally) {
  refused(promise_finally(NULL, spy_discard, &spy, spy_free), PROMISE_EINVAL, &spy);
  promise_t *promise = fulfilled(1);
  refused(promise_finally(promise, NULL, &spy, spy_free), PROMISE_EINVAL, &spy);
  promise_release(promise);
  EACH_BAD_HANDLE(PROMISES, handle)
    refused(promise_finally(handle, spy_discard, &spy, spy_free), PROMISE_ESTALE, &spy);
}

MISUSE(promise_follow) {
  promise_t *promise = promise_new();
  CHECK_STATUS(promise_follow(NULL, promise), PROMISE_EINVAL);
  CHECK_STATUS(promise_follow(promise, NULL), PROMISE_EINVAL);
  promise_release(promise);
  EACH_BAD_HANDLE(PROMISES, handle) {
    CHECK_STATUS(promise_follow(handle, live_promise), PROMISE_ESTALE);
    CHECK_STATUS(promise_follow(live_promise, handle), PROMISE_ESTALE);
  }
}

static promise_reaction_t good_reaction(void) {
  promise_reaction_t reaction = {.size = sizeof reaction,
                                 .on_fulfilled = spy_handler,
                                 .on_rejected = spy_handler,
                                 .ctx = &spy,
                                 .free_ctx = spy_free};
  return reaction;
}
MISUSE(promise_react) {
  promise_t *promise = fulfilled(1);
  promise_reaction_t reaction = good_reaction();
  refused(promise_react(NULL, NULL), PROMISE_EINVAL, NULL);
  refused(promise_react(promise, NULL), PROMISE_EINVAL, NULL);
  refused(promise_react(NULL, &reaction), PROMISE_EINVAL, &spy);

  static const uint32_t small[] = {0, 1, 8, sizeof(promise_reaction_t) - 1};
  for (size_t i = 0; i < sizeof small / sizeof *small; i++) {
    reaction.size = small[i];
    refused(promise_react(promise, &reaction), PROMISE_EINVAL, NULL);
    CHECK_SPY(&spy, 0, 0); /* the struct may be too small to have these fields */
  }

  reaction = good_reaction();
  reaction.reserved = 1;
  refused(promise_react(promise, &reaction), PROMISE_EINVAL, &spy);
  reaction = good_reaction();
  reaction.on_fulfilled = reaction.on_rejected = NULL;
  refused(promise_react(promise, &reaction), PROMISE_EINVAL, &spy);

  struct {
    promise_reaction_t reaction;
    unsigned char later[64];
  } newer = {.reaction = good_reaction()};
  newer.reaction.size = sizeof newer;
  for (size_t i = 0; i < sizeof newer.later; i++) {
    memset(newer.later, 0, sizeof newer.later);
    newer.later[i] = 1;
    refused(promise_react(promise, &newer.reaction), PROMISE_EINVAL, &spy);
  }

  /* A size that was never set does not make the library read beyond the struct. */
  long page = sysconf(_SC_PAGESIZE);
  char *memory = mmap(NULL, (size_t)page * 2, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  REQUIRE(memory != MAP_FAILED && mprotect(memory + page, (size_t)page, PROT_NONE) == 0);
  promise_reaction_t *last = (promise_reaction_t *)(void *)memory;
  *last = good_reaction();
  last->size = UINT32_MAX;
  refused(promise_react(promise, last), PROMISE_EINVAL, &spy);
  munmap(memory, (size_t)page * 2);

  promise_release(promise);
  EACH_BAD_HANDLE(PROMISES, handle) {
    promise_reaction_t reaction = good_reaction();
    refused(promise_react(handle, &reaction), PROMISE_ESTALE, &spy);
  }
  EACH_BAD_HANDLE(EXECUTORS, executor) {
    promise_reaction_t reaction = good_reaction();
    reaction.executor = executor;
    refused(promise_react(live_promise, &reaction), PROMISE_ESTALE, &spy);
  }
  EACH_BAD_HANDLE(TYPES, type) {
    promise_reaction_t reaction = good_reaction();
    reaction.type = type;
    refused(promise_react(live_promise, &reaction), PROMISE_ESTALE, &spy);
  }
  EACH_BAD_HANDLE(TOKENS, token) {
    promise_reaction_t reaction = good_reaction();
    reaction.token = token;
    refused(promise_react(live_promise, &reaction), PROMISE_ESTALE, &spy);
  }
}

/* ---- Executors ---- */

MISUSE(promise_executor_new) {
  refused(promise_executor_new(NULL, &spy, spy_free), PROMISE_EINVAL, &spy);
}

MISUSE(promise_executor_immediate) {
  CHECK(promise_executor_immediate() != NULL);
}

MISUSE(promise_executor_global) {
  static const promise_priority_t bad[] = {0, PROMISE_PRIORITY_USER_INTERACTIVE + 1, 255, INT32_MAX, UINT32_MAX};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    refused(promise_executor_global(bad[i]), PROMISE_EINVAL, NULL);
}

MISUSE(promise_executor_serial) {
  EACH_BAD_HANDLE(EXECUTORS, handle)
    refused(promise_executor_serial(handle), PROMISE_ESTALE, NULL);
}

static void release_executor(void *executor) {
  promise_executor_release(executor);
}
MISUSE(promise_executor_submit) {
  CHECK_STATUS(promise_executor_submit(NULL, spy_discard, &spy, spy_free), PROMISE_EINVAL);
  freed_uncalled();
  CHECK_STATUS(promise_executor_submit(promise_executor_immediate(), NULL, &spy, spy_free), PROMISE_EINVAL);
  freed_uncalled();
  /* The context has the last reference to the executor. */
  promise_executor_t *own = promise_executor_serial(NULL);
  CHECK_STATUS(promise_executor_submit(own, NULL, own, release_executor), PROMISE_EINVAL);
  EACH_BAD_HANDLE(EXECUTORS, handle) {
    CHECK_STATUS(promise_executor_submit(handle, spy_discard, &spy, spy_free), PROMISE_ESTALE);
    freed_uncalled();
  }
}

MISUSE(promise_run) {
  refused(promise_run(NULL, NULL, &spy, spy_free), PROMISE_EINVAL, &spy);
  refused(promise_run(promise_executor_immediate(), NULL, &spy, spy_free), PROMISE_EINVAL, &spy);
  EACH_BAD_HANDLE(EXECUTORS, handle)
    refused(promise_run(handle, spy_handler, &spy, spy_free), PROMISE_ESTALE, &spy);
}

MISUSE_OF_HANDLE(promise_executor_is_current, EXECUTORS)
MISUSE_OF_HANDLE(promise_executor_retain, EXECUTORS)
MISUSE_OF_HANDLE(promise_executor_release, EXECUTORS)
MISUSE_OF_HANDLE(promise_job_run, JOBS)
MISUSE_OF_HANDLE(promise_job_drop, JOBS)
