/* counted_heap.h - how often this thread asked the heap for memory, in a test program that this is linked into. */
#ifndef COUNTED_HEAP_H
#define COUNTED_HEAP_H

#include <stdbool.h>
#include <stdint.h>

/* The calls of malloc() and its like by this thread so far. */
uint64_t counted_heap_calls(void);

/* Whether calls are counted: not with a sanitizer, which has an allocator of its own. */
bool counted_heap_counts(void);

#endif
