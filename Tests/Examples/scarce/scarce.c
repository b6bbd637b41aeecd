/* scarce.c - memory that runs out for libpromise alone, in a process of any language: a library for LD_PRELOAD.
 *
 * After scarce_odds(n) every n-th allocation of libpromise fails, in random order: blocks of memory, pages for
 * promises, descriptors, threads. scarce_odds(1) fails all, scarce_odds(0) none. SCARCE=n in the environment has the
 * same effect from the start. The allocations of the language's own runtime never fail. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

static atomic_uint odds;
static atomic_uint_fast64_t draws;
static atomic_ulong failures;

/* The addresses of the loaded libpromise. */
static _Atomic uintptr_t begin, end;

static int find(struct dl_phdr_info *info, size_t size, void *context) {
  (void)size, (void)context;
  if (strstr(info->dlpi_name, "libpromise.so") == NULL)
    return 0;
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *header = &info->dlpi_phdr[i];
    if (header->p_type != PT_LOAD || (header->p_flags & PF_X) == 0)
      continue;
    atomic_store(&begin, info->dlpi_addr + header->p_vaddr);
    atomic_store(&end, info->dlpi_addr + header->p_vaddr + header->p_memsz);
  }
  return 1;
}

void scarce_odds(unsigned number) {
  atomic_store(&odds, number);
}

/* Returns the number of allocations that failed. */
unsigned long scarce_failures(void) {
  return atomic_load(&failures);
}

__attribute__((constructor)) static void start(void) {
  const char *number = getenv("SCARCE");
  if (number != NULL)
    scarce_odds((unsigned)atoi(number));
}

/* Whether the call fails that returns to `caller`. */
static bool fails(void *caller) {
  static _Thread_local bool is_looking;
  unsigned number = atomic_load(&odds);
  if (number == 0 || is_looking)
    return false;
  if (atomic_load(&end) == 0) {
    is_looking = true;
    dl_iterate_phdr(find, NULL);
    is_looking = false;
  }
  if ((uintptr_t)caller < atomic_load(&begin) || (uintptr_t)caller >= atomic_load(&end))
    return false;
  uint64_t random = (atomic_fetch_add(&draws, 1) + 1) * UINT64_C(0x9e3779b97f4a7c15);
  random = (random ^ random >> 32) * UINT64_C(0xd6e8feb86659fd93);
  if ((random >> 32) % number != 0)
    return false;
  atomic_fetch_add(&failures, 1);
  errno = ENOMEM;
  return true;
}

#define FAILS fails(__builtin_return_address(0))

void *malloc(size_t size) {
  return FAILS ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
  return FAILS ? NULL : __libc_calloc(count, size);
}

void *realloc(void *block, size_t size) {
  return FAILS ? NULL : __libc_realloc(block, size);
}

int posix_memalign(void **block, size_t alignment, size_t size) {
  *block = FAILS ? NULL : __libc_memalign(alignment, size);
  return *block == NULL ? ENOMEM : 0;
}

int mprotect(void *start, size_t size, int protection) {
  return FAILS ? -1 : (int)syscall(SYS_mprotect, start, size, protection);
}

int eventfd(unsigned count, int flags) {
  return FAILS ? -1 : (int)syscall(SYS_eventfd2, count, flags);
}

int timerfd_create(int clock, int flags) {
  return FAILS ? -1 : (int)syscall(SYS_timerfd_create, clock, flags);
}

int epoll_create1(int flags) {
  return FAILS ? -1 : (int)syscall(SYS_epoll_create1, flags);
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *), void *context) {
  static int (*real)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
  if (real == NULL)
    *(void **)&real = dlsym(RTLD_NEXT, "pthread_create");
  return FAILS ? EAGAIN : real(thread, attributes, run, context);
}
