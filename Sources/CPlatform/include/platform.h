/* platform.h - the platform services that Swift does not offer: thread-local variables, futexes, reserved address
 * space. Linux only; another platform needs another implementation of this header. */
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

/* The engine's state of a thread. */
struct platform_thread {
  void *_Nullable free;       /* the list of free cells, linked through `context` */
  void *_Nullable spare;      /* a second, full list of free cells, or NULL */
  uint32_t room;              /* the number of cells that `free` can still take; 0 also before first use */
  int32_t last_status;        /* the status of the last failing call that returned a pointer */
  void *_Nullable activation; /* the innermost settlement that runs on this thread */
  void *_Nullable submission; /* the innermost submission of a job to an executor on this thread */
  void *_Nullable now;        /* the settlement in which a callback runs "now" (PromiseContext+ExecutingNow.swift) */
  void *_Nullable main_pass;  /* the running pass of callbacks of the main context */
  void *_Nullable running;    /* the innermost executor whose job runs on this thread */
  void *_Nullable delivery;   /* the list of subscribers that this thread is draining (Delivery.swift) */
  void *_Nullable requests;   /* the list of callbacks that this thread is draining (RequestTurns.swift) */
  void *_Nullable worker;     /* the thread's state as a pool worker, or NULL */
  uint32_t disposal;          /* the first cell whose disposal is deferred, by index; 0: none */
  uint32_t contexts;          /* the first reaction whose context's release is deferred, by index; 0: none */
  bool disposing;             /* whether a disposal runs on this thread */
  bool watched;               /* whether the exit handler is registered for this thread */
  bool listening;             /* whether a hook of the user runs on this thread */
};

/* The fastest access to thread-local variables. musl supports it in programs and the libraries they link, not in
 * libraries loaded later. */
#if defined(__GLIBC__)
#define PLATFORM_TLS __attribute__((visibility("hidden"), tls_model("initial-exec")))
#else
#define PLATFORM_TLS __attribute__((visibility("hidden")))
#endif

extern __thread struct platform_thread platform_this_thread PLATFORM_TLS;

static inline struct platform_thread *platform_thread(void) {
  return &platform_this_thread;
}

/* Calls `handler` on the calling thread when that thread exits. `handler` may register itself again. */
void platform_at_thread_exit(void (*handler)(void)) __attribute__((visibility("hidden")));

/* The size of a large page: 2 MiB. */
enum { PLATFORM_LARGE_PAGE = 1 << 21 };

/* Reserves `size` bytes of address space without memory, aligned to a large page; NULL if there is no address space. */
void *_Nullable platform_reserve(size_t size) __attribute__((visibility("hidden")));

/* Makes reserved bytes usable; they read 0. A range of at least a large page may get large pages. False if there is
 * no memory. */
bool platform_commit(void *start, size_t size) __attribute__((visibility("hidden")));

/* Returns the memory of whole pages to the system: they stay usable, and read 0. False if the system keeps the
 * memory, as it does for locked memory. */
bool platform_give_back(void *start, size_t size) __attribute__((visibility("hidden")));

/* Maps `size` bytes that read 0, backed by memory page by page on first write; NULL if there is no address space. */
void *_Nullable platform_map(size_t size) __attribute__((visibility("hidden")));

/* Mutexes, one per subject. No user code runs while one is held. The order of the constants is not the lock order,
 * which is in docs/architecture.md. */
enum {
  PLATFORM_LOCK_SLAB,
  PLATFORM_LOCK_THREADS,
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

/* Sleeps while `*word` equals `expected`, at most until the monotonic time `deadline` (nanoseconds; negative:
 * unlimited). Spurious wake-ups are possible. False if a signal handler ran on the thread; without a deadline,
 * handlers with SA_RESTART may go unnoticed. */
bool platform_futex_wait(const void *word, uint32_t expected, int64_t deadline) __attribute__((visibility("hidden")));
void platform_futex_wake_one(const void *word) __attribute__((visibility("hidden")));
void platform_futex_wake_all(const void *word) __attribute__((visibility("hidden")));

/* free(), under a name that Swift code can use inside types with a member `free`. */
static inline void platform_free(void *_Nullable memory) {
  free(memory);
}

/* Yields to other threads, one of which is about to do the work that the caller waits for. */
void platform_yield(void) __attribute__((visibility("hidden")));

/* Whether the calling thread is the initial thread of the process. */
bool platform_is_main_thread(void) __attribute__((visibility("hidden")));

/* Returns an unpredictable number. */
uint64_t platform_random(void) __attribute__((visibility("hidden")));

/* Returns the double nearest to a decimal number in `text` (digits, a point, an exponent), independent of the
 * locale. */
double platform_double(const char *text) __attribute__((visibility("hidden")));

/* Loads an atomic word of which only immutable bits are used. The tests that explore interleavings do not count it
 * as an atomic operation. */
static inline uint64_t platform_fixed_word(const void *word) {
  return __atomic_load_n((const uint64_t *)word, __ATOMIC_RELAXED);
}

/* Reads the upper half of an atomic word, as platform_fixed_word() reads all of it. */
static inline uint32_t platform_fixed_upper_half(const void *word) {
  return __atomic_load_n((const uint32_t *)word + 1, __ATOMIC_RELAXED);
}

/* Loads and stores a number that another thread may access at the same time, with no ordering. For plain fields whose
 * concurrent accesses are rare and valid either way. The tests that explore interleavings do not count them as atomic
 * operations. */
static inline uint32_t platform_load_shared(const uint32_t *number) {
  return __atomic_load_n(number, __ATOMIC_RELAXED);
}
static inline void platform_store_shared(uint32_t *number, uint32_t value) {
  __atomic_store_n(number, value, __ATOMIC_RELAXED);
}

/* Replaces the second of two adjacent atomic words, aligned to 16 bytes, if both have the expected values: one
 * atomic, sequentially consistent step. False if one differs. */
bool platform_exchange_second(void *words, uint64_t first, uint64_t second, uint64_t desired)
    __attribute__((visibility("hidden")));

/* Prefetches the cache line of an address for writing. */
static inline void platform_prefetch(const void *address) {
  __builtin_prefetch(address, 1);
}

/* Copies memory that other threads may be writing, word by word: each word has a value that was stored there. For
 * snapshots that are validated afterwards; the thread sanitizer ignores these reads. */
void platform_copy_words(const void *from, uint64_t *to, int count) __attribute__((visibility("hidden")));

/* Writes all bytes to a file descriptor. False if that fails: errno has the reason. */
bool platform_write(int descriptor, const void *bytes, size_t count) __attribute__((visibility("hidden")));

/* Returns errno. */
int platform_last_error(void) __attribute__((visibility("hidden")));

/* Returns the monotonic time in nanoseconds. */
int64_t platform_now(void) __attribute__((visibility("hidden")));

#if defined(__clang__)
#pragma clang assume_nonnull end
#endif

#endif
