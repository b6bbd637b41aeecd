#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/random.h>

/* arc4random_buf() of glibc 2.36, which Embedded Swift seeds its hash tables with. musl has none. getrandom() is that of
 * glibc 2.25 and fails for a request of this size only where the kernel forbids it: then there is no safe seed. */
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
