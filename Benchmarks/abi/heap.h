/* heap.h - counts what a program asks the system for memory for. */
#ifndef BENCHMARKS_HEAP_H
#define BENCHMARKS_HEAP_H

/* How often anything in the process has called malloc(), calloc(), realloc(), aligned_alloc(), posix_memalign(), mmap() or
 * mprotect() so far. */
unsigned long heap_calls(void);

#endif
