/* hostile.c - a plugin that writes frames of its own to its worker's socket: the macro ATTACK chooses them. */
#include "../Fixtures/plugins/fixture.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

static inline void hang(void) {
  for (;;)
    pause();
}

/* Returns the socket that is connected to the host: the only one of this process. */
static int host_socket(void) {
  struct stat status;
  for (int descriptor = 0; descriptor < 1024; descriptor++)
    if (fstat(descriptor, &status) == 0 && S_ISSOCK(status.st_mode))
      return descriptor;
  return -1;
}

static void send_bytes(const void *bytes, size_t count) {
  if (send(host_socket(), bytes, count, MSG_NOSIGNAL) < 0)
    perror("send");
}

/* Sends a header that announces a body of `length` bytes, and `blocks` blocks of memory. */
static inline void send_header(uint32_t length, uint8_t version, uint8_t kind, uint8_t blocks) {
  unsigned char header[16] = {0};
  memcpy(header, &length, sizeof length);
  header[4] = version;
  header[5] = kind;
  header[6] = blocks;
  send_bytes(header, sizeof header);
}

/* Sends a frame for each of the first requests, one of which is that of the call. */
static inline void send_frames(uint8_t kind, const void *body, uint32_t length) {
  for (uint8_t request = 0; request < 64; request++) {
    unsigned char frame[16 + 1024] = {0};
    memcpy(frame, &length, sizeof length);
    frame[4] = 1;
    frame[5] = kind;
    frame[8] = request;
    memcpy(frame + 16, body, length);
    send_bytes(frame, 16 + length);
  }
}

/* Sends nested arrays. */
static inline void send_nested(void) {
  char body[1024];
  memset(body, 0x81, sizeof body);
  send_frames(10, body, sizeof body);
}

/* Sends bytes with `count` copies of a descriptor beside them. */
static inline void send_with(void *bytes, size_t length, int descriptor, int count) {
  char control[CMSG_SPACE(100 * sizeof(int))] = {0};
  struct iovec part = {bytes, length};
  struct msghdr message = {
      .msg_iov = &part, .msg_iovlen = 1, .msg_control = control, .msg_controllen = CMSG_SPACE(count * sizeof(int))};
  struct cmsghdr *header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(count * sizeof(int));
  for (int index = 0; index < count; index++)
    memcpy(CMSG_DATA(header) + index * sizeof(int), &descriptor, sizeof(int));
  if (sendmsg(host_socket(), &message, MSG_NOSIGNAL) < 0)
    perror("sendmsg");
}

/* Sends a byte, or the start of an answer with one block of memory, and `count` descriptors beside it. */
static inline void send_descriptors(int descriptor, int count, bool is_answer) {
  unsigned char frame[20] = {4, 0, 0, 0, 1, 10, 1, [8] = 1, [16] = 0xD9, 0xA0, 0x03, 0};
  send_with(frame, is_answer ? sizeof frame : 1, descriptor, count);
}

/* Sends a result that announces so many open files, with one descriptor beside it. The body is the first file, or has
 * none. */
static inline void send_file(int descriptor, uint8_t announced, bool is_value) {
  unsigned char frame[20] = {4, 0, 0, 0, 1, 10, 0, announced, [8] = 1, [16] = 0xD9, 0xA0, 0x05, 0};
  if (!is_value)
    memcpy(frame + 16, (const uint8_t[]){0x83, 0xF6, 0xF6, 0xF6}, 4);
  send_with(frame, sizeof frame, descriptor, 1);
}

/* Sends memory that the sender can shrink while the host reads it. */
static inline void send_unsealed(void) {
  int memory = memfd_create("memory", 0);
  if (ftruncate(memory, 1 << 20) != 0)
    perror("ftruncate");
  send_descriptors(memory, 1, true);
}

static uint32_t attack(void) {
  ATTACK;
  hang();
  return 42;
}

static const promise_plugin_function_t functions[] = {{"attack() -> u32", (promise_function_t)attack, NULL}};

PLUGIN("org.example.hostile")
