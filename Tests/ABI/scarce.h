/* scarce.h - memory that runs out at a chosen allocation: at each allocation of a call in turn.
 *
 *     OUT_OF_MEMORY(then) {
 *       promise_t *source = promise_new();
 *       scarce();
 *       promise_t *derived = promise_then(source, adds_one, NULL, NULL);
 *       promise_status_t status = plenty(of(derived));
 *       ...
 *       return status;
 *     }
 *
 * The call between scarce() and plenty() has a limited number of cells and of blocks of the C library; a file or thread
 * counts as a block. The limit is 0, then one more at each attempt, until the call succeeds and leaves some unused.
 * Each attempt must either succeed or return PROMISE_ENOMEM without a leak. Other threads are not limited.
 *
 * Cells are counted by allocating all free ones, so no other test may use the library meanwhile.
 *
 * The functions below take the place of the C library's. A memory checker has an allocator of its own, which must stay
 * beneath this one: compile with -DSCARCE_WRAPPED, link the library statically, and pass the linker a --wrap for each
 * of the functions (scripts/checks.sh). */
#ifndef SCARCE_H
#define SCARCE_H

#include <errno.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "support.h"

/* ---- Blocks ---- */

#ifdef SCARCE_WRAPPED
#define SCARCE(name) __wrap_##name
#define BENEATH(name) __real_##name
#else
#define SCARCE(name) name
#define BENEATH(name) __libc_##name
#endif

extern void *BENEATH(malloc)(size_t);
extern void *BENEATH(calloc)(size_t, size_t);
extern void *BENEATH(realloc)(void *, size_t);
extern void BENEATH(free)(void *);

static _Thread_local long scarce_blocks = -1; /* the number that is left; -1: any number */
static _Thread_local bool scarce_full;        /* whether pages for cells are refused */
static atomic_bool scarce_full_for_all;       /* whether they are refused on all threads */
static atomic_long scarce_used;               /* blocks that were not freed */

/* Called once, within the next malloc() of this thread: at a moment of the call that the test selects. NULL: no
 * call. */
static _Thread_local void (*scarce_meanwhile)(void);

static void scarce_interrupt(void) {
  void (*meanwhile)(void) = scarce_meanwhile;
  scarce_meanwhile = NULL;
  if (meanwhile != NULL)
    meanwhile();
}

static bool scarce_takes(void) {
  if (scarce_blocks < 0)
    return true;
  if (scarce_blocks == 0) {
    errno = ENOMEM;
    return false;
  }
  scarce_blocks--;
  return true;
}

static void *scarce_counted(void *block) {
  if (block != NULL)
    atomic_fetch_add(&scarce_used, 1);
  return block;
}

void *SCARCE(malloc)(size_t size) {
  scarce_interrupt();
  return scarce_takes() ? scarce_counted(BENEATH(malloc)(size)) : NULL;
}

void *SCARCE(calloc)(size_t count, size_t size) {
  return scarce_takes() ? scarce_counted(BENEATH(calloc)(count, size)) : NULL;
}

void *SCARCE(realloc)(void *block, size_t size) {
  if (!scarce_takes())
    return NULL;
  void *moved = BENEATH(realloc)(block, size);
  return block == NULL ? scarce_counted(moved) : moved;
}

#ifdef SCARCE_WRAPPED
extern int __real_posix_memalign(void **, size_t, size_t);
static int scarce_align(void **block, size_t alignment, size_t size) {
  return __real_posix_memalign(block, alignment, size);
}
#else
extern void *__libc_memalign(size_t, size_t);
static int scarce_align(void **block, size_t alignment, size_t size) {
  *block = __libc_memalign(alignment, size);
  return *block != NULL ? 0 : ENOMEM;
}
#endif

int SCARCE(posix_memalign)(void **block, size_t alignment, size_t size) {
  if (!scarce_takes() || scarce_align(block, alignment, size) != 0)
    return ENOMEM;
  scarce_counted(*block);
  return 0;
}

void SCARCE(free)(void *block) {
  if (block != NULL)
    atomic_fetch_sub(&scarce_used, 1);
  BENEATH(free)(block);
}

int SCARCE(mprotect)(void *start, size_t size, int protection) {
  if (scarce_full || atomic_load(&scarce_full_for_all)) {
    errno = ENOMEM;
    return -1;
  }
  return (int)syscall(SYS_mprotect, start, size, protection);
}

static bool scarce_opens(void) {
  bool opens = scarce_takes();
  if (!opens)
    errno = EMFILE;
  return opens;
}

int SCARCE(eventfd)(unsigned count, int flags) {
  return scarce_opens() ? (int)syscall(SYS_eventfd2, count, flags) : -1;
}

int SCARCE(timerfd_create)(int clock, int flags) {
  return scarce_opens() ? (int)syscall(SYS_timerfd_create, clock, flags) : -1;
}

int SCARCE(epoll_create1)(int flags) {
  return scarce_opens() ? (int)syscall(SYS_epoll_create1, flags) : -1;
}

/* ---- Cells ---- */

enum { SCARCE_CELLS = 1 << 16, SCARCE_MANY = 512 };

/* Unused promises, each of which occupies a cell. */
static promise_t *scarce_hoard[SCARCE_CELLS];
static long scarce_hoarded;

/* Takes all free cells, and returns their number. */
static long scarce_take_all(void) {
  long before = scarce_hoarded;
  scarce_full = true;
  for (promise_t *promise; (promise = promise_new()) != NULL; scarce_hoard[scarce_hoarded++] = promise)
    REQUIRE(scarce_hoarded < SCARCE_CELLS);
  REQUIRE(promise_last_status() == PROMISE_ENOMEM);
  return scarce_hoarded - before;
}

