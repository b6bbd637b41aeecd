#define _GNU_SOURCE
#include "filter_rules.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/seccomp.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

/* Space for the structures of later kernels, which may be larger. */
typedef union request {
  struct seccomp_notif notification;
  char space[512];
} request_t;

typedef union response {
  struct seccomp_notif_resp answer;
  char space[512];
} response_t;

/* Reads memory of another process. Returns the count of bytes, or -1. */
static ssize_t read_memory(int32_t thread, uint64_t address, void *bytes, size_t count) {
  struct iovec own = {bytes, count};
  struct iovec other = {(void *)(uintptr_t)address, count};
  return process_vm_readv(thread, &own, 1, &other, 1, 0);
}

/* Reads a text that ends with a NUL, page by page: the page after it may be missing. Empty if it cannot be read. */
static void read_text(int32_t thread, uint64_t address, char *text, size_t capacity) {
  size_t length = 0;
  while (length < capacity) {
    size_t rest = 4096 - (size_t)((address + length) & 4095);
    size_t wanted = rest < capacity - length ? rest : capacity - length;
    ssize_t count = read_memory(thread, address + length, text + length, wanted);
    if (count <= 0)
      break;
    if (memchr(text + length, 0, (size_t)count) != NULL)
      return;
    length += (size_t)count;
  }
  text[0] = 0;
}

/* Reads the path of a descriptor of the thread. Empty if it cannot be read. */
static void read_link(const plugin_attempt_t *attempt, char *path, size_t capacity) {
  char name[64];
  snprintf(name, sizeof name, "/proc/%d/fd/%d", attempt->thread, attempt->folder);
  ssize_t length = readlink(name, path, capacity - 1);
  path[length > 0 && path[0] == '/' ? length : 0] = 0;
}

/* Returns whether a rule applies that is followed by another for the same system call; true for other rules. */
static bool applies(const filter_rule_t *rule, const struct seccomp_data *data) {
  switch (rule->condition) {
  case OF_SYSTEM:
    return (data->args[0] & FILTER_FLAGS_OF_SYSTEM) != 0;
  case SIGNAL_RECEIVER_IOCTL:
    return (uint32_t)data->args[1] == FIOSETOWN || (uint32_t)data->args[1] == SIOCSPGRP;
  case GROWING_MEMORY:
    return (data->args[3] & MAP_GROWSDOWN) != 0;
  default:
    return true;
  }
}

static const filter_rule_t *rule_of(const struct seccomp_data *data) {
  for (int i = 0; i < FILTER_RULE_COUNT; i++)
    if (filter_rules[i].number == data->nr && applies(&filter_rules[i], data))
      return &filter_rules[i];
  return NULL;
}

/* Returns whether a call concerns a thread of the calling process: the filter knows only the main thread's id. */
static bool is_about_itself(const filter_rule_t *rule, int32_t thread, const struct seccomp_data *data) {
  int32_t task;
  if (rule->condition == OTHER_PROCESS)
    task = (int32_t)data->args[0];
  else if (rule->condition == OTHER_PRIORITY && (uint32_t)data->args[0] == PRIO_PROCESS)
    task = (int32_t)data->args[1];
  else if (rule->condition == OTHER_IO_PRIORITY && (uint32_t)data->args[0] == FILTER_IO_PRIORITY_PROCESS)
    task = (int32_t)data->args[1];
  else
    return false;
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/task/%d", thread, task);
  return task > 0 && access(path, F_OK) == 0;
}

static void note_access(plugin_attempt_t *attempt, const struct seccomp_data *data) {
  uint64_t flags = 0;
  if (data->nr == SYS_openat) {
    flags = data->args[2];
  } else if (data->nr == SYS_openat2) {
    if (read_memory(attempt->thread, data->args[2], &flags, sizeof flags) != sizeof flags)
      flags = O_PATH;
#ifdef SYS_open
  } else if (data->nr == SYS_open) {
    flags = data->args[1];
#endif
  } else {
    attempt->writes = attempt->capability == PLUGIN_CAPABILITY_WRITE;
    return;
  }
  if (flags & O_PATH)
    return;
  attempt->reads = (flags & O_ACCMODE) != O_WRONLY;
  attempt->writes = (flags & O_ACCMODE) != O_RDONLY || (flags & (O_CREAT | O_TRUNC)) != 0;
}

/* Facts of the memory of a process. */
typedef struct memory_facts {
  /* The end of the memory of brk(); 0 if there is none. */
  uint64_t heap_end;
  /* The number of bytes of a given range that are private and cannot be written. */
  uint64_t not_writable;
} memory_facts_t;

static memory_facts_t memory_facts(int32_t thread, uint64_t start, uint64_t size) {
  memory_facts_t facts = {0, 0};
  char line[512];
  snprintf(line, sizeof line, "/proc/%d/maps", thread);
  FILE *maps = fopen(line, "re");
  while (maps != NULL && fgets(line, sizeof line, maps) != NULL) {
    unsigned long long from = 0, to = 0;
    char access[5] = "";
    if (sscanf(line, "%llx-%llx %4s", &from, &to, access) != 3)
      continue;
    if (strstr(line, "[heap]") != NULL)
      facts.heap_end = to;
    uint64_t first = from > start ? from : start, last = to < start + size ? to : start + size;
    if (access[1] != 'w' && access[3] == 'p' && first < last)
      facts.not_writable += last - first;
  }
  if (maps != NULL)
    fclose(maps);
  return facts;
}

