#include "plugin_check.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#define MACHINE AUDIT_ARCH_X86_64
#else
#define MACHINE AUDIT_ARCH_AARCH64
#endif

#define LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define RETURN(action) BPF_STMT(BPF_RET | BPF_K, action)
#define ALLOWED RETURN(SECCOMP_RET_ALLOW)
#define REFUSED RETURN(SECCOMP_RET_ERRNO | EPERM)
/* Allows the system call. */
#define ALLOW(name) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##name, 0, 1), ALLOWED
/* Allows the system call if these bits of an argument are 0, or not 0. */
#define ALLOW_WITHOUT(name, argument, bits)                                                                            \
  BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##name, 0, 4), LOAD(args[argument]),                                         \
      BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, bits, 0, 1), REFUSED, ALLOWED
#define ALLOW_WITH(name, argument, bits)                                                                               \
  BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##name, 0, 4), LOAD(args[argument]),                                         \
      BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, bits, 1, 0), REFUSED, ALLOWED
/* Allows the system call if an argument has this value. */
#define ALLOW_ONLY(name, argument, value)                                                                              \
  BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##name, 0, 4), LOAD(args[argument]),                                         \
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, 1), ALLOWED, REFUSED
/* Allows tgkill() with SIGABRT for threads of the process. */
#define ALLOW_ABORT(process)                                                                                           \
  BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_tgkill, 0, 6), LOAD(args[0]),                                                \
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, process, 0, 2), LOAD(args[2]),                                               \
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SIGABRT, 1, 0), REFUSED, ALLOWED

bool plugin_check_confine(void) {
  /* System calls for memory, threads, clocks, events, reading, and abort(). All others fail with EPERM. */
  struct sock_filter filter[] = {
    LOAD(arch),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, MACHINE, 1, 0),
    REFUSED,
    LOAD(nr),
    ALLOW(read),
    ALLOW(write),
    ALLOW(readv),
    ALLOW(pread64),
    ALLOW(lseek),
    ALLOW(close),
    ALLOW(fstat),
    ALLOW(newfstatat),
    ALLOW(statx),
    ALLOW(faccessat),
    ALLOW(readlinkat),
    ALLOW(getdents64),
    ALLOW(getcwd),
    ALLOW(dup),
    ALLOW(pipe2),
    ALLOW(eventfd2),
    ALLOW(timerfd_create),
    ALLOW(timerfd_settime),
    ALLOW(timerfd_gettime),
    ALLOW(epoll_create1),
    ALLOW(epoll_ctl),
    ALLOW(epoll_pwait),
    ALLOW(ppoll),
    ALLOW(mmap),
    ALLOW(munmap),
    ALLOW(mremap),
    ALLOW(madvise),
    ALLOW(brk),
    ALLOW(futex),
    ALLOW(set_robust_list),
    ALLOW(sched_yield),
    ALLOW(sched_getaffinity),
    ALLOW(rt_sigprocmask),
    ALLOW(rt_sigreturn),
    ALLOW(sigaltstack),
    ALLOW(clock_gettime),
    ALLOW(clock_getres),
    ALLOW(clock_nanosleep),
    ALLOW(nanosleep),
    ALLOW(gettimeofday),
    ALLOW(getrandom),
    ALLOW(getpid),
    ALLOW(gettid),
    ALLOW(getppid),
    ALLOW(getuid),
    ALLOW(geteuid),
    ALLOW(getgid),
    ALLOW(getegid),
    ALLOW(uname),
    ALLOW(sysinfo),
    ALLOW(getrusage),
    ALLOW(times),
    ALLOW(exit),
    ALLOW(exit_group),
#if defined(SYS_rseq)
    ALLOW(rseq),
#endif
#if defined(SYS_stat)
    ALLOW(stat),
    ALLOW(lstat),
    ALLOW(access),
    ALLOW(readlink),
    ALLOW(poll),
    ALLOW(epoll_wait),
    ALLOW(time),
    ALLOW_WITHOUT(open, 1, O_WRONLY | O_RDWR | O_CREAT | O_TRUNC),
#endif
    ALLOW_WITHOUT(openat, 2, O_WRONLY | O_RDWR | O_CREAT | O_TRUNC),
    ALLOW(mprotect),
    ALLOW_ABORT((uint32_t)getpid()),
    /* Whether a descriptor is open: initialisers look at the standard streams. */
    ALLOW_ONLY(fcntl, 1, F_GETFD),
    /* A filter cannot read the arguments of clone3(). With ENOSYS the C library calls clone(), which may only make
       * threads. */
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone3, 0, 1),
    RETURN(SECCOMP_RET_ERRNO | ENOSYS),
    ALLOW_WITH(clone, 0, CLONE_THREAD),
    REFUSED,
  };
  struct sock_fprog program = {sizeof filter / sizeof filter[0], filter};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}
