/* platform_threads.h - threads of the library's own, locks that threads sleep on, and what is known of a thread. */
#ifndef CPLATFORM_THREADS_H
#define CPLATFORM_THREADS_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#if defined(__clang__)
#pragma clang assume_nonnull begin
#endif

/* Starts a thread that nobody joins, with every asynchronous signal blocked. False if there is none to be had.
 * The name, of 15 characters at most, is what debuggers and `top -H` show. */
bool platform_start_thread(void (*body)(void *context), void *_Nullable context, const char *name)
    __attribute__((visibility("hidden")));

/* How many threads of the library's own there are; after fork(), in the child: whether the calling one is. */
int platform_own_threads(void) __attribute__((visibility("hidden")));

/* Whether the calling thread is one of them. */
bool platform_is_own_thread(void) __attribute__((visibility("hidden")));

/* How many threads this process has; negative if that is not to be known. */
int platform_process_threads(void) __attribute__((visibility("hidden")));

/* The calling thread, by the kernel's number. Never 0. */
int platform_thread_id(void) __attribute__((visibility("hidden")));

/* Whether a thread of this process is running, or would be if it had a processor; false if it sleeps. */
bool platform_thread_runs(int id) __attribute__((visibility("hidden")));

/* How many processors this process may use; at least 1. */
int platform_processors(void) __attribute__((visibility("hidden")));

/* A lock, and a place to sleep for what happens under it. Its memory is anywhere, as long as it stays there. */
struct platform_monitor {
  pthread_mutex_t mutex;
  pthread_cond_t condition;
  /* For fork(), which takes them all (platform_fork.h). */
  void (*in_child)(void *monitor);
  struct platform_monitor *_Nullable previous;
  struct platform_monitor *_Nullable next;
};

/* `in_child(monitor)` is called in a child of fork(), with the monitor free. `comes_first`: a thread may take others while
 * it has this one, whichever was made first. */
void platform_monitor_init(struct platform_monitor *monitor, void (*in_child)(void *monitor), bool comes_first)
    __attribute__((visibility("hidden")));
void platform_monitor_destroy(struct platform_monitor *monitor) __attribute__((visibility("hidden")));
void platform_monitor_lock(struct platform_monitor *monitor) __attribute__((visibility("hidden")));
void platform_monitor_unlock(struct platform_monitor *monitor) __attribute__((visibility("hidden")));

/* Sleeps, with the lock given up, until one of the next two is called or the monotonic time `deadline` has come
 * (nanoseconds; negative: for ever). Wakes spuriously too. False if the deadline has come. */
bool platform_monitor_wait(struct platform_monitor *monitor, int64_t deadline) __attribute__((visibility("hidden")));
void platform_monitor_wake_one(struct platform_monitor *monitor) __attribute__((visibility("hidden")));

/* In a child of fork(): those who slept are not there. */
void platform_monitor_forget_sleepers(struct platform_monitor *monitor) __attribute__((visibility("hidden")));

#if defined(__clang__)
#pragma clang assume_nonnull end
#endif

#endif
