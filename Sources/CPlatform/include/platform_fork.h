/* platform_fork.h - the engine in a child of fork(), which has one thread: the one that forked. */
#ifndef CPLATFORM_FORK_H
#define CPLATFORM_FORK_H

#include <stdbool.h>

#include "platform_threads.h"

#if defined(__clang__)
#pragma clang assume_nonnull begin
#endif

/* Calls `child` in each child, before any other code of the engine runs there and before the monitors' own
 * functions. fork() waits until no other thread is within a lock or a monitor. So in the child the data they guard
 * is consistent, and they are free. */
void platform_at_fork(void (*child)(void)) __attribute__((visibility("hidden")));

/* Returns the kernel's id of the thread that called fork(), as it was in the parent. Call it in a child. */
int platform_forker(void) __attribute__((visibility("hidden")));

/* Returns whether the parent may have had other threads at the time of the fork. Call it in a child. */
bool platform_forked_from_many(void) __attribute__((visibility("hidden")));

/* Adds a monitor to those that fork() locks, in the lock order, or removes it. */
void platform_monitor_enlist(struct platform_monitor *monitor, bool comes_first) __attribute__((visibility("hidden")));
void platform_monitor_withdraw(struct platform_monitor *monitor) __attribute__((visibility("hidden")));

/* Resets the count of the library's threads in a child, where at most the calling one exists. */
void platform_forget_threads(void) __attribute__((visibility("hidden")));

#if defined(__clang__)
#pragma clang assume_nonnull end
#endif

#endif
