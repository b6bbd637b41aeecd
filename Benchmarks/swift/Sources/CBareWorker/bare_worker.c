#define _GNU_SOURCE
#include "bare_worker.h"

#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { SIZE = 64, CHILD_SOCKET = 3 };

/* A message on its way through the threads of one process. */
typedef struct relay {
  int socket;
  char bytes[SIZE];
  sem_t received, delivered;
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

/* The child's thread that makes calls. */
static void *answer(void *context) {
  relay_t *relay = context;
  for (;;) {
    await(&relay->received);
    give(relay->socket, relay->bytes);
  }
  return NULL;
}

static void *receive(void *context) {
  relay_t *relay = context;
  for (;;) {
    take(relay->socket, relay->bytes);
    sem_post(&relay->received);
  }
  return NULL;
}

/* The parent's thread that settles promises. */
static void *deliver(void *context) {
  relay_t *relay = context;
  for (;;) {
    await(&relay->received);
    sem_post(&relay->delivered);
  }
  return NULL;
}

static bool start_thread(void *(*body)(void *), relay_t *relay) {
  pthread_t thread;
  return pthread_create(&thread, NULL, body, relay) == 0 && pthread_detach(thread) == 0;
}

void bare_worker_main(int argc, char **argv) {
  if (argc != 2 || strncmp(argv[1], "--bare-worker-", 14) != 0)
    return;
  static relay_t relay = {.socket = CHILD_SOCKET};
  if (argv[1][14] == '0') {
    for (;;) {
      take(relay.socket, relay.bytes);
      give(relay.socket, relay.bytes);
    }
  }
  sem_init(&relay.received, 0, 0);
  if (start_thread(answer, &relay))
    receive(&relay);
  _exit(1);
}

bool bare_worker_start(bare_trip_t way) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    return false;
  char option[32];
  snprintf(option, sizeof option, "--bare-worker-%d", (int)way);
  char *arguments[] = {"worker-costs", option, NULL};
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
  sem_init(&relay->received, 0, 0);
  sem_init(&relay->delivered, 0, 0);
  return start_thread(receive, relay) && start_thread(deliver, relay);
}

void bare_worker_trips(bare_trip_t way, long count) {
  relay_t *relay = &relays[way];
  char bytes[SIZE] = {0};
  for (long i = 0; i < count; i++) {
    give(relay->socket, bytes);
    if (way == BARE_DIRECT_TRIP)
      take(relay->socket, bytes);
    else
      await(&relay->delivered);
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
