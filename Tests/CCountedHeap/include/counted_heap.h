/* counted_heap.h - counts the allocations of a thread, and the bytes of the process, in a test program that links this
 * file. */
#ifndef COUNTED_HEAP_H
#define COUNTED_HEAP_H

#include <stdbool.h>
#include <stdint.h>

/* Returns the number of calls of malloc() and its variants by this thread so far. */
uint64_t counted_heap_calls(void);

/* Returns the number of bytes that the process has allocated and not freed. */
uint64_t counted_heap_bytes(void);

/* Returns whether calls and bytes are counted: false with a sanitizer, which has its own allocator. */
bool counted_heap_counts(void);

#endif
