#define _GNU_SOURCE
#include "platform_threads.h"

#include "platform.h"
#include "platform_fork.h"
#include "uncancelled.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* ---- Threads ---- */

static atomic_int own_threads;
#if defined(__GLIBC__)
__attribute__((tls_model("initial-exec")))
#endif
static __thread bool is_own_thread;

struct start {
  void (*body)(void *context);
  void *context;
  char name[16];
  struct start *previous;
  struct start *next;
};

/* The threads that were created and have not begun. A child of fork() has none of them, and frees their blocks. Guarded
 * by PLATFORM_LOCK_THREADS, which fork() takes. */
static struct start *starting;

static void enlist(struct start *start) {
  platform_lock(PLATFORM_LOCK_THREADS);
  start->previous = NULL;
  start->next = starting;
  if (starting != NULL)
    starting->previous = start;
  starting = start;
  platform_unlock(PLATFORM_LOCK_THREADS);
}

static void withdraw(struct start *start) {
  platform_lock(PLATFORM_LOCK_THREADS);
  *(start->previous != NULL ? &start->previous->next : &starting) = start->next;
  if (start->next != NULL)
    start->next->previous = start->previous;
  platform_unlock(PLATFORM_LOCK_THREADS);
}

static void *run(void *argument) {
  struct start start = *(struct start *)argument;
  withdraw(argument);
  free(argument);
  pthread_setname_np(pthread_self(), start.name);
  is_own_thread = true;
  start.body(start.context);
  atomic_fetch_sub(&own_threads, 1);
  return NULL;
}

static bool create(struct start *start) {
  pthread_attr_t attributes;
  pthread_t thread;
  if (pthread_attr_init(&attributes) != 0)
    return false;
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  bool created = pthread_create(&thread, &attributes, run, start) == 0;
  pthread_attr_destroy(&attributes);
  return created;
}

/* Blocks all signals except synchronous ones: signals belong to the program, so a thread that it did not start takes
 * none. Faults of the thread itself stay unblocked, because the kernel kills a process on a blocked fault, even with
 * a handler. */
static void block_asynchronous_signals(sigset_t *before) {
  static const int synchronous[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS};
  sigset_t set;
  sigfillset(&set);
  for (size_t i = 0; i < sizeof synchronous / sizeof *synchronous; i++)
    sigdelset(&set, synchronous[i]);
  pthread_sigmask(SIG_SETMASK, &set, before);
}

bool platform_start_thread(void (*body)(void *context), void *context, const char *name) {
  struct start *start = malloc(sizeof *start);
  if (start == NULL)
    return false;
  start->body = body;
  start->context = context;
  strncpy(start->name, name, sizeof start->name - 1);
  start->name[sizeof start->name - 1] = '\0';
  atomic_fetch_add(&own_threads, 1);
  enlist(start);
  sigset_t before;
  block_asynchronous_signals(&before);
  bool created = create(start);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  if (!created) {
    atomic_fetch_sub(&own_threads, 1);
    withdraw(start);
    free(start);
  }
  return created;
}

int platform_own_threads(void) {
  return atomic_load(&own_threads);
}

bool platform_is_own_thread(void) {
  return is_own_thread;
}

void platform_forget_threads(void) {
  while (starting != NULL) {
    struct start *start = starting;
    starting = start->next;
    free(start);
  }
  atomic_store(&own_threads, is_own_thread ? 1 : 0);
}

int platform_thread_id(void) {
  return (int)syscall(SYS_gettid);
}

/* The text of a /proc/.../stat file, read from behind the name: " state parent ...". */
struct kernel_status {
  char text[512];
};

static const char *read_status(struct kernel_status *status, const char *path) {
  ssize_t length = 0;
  int cancellation = uncancelled_begin();
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file >= 0) {
    length = read(file, status->text, sizeof status->text - 1);
    close(file);
  }
  uncancelled_end(cancellation);
  status->text[length > 0 ? length : 0] = '\0';
  /* "id (name) state ...": the name may contain brackets and spaces. */
  const char *end = strrchr(status->text, ')');
  return end != NULL ? end + 1 : "";
}

bool platform_thread_runs(int id) {
  char path[64];
  struct kernel_status status;
  snprintf(path, sizeof path, "/proc/self/task/%d/stat", id);
  return strncmp(read_status(&status, path), " R", 2) == 0;
}

int platform_process_threads(void) {
  struct kernel_status status;
  int count = -1;
  /* The 18th field behind the name. */
  sscanf(read_status(&status, "/proc/self/stat"),
         " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %d", &count);
  return count;
}

int platform_processors(void) {
  cpu_set_t set;
  /* If the machine has more processors than the set can hold, count all of them. */
  long count = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : sysconf(_SC_NPROCESSORS_ONLN);
  return count > 0 ? (int)count : 1;
}

/* ---- Monitors ---- */

static void make_condition(struct platform_monitor *monitor) {
  pthread_condattr_t attributes;
  pthread_condattr_init(&attributes);
  pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
  pthread_cond_init(&monitor->condition, &attributes);
  pthread_condattr_destroy(&attributes);
}

void platform_monitor_init(struct platform_monitor *monitor, void (*in_child)(void *monitor), bool comes_first) {
  pthread_mutex_init(&monitor->mutex, NULL);
  make_condition(monitor);
  monitor->in_child = in_child;
  platform_monitor_enlist(monitor, comes_first);
}

void platform_monitor_forget_sleepers(struct platform_monitor *monitor) {
  make_condition(monitor);
}

void platform_monitor_destroy(struct platform_monitor *monitor) {
  platform_monitor_withdraw(monitor);
  pthread_cond_destroy(&monitor->condition);
  pthread_mutex_destroy(&monitor->mutex);
}

void platform_monitor_lock(struct platform_monitor *monitor) {
  pthread_mutex_lock(&monitor->mutex);
}

bool platform_monitor_try_lock(struct platform_monitor *monitor) {
  return pthread_mutex_trylock(&monitor->mutex) == 0;
}

void platform_monitor_unlock(struct platform_monitor *monitor) {
  pthread_mutex_unlock(&monitor->mutex);
}

bool platform_monitor_wait(struct platform_monitor *monitor, int64_t deadline) {
  struct timespec until = {.tv_sec = deadline / 1000000000, .tv_nsec = deadline % 1000000000};
  int cancellation = uncancelled_begin();
  int status = deadline < 0 ? pthread_cond_wait(&monitor->condition, &monitor->mutex)
                            : pthread_cond_timedwait(&monitor->condition, &monitor->mutex, &until);
  uncancelled_end(cancellation);
  return status == 0;
}

void platform_monitor_wake_one(struct platform_monitor *monitor) {
  pthread_cond_signal(&monitor->condition);
}
