/* clocks.h - clocks of threads, for the detector of races (races.c) and the history of the atomic words (words.c). */
#ifndef CLOCKS_H
#define CLOCKS_H

#include "races.h"

enum { WORD = 8 };

/* A vector clock: the latest known operation of each thread. */
typedef struct {
  uint32_t times[RACES_THREADS];
} clock_vector_t;

/* `before`: the operations that happen before. `seen`: these, and those that fences order before: a load returns no
 * value that one of them has overwritten, but they publish no plain data. */
typedef struct {
  clock_vector_t before, seen;
} clocks_t;

extern uint64_t execution;
extern int running;
extern clocks_t known[RACES_THREADS];

void join(clocks_t *_Nonnull into, const clocks_t *_Nonnull from);
/* Ends the running thread's time, after it published its clocks. */
void tick(void);
bool is_watched(uintptr_t address);
/* Checks an atomic access for races with plain ones. */
void access_word(uintptr_t address, bool writes, const void *_Nullable place);

void watch_words(uintptr_t low, uintptr_t high);
void begin_words(void);

#endif
