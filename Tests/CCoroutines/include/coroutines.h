/* coroutines.h - threads that run one at a time and switch to each other by name, for tests that try every order of
 * execution. */
#ifndef COROUTINES_H
#define COROUTINES_H

#include <stddef.h>

#if defined(__clang__)
#pragma clang assume_nonnull begin
#endif

struct coroutine;

/* Creates a coroutine that calls `entry(argument)` on the first switch to it. `entry` must not return. The coroutine
 * lives as long as the process. Returns NULL if there is no memory. */
struct coroutine *_Nullable coroutine_new(void (*entry)(void *_Nullable argument), void *_Nullable argument);

/* Creates a coroutine for the calling thread. Returns NULL if there is no memory. */
struct coroutine *_Nullable coroutine_here(void);

/* Resumes `to`; returns when another coroutine switches to `from`, which must be the caller. */
void coroutine_switch(struct coroutine *from, struct coroutine *to);

#if defined(__clang__)
#pragma clang assume_nonnull end
#endif

#endif
