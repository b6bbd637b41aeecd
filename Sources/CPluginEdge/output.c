#define _GNU_SOURCE
#include "plugin_output.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

/* The read end of the pipe; -1 before capture(). */
static atomic_int reading = -1;
/* Whether text was read that has not been written. Set before the text leaves the pipe: a thread that finds the pipe
 * empty and then this false knows that all has been written. */
static atomic_bool is_held;

bool plugin_output_capture(void) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0)
    return false;
  /* Far above the lowest numbers, which programs close when they clean up. */
  int end = fcntl(ends[0], F_DUPFD_CLOEXEC, 100);
  if (end >= 0)
    close(ends[0]);
  else
    end = ends[0];
  bool is_done = dup2(ends[1], STDOUT_FILENO) >= 0;
  close(ends[1]);
  if (!is_done) {
    close(end);
    return false;
  }
  setvbuf(stdout, NULL, _IOLBF, 0);
  atomic_store(&reading, end);
  return true;
}

size_t plugin_output_read(void *buffer, size_t size) {
  struct pollfd readable = {.fd = atomic_load(&reading), .events = POLLIN};
  while (poll(&readable, 1, -1) < 0 && errno == EINTR)
    continue;
  atomic_store(&is_held, true);
  ssize_t count;
  do
    count = read(readable.fd, buffer, size);
  while (count < 0 && errno == EINTR);
  return count > 0 ? (size_t)count : 0;
}

void plugin_output_written(void) {
  atomic_store(&is_held, false);
}

/* Whether there is text that has not been written. */
static bool is_waiting(void) {
  int count = 0;
  return (ioctl(atomic_load(&reading), FIONREAD, &count) == 0 && count > 0) || atomic_load(&is_held);
}

void plugin_output_await(int64_t limit_ns) {
  if (atomic_load(&reading) < 0)
    return;
  int error = errno;
  const struct timespec pause = {.tv_nsec = 100000};
  for (int64_t waited = 0; waited < limit_ns && is_waiting(); waited += pause.tv_nsec)
    nanosleep(&pause, NULL);
  errno = error;
}

void plugin_output_release(void) {
  fflush(stdout);
  dup2(STDERR_FILENO, STDOUT_FILENO);
}

static void (*end_output)(void);

static ssize_t write_last(void *cookie, const char *bytes, size_t count) {
  (void)cookie;
  (void)bytes;
  end_output();
  return (ssize_t)count;
}

bool plugin_output_at_exit(void (*end)(void)) {
  /* No handler runs after the destructors of libraries. A stream with a byte in its buffer is written after them. */
  end_output = end;
  FILE *last = fopencookie(NULL, "w", (cookie_io_functions_t){.write = write_last});
  return last != NULL && fputc('\n', last) != EOF;
}
