#include "memory.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "handover.h"

/* Resident bytes of this process, without allocating. */
static double resident(void) {
  char text[1024];
  int file = open("/proc/self/smaps_rollup", O_RDONLY);
  ssize_t size = file < 0 ? -1 : read(file, text, sizeof text - 1);
  if (file >= 0)
    close(file);
  if (size <= 0)
    return 0;
  text[size] = 0;
  const char *line = strstr(text, "\nRss:");
  return line ? strtod(line + strlen("\nRss:"), NULL) * 1024 : 0;
}

typedef double (*figure_t)(const library_t *, size_t);

/* A fresh process: nothing that was measured before has left memory behind to be used again. */
static double in_child(figure_t figure, const library_t *library, size_t count) {
  int channel[2];
  if (pipe(channel))
    abort();
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    double result = figure(library, count);
    _exit(write(channel[1], &result, sizeof result) == sizeof result ? 0 : 1);
  }
  close(channel[1]);
  double result = 0;
  if (child < 0 || read(channel[0], &result, sizeof result) != sizeof result) {
    fprintf(stderr, "benchmark: measuring the memory of the %s failed\n", library->name);
    exit(2);
  }
  close(channel[0]);
  waitpid(child, NULL, 0);
  return result;
}

static double pending(const library_t *library, size_t count) {
  size_t size = count * 2 * sizeof(promise_t *);
  promise_t *(*held)[2] = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
  if (held == MAP_FAILED)
    abort();
  double before = resident();
  for (size_t i = 0; i < count; i++)
    workload_hold(library, held[i]);
  return (resident() - before) / (double)count;
}

static double handover(const library_t *library, size_t count) {
  workload_handover(library, count);
  double before = resident();
  workload_handover(library, count);
  return resident() - before;
}

double memory_per_pending(const library_t *library, size_t count) {
  return in_child(pending, library, count);
}

double memory_growth_of_handover(const library_t *library, size_t count) {
  return in_child(handover, library, count);
}
