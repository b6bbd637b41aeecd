/* bare_worker.h - the least cost of the work of a worker process: round trips over a socketpair to a child process, and
   the start of a process. */
#ifndef BENCHMARKS_BARE_WORKER_H
#define BENCHMARKS_BARE_WORKER_H

#include <stdbool.h>

/* The threads that pass a message on, each woken by the one before it. */
typedef enum {
  /* One thread in each process: 2 wake-ups a round trip. */
  BARE_DIRECT_TRIP,
  /* One in the child, and two in this process, one of which reads, as in a call into a worker: 3 wake-ups. */
  BARE_THREADED_TRIP,
} bare_trip_t;

/* Runs the child and does not return, if the arguments are those of a child. Call it first in main(). */
void bare_worker_main(int argc, char **argv);

/* Starts a child for round trips. Returns whether it could be started. */
bool bare_worker_start(bare_trip_t way);

/* Makes `count` round trips of 64 bytes with the child that was started for `way`. */
void bare_worker_trips(bare_trip_t way, long count);

/* Makes `count` round trips of ten messages of 64 bytes with the child for BARE_THREADED_TRIP, which answers those that
 * it finds together by one message. The first message is sent alone, and the others together or one by one. */
void bare_worker_chains(bool together, long count);

/* Starts a program that ends at once by posix_spawn(), with an argument or NULL, and waits for its end. Drops its
 * output. Returns whether the exit status was 0. */
bool bare_worker_spawn(const char *program, const char *argument);

#endif
