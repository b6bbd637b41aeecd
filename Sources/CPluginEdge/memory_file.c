#define _GNU_SOURCE
#include "memory_file.h"

#include <errno.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

/* Since Linux 6.3; older headers and kernels lack it. */
#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 0x0008U
#endif

int plugin_memory_file(const char *name, size_t length, unsigned flags) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && length > limit.rlim_cur) {
    errno = EFBIG;
    return -1;
  }
  int descriptor = memfd_create(name, MFD_CLOEXEC | MFD_NOEXEC_SEAL | flags);
  if (descriptor < 0 && errno == EINVAL)
    descriptor = memfd_create(name, MFD_CLOEXEC | flags);
  return descriptor;
}

bool plugin_memory_file_write(int descriptor, const char *bytes, size_t length) {
  while (length > 0) {
    ssize_t count = write(descriptor, bytes, length);
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      return false;
    bytes += count;
    length -= (size_t)count;
  }
  return true;
}
