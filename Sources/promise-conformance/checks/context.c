/* promise/callback.h: free_ctx is called exactly once, on every path. */
#include "../checked.h"

CHECKS(context)

RULE(context_is_freed_right_after_its_callback, "each context is freed right after its callback") {
  promise_t *promise = pending();
  CHECK_STATUS(promise_observe(promise, note_observer, NULL, LETTER('a'), note_free), PROMISE_OK);
  release(promise_then(promise, note_handler, LETTER('b'), note_free));
  CHECK_STATUS(promise_observe(promise, NULL, note_observer, LETTER('c'), note_free), PROMISE_OK);
  CHECK_STATUS(promise_observe(promise, note_observer, NULL, LETTER('d'), note_free), PROMISE_OK);
  resolve(promise, 1);
  CHECK_TEXT(journal, "aAbBCdD");
  release(promise);
}

RULE(context_is_freed_once_on_every_path, "a context is freed exactly once, whether its callback ran or never will") {
  for (int settled = 0; settled < 2; settled++) {
    for (int fulfils = 0; fulfils < 2; fulfils++) {
      spy_t spies[3] = {{0}, {0}, {0}};
      promise_t *promise = !settled ? pending() : fulfils ? fulfilled(1) : rejected(1);
      promise_t *derived = promise_then(promise, spy_handler, &spies[0], spy_free);
      promise_t *rescued = promise_rescue(promise, NULL, spy_handler, &spies[1], spy_free);
      CHECK_STATUS(promise_observe(promise, spy_observer, spy_observer, &spies[2], spy_free), PROMISE_OK);
      if (!settled)
        (fulfils ? resolve : reject)(promise, 1);
      CHECK_SPY(&spies[0], fulfils, 1);
      CHECK_SPY(&spies[1], !fulfils, 1);
      CHECK_SPY(&spies[2], 1, 1);
      RELEASE(derived, rescued, promise);
      for (int i = 0; i < 3; i++)
        CHECK_INT(atomic_load(&spies[i].frees), 1);
    }
  }
}

RULE(context_is_freed_when_attaching_fails, "a context is freed when the attaching call fails") {
  spy_t spy = {0};
  promise_t *const handles[] = {NULL, stale()};
  for (int i = 0; i < 2; i++) {
    promise_status_t status = i == 0 ? PROMISE_EINVAL : PROMISE_ESTALE;
    atomic_store(&spy.frees, 0);
    CHECK_POINTER(promise_then(handles[i], spy_handler, &spy, spy_free), NULL);
    CHECK_SPY(&spy, 0, 1);
    CHECK_STATUS(promise_last_status(), status);
    CHECK_POINTER(promise_rescue(handles[i], NULL, spy_handler, &spy, spy_free), NULL);
    CHECK_SPY(&spy, 0, 2);
    CHECK_STATUS(promise_observe(handles[i], spy_observer, NULL, &spy, spy_free), status);
    CHECK_SPY(&spy, 0, 3);
  }
  promise_t *promise = pending();
  atomic_store(&spy.frees, 0);
  CHECK_POINTER(promise_then(promise, NULL, &spy, spy_free), NULL);
  CHECK_POINTER(promise_rescue(promise, NULL, NULL, &spy, spy_free), NULL);
  CHECK_SPY(&spy, 0, 2);
  release(promise);
  CHECK_SPY(&spy, 0, 2);
}

static void fails_and_reads_the_status(void *frees) {
  CHECK_POINTER(promise_then(NULL, spy_handler, NULL, NULL), NULL);
  promise_last_status();
  ++*(int *)frees;
}

static void fails(void *frees) {
  CHECK_POINTER(promise_then(NULL, spy_handler, NULL, NULL), NULL);
  ++*(int *)frees;
}

RULE(last_status_is_that_of_the_call_and_not_of_its_free_ctx,
     "the last status is that of the call that failed, and of no call in its free_ctx") {
  int frees = 0;
  CHECK_POINTER(promise_then(stale(), spy_handler, &frees, fails), NULL);
  CHECK_STATUS(promise_last_status(), PROMISE_ESTALE);
  CHECK_POINTER(promise_then(stale(), spy_handler, &frees, fails_and_reads_the_status), NULL);
  CHECK_STATUS(promise_last_status(), PROMISE_ESTALE);
  CHECK_INT(frees, 2);
}

RULE(context_is_freed_where_its_callback_ran, "a context is freed on the thread where its callback ran") {
  spy_t spy = {0};
  promise_t *promise = pending();
  release(promise_then(promise, spy_handler, &spy, spy_free));
  pthread_t thread = start(resolve_there, promise);
  finish(thread);
  CHECK_SPY(&spy, 1, 1);
  CHECK(pthread_equal(spy.thread, thread) && pthread_equal(spy.freed_on, thread));
  release(promise);
}
