/* Misuse of combinations of promises. */
#include <sys/mman.h>

#include "misuse.h"

typedef promise_t *combine_t(promise_t *const *promises, size_t count, uint32_t flags);

/* More inputs than a promise may have references are refused before the array is read: behind its first element the
 * memory is not accessible. */
static void refuses_many(combine_t *function) {
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  char *memory = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  REQUIRE(memory != MAP_FAILED && mprotect(memory + page, page, PROT_NONE) == 0);
  promise_t **last = (promise_t **)(void *)(memory + page) - 1;
  *last = promise_new();
  refused(function(last, (size_t)1 << 26, 0), PROMISE_ENOMEM, NULL);
  RELEASE(*last);
  CHECK_INT(munmap(memory, 2 * page), 0);
}

static void misuse(combine_t *function) {
  refuses_many(function);
  promise_t *promise = promise_new();
  promise_t *promises[] = {promise, NULL};
  refused(function(NULL, 1, 0), PROMISE_EINVAL, NULL);
  refused(function(promises, 2, 0), PROMISE_EINVAL, NULL);
  refused(function(promises, 1, 2), PROMISE_EINVAL, NULL);
  refused(function(promises, 1, UINT32_MAX), PROMISE_EINVAL, NULL);
  refused(function(promises, SIZE_MAX, 0), PROMISE_EINVAL, NULL);
  /* The count is checked before the promises, of which the second is stale. */
  promises[1] = stale();
  refused(function(promises, TOO_MANY(promise_t *), 0), PROMISE_EINVAL, NULL);
  promise_release(promise);
  EACH_BAD_HANDLE(PROMISES, handle) {
    promise_t *promises[] = {live_promise, handle, live_promise};
    refused(function(promises, 3, 0), PROMISE_ESTALE, NULL);
  }
}

MISUSE_BY(misuse, promise_all)
MISUSE_BY(misuse, promise_all_settled)
MISUSE_BY(misuse, promise_any)
MISUSE_BY(misuse, promise_race)