static uint64_t size_of(int32_t thread, const struct seccomp_data *data) {
  switch (data->nr) {
  case SYS_mmap:
    return data->args[1];
  case SYS_mremap:
    return data->args[2] > data->args[1] ? data->args[2] - data->args[1] : 0;
  case SYS_mprotect:
    return memory_facts(thread, data->args[0], data->args[1]).not_writable;
  case SYS_brk: {
    uint64_t end = memory_facts(thread, 0, 0).heap_end;
    return end != 0 && data->args[0] > end ? data->args[0] - end : 0;
  }
  default:
    return 0;
  }
}

bool plugin_attempt_next(int32_t listener, plugin_attempt_t *attempt, char *path, size_t capacity) {
  request_t request;
  do
    memset(&request, 0, sizeof request);
  while (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &request) != 0 && errno == EINTR);
  const struct seccomp_notif *notification = &request.notification;
  if (notification->id == 0 && notification->pid == 0)
    return false;
  const filter_rule_t *rule = rule_of(&notification->data);
  *attempt = (plugin_attempt_t){.id = notification->id,
                                .thread = (int32_t)notification->pid,
                                .is_refused = true,
                                .folder = AT_FDCWD,
                                .name = "?"};
  path[0] = 0;
  if (rule == NULL)
    return true;
  attempt->capability = rule->capability;
  attempt->is_refused = rule->is_refused && !is_about_itself(rule, attempt->thread, &notification->data);
  attempt->name = rule->name;
  attempt->size = size_of(attempt->thread, &notification->data);
  note_access(attempt, &notification->data);
  if (rule->folder >= 0)
    attempt->folder = (int32_t)notification->data.args[rule->folder];
  attempt->change[0] = (uint32_t)notification->data.args[1];
  attempt->change[1] = (uint32_t)notification->data.args[2];
  if (rule->path >= 0)
    read_text(attempt->thread, notification->data.args[rule->path], path, capacity);
  else if (rule->folder >= 0)
    read_link(attempt, path, capacity);
  return true;
}

/* Returns a copy of a descriptor of the thread's process; -1 if it cannot be made. */
static int copy_of(int32_t listener, const plugin_attempt_t *attempt) {
  char line[256];
  int process = -1;
  snprintf(line, sizeof line, "/proc/%d/status", attempt->thread);
  FILE *status = fopen(line, "re");
  while (status != NULL && fgets(line, sizeof line, status) != NULL)
    if (sscanf(line, "Tgid: %d", &process) == 1)
      break;
  if (status != NULL)
    fclose(status);
  int owner = (int)syscall(SYS_pidfd_open, process, 0);
  /* The number may be that of another process by now, if the thread has ended. */
  bool is_owner = owner >= 0 && ioctl(listener, SECCOMP_IOCTL_NOTIF_ID_VALID, &attempt->id) == 0;
  int copy = is_owner ? (int)syscall(SYS_pidfd_getfd, owner, attempt->folder, 0) : -1;
  if (owner >= 0)
    close(owner);
  return copy;
}

void plugin_attempt_change(int32_t listener, plugin_attempt_t *attempt) {
  bool is_mode = strcmp(attempt->name, "fchmod") == 0;
  if (!is_mode && strcmp(attempt->name, "fchown") != 0)
    return;
  /* The thread cannot exchange this copy, unlike its own descriptor, after the access was tested. */
  int file = copy_of(listener, attempt);
  if (file < 0)
    return;
  int flags = fcntl(file, F_GETFL), access = flags & O_ACCMODE;
  /* Each file can be opened for the fourth access, 3, which gives no right to its contents. */
  bool is_writable = flags >= 0 && !(flags & O_PATH) && (access == O_WRONLY || access == O_RDWR);
  struct stat status;
  bool is_own = is_writable && fstat(file, &status) == 0 && S_ISREG(status.st_mode) && status.st_uid == geteuid();
  bool is_same = is_own && (attempt->change[0] == UINT32_MAX || attempt->change[0] == status.st_uid) &&
                 (attempt->change[1] == UINT32_MAX || attempt->change[1] == status.st_gid);
  if (is_mode && is_own)
    attempt->is_made = fchmod(file, attempt->change[0] & 0777) == 0;
  else if (!is_mode)
    attempt->is_made = is_same;
  close(file);
}

void plugin_attempt_end(int32_t listener, const plugin_attempt_t *attempt) {
  response_t response = {.space = {0}};
  response.answer.id = attempt->id;
  if (attempt->is_made)
    response.answer.val = 0;
  else if (attempt->is_refused)
    response.answer.error = attempt->capability == PLUGIN_CAPABILITY_NETWORK ? -EACCES : -EPERM;
  else
    response.answer.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
  /* Fails if the thread has ended meanwhile. */
  while (ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &response) != 0 && errno == EINTR)
    ;
}
