/* census.c - preloaded into a program that uses the library: prints the objects, threads and descriptors that are left
 * at its end to the file that CENSUS names, one a line: kind, count. scripts/census.sh builds and reads it. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "promise.h"

enum { DESCRIPTORS = 1024 };
/* The descriptors that the program inherits. */
static bool is_inherited[DESCRIPTORS];
/* The process to count: not a child of fork(), which has no threads, nor another program that the process starts. */
static pid_t own_process;

/* Fills in the target of a descriptor, as `/proc` names it; false if it is not open. */
static bool read_target(int descriptor, char *target, size_t size) {
  char path[64];
  snprintf(path, sizeof path, "/proc/self/fd/%d", descriptor);
  ssize_t length = readlink(path, target, size - 1);
  if (length < 0)
    return false;
  target[length] = '\0';
  return true;
}

typedef promise_status_t (*statistics_t)(promise_statistics_t *);

#define KINDS(KIND)                                                                                                    \
  KIND(promises, promises_pending + now.promises_settled)                                                              \
  KIND(callbacks, callbacks)                                                                                           \
  KIND(values, values)                                                                                                 \
  KIND(executors, executors)                                                                                           \
  KIND(jobs, jobs)                                                                                                     \
  KIND(tokens, tokens)                                                                                                 \
  KIND(gathers, gathers)                                                                                               \
  KIND(loops, loops)                                                                                                   \
  KIND(publishers, publishers)                                                                                         \
  KIND(subscribers, subscribers)                                                                                       \
  KIND(queues, queues)                                                                                                 \
  KIND(internals, internals)

/* Returns whether nothing is left; with a file, prints the counts. */
static bool take_census(statistics_t statistics, FILE *file) {
  promise_statistics_t now = {.size = sizeof now};
  if (statistics(&now) != PROMISE_OK)
    return false;
  bool is_empty = now.threads == 0;
#define COUNT(name, counted)                                                                                           \
  is_empty = is_empty && now.counted == 0;                                                                             \
  if (file != NULL)                                                                                                    \
    fprintf(file, #name " %llu\n", (unsigned long long)(now.counted));
  KINDS(COUNT)
#undef COUNT
  if (file == NULL)
    return is_empty;
  fprintf(file, "threads %u\n", now.threads);
  char target[256];
  for (int descriptor = 0; descriptor < DESCRIPTORS; descriptor++)
    if (descriptor != fileno(file) && !is_inherited[descriptor] && read_target(descriptor, target, sizeof target))
      fprintf(file, "descriptor:%s 1\n", target);
  return is_empty;
}

/* Waits a while for threads that are about to release objects, and for idle ones, which end after a second. */
static void census_ends(void) {
  const char *path = getenv("CENSUS");
  statistics_t statistics = NULL;
  *(void **)&statistics = dlsym(RTLD_DEFAULT, "promise_statistics");
  if (path == NULL || statistics == NULL || getpid() != own_process)
    return;
  for (int patience = 300; patience > 0 && !take_census(statistics, NULL); patience--)
    usleep(10000);
  FILE *file = fopen(path, "w");
  if (file == NULL)
    return;
  take_census(statistics, file);
  fclose(file);
}

__attribute__((constructor)) static void census_begins(void) {
  if (getenv("CENSUS") == NULL)
    return;
  own_process = getpid();
  char target[256];
  for (int descriptor = 0; descriptor < DESCRIPTORS; descriptor++)
    is_inherited[descriptor] = read_target(descriptor, target, sizeof target);
  atexit(census_ends);
  unsetenv("LD_PRELOAD");
}
