#define _GNU_SOURCE
#include "platform_fork.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#include "platform.h"

/* A child has a copy of the memory as of the fork, but none of the other threads. A lock that another thread holds
 * at that moment would never be released in the child, and the data it guards would be inconsistent. So fork() first
 * takes all locks, in an order that cannot deadlock with threads that hold some of them:
 *
 *   1. the locks, in the order below, except for those of 4;
 *   2. `monitors`, which guards the list of monitors: taken by threads that hold a lock of 1, but no monitor;
 *   3. the monitors in the order of the list. A thread that needs two at once takes that of the older object first. An
 *      object is older than those made for it. The pools are first, regardless of age, because they call the clock
 *      while they are locked;
 *   4. the slab's lock and that of starting threads, within which no other lock is taken. */
static const int order[] = {PLATFORM_LOCK_SETUP,     PLATFORM_LOCK_LOOPS,  PLATFORM_LOCK_WAITERS,
                            PLATFORM_LOCK_MAIN,      PLATFORM_LOCK_TOKENS, PLATFORM_LOCK_TYPES,
                            PLATFORM_LOCK_OBSERVERS, PLATFORM_LOCK_TRACE,  PLATFORM_LOCK_HOOKS};
enum { LOCKS = sizeof order / sizeof order[0] };
_Static_assert(LOCKS + 2 == PLATFORM_LOCKS, "each lock has its place among those that fork() takes");

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
  platform_lock(PLATFORM_LOCK_THREADS);
  forker = platform_thread_id();
  forked_from_many = platform_process_threads() != 1;
}

static void unlock_all(void) {
  platform_unlock(PLATFORM_LOCK_THREADS);
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

/* Runs when the library is loaded. So the library is ready in the child before the program's own handlers run. */
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
