#define _GNU_SOURCE
#include "plugin_library.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

/* Returns the lowest number for a copy. Loops that close all descriptors typically stop at 256 or 1024. */
static int lowest_copy(void) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur <= 16)
    return 3;
  return limit.rlim_cur > 1040 ? 1024 : (int)limit.rlim_cur - 8;
}

plugin_streams_t plugin_streams_save(void) {
  plugin_streams_t saved;
  int lowest = lowest_copy();
  for (int stream = 0; stream < 3; stream++)
    saved.copies[stream] = fcntl(stream, F_DUPFD_CLOEXEC, lowest);
  return saved;
}

static bool is_same_file(int one, int other) {
  struct stat first, second;
  return fstat(one, &first) == 0 && fstat(other, &second) == 0 && first.st_dev == second.st_dev &&
         first.st_ino == second.st_ino;
}

bool plugin_streams_restore(const plugin_streams_t *saved) {
  bool changed = false;
  for (int stream = 0; stream < 3; stream++) {
    int copy = saved->copies[stream];
    /* No copy: the descriptor was closed before, or the copies were closed as well. */
    if (copy < 0)
      continue;
    if (!is_same_file(copy, stream)) {
      changed = true;
      dup2(copy, stream);
    }
    close(copy);
  }
  return changed;
}
