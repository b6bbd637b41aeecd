/* Takes and returns large bytes, reports whether they are in shared memory, and sends memory as no worker does. */
#define _GNU_SOURCE
#include "fixture.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

static uint64_t sum(promise_bytes_t data) {
  uint64_t total = 0;
  for (size_t index = 0; index < data.length; index++)
    total += ((const uint8_t *)data.data)[index];
  return total;
}

/* Returns whether the bytes are in shared memory. */
static bool is_shared(promise_bytes_t data) {
  FILE *maps = fopen("/proc/self/maps", "r");
  char line[512];
  bool found = false;
  while (maps != NULL && fgets(line, sizeof line, maps) != NULL) {
    unsigned long start, end;
    if (sscanf(line, "%lx-%lx", &start, &end) == 2 && (uintptr_t)data.data >= start && (uintptr_t)data.data < end)
      found = strstr(line, "/memfd:promise-bytes") != NULL;
  }
  if (maps != NULL)
    fclose(maps);
  return found;
}

/* Calls `body` with the number of the file that the bytes are mapped from; 0 for bytes of no file. */
static void with_file(promise_bytes_t data, void (*body)(uint64_t file)) {
  FILE *maps = fopen("/proc/self/maps", "r");
  char line[512];
  unsigned long found = 0;
  while (maps != NULL && fgets(line, sizeof line, maps) != NULL) {
    unsigned long start, end, file;
    if (sscanf(line, "%lx-%lx %*s %*s %*s %lu", &start, &end, &file) == 3 && (uintptr_t)data.data >= start &&
        (uintptr_t)data.data < end)
      found = file;
  }
  if (maps != NULL)
    fclose(maps);
  body(found);
}

/* Changes borrowed bytes, which is forbidden. */
static uint32_t scribble(promise_bytes_t data) {
  *(volatile uint8_t *)data.data = 255;
  return *(const uint8_t *)data.data;
}

static promise_bytes_t bytes(promise_bytes_t data) {
  return data;
}

static promise_str_t text(promise_str_t data) {
  return data;
}

static promise_bytes_t zeros(uint64_t count) {
  static uint8_t *memory;
  free(memory);
  memory = calloc(1, count);
  return (promise_bytes_t){memory, count};
}

static promise_t *never(promise_bytes_t data) {
  (void)data;
  return pending_promise();
}

static void die(promise_bytes_t data) {
  (void)data;
  abort();
}

static uint32_t descriptors(void) {
  return (uint32_t)entries_of("/proc/self/fd");
}

static int memory(size_t size, int seals) {
  int descriptor = memfd_create("wrong", MFD_ALLOW_SEALING);
  if (ftruncate(descriptor, (off_t)size) != 0 || fcntl(descriptor, F_ADD_SEALS, seals) != 0)
    abort();
  return descriptor;
}

/* Sends an answer that announces `announced` blocks of memory, with `count` descriptors. */
static void answer(int descriptor, int count, uint8_t announced, uint8_t index) {
  uint8_t frame[] = {4, 0, 0, 0, 1, 10, announced, 0, 99, 0, 0, 0, 0, 0, 0, 0, 0xd9, 0xa0, 0x03, index};
  if (announced == 0)
    memcpy(frame + 16, (const uint8_t[]){0x83, 0xf6, 0xf6, 0xf6}, 4);
  union {
    struct cmsghdr header;
    char space[CMSG_SPACE(253 * sizeof(int))];
  } control = {0};
  struct iovec part = {frame, sizeof frame};
  struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = &control};
  message.msg_controllen = count == 0 ? 0 : CMSG_SPACE((size_t)count * sizeof(int));
  if (count > 0) {
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    *header = (struct cmsghdr){CMSG_LEN((size_t)count * sizeof(int)), SOL_SOCKET, SCM_RIGHTS};
    for (int each = 0; each < count; each++)
      memcpy(CMSG_DATA(header) + (size_t)each * sizeof(int), &descriptor, sizeof(int));
  }
  for (int socket = 0; socket < 1024; socket++) {
    struct stat status;
    if (fstat(socket, &status) == 0 && S_ISSOCK(status.st_mode) && sendmsg(socket, &message, MSG_NOSIGNAL) < 0)
      perror("sendmsg");
  }
}

static void forge(promise_str_t how) {
  const int seals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE;
#define HOW(name) (how.length == strlen(name) && memcmp(how.data, name, how.length) == 0)
  if (HOW("not sealed"))
    answer(memory(4096, 0), 1, 1, 0);
  if (HOW("can be written"))
    answer(memory(4096, F_SEAL_SHRINK | F_SEAL_GROW), 1, 1, 0);
  if (HOW("can shrink"))
    answer(memory(4096, F_SEAL_GROW | F_SEAL_WRITE), 1, 1, 0);
  if (HOW("empty"))
    answer(memory(0, seals), 1, 1, 0);
  if (HOW("too large"))
    answer(memory((size_t)1 << 31, seals), 1, 1, 0);
  if (HOW("no memory"))
    answer(open("/proc/self/status", O_RDONLY), 1, 1, 0);
  if (HOW("too few"))
    answer(memory(4096, seals), 1, 2, 0);
  if (HOW("none"))
    answer(-1, 0, 1, 0);
  if (HOW("not announced"))
    answer(memory(4096, seals), 1, 0, 0);
  if (HOW("too many"))
    answer(memory(4096, seals), 100, 1, 0);
  if (HOW("another block"))
    answer(memory(4096, seals), 1, 1, 1);
}

static const promise_plugin_function_t functions[] = {
    FUNCTION("sum(data: bytes) -> u64", sum),
    FUNCTION("is_shared(data: bytes) -> bool", is_shared),
    FUNCTION("with_file(data: bytes, body: fn(file: u64))", with_file),
    FUNCTION("scribble(data: bytes) -> u32", scribble),
    FUNCTION("bytes(data: bytes) -> bytes", bytes),
    FUNCTION("text(data: str) -> str", text),
    FUNCTION("zeros(count: u64) -> bytes", zeros),
    FUNCTION("never(data: bytes) -> promise<void>", never),
    FUNCTION("die(data: bytes)", die),
    FUNCTION("descriptors() -> u32", descriptors),
    FUNCTION("forge(how: str)", forge),
};

PLUGIN("test.large")
