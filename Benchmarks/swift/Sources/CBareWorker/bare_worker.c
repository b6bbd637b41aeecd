#define _GNU_SOURCE
#include "bare_worker.h"

#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { SIZE = 64, CHILD_SOCKET = 3 };

/* The parent's end of the socket to a child. */
typedef struct relay {
  int socket;
  char bytes[SIZE];
  sem_t received;
} relay_t;

static relay_t relays[2];

static void take(int socket, char *bytes) {
  for (size_t got = 0; got < SIZE;) {
    ssize_t count = read(socket, bytes + got, SIZE - got);
    if (count <= 0)
      _exit(0);
    got += (size_t)count;
  }
}

static void give(int socket, const char *bytes) {
  if (send(socket, bytes, SIZE, MSG_NOSIGNAL) != SIZE)
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
    take(relay->socket, relay->bytes);
    sem_post(&relay->received);
  }
  return NULL;
}

void bare_worker_main(int argc, char **argv) {
  if (argc != 2 || strcmp(argv[1], "--bare-worker") != 0)
    return;
  char bytes[SIZE];
  for (;;) {
    take(CHILD_SOCKET, bytes);
    give(CHILD_SOCKET, bytes);
  }
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
  char bytes[SIZE] = {0};
  for (long i = 0; i < count; i++) {
    give(relay->socket, bytes);
    if (way == BARE_DIRECT_TRIP)
      take(relay->socket, bytes);
    else
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
