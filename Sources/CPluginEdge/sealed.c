#define _GNU_SOURCE
#include "memory_file.h"
#include "plugin_sealed.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

static const int required_seals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE;

/* Seals memory if it was filled; otherwise closes it, and keeps errno. */
static int32_t finish(int descriptor, bool is_filled) {
  if (is_filled && fcntl(descriptor, F_ADD_SEALS, required_seals | F_SEAL_SEAL) == 0)
    return descriptor;
  int error = errno;
  close(descriptor);
  errno = error;
  return -1;
}

int32_t plugin_sealed_new(const void *bytes, size_t length) {
  int descriptor = plugin_memory_file("promise-bytes", length, MFD_ALLOW_SEALING);
  return descriptor < 0 ? -1 : finish(descriptor, plugin_memory_file_write(descriptor, bytes, length));
}

static bool copy(int from, int to, size_t length) {
  size_t capacity = length < 1 << 20 ? length : 1 << 20;
  char *buffer = malloc(capacity);
  if (buffer == NULL)
    return false;
  bool copied = true;
  for (size_t offset = 0; copied && offset < length;) {
    size_t rest = length - offset;
    ssize_t count = pread(from, buffer, rest < capacity ? rest : capacity, (off_t)offset);
    if (count < 0 && errno == EINTR)
      continue;
    if (count == 0)
      errno = ESTALE;
    copied = count > 0 && plugin_memory_file_write(to, buffer, (size_t)count);
    offset += count > 0 ? (size_t)count : 0;
  }
  int error = errno;
  free(buffer);
  errno = error;
  return copied;
}

static bool is_same_time(struct timespec one, struct timespec other) {
  return one.tv_sec == other.tv_sec && one.tv_nsec == other.tv_nsec;
}

int32_t plugin_sealed_copy(int32_t file, const char *name) {
  struct stat before, after;
  if (fstat(file, &before) != 0)
    return -1;
  int descriptor = plugin_memory_file(name, (size_t)before.st_size, MFD_ALLOW_SEALING);
  if (descriptor < 0)
    return -1;
  /* The kernel changes the times of a file when a write begins, and holds the file's lock until the write ends. This
   * call takes the lock: a write that began before is complete now, and a later one changes the times. Its result does
   * not matter. */
  (void)lseek(file, 0, SEEK_DATA);
  bool copied = copy(file, descriptor, (size_t)before.st_size) && fstat(file, &after) == 0;
  /* A program can set all times but that of the last change. */
  if (copied && (before.st_size != after.st_size || !is_same_time(before.st_mtim, after.st_mtim) ||
                 !is_same_time(before.st_ctim, after.st_ctim))) {
    errno = ESTALE;
    copied = false;
  }
  return finish(descriptor, copied);
}

bool plugin_sealed_is(int32_t descriptor) {
  int seals = fcntl(descriptor, F_GET_SEALS);
  return seals >= 0 && (seals & required_seals) == required_seals;
}

static plugin_sealed_t refused(const char *mistake) {
  return (plugin_sealed_t){NULL, 0, mistake};
}

plugin_sealed_t plugin_sealed_check(int32_t descriptor, size_t longest) {
  int seals = fcntl(descriptor, F_GET_SEALS);
  if (seals < 0)
    return refused("a descriptor that is not shared memory");
  if ((seals & required_seals) != required_seals)
    return refused("shared memory that is not sealed");
  struct stat status;
  if (fstat(descriptor, &status) != 0 || status.st_size <= 0)
    return refused("empty shared memory");
  if ((uint64_t)status.st_size > longest)
    return (plugin_sealed_t){NULL, (size_t)status.st_size, "more shared memory than a frame may have"};
  return (plugin_sealed_t){NULL, (size_t)status.st_size, NULL};
}

