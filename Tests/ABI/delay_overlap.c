/* timer.h: the loop of a delay runs while its source is being settled, at each release of a lock. The program replaces
 * pthread_mutex_unlock and runs the loop there, on the same thread: no race has to be won. */
#define _GNU_SOURCE
#include <dlfcn.h>

#include "loops.h"

static int (*unlock)(pthread_mutex_t *);

static promise_loop_t *loop;
static _Thread_local long unlocks_left = -1; /* unlocks before the loop runs; -1: it does not */

__attribute__((constructor)) static void find_unlock(void) {
  *(void **)&unlock = dlsym(RTLD_NEXT, "pthread_mutex_unlock");
}

int pthread_mutex_unlock(pthread_mutex_t *mutex) {
  if (unlock == NULL)
    find_unlock();
  int status = unlock(mutex);
  if (unlocks_left >= 0 && unlocks_left-- == 0)
    promise_loop_run_once(loop);
  return status;
}

TEST(it_ends_on_its_executor) {
  fixture_t fixture = setup();
  loop = fixture.loop;
  long count = 0;
  for (bool was_run = true; was_run; count++) {
    promise_t *source = promise_new(), *delayed = promise_delay_on(fixture.executor, source, 0);
    promise_t *child = promise_then(delayed, whether_it_is_current, fixture.executor, NULL);
    unlocks_left = count;
    CHECK_STATUS(promise_resolve(source, I64(5)), PROMISE_OK);
    was_run = unlocks_left < 0;
    unlocks_left = -1;
    CHECK_STATUS(promise_loop_wait(loop, child, FOR_EVER), PROMISE_OK);
    CHECK_ENDED(delayed, PROMISE_FULFILLED, 5);
    CHECK_ENDED(child, PROMISE_FULFILLED, 1);
    RELEASE(source, delayed, child);
  }
  CHECK(count > 1); /* the timer, at least, is added under a lock */
  teardown(fixture);
}
