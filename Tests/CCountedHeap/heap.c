/* Interposes the C library's allocator: the test program exports these functions to every shared object in it. */
#include "counted_heap.h"

#include <errno.h>
#include <malloc.h>
#include <stddef.h>

static _Thread_local uint64_t calls;

uint64_t counted_heap_calls(void) {
  return calls;
}

uint64_t counted_heap_bytes(void) {
  return mallinfo2().uordblks;
}

#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)

bool counted_heap_counts(void) {
  return false;
}

#else

bool counted_heap_counts(void) {
  return true;
}

/* The C library's internal names of its allocator. */
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t items, size_t size);
extern void *__libc_realloc(void *memory, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

void *malloc(size_t size) {
  calls++;
  return __libc_malloc(size);
}

void *calloc(size_t items, size_t size) {
  calls++;
  return __libc_calloc(items, size);
}

void *realloc(void *memory, size_t size) {
  calls++;
  return __libc_realloc(memory, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
  calls++;
  return __libc_memalign(alignment, size);
}

int posix_memalign(void **memory, size_t alignment, size_t size) {
  calls++;
  *memory = __libc_memalign(alignment, size);
  return *memory == NULL ? ENOMEM : 0;
}

#endif
