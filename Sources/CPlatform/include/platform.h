/* platform.h - what the engine needs of the platform and Swift has no words for: thread-local variables, futexes,
 * reserved address space. Linux only; another platform is another implementation of this header. */
#ifndef CPLATFORM_H
#define CPLATFORM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#if defined(__clang__)
#pragma clang assume_nonnull begin
#endif

/* What the engine keeps for each thread. */
struct platform_thread {
  void *_Nullable free;       /* a list of free cells, linked by their first word of context */
  void *_Nullable spare;      /* a second, full list of free cells, or NULL */
  uint32_t room;              /* how many more cells `free` takes; 0 in a thread that has none yet, too */
  int32_t last_status;        /* of the last failing call that returned a pointer */
  void *_Nullable activation; /* the innermost settlement that runs on this thread */
  void *_Nullable submission; /* the innermost hand-over of a job to an executor on this thread */
  void *_Nullable now;        /* the settlement in which a callback runs "now" (Now.swift) */
  void *_Nullable main_pass;  /* what runs callbacks of the main context on this thread */
  void *_Nullable running;    /* the innermost executor whose job runs on this thread */
  void *_Nullable delivery;   /* the subscribers that this thread is delivering events to (Delivery.swift) */
  void *_Nullable worker;     /* what the thread is in a pool, if it is one of a pool's */
  uint32_t disposal;          /* the first of the cells whose disposal waits for the running one, by index */
  bool disposing;             /* a disposal runs on this thread */
  bool watched;               /* the exit handler is registered for this thread */
  bool listening;             /* a hook of the user's runs on this thread */
};

/* The fastest access to thread-local variables. musl has it in programs and what they link, not in what they load later. */
#if defined(__GLIBC__)
#define PLATFORM_TLS __attribute__((visibility("hidden"), tls_model("initial-exec")))
#else
#define PLATFORM_TLS __attribute__((visibility("hidden")))
#endif

extern __thread struct platform_thread platform_this_thread PLATFORM_TLS;

static inline struct platform_thread *platform_thread(void) {
  return &platform_this_thread;
}

/* Calls `handler` on the calling thread when it ends. It may be asked for again from within `handler`. */
void platform_at_thread_exit(void (*handler)(void)) __attribute__((visibility("hidden")));

/* What one large page holds: 2 MiB. */
enum { PLATFORM_LARGE_PAGE = 1 << 21 };

/* Reserves `size` bytes of address space without memory, from the start of a large page; NULL if there is none. */
void *_Nullable platform_reserve(size_t size) __attribute__((visibility("hidden")));

/* Makes reserved bytes usable; they read 0. A whole large page is asked for as one. False if there is no memory. */
bool platform_commit(void *start, size_t size) __attribute__((visibility("hidden")));

/* Gives the memory of whole pages back to the system: they stay usable, and read 0. False if the system keeps it, as it does
 * with locked memory. */
bool platform_give_back(void *start, size_t size) __attribute__((visibility("hidden")));

/* Maps `size` bytes that read 0 and take memory page by page, as they are written; NULL if there is no room. */
void *_Nullable platform_map(size_t size) __attribute__((visibility("hidden")));

/* Locks, one for each enumerator's subject. Nothing of the user's runs while one is held. */
enum {
  PLATFORM_LOCK_SLAB,
  PLATFORM_LOCK_TYPES,
  PLATFORM_LOCK_TOKENS,
  PLATFORM_LOCK_MAIN,
  PLATFORM_LOCK_SETUP,
  PLATFORM_LOCK_LOOPS,
  PLATFORM_LOCK_WAITERS,
  PLATFORM_LOCK_OBSERVERS,
  PLATFORM_LOCK_TRACE,
  PLATFORM_LOCK_HOOKS,
  PLATFORM_LOCKS
};
void platform_lock(int lock) __attribute__((visibility("hidden")));
void platform_unlock(int lock) __attribute__((visibility("hidden")));

/* Sleeps while `*word` is `expected`, at most until the monotonic time `deadline` (nanoseconds; negative: for ever).
 * Wakes spuriously too. False if a handler of a signal, whatever its flags, ran on the thread: for certain only if there is a
 * deadline. */
bool platform_futex_wait(const void *word, uint32_t expected, int64_t deadline) __attribute__((visibility("hidden")));
void platform_futex_wake_one(const void *word) __attribute__((visibility("hidden")));
void platform_futex_wake_all(const void *word) __attribute__((visibility("hidden")));

/* free(), under a name that Swift code may use beside members called `free`. */
static inline void platform_free(void *_Nullable memory) {
  free(memory);
}

/* Lets other threads run, one of which is about to do what the caller waits for. */
void platform_yield(void) __attribute__((visibility("hidden")));

/* Whether the calling thread is the one that the process began with. */
bool platform_is_main_thread(void) __attribute__((visibility("hidden")));

/* A number that nobody can guess. */
uint64_t platform_random(void) __attribute__((visibility("hidden")));

/* The double that is nearest to a decimal number, whatever the locale. The text is one: digits, a point, an exponent. */
double platform_double(const char *text) __attribute__((visibility("hidden")));

/* Reads an atomic word for what never changes in it. Tests that try every order of atomic operations do not count it as
 * one. */
static inline uint64_t platform_fixed_word(const void *word) {
  return __atomic_load_n((const uint64_t *)word, __ATOMIC_RELAXED);
}

/* Changes the second of two neighbouring atomic words, the first of which is at a multiple of 16 bytes, if both are as
 * expected: in one atomic step, sequentially consistent. False if one was not. */
bool platform_exchange_second(void *words, uint64_t first, uint64_t second, uint64_t desired)
    __attribute__((visibility("hidden")));

/* Fetches the line at the address, which is about to be written. */
static inline void platform_prefetch(const void *address) {
  __builtin_prefetch(address, 1);
}

/* Copies what another thread may be writing, word by word: each is one that was there. For snapshots that are checked
 * afterwards, so that the thread sanitizer has nothing to say. */
void platform_copy_words(const void *from, uint64_t *to, int count) __attribute__((visibility("hidden")));

/* Writes everything to a file descriptor. False if that fails; errno says why. */
bool platform_write(int descriptor, const void *bytes, size_t count) __attribute__((visibility("hidden")));

/* errno. */
int platform_last_error(void) __attribute__((visibility("hidden")));

/* Monotonic time in nanoseconds. */
int64_t platform_now(void) __attribute__((visibility("hidden")));

#if defined(__clang__)
#pragma clang assume_nonnull end
#endif

#endif
