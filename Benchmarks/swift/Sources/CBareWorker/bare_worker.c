#define _GNU_SOURCE
#include "bare_worker.h"

#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { SIZE = 64, LINKS = 10, CHILD_SOCKET = 3 };

/* The parent's end of the socket to a child. */
typedef struct relay {
  int socket;
  /* The number of bytes that are still to come back. */
  atomic_long missing;
  sem_t received;
} relay_t;

static relay_t relays[2];

/* Returns the number of bytes that have come, at most those of a chain. */
static long take(int socket) {
  char bytes[LINKS * SIZE];
  ssize_t count = read(socket, bytes, sizeof bytes);
  if (count <= 0)
    _exit(0);
  return count;
}

static void give(int socket, long count) {
  static const char bytes[LINKS * SIZE];
  if (send(socket, bytes, (size_t)count, MSG_NOSIGNAL) != count)
    _exit(1);
}

static void await(sem_t *semaphore) {
  while (sem_wait(semaphore) != 0) {
  }
}

/* Reads a child's messages on a thread of the parent. */
static void *receive(void *context) {
  relay_t *relay = context;
  for (;;) {
    long count = take(relay->socket);
    if (atomic_fetch_sub(&relay->missing, count) == count)
      sem_post(&relay->received);
  }
  return NULL;
}

void bare_worker_main(int argc, char **argv) {
  if (argc != 2 || strcmp(argv[1], "--bare-worker") != 0)
    return;
  for (;;)
    give(CHILD_SOCKET, take(CHILD_SOCKET));
}

bool bare_worker_start(bare_trip_t way) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    return false;
  char *arguments[] = {"worker-costs", "--bare-worker", NULL};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], CHILD_SOCKET);
  pid_t child;
  int error = posix_spawn(&child, "/proc/self/exe", &actions, NULL, arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  if (error != 0)
    return false;
  relay_t *relay = &relays[way];
  relay->socket = ends[0];
  if (way == BARE_DIRECT_TRIP)
    return true;
  pthread_t thread;
  return sem_init(&relay->received, 0, 0) == 0 && pthread_create(&thread, NULL, receive, relay) == 0 &&
         pthread_detach(thread) == 0;
}

void bare_worker_trips(bare_trip_t way, long count) {
  relay_t *relay = &relays[way];
  for (long i = 0; i < count; i++) {
    atomic_store(&relay->missing, SIZE);
    give(relay->socket, SIZE);
    if (way == BARE_DIRECT_TRIP)
      take(relay->socket);
    else
      await(&relay->received);
  }
}

void bare_worker_chains(bool together, long count) {
  relay_t *relay = &relays[BARE_THREADED_TRIP];
  for (long i = 0; i < count; i++) {
    atomic_store(&relay->missing, LINKS * SIZE);
    give(relay->socket, SIZE);
    for (long left = LINKS - 1; left > 0;) {
      long next = together ? left : 1;
      give(relay->socket, next * SIZE);
      left -= next;
    }
    await(&relay->received);
  }
}

bool bare_worker_spawn(const char *program, const char *argument) {
  char *arguments[] = {(char *)program, (char *)argument, NULL};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t child;
  int status;
  bool is_right = posix_spawn(&child, program, &actions, NULL, arguments, environ) == 0 &&
                  waitpid(child, &status, 0) == child && status == 0;
  posix_spawn_file_actions_destroy(&actions);
  return is_right;
}
