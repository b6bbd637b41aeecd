/* coroutines.h - threads that run one at a time and hand over to each other by name: what a test needs to try every order
 * in which threads could run. */
#ifndef COROUTINES_H
#define COROUTINES_H

#include <stddef.h>

#if defined(__clang__)
#pragma clang assume_nonnull begin
#endif

struct coroutine;

/* Makes a coroutine that calls `entry(argument)` when it is first switched to; `entry` must not return. It lives as long as the
 * process. NULL if there is no memory. */
struct coroutine *_Nullable coroutine_new(void (*entry)(void *_Nullable argument), void *_Nullable argument);

/* Makes a coroutine for the caller itself. NULL if there is no memory. */
struct coroutine *_Nullable coroutine_here(void);

/* Goes on where `to` was left; returns when another switches to `from`, which must be the caller. */
void coroutine_switch(struct coroutine *from, struct coroutine *to);

#if defined(__clang__)
#pragma clang assume_nonnull end
#endif

#endif
