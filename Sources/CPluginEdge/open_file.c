#define _GNU_SOURCE
#include "memory_file.h"
#include "plugin_open_file.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

const char *plugin_open_file_mistake(int32_t descriptor) {
  struct stat status;
  int flags = fcntl(descriptor, F_GETFL);
  if (flags < 0 || fstat(descriptor, &status) != 0)
    return "is not open";
  if ((flags & O_PATH) != 0)
    return "is a path that was not opened (O_PATH)";
  switch (status.st_mode & S_IFMT) {
  case S_IFREG:
  case S_IFIFO:
  case S_IFSOCK:
    return NULL;
  case S_IFCHR:
    /* A terminal is open for reading and writing as a rule: a plugin could read passwords and write commands. */
    return isatty(descriptor) ? "is a terminal" : NULL;
  case S_IFDIR:
    return "is a folder";
  default:
    return "is neither a file nor a pipe, a socket or a device of characters";
  }
}

int32_t plugin_open_file_duplicate(int32_t descriptor) {
  return fcntl(descriptor, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
}

int32_t plugin_open_file_new(const void *bytes, size_t length) {
  int descriptor = plugin_memory_file("promise-file", length, 0);
  if (descriptor >= 0 &&
      (!plugin_memory_file_write(descriptor, bytes, length) || lseek(descriptor, 0, SEEK_SET) != 0)) {
    close(descriptor);
    return -1;
  }
  return descriptor;
}

void plugin_open_file_close_on_exec(int32_t descriptor) {
  (void)fcntl(descriptor, F_SETFD, FD_CLOEXEC);
}

void plugin_open_file_close(int32_t descriptor) {
  struct linger none = {0, 0};
  (void)setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &none, sizeof none);
  close(descriptor);
}
