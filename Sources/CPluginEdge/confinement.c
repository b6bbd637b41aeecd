#define _GNU_SOURCE
#include "plugin_confinement.h"

#include "confinement.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Landlock up to ABI version 7. The headers of a system may be older than its kernel. */
enum { SYS_CREATE_RULESET = 444, SYS_ADD_RULE = 445, SYS_RESTRICT_SELF = 446 };
enum { CREATE_RULESET_VERSION = 1, RULE_PATH_BENEATH = 1 };

/* openat2(), which each kernel with Landlock has. */
enum { SYS_OPENAT2 = 437, RESOLVE_NO_SYMLINKS = 4 };

struct open_how {
  uint64_t flags;
  uint64_t mode;
  uint64_t resolve;
};

#define EXECUTE (1ULL << 0)
#define WRITE_FILE (1ULL << 1)
#define READ_FILE (1ULL << 2)
#define READ_DIR (1ULL << 3)
/* Creation and removal of directory entries. */
#define CHANGE_DIR (0x1FFULL << 4)
#define REFER (1ULL << 13)
#define TRUNCATE (1ULL << 14)
#define IOCTL_DEV (1ULL << 15)
/* The accesses that a rule for a file can allow; the others are those of folders. */
#define OF_FILES (EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | IOCTL_DEV)

struct ruleset {
  uint64_t files;
  uint64_t network;
  uint64_t scoped;
};

struct path_rule {
  uint64_t access;
  int32_t parent;
} __attribute__((packed));

static uint64_t handled(int version) {
  uint64_t files = EXECUTE | WRITE_FILE | READ_FILE | READ_DIR | CHANGE_DIR;
  if (version >= 2)
    files |= REFER;
  if (version >= 3)
    files |= TRUNCATE;
  if (version >= 5)
    files |= IOCTL_DEV;
  return files;
}

static int landlock_version(void) {
  long version = syscall(SYS_CREATE_RULESET, NULL, 0, CREATE_RULESET_VERSION);
  return version > 0 ? (int)version : 0;
}

int32_t plugin_landlock_begin(int32_t *version) {
  *version = landlock_version();
  if (*version == 0)
    return -1;
  /* From version 6 on: no signals to processes outside the domain, and no connections to their abstract sockets. */
  struct ruleset set = {handled(*version), 0, *version >= 6 ? 3 : 0};
  size_t size = *version >= 6 ? sizeof set : offsetof(struct ruleset, network);
  return (int32_t)syscall(SYS_CREATE_RULESET, &set, size, 0);
}

static int open_path(const char *path, bool is_direct) {
  if (!is_direct)
    return open(path, O_PATH | O_CLOEXEC);
  struct open_how how = {O_PATH | O_CLOEXEC, 0, RESOLVE_NO_SYMLINKS};
  return (int)syscall(SYS_OPENAT2, AT_FDCWD, path, &how, sizeof how);
}

int32_t plugin_landlock_allow(int32_t rules, const char *path, int32_t access) {
  struct path_rule rule = {0, open_path(path, access & PLUGIN_ACCESS_DIRECT)};
  if (rule.parent < 0)
    return errno;
  struct stat status;
  if (access & PLUGIN_ACCESS_READ)
    rule.access |= READ_FILE | READ_DIR;
  if (access & PLUGIN_ACCESS_WRITE)
    rule.access |= WRITE_FILE | CHANGE_DIR | REFER | TRUNCATE;
  if (access & PLUGIN_ACCESS_EXECUTE)
    rule.access |= EXECUTE;
  if (fstat(rule.parent, &status) == 0 && !S_ISDIR(status.st_mode))
    rule.access &= OF_FILES;
  rule.access &= handled(landlock_version());
  int32_t error = syscall(SYS_ADD_RULE, rules, RULE_PATH_BENEATH, &rule, 0) == 0 ? 0 : errno;
  close(rule.parent);
  return error;
}

int32_t plugin_landlock_end(int32_t rules) {
  int32_t error = prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && syscall(SYS_RESTRICT_SELF, rules, 0) == 0 ? 0 : errno;
  close(rules);
  return error;
}

