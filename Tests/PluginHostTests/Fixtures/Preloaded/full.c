/* full.c - no plugin: preloaded into a program, it makes a full file system of the folder $FULL, which reports
 * missing space only when a file is closed. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

int close(int descriptor) {
  char link[64], path[PATH_MAX] = "";
  const char *full = getenv("FULL");
  snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  ssize_t length = readlink(link, path, sizeof path - 1);
  int status = (int)syscall(SYS_close, descriptor);
  if (full == NULL || length < 0 || strncmp(path, full, strlen(full)) != 0 || path[strlen(full)] != '/')
    return status;
  errno = ENOSPC;
  return -1;
}