plugin_sealed_t plugin_sealed_map(int32_t descriptor, size_t longest) {
  plugin_sealed_t memory = plugin_sealed_check(descriptor, longest);
  if (memory.mistake != NULL)
    return memory;
  /* Private, and not read-only: code that changes bytes that it borrows changes its own copy of the page. */
  memory.bytes = mmap(NULL, memory.length, PROT_READ | PROT_WRITE, MAP_PRIVATE, descriptor, 0);
  return memory.bytes == MAP_FAILED ? refused("shared memory for which this process has no space") : memory;
}

bool plugin_sealed_read(int32_t descriptor, void *bytes, size_t length) {
  for (size_t offset = 0; offset < length;) {
    ssize_t count = pread(descriptor, (char *)bytes + offset, length - offset, (off_t)offset);
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      return false;
    offset += (size_t)count;
  }
  return true;
}

void plugin_sealed_unmap(void *bytes, size_t length) {
  munmap(bytes, length);
}

/* Space for the descriptors of a message, aligned for its header: as many as Linux sends. The kernel closes those
 * without space when they are received, and may wait for a socket. */
typedef union {
  struct cmsghdr header;
  char space[CMSG_SPACE(253 * sizeof(int))];
} control_t;

ptrdiff_t plugin_sealed_send(int32_t socket, const void *bytes, size_t count, const int32_t *descriptors,
                             size_t descriptor_count, bool waits) {
  control_t control;
  struct iovec part = {(void *)bytes, count};
  struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
  if (descriptor_count > 0) {
    size_t size = descriptor_count * sizeof(int);
    memset(control.space, 0, CMSG_SPACE(size));
    message.msg_control = control.space;
    message.msg_controllen = CMSG_SPACE(size);
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(size);
    memcpy(CMSG_DATA(header), descriptors, size);
  }
  int state;
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
  ssize_t sent = sendmsg(socket, &message, MSG_NOSIGNAL | (waits ? 0 : MSG_DONTWAIT));
  int error = errno;
  pthread_setcancelstate(state, NULL);
  errno = error;
  return sent;
}

void plugin_sealed_close(int32_t descriptor) {
  struct linger none = {1, 0};
  (void)setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &none, sizeof none);
  close(descriptor);
}

/* Takes the descriptors out of a message; those that do not fit are closed. Returns whether all fit. */
static bool take(struct msghdr *message, int32_t *descriptors, size_t *count) {
  bool fits = true;
  for (struct cmsghdr *header = CMSG_FIRSTHDR(message); header != NULL; header = CMSG_NXTHDR(message, header)) {
    if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS)
      continue;
    size_t size = header->cmsg_len - CMSG_LEN(0);
    for (size_t offset = 0; offset + sizeof(int) <= size; offset += sizeof(int)) {
      int descriptor;
      memcpy(&descriptor, CMSG_DATA(header) + offset, sizeof descriptor);
      if (*count < PLUGIN_SEALED_MESSAGE) {
        descriptors[(*count)++] = descriptor;
      } else {
        plugin_sealed_close(descriptor);
        fits = false;
      }
    }
  }
  return fits;
}

ptrdiff_t plugin_sealed_receive(int32_t socket, void *bytes, size_t count, int32_t *descriptors,
                                size_t *descriptor_count) {
  control_t control;
  struct iovec part = {bytes, count};
  struct msghdr message = {
      .msg_iov = &part, .msg_iovlen = 1, .msg_control = control.space, .msg_controllen = sizeof control.space};
  *descriptor_count = 0;
  /* A plugin may have cancelled the thread, which the process needs. */
  int state;
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
  ssize_t received = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
  int error = errno;
  pthread_setcancelstate(state, NULL);
  errno = error;
  if (received < 0)
    return -1;
  bool fits = take(&message, descriptors, descriptor_count);
  if (fits && (message.msg_flags & MSG_CTRUNC) == 0)
    return received;
  for (size_t index = 0; index < *descriptor_count; index++)
    plugin_sealed_close(descriptors[index]);
  /* The kernel cuts a message off if this process can have no more descriptors. */
  errno = fits ? EMFILE : EBADMSG;
  *descriptor_count = 0;
  return -1;
}
