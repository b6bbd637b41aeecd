#define _GNU_SOURCE
#include "confinement.h"
#include "filter_rules.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/utsname.h>
#include <unistd.h>

#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#else
#error "no filter of system calls for this architecture"
#endif

/* The size from which mmap() is reported. */
enum { MUCH = 1 << 16 };

/* A program under construction. A rule takes up to RULE_LENGTH instructions: those of FILE_ATTRIBUTES, and the three of
 * add_rule() and the action. */
enum { RULE_LENGTH = FILTER_REQUEST_COUNT + 4 };
typedef struct program {
  struct sock_filter code[FILTER_RULE_COUNT * RULE_LENGTH + 16];
  unsigned short length;
} program_t;

static void emit(program_t *program, uint16_t code, uint32_t k) {
  program->code[program->length++] = (struct sock_filter)BPF_STMT(code, k);
}

static void jump(program_t *program, uint16_t test, uint32_t k, uint8_t yes, uint8_t no) {
  program->code[program->length++] = (struct sock_filter)BPF_JUMP(BPF_JMP | test | BPF_K, k, yes, no);
}

/* Loads half of an argument. */
static void load(program_t *program, int argument, bool high) {
  size_t offset = offsetof(struct seccomp_data, args) + (size_t)argument * 8 + (high ? 4 : 0);
  emit(program, BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset);
}

