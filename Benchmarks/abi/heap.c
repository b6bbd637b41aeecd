/* Interposes the C library's allocator for every shared object that the program loads: it is linked with -rdynamic. */
#include "heap.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The C library's internal names of its allocator: dlsym(RTLD_NEXT) would allocate during the lookup. */
extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

static _Atomic unsigned long calls;

unsigned long heap_calls(void) {
  return atomic_load(&calls);
}

static void count(void) {
  atomic_fetch_add_explicit(&calls, 1, memory_order_relaxed);
}

void *malloc(size_t size) {
  count();
  return __libc_malloc(size);
}

void *calloc(size_t items, size_t size) {
  count();
  return __libc_calloc(items, size);
}

void *realloc(void *memory, size_t size) {
  count();
  return __libc_realloc(memory, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
  count();
  return __libc_memalign(alignment, size);
}

int posix_memalign(void **memory, size_t alignment, size_t size) {
  count();
  *memory = __libc_memalign(alignment, size);
  return *memory ? 0 : ENOMEM;
}

void *mmap(void *address, size_t size, int protection, int flags, int file, off_t offset) {
  count();
  return (void *)syscall(SYS_mmap, address, size, protection, flags, file, offset);
}

int mprotect(void *address, size_t size, int protection) {
  count();
  return (int)syscall(SYS_mprotect, address, size, protection);
}
