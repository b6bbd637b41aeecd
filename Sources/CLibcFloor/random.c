#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/random.h>

/* arc4random_buf() of glibc 2.36, with which Embedded Swift seeds its hash tables. musl lacks it. getrandom() exists
 * since glibc 2.25. For a request of this size it fails only if the kernel forbids it: then there is no safe seed. */
__attribute__((visibility("hidden"))) void arc4random_buf(void *buffer, size_t size) {
  char *next = buffer;
  while (size > 0) {
    ssize_t count = getrandom(next, size, 0);
    if (count < 0 && errno != EINTR)
      abort();
    if (count > 0) {
      next += count;
      size -= (size_t)count;
    }
  }
}
