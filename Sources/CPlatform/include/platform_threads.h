/* platform_threads.h - the library's own threads, monitors, and queries about threads. */
#ifndef CPLATFORM_THREADS_H
#define CPLATFORM_THREADS_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#if defined(__clang__)
#pragma clang assume_nonnull begin
#endif

/* Starts a detached thread with every asynchronous signal blocked. The name, of at most 15 characters, is visible in
 * debuggers and `top -H`. False if no thread can be started. */
bool platform_start_thread(void (*body)(void *context), void *_Nullable context, const char *name)
    __attribute__((visibility("hidden")));

/* The number of the library's own threads. In a new child of fork(): 1 if the calling thread is one of them, otherwise
 * 0. */
int platform_own_threads(void) __attribute__((visibility("hidden")));

/* Whether the calling thread is one of the library's own. */
bool platform_is_own_thread(void) __attribute__((visibility("hidden")));

/* The number of threads of this process; negative if unknown. */
int platform_process_threads(void) __attribute__((visibility("hidden")));

/* The kernel's id of the calling thread. Never 0. */
int platform_thread_id(void) __attribute__((visibility("hidden")));

/* Whether a thread of this process is running or runnable; false if it sleeps. */
bool platform_thread_runs(int id) __attribute__((visibility("hidden")));

/* The number of processors available to this process; at least 1. */
int platform_processors(void) __attribute__((visibility("hidden")));

/* A mutex with a condition variable. It must not move in memory. */
struct platform_monitor {
  pthread_mutex_t mutex;
  pthread_cond_t condition;
  /* For fork(), which takes all monitors (platform_fork.h). */
  void (*in_child)(void *monitor);
  struct platform_monitor *_Nullable previous;
  struct platform_monitor *_Nullable next;
};

/* Initializes a monitor. `in_child(monitor)` is called in a child of fork(), with the monitor free. `comes_first`: a
 * thread may take other monitors while it holds this one, regardless of their age. */
void platform_monitor_init(struct platform_monitor *monitor, void (*in_child)(void *monitor), bool comes_first)
    __attribute__((visibility("hidden")));
void platform_monitor_destroy(struct platform_monitor *monitor) __attribute__((visibility("hidden")));
void platform_monitor_lock(struct platform_monitor *monitor) __attribute__((visibility("hidden")));
/* Takes the lock if it is free. False if another thread holds it. */
bool platform_monitor_try_lock(struct platform_monitor *monitor) __attribute__((visibility("hidden")));
void platform_monitor_unlock(struct platform_monitor *monitor) __attribute__((visibility("hidden")));

/* Releases the lock and sleeps until the monitor is woken or the monotonic time `deadline` has passed (nanoseconds;
 * negative: unlimited); then takes the lock again. Spurious wake-ups are possible. False if the deadline has passed. */
bool platform_monitor_wait(struct platform_monitor *monitor, int64_t deadline) __attribute__((visibility("hidden")));
void platform_monitor_wake_one(struct platform_monitor *monitor) __attribute__((visibility("hidden")));

/* Resets the waiters of a monitor in a child of fork(), where the sleeping threads do not exist. */
void platform_monitor_forget_sleepers(struct platform_monitor *monitor) __attribute__((visibility("hidden")));

#if defined(__clang__)
#pragma clang assume_nonnull end
#endif

#endif
