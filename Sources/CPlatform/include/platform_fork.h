/* platform_fork.h - what becomes of the engine in a child of fork(), which has one thread: the one that forked. */
#ifndef CPLATFORM_FORK_H
#define CPLATFORM_FORK_H

#include <stdbool.h>

#include "platform_threads.h"

#if defined(__clang__)
#pragma clang assume_nonnull begin
#endif

/* Calls `child` in each child, before anything else of the engine happens there and before the monitors' own functions.
 * fork() waits until nobody else is within a lock or a monitor, so what they guard is whole there, and they are free. */
void platform_at_fork(void (*child)(void)) __attribute__((visibility("hidden")));

/* In a child: what the kernel's number of the calling thread was in the parent. */
int platform_forker(void) __attribute__((visibility("hidden")));

/* In a child: whether the parent may have had other threads at the time of the fork. */
bool platform_forked_from_many(void) __attribute__((visibility("hidden")));

/* The monitors that fork() takes, in the order in which threads that need several take them. */
void platform_monitor_enlist(struct platform_monitor *monitor, bool comes_first) __attribute__((visibility("hidden")));
void platform_monitor_withdraw(struct platform_monitor *monitor) __attribute__((visibility("hidden")));

/* In a child: none of the library's threads is there, but for the calling one. */
void platform_forget_threads(void) __attribute__((visibility("hidden")));

#if defined(__clang__)
#pragma clang assume_nonnull end
#endif

#endif