static void scarce_leave(long cells) {
  REQUIRE(cells <= scarce_hoarded);
  for (; cells > 0; cells--)
    promise_release(scarce_hoard[--scarce_hoarded]);
}

/* ---- Attempts ---- */

static struct {
  long cells, blocks; /* the limit of the attempt; -1: unlimited */
  long left;          /* unused cells or blocks */
  bool keeps;         /* whether created objects stay */
} scarce_attempt;

/* Begins the limited section, which ends with plenty(). */
static inline void scarce(void) {
  scarce_take_all();
  scarce_leave(scarce_attempt.cells < 0 ? SCARCE_MANY : scarce_attempt.cells);
  scarce_blocks = scarce_attempt.blocks;
}

/* Ends the limited section. Returns `status`, the status of the call. */
static inline promise_status_t plenty(promise_status_t status) {
  long blocks = scarce_blocks;
  scarce_blocks = -1;
  long cells = scarce_take_all();
  scarce_attempt.left = scarce_attempt.cells < 0 ? blocks : cells;
  scarce_leave(SCARCE_MANY);
  return status;
}

/* Returns the status of a function that returns NULL on failure. */
static inline promise_status_t of(const volatile void *result) {
  return result != NULL ? PROMISE_OK : promise_last_status();
}

/* Makes an attempt, and checks that it leaves no cell or block. Returns whether it was the last attempt. A thread that
 * the library has started releases a block once it runs, which may be during the attempt: then the attempt is
 * repeated. */
static inline bool scarce_try(promise_status_t (*body)(void), long *failures) {
  promise_status_t status;
  long cells, used, rounds = 0;
  do {
    scarce_take_all();
    cells = scarce_hoarded;
    scarce_leave(SCARCE_MANY);
    used = atomic_load(&scarce_used);
    status = body();
    scarce_take_all();
  } while (!scarce_attempt.keeps && atomic_load(&scarce_used) < used && ++rounds < 100);
  if (status == PROMISE_ENOMEM)
    ++*failures;
  else
    CHECK_STATUS(status, PROMISE_OK);
  if (!scarce_attempt.keeps) {
    bool as_many_cells = CHECK_INT(scarce_hoarded, cells);
    bool as_many_blocks = CHECK_INT(atomic_load(&scarce_used), used);
    check_that(as_many_cells && as_many_blocks, __FILE__, __LINE__, "with %ld cells, %ld blocks (-1: many): %s",
               scarce_attempt.cells, scarce_attempt.blocks, promise_status_name(status));
  }
  return status == PROMISE_OK && scarce_attempt.left > 0;
}

/* Makes attempts with more and more cells and unlimited blocks, or the other way round, as `resource` selects. Returns
 * the number of failed attempts. */
static inline long scarce_run(promise_status_t (*body)(void), long *resource) {
  long failures = 0;
  scarce_attempt.cells = scarce_attempt.blocks = -1;
  for (*resource = 0; *resource < 64; ++*resource)
    if (scarce_try(body, &failures))
      break;
  CHECK(*resource < 64);
  return failures;
}

/* Reserves a number of cells for the test, which has no others. */
static void scarce_begin(void) {
  while (scarce_hoarded < 2 * SCARCE_MANY)
    REQUIRE((scarce_hoard[scarce_hoarded++] = promise_new()) != NULL);
}

static void scarce_end(void) {
  scarce_full = false;
  scarce_leave(scarce_hoarded);
}

static inline void scarce_test(promise_status_t (*body)(void)) {
  scarce_begin();
  scarce_attempt.cells = scarce_attempt.blocks = -1;
  body(); /* creates the objects that are created once, on first use */
  long failures = scarce_run(body, &scarce_attempt.cells);
  failures += scarce_run(body, &scarce_attempt.blocks);
  CHECK(failures > 0); /* otherwise the call needs no memory */
  scarce_end();
}

/* Tests a call that creates objects once, on first use: each attempt may create some, and those stay. */
static inline void scarce_test_once(promise_status_t (*body)(void), long *resource) {
  scarce_begin();
  scarce_attempt.keeps = true;
  scarce_run(body, resource);
  scarce_end();
}

/* OUT_OF_MEMORY(name) { ... } tests a call that leaves nothing. For OUT_OF_MEMORY_ONCE(name), the created objects
 * stay. */
#define OUT_OF_MEMORY(name)                                                                                            \
  static promise_status_t name(void);                                                                                  \
  CHECK_DEFINE(name##_is_out_of_memory, #name, NULL) {                                                                 \
    scarce_test(name);                                                                                                 \
  }                                                                                                                    \
  static promise_status_t name(void)

/* OUT_OF_MEMORY for a call that returns the status. */
#define OUT_OF_MEMORY_BY(name, ...)                                                                                    \
  OUT_OF_MEMORY(name) {                                                                                                \
    return __VA_ARGS__;                                                                                                \
  }

#define OUT_OF_MEMORY_ONCE(name)                                                                                       \
  static promise_status_t name(void);                                                                                  \
  CHECK_DEFINE(name##_is_out_of_cells, #name ", cells", NULL) {                                                        \
    scarce_test_once(name, &scarce_attempt.cells);                                                                     \
  }                                                                                                                    \
  CHECK_DEFINE(name##_is_out_of_blocks, #name ", blocks", NULL) {                                                      \
    scarce_test_once(name, &scarce_attempt.blocks);                                                                    \
  }                                                                                                                    \
  static promise_status_t name(void)

#endif /* SCARCE_H */