static void load_number(program_t *program) {
  emit(program, BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
}

/* Skips the action if an argument means the calling process. */
static void test_process(program_t *program, int argument) {
  load(program, argument, false);
  jump(program, BPF_JEQ, 0, 2, 0);
  jump(program, BPF_JEQ, (uint32_t)getpid(), 1, 0);
}

/* Skips the action if setpriority() or ioprio_set() concerns the calling process. Their first argument selects the
 * meaning of the second: `process` stands for a process. */
static void test_priority(program_t *program, uint32_t process) {
  load(program, 0, false);
  jump(program, BPF_JEQ, process, 0, 3);
  test_process(program, 1);
}

/* Returns the action if the condition holds; otherwise continues with the next rule. */
static void test_condition(program_t *program, filter_condition_t condition, uint32_t action) {
  switch (condition) {
  case ALWAYS:
    break;
  case NEW_PROCESS:
    load(program, 0, false);
    jump(program, BPF_JSET, CLONE_THREAD, 1, 0);
    break;
  case OF_SYSTEM:
    load(program, 0, false);
    jump(program, BPF_JSET, FILTER_FLAGS_OF_SYSTEM, 0, 1);
    break;
  case OTHER_PROCESS:
    test_process(program, 0);
    break;
  case OTHER_PRIORITY:
    test_priority(program, PRIO_PROCESS);
    break;
  case OTHER_IO_PRIORITY:
    test_priority(program, FILTER_IO_PRIORITY_PROCESS);
    break;
  case NOT_ITSELF:
    load(program, 0, false);
    jump(program, BPF_JEQ, (uint32_t)getpid(), 1, 0);
    break;
  case PARENT_DEATH:
    load(program, 0, false);
    jump(program, BPF_JEQ, PR_SET_PDEATHSIG, 0, 1);
    break;
  case NOT_DUMPABLE:
    load(program, 0, false);
    jump(program, BPF_JEQ, PR_SET_DUMPABLE, 0, 3);
    load(program, 1, false);
    jump(program, BPF_JEQ, 0, 0, 1);
    break;
  case SIGNAL_RECEIVER:
    load(program, 1, false);
    jump(program, BPF_JEQ, F_SETOWN_EX, 3, 0);
    jump(program, BPF_JEQ, F_SETOWN, 0, 3);
    load(program, 2, false);
    jump(program, BPF_JEQ, (uint32_t)getpid(), 1, 0);
    break;
  case SIGNAL_RECEIVER_IOCTL:
    load(program, 1, false);
    jump(program, BPF_JEQ, FIOSETOWN, 1, 0);
    jump(program, BPF_JEQ, SIOCSPGRP, 0, 1);
    break;
  case FILE_ATTRIBUTES:
    load(program, 1, false);
    for (int i = 0; i < FILTER_REQUEST_COUNT; i++) {
      uint8_t rest = (uint8_t)(FILTER_REQUEST_COUNT - 1 - i);
      jump(program, BPF_JEQ, filter_attribute_requests[i], rest, rest == 0 ? 1 : 0);
    }
    break;
  case GROWING_MEMORY:
    load(program, 3, false);
    jump(program, BPF_JSET, MAP_GROWSDOWN, 0, 1);
    break;
  case MUCH_MEMORY:
    load(program, 2, false);
    jump(program, BPF_JSET, PROT_WRITE, 0, 5);
    load(program, 1, true);
    jump(program, BPF_JGT, 0, 2, 0);
    load(program, 1, false);
    jump(program, BPF_JGE, MUCH, 0, 1);
    break;
  }
  emit(program, BPF_RET | BPF_K, action);
}

static void add_rule(program_t *program, const filter_rule_t *rule, uint32_t action) {
  unsigned short start = program->length;
  jump(program, BPF_JEQ, (uint32_t)rule->number, 0, 0);
  test_condition(program, (filter_condition_t)rule->condition, action);
  if (rule->condition != ALWAYS)
    load_number(program);
  program->code[start].jf = (uint8_t)(program->length - start - 1);
}

static bool is_given(const filter_rule_t *rule, const plugin_confinement_t *given) {
  switch (rule->capability) {
  case PLUGIN_CAPABILITY_NETWORK:
    return given->network;
  case PLUGIN_CAPABILITY_PROCESSES:
    return given->processes;
  case PLUGIN_CAPABILITY_MEMORY:
    return given->memory == 0;
  default:
    return false;
  }
}

static int32_t error_of(int capability) {
  return capability == PLUGIN_CAPABILITY_NETWORK ? EACCES : EPERM;
}

static void build(program_t *program, const plugin_confinement_t *given, bool reports) {
  program->length = 0;
  emit(program, BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch));
  jump(program, BPF_JEQ, ARCHITECTURE, 1, 0);
  /* Another calling convention has other numbers of system calls. */
  emit(program, BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS);
  load_number(program);
#if defined(__x86_64__)
  jump(program, BPF_JGE, 0x40000000, 0, 1);
  emit(program, BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS);
#endif
  /* clone3() has its flags in memory, where the filter cannot read them. Callers fall back to clone(). */
  jump(program, BPF_JEQ, SYS_clone3, 0, 1);
  emit(program, BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS);
  for (int i = 0; i < FILTER_RULE_COUNT; i++) {
    const filter_rule_t *rule = &filter_rules[i];
    if (is_given(rule, given) || (!rule->is_refused && !reports))
      continue;
    uint32_t refused = SECCOMP_RET_ERRNO | (uint32_t)error_of(rule->capability);
    add_rule(program, rule, reports ? SECCOMP_RET_USER_NOTIF : refused);
  }
  emit(program, BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
}

/* Returns whether a listener can continue the system calls that are reported to it. Linux has reports since 5.0, but
 * SECCOMP_USER_NOTIF_FLAG_CONTINUE (plugin_attempt_end()) since 5.5: before, a call that is not refused would never
 * return. Only on a call that waits can that flag be tried, so the version of the kernel decides. */
static bool has_reports(void) {
  uint32_t action = SECCOMP_RET_USER_NOTIF;
  struct utsname system;
  int major = 0, minor = 0;
  if (uname(&system) != 0 || sscanf(system.release, "%d.%d", &major, &minor) != 2)
    return false;
  return (major > 5 || (major == 5 && minor >= 5)) && syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0;
}

int32_t plugin_confinement_filter(const plugin_confinement_t *given, int32_t *listener) {
  program_t program;
  struct sock_fprog filter = {0, program.code};
  if (listener != NULL)
    *listener = -1;
  if (listener != NULL && has_reports()) {
    build(&program, given, true);
    filter.len = program.length;
    long descriptor = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, &filter);
    if (descriptor >= 0) {
      *listener = (int32_t)descriptor;
      plugin_confinement_has_reports = true;
      return 0;
    }
  }
  build(&program, given, false);
  filter.len = program.length;
  return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &filter) == 0 ? 0 : errno;
}
