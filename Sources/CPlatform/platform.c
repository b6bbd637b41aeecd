#define _GNU_SOURCE
#include "platform.h"

#include <errno.h>
#include <linux/futex.h>
#include <locale.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "uncancelled.h"

__thread struct platform_thread platform_this_thread;

static pthread_key_t exit_key;
static pthread_once_t exit_key_once = PTHREAD_ONCE_INIT;

static void call_exit_handler(void *handler) {
  ((void (*)(void))handler)();
}

static void make_exit_key(void) {
  pthread_key_create(&exit_key, call_exit_handler);
}

void platform_at_thread_exit(void (*handler)(void)) {
  pthread_once(&exit_key_once, make_exit_key);
  pthread_setspecific(exit_key, (void *)handler);
}

void *platform_reserve(size_t size) {
  char *start = mmap(NULL, size + PLATFORM_LARGE_PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (start == MAP_FAILED)
    return NULL;
  return start + (-(uintptr_t)start & (PLATFORM_LARGE_PAGE - 1));
}

bool platform_commit(void *start, size_t size) {
  if (mprotect(start, size, PROT_READ | PROT_WRITE) != 0)
    return false;
  /* Only a hint: a kernel without large pages rejects it, and the memory is usable all the same. */
  if (size >= PLATFORM_LARGE_PAGE)
    madvise(start, size, MADV_HUGEPAGE);
  return true;
}

bool platform_give_back(void *start, size_t size) {
  return madvise(start, size, MADV_DONTNEED) == 0;
}

void *platform_map(size_t size) {
  void *start = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return start == MAP_FAILED ? NULL : start;
}

/* Every x86-64 since 2006 has the instruction (cmpxchg16b), but compilers do not assume it.
 *
 * Not instrumented: ThreadSanitizer would replace the instruction by steps under a lock of its own, which operations on
 * one of the two words do not take. */
#if defined(__x86_64__)
__attribute__((target("cx16")))
#endif
#if defined(__clang__)
__attribute__((disable_sanitizer_instrumentation))
#endif
bool platform_exchange_second(void *words, uint64_t first, uint64_t second, uint64_t desired) {
  unsigned __int128 low = first;
  return __sync_bool_compare_and_swap((unsigned __int128 *)words, low | (unsigned __int128)second << 64,
                                      low | (unsigned __int128)desired << 64);
}

static pthread_mutex_t locks[PLATFORM_LOCKS] = {[0 ... PLATFORM_LOCKS - 1] = PTHREAD_MUTEX_INITIALIZER};

void platform_lock(int lock) {
  pthread_mutex_lock(&locks[lock]);
}

void platform_unlock(int lock) {
  pthread_mutex_unlock(&locks[lock]);
}

bool platform_futex_wait(const void *word, uint32_t expected, int64_t deadline) {
  struct timespec until = {.tv_sec = deadline / 1000000000, .tv_nsec = deadline % 1000000000};
  /* WAIT_BITSET, unlike WAIT, takes an absolute time, so repeated wake-ups cause no drift. Without a deadline the
   * kernel restarts the call by itself after a handler with SA_RESTART. */
  long result = syscall(SYS_futex, word, FUTEX_WAIT_BITSET_PRIVATE, expected, deadline < 0 ? NULL : &until, NULL,
                        FUTEX_BITSET_MATCH_ANY);
  return result == 0 || errno != EINTR;
}

void platform_futex_wake_one(const void *word) {
  syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

void platform_futex_wake_all(const void *word) {
  syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, INT32_MAX, NULL, NULL, 0);
}

void platform_yield(void) {
  sched_yield();
}

bool platform_is_main_thread(void) {
  return syscall(SYS_gettid) == getpid();
}

uint64_t platform_random(void) {
  uint64_t number = 0;
  int cancellation = uncancelled_begin();
  /* If the kernel refuses, fall back to the addresses of this process and the time. */
  if (getrandom(&number, sizeof number, GRND_NONBLOCK) != sizeof number)
    number = (uint64_t)(uintptr_t)&number ^ (uint64_t)platform_now() << 16;
  uncancelled_end(cancellation);
  return number;
}

static locale_t plain_locale;
static pthread_once_t plain_locale_once = PTHREAD_ONCE_INIT;

static void make_plain_locale(void) {
  plain_locale = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0);
}

double platform_double(const char *text) {
  pthread_once(&plain_locale_once, make_plain_locale);
  return plain_locale != (locale_t)0 ? strtod_l(text, NULL, plain_locale) : strtod(text, NULL);
}

int64_t platform_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

__attribute__((no_sanitize("thread"))) void platform_copy_words(const void *from, uint64_t *to, int count) {
  const volatile uint64_t *words = from;
  for (int i = 0; i < count; i++)
    to[i] = words[i];
  atomic_thread_fence(memory_order_acquire);
}

static bool write_all(int descriptor, const void *bytes, size_t count) {
  const char *next = bytes;
  while (count > 0) {
    ssize_t written = write(descriptor, next, count);
    if (written < 0 && errno != EINTR)
      return false;
    if (written > 0) {
      next += written;
      count -= (size_t)written;
    }
  }
  return true;
}

bool platform_write(int descriptor, const void *bytes, size_t count) {
  sigset_t pipe, old, pending;
  sigemptyset(&pipe);
  sigaddset(&pipe, SIGPIPE);
  int cancellation = uncancelled_begin();
  pthread_sigmask(SIG_BLOCK, &pipe, &old);
  bool was_pending = sigpending(&pending) == 0 && sigismember(&pending, SIGPIPE) == 1;
  bool is_written = write_all(descriptor, bytes, count);
  int error = errno;
  /* Consume the signal of this write, which is pending for this thread. */
  if (!is_written && error == EPIPE && !was_pending)
    sigtimedwait(&pipe, NULL, &(struct timespec){0, 0});
  pthread_sigmask(SIG_SETMASK, &old, NULL);
  uncancelled_end(cancellation);
  errno = error;
  return is_written;
}

int platform_last_error(void) {
  return errno;
}
