#define _GNU_SOURCE
#include "platform_fork.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#include "platform.h"

/* A child has a copy of all memory as it was at one moment, but none of the other threads. If one of them was within a
 * lock then, that lock would never be given up, and what it guards is half done. So fork() takes all of them before,
 * which a thread that holds some of them must not keep it from:
 *
 *   1. the locks, in the order below, but for the slab's;
 *   2. `monitors`, which guards the list of them: taken by threads that have a lock of 1, but no monitor;
 *   3. the monitors in their list's order. Where a thread needs two at once, the later one is of something that was made
 *      after the other, or for it; the pools come first, whenever they were made, for within one the clock is called;
 *   4. the slab's lock, within which no other is taken. */
static const int order[] = {PLATFORM_LOCK_SETUP,     PLATFORM_LOCK_LOOPS,  PLATFORM_LOCK_WAITERS,
                            PLATFORM_LOCK_MAIN,      PLATFORM_LOCK_TOKENS, PLATFORM_LOCK_TYPES,
                            PLATFORM_LOCK_OBSERVERS, PLATFORM_LOCK_TRACE,  PLATFORM_LOCK_HOOKS};
enum { LOCKS = sizeof order / sizeof order[0] };
_Static_assert(LOCKS + 1 == PLATFORM_LOCKS, "each lock has its place among those that fork() takes");

static pthread_mutex_t monitors = PTHREAD_MUTEX_INITIALIZER;
static struct platform_monitor *first, *last;

static _Atomic(void (*)(void)) in_child;
static int forker;
static bool forked_from_many;

void platform_monitor_enlist(struct platform_monitor *monitor, bool comes_first) {
  pthread_mutex_lock(&monitors);
  monitor->previous = comes_first ? NULL : last;
  monitor->next = comes_first ? first : NULL;
  *(monitor->previous != NULL ? &monitor->previous->next : &first) = monitor;
  *(monitor->next != NULL ? &monitor->next->previous : &last) = monitor;
  pthread_mutex_unlock(&monitors);
}

void platform_monitor_withdraw(struct platform_monitor *monitor) {
  pthread_mutex_lock(&monitors);
  *(monitor->previous != NULL ? &monitor->previous->next : &first) = monitor->next;
  *(monitor->next != NULL ? &monitor->next->previous : &last) = monitor->previous;
  pthread_mutex_unlock(&monitors);
}

static void before_fork(void) {
  for (int i = 0; i < LOCKS; i++)
    platform_lock(order[i]);
  pthread_mutex_lock(&monitors);
  for (struct platform_monitor *monitor = first; monitor != NULL; monitor = monitor->next)
    platform_monitor_lock(monitor);
  platform_lock(PLATFORM_LOCK_SLAB);
  forker = platform_thread_id();
  forked_from_many = platform_process_threads() != 1;
}

static void unlock_all(void) {
  platform_unlock(PLATFORM_LOCK_SLAB);
  for (struct platform_monitor *monitor = last; monitor != NULL; monitor = monitor->previous)
    platform_monitor_unlock(monitor);
  pthread_mutex_unlock(&monitors);
  for (int i = LOCKS; i-- > 0;)
    platform_unlock(order[i]);
}

static void after_fork_in_child(void) {
  for (struct platform_monitor *monitor = first; monitor != NULL; monitor = monitor->next)
    platform_monitor_forget_sleepers(monitor);
  unlock_all();
  platform_forget_threads();
  void (*child)(void) = atomic_load(&in_child);
  if (child == NULL)
    return;
  child();
  for (struct platform_monitor *monitor = first; monitor != NULL; monitor = monitor->next)
    monitor->in_child(monitor);
}

/* When the library is loaded: so it is before the program's own handlers that it is ready in the child. */
__attribute__((constructor)) static void register_handlers(void) {
  pthread_atfork(before_fork, unlock_all, after_fork_in_child);
}

void platform_at_fork(void (*child)(void)) {
  atomic_store(&in_child, child);
}

int platform_forker(void) {
  return forker;
}

bool platform_forked_from_many(void) {
  return forked_from_many;
}
