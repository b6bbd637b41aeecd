/* races.h - a detector of data races in executions that a scheduler runs one thread at a time.
 *
 * It follows the memory orderings that the code requests, not the behaviour of the machine: an acquiring load that
 * reads a releasing store makes everything before the store happen before everything after the load; a relaxed load
 * does not. Two accesses to the same word race if at least one writes, at least one is not atomic, and neither happens
 * before the other. Over every interleaving of a program, the detector finds each ordering that is too weak to publish
 * plain data.
 *
 * It does not find orderings that are too weak for atomics among themselves (store buffering): every execution is
 * sequentially consistent.
 *
 * Plain accesses are reported by the compiler's instrumentation for ThreadSanitizer, whose functions are in
 * instrumentation.c. Without that instrumentation no access is reported, and no race found. */
#ifndef RACES_H
#define RACES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__clang__)
#pragma clang assume_nonnull begin
#endif

enum { RACES_THREADS = 4 }; /* the last one controls the others */

/* Watches the memory from `low` up to `high`, in words of 8 bytes. Call once. */
void races_watch(uintptr_t low, uintptr_t high);

/* Begins an execution with an empty history. The controlling thread runs. */
void races_begin(void);
/* Records that the controlling thread starts the others, or has joined them. */
void races_fork(void);
void races_join(void);
/* Switches to a thread. */
void races_switch(int thread);

/* Records an atomic operation on a word by the running thread, in scheduling order. */
typedef enum { RACES_LOAD, RACES_STORE, RACES_EXCHANGE } races_operation_t;
void races_atomic(const void *word, races_operation_t operation, bool acquires, bool releases);

/* Records the acquisition or release of a lock, named by any unique number. */
void races_acquire(uintptr_t lock);
void races_release(uintptr_t lock);

/* Records a plain access of `size` bytes by the code at `place`. */
void races_access(const void *address, size_t size, bool writes, const void *place);

/* Returns the first race of this execution, as text; NULL if there was none. */
const char *_Nullable races_found(void);
/* Returns whether an access was ever reported: the code under test is instrumented. */
bool races_are_seen(void);

#if defined(__clang__)
#pragma clang assume_nonnull end
#endif

#endif