static int32_t limit(int resource, uint64_t soft, uint64_t hard) {
  struct rlimit old;
  if (getrlimit(resource, &old) != 0)
    return errno;
  struct rlimit new = {soft < old.rlim_max ? soft : old.rlim_max, hard < old.rlim_max ? hard : old.rlim_max};
  return setrlimit(resource, &new) == 0 ? 0 : errno;
}

/* The usual limit of a stack. */
enum { STACK = 8 << 20 };

/* Also for the stack of the main thread, which grows, and does not count as data. */
static int32_t limit_memory(uint64_t size) {
  struct rlimit stack;
  int32_t error = limit(RLIMIT_DATA, size, size);
  if (error == 0 && getrlimit(RLIMIT_STACK, &stack) != 0)
    error = errno;
  /* Without a limit, programs would make the stack of each thread as large as the memory. */
  uint64_t most = error == 0 && stack.rlim_cur != RLIM_INFINITY ? stack.rlim_cur : STACK;
  if (most > size)
    most = size;
  return error == 0 ? limit(RLIMIT_STACK, most, most) : error;
}

/* Drops all privileges but CAP_DAC_OVERRIDE, which the rules for files make harmless. */
static int32_t drop_privileges(void) {
  struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
  struct __user_cap_data_struct sets[2];
  if (syscall(SYS_capget, &header, sets) != 0)
    return errno;
  uint32_t kept = sets[0].permitted & 1U << CAP_DAC_OVERRIDE;
  sets[0] = (struct __user_cap_data_struct){kept & sets[0].effective, kept, 0};
  sets[1] = (struct __user_cap_data_struct){0, 0, 0};
  return syscall(SYS_capset, &header, sets) == 0 ? 0 : errno;
}

int32_t plugin_confinement_limit(const plugin_confinement_t *given) {
  int32_t error = limit(RLIMIT_CORE, 0, 0);
  /* Real-time threads on all processors would leave the host nothing. */
  if (error == 0)
    error = limit(RLIMIT_RTPRIO, 0, 0);
  if (error == 0)
    error = limit(RLIMIT_NICE, 0, 0);
  if (error == 0 && given->memory != 0)
    error = limit_memory(given->memory);
  if (error == 0 && given->cpu_time != 0)
    error = limit(RLIMIT_CPU, given->cpu_time, given->cpu_time + 1);
  if (error == 0)
    error = drop_privileges();
  if (error == 0 && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
    error = errno;
  return error;
}

/* The attempts, a millisecond apart, to send a descriptor while processes of the user have too many under way. */
enum { PATIENCE = 5000 };

int32_t plugin_confinement_send(int32_t socket, const void *bytes, size_t count, int32_t descriptor) {
  union {
    char space[CMSG_SPACE(sizeof(int))];
    struct cmsghdr aligned;
  } control = {{0}};
  struct iovec part = {(void *)bytes, count};
  struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
  if (descriptor >= 0) {
    message.msg_control = control.space;
    message.msg_controllen = sizeof control.space;
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int));
    memcpy(CMSG_DATA(header), &descriptor, sizeof(int));
  }
  ssize_t sent;
  int patience = PATIENCE;
  do
    sent = sendmsg(socket, &message, MSG_NOSIGNAL);
  while (sent < 0 && (errno == EINTR || (errno == ETOOMANYREFS && patience-- > 0 && (usleep(1000), true))));
  return sent < 0 ? errno : 0;
}

ptrdiff_t plugin_confinement_receive(int32_t socket, void *bytes, size_t capacity, int32_t *descriptor) {
  union {
    char space[CMSG_SPACE(sizeof(int))];
    struct cmsghdr aligned;
  } control = {{0}};
  struct iovec part = {bytes, capacity};
  struct msghdr message = {
      .msg_iov = &part, .msg_iovlen = 1, .msg_control = control.space, .msg_controllen = sizeof control.space};
  *descriptor = -1;
  ssize_t count;
  do
    count = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
  while (count < 0 && errno == EINTR);
  struct cmsghdr *header = count >= 0 ? CMSG_FIRSTHDR(&message) : NULL;
  if (header != NULL && header->cmsg_level == SOL_SOCKET && header->cmsg_type == SCM_RIGHTS)
    memcpy(descriptor, CMSG_DATA(header), sizeof(int));
  return count;
}
