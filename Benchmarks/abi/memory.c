#include "memory.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "handover.h"
#include "process.h"

/* Returns the resident bytes of this process, without allocating. */
static double resident(void) {
  char text[1024];
  int file = open("/proc/self/smaps_rollup", O_RDONLY);
  ssize_t size = file < 0 ? -1 : read(file, text, sizeof text - 1);
  if (file >= 0)
    close(file);
  if (size <= 0)
    abort();
  text[size] = 0;
  const char *line = strstr(text, "\nRss:");
  if (!line)
    abort();
  return strtod(line + strlen("\nRss:"), NULL) * 1024;
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
  return process_figure(pending, library, count);
}

double memory_growth_of_handover(const library_t *library, size_t count) {
  return process_figure(handover, library, count);
}
