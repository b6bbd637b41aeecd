/* promise_dump: the text in a descriptor, errors of it, and signals meanwhile. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/ioctl.h>

#include "dump.h"

TEST(dump_writes_to_a_descriptor) {
  int ends[2];
  char text[4096] = {0};
  REQUIRE(pipe(ends) == 0);
  promise_t *promise = promise_new();
  CHECK_STATUS(promise_dump(ends[1]), PROMISE_OK);
  close(ends[1]);
  CHECK(read(ends[0], text, sizeof text - 1) > 0);
  close(ends[0]);
  dump();
  CHECK_TEXT(text, dumped);
  /* A write into a pipe without a reader returns an error, and raises no SIGPIPE. */
  REQUIRE(pipe(ends) == 0);
  close(ends[0]);
  CHECK_STATUS(promise_dump(ends[1]), PROMISE_EINVAL);
  CHECK_INT(errno, EPIPE);
  close(ends[1]);
  errno = 0;
  CHECK_STATUS(promise_dump(-1), PROMISE_EINVAL);
  CHECK_INT(errno, EBADF);
  int full = open("/dev/full", O_WRONLY);
  if (full >= 0) {
    CHECK_STATUS(promise_dump(full), PROMISE_EINVAL);
    CHECK_INT(errno, ENOSPC);
    close(full);
  }
  promise_release(promise);
}

/* A failed write blocks no signal of the program, and takes none that was pending before. */
TEST(a_failed_write_leaves_the_signals) {
  int ends[2];
  sigset_t pipes, before, now;
  REQUIRE(pipe(ends) == 0);
  close(ends[0]);
  CHECK_STATUS(promise_dump(ends[1]), PROMISE_EINVAL);
  sigemptyset(&pipes);
  sigaddset(&pipes, SIGPIPE);
  REQUIRE(pthread_sigmask(SIG_BLOCK, &pipes, &before) == 0);
  CHECK_INT(sigismember(&before, SIGPIPE), 0);
  raise(SIGPIPE);
  CHECK_STATUS(promise_dump(ends[1]), PROMISE_EINVAL);
  REQUIRE(sigpending(&now) == 0);
  CHECK_INT(sigismember(&now, SIGPIPE), 1);
  sigtimedwait(&pipes, NULL, &(struct timespec){0, 0});
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  close(ends[1]);
}

enum { LISTED = 200 };
static pthread_t dumping;
static char received[1 << 16];

static void interrupts(int number) {
  (void)number;
}

/* Waits until the pipe is full, ends the write several times, then reads until the end. */
static void *interrupts_then_reads(void *pipe_end) {
  int end = *(const int *)pipe_end, pending = 0, size = fcntl(end, F_GETPIPE_SZ);
  while (ioctl(end, FIONREAD, &pending) == 0 && pending < size)
    usleep(100);
  for (int i = 0; i < 5; i++) {
    pthread_kill(dumping, SIGUSR1);
    usleep(1000);
  }
  size_t length = 0;
  for (ssize_t more; (more = read(end, received + length, sizeof received - 1 - length)) > 0;)
    length += (size_t)more;
  received[length] = '\0';
  return NULL;
}

/* Signals end a write in its midst, and before its first byte. */
TEST(an_interrupted_dump_is_whole) {
  int ends[2];
  pthread_t reader;
  promise_t *promises[LISTED];
  struct sigaction action = {.sa_handler = interrupts}, before;
  for (int i = 0; i < LISTED; i++)
    promises[i] = promise_new();
  REQUIRE(pipe(ends) == 0 && fcntl(ends[1], F_SETPIPE_SZ, 4096) > 0);
  REQUIRE(sigaction(SIGUSR1, &action, &before) == 0);
  dumping = pthread_self();
  REQUIRE(pthread_create(&reader, NULL, interrupts_then_reads, &ends[0]) == 0);
  CHECK_STATUS(promise_dump(ends[1]), PROMISE_OK);
  close(ends[1]);
  pthread_join(reader, NULL);
  close(ends[0]);
  sigaction(SIGUSR1, &before, NULL);
  dump();
  CHECK(line_count > LISTED);
  CHECK_TEXT(received, dumped);
  RELEASE_EACH(promises, LISTED);
}
