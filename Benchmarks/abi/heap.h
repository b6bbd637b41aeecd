/* heap.h - counts the allocations of a program. */
#ifndef BENCHMARKS_HEAP_H
#define BENCHMARKS_HEAP_H

/* Returns the number of calls in this process of malloc(), calloc(), realloc(), aligned_alloc(), posix_memalign(),
 * mmap() and mprotect() so far. */
unsigned long heap_calls(void);

#endif
