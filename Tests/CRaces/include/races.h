/* races.h - a memory model for executions that a scheduler runs one thread at a time: a detector of data races, and
 * the values that a load may return.
 *
 * It follows the memory orderings that the code requests, not the behaviour of the machine: an acquiring load that
 * reads a releasing store makes everything before the store happen before everything after the load; a relaxed load
 * does not. Two accesses to the same word race if at least one writes, at least one is not atomic, and neither happens
 * before the other. Over every interleaving of a program, the detector finds each ordering that is too weak to publish
 * plain data.
 *
 * For atomics among themselves, each word keeps its latest values. A load may return each of them that no store or load
 * before it rules out: one that happens before, or one that a sequentially consistent operation orders before. The
 * scheduler tries them all. Exchanges take the latest value, and stores have the order of the execution.
 *
 * Plain accesses are reported by the compiler's instrumentation for ThreadSanitizer, whose functions are in
 * instrumentation.c. Without that instrumentation no access is reported, no race found, and no old value returned. */
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

/* A memory ordering. */
typedef enum {
  RACES_RELAXED = 0,
  RACES_ACQUIRES = 1,
  RACES_RELEASES = 2,
  RACES_ACQUIRES_AND_RELEASES = 3,
  RACES_SEQUENTIAL = 4, /* beside these */
} races_ordering_t;

/* Returns the number of values that a load of a word by the running thread may return. `latest` is the one in memory,
 * here and below. */
uint32_t races_visible(const void *word, uint64_t latest, races_ordering_t ordering);
/* Records a load, and returns its value, which `age` stores have overwritten. */
uint64_t races_load(const void *word, uint32_t age, uint64_t latest, races_ordering_t ordering);
/* Records a store of `value`, before it is made; likewise an exchange, which has succeeded. */
void races_store(const void *word, uint64_t latest, uint64_t value, races_ordering_t ordering);
void races_exchange(const void *word, uint64_t latest, uint64_t value, races_ordering_t ordering);
/* Records a sequentially consistent fence. */
void races_fence(void);

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
