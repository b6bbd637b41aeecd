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

/* The kernel's id that the calling thread had in the parent. For a child. */
int platform_forker(void) __attribute__((visibility("hidden")));

/* Whether the parent may have had other threads at the time of the fork. For a child. */
bool platform_forked_from_many(void) __attribute__((visibility("hidden")));

/* The list of monitors that fork() takes, in the order in which threads that need several take them. */
void platform_monitor_enlist(struct platform_monitor *monitor, bool comes_first) __attribute__((visibility("hidden")));
void platform_monitor_withdraw(struct platform_monitor *monitor) __attribute__((visibility("hidden")));

/* Resets the count of the library's threads in a child, where at most the calling one exists. */
void platform_forget_threads(void) __attribute__((visibility("hidden")));

#if defined(__clang__)
#pragma clang assume_nonnull end
#endif

#endif
