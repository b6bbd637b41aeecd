/* counted_heap.h - counts the allocations of a thread, in a test program that links this file. */
#ifndef COUNTED_HEAP_H
#define COUNTED_HEAP_H

#include <stdbool.h>
#include <stdint.h>

/* Returns the number of calls of malloc() and its variants by this thread so far. */
uint64_t counted_heap_calls(void);

/* Returns whether calls are counted: false with a sanitizer, which has its own allocator. */
bool counted_heap_counts(void);

#endif
