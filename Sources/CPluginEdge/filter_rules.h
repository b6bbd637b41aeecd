/* filter_rules.h - the system calls that a confined process may not make, or that are reported. */
#ifndef FILTER_RULES_H
#define FILTER_RULES_H

#include "plugin_confinement.h"

#include <linux/sched.h>
#include <sys/syscall.h>

/* The condition under which a rule applies. */
typedef enum filter_condition {
  ALWAYS,
  /* clone() without CLONE_THREAD. */
  NEW_PROCESS,
  /* clone() with one of FILTER_FLAGS_OF_SYSTEM. */
  OF_SYSTEM,
  /* The first argument is the ID of another process. The listener allows the IDs of the caller's own threads. */
  OTHER_PROCESS,
  /* setpriority() of more than one process, or of another one; ioprio_set() likewise. */
  OTHER_PRIORITY,
  OTHER_IO_PRIORITY,
  /* The first argument is not the number of the calling process. */
  NOT_ITSELF,
  /* prctl(PR_SET_PDEATHSIG), which can undo the end with the parent. */
  PARENT_DEATH,
  /* prctl(PR_SET_DUMPABLE) of 0, which hides the paths of refusals. */
  NOT_DUMPABLE,
  /* fcntl() that sets the receiver of a descriptor's signals, unless F_SETOWN to the calling process. */
  SIGNAL_RECEIVER,
  /* ioctl() that sets that receiver. */
  SIGNAL_RECEIVER_IOCTL,
  /* ioctl() with a request that changes attributes of an open file, or copies or deletes its folder. */
  FILE_ATTRIBUTES,
  /* mmap() of memory that grows downwards, which no limit counts. */
  GROWING_MEMORY,
  /* mmap() or mprotect() of much writable memory. */
  MUCH_MEMORY,
} filter_condition_t;

typedef struct filter_rule {
  int number;
  const char *name;
  uint8_t capability;
  /* Whether the call is refused; otherwise it is only reported. */
  bool is_refused;
  uint8_t condition;
  /* The arguments that are the folder's descriptor and the path; -1: none. A descriptor without a path is that of the
   * file itself. */
  int8_t folder;
  int8_t path;
} filter_rule_t;

#define REFUSED(call, capability, condition)                                                                           \
  { SYS_##call, #call, PLUGIN_CAPABILITY_##capability, true, condition, -1, -1 }
#define REFUSED_PATH(call, capability, folder, path)                                                                   \
  { SYS_##call, #call, PLUGIN_CAPABILITY_##capability, true, ALWAYS, folder, path }
#define REFUSED_OPEN(call, capability, condition)                                                                      \
  { SYS_##call, #call, PLUGIN_CAPABILITY_##capability, true, condition, 0, -1 }
#define REPORTED(call, capability, condition, folder, path)                                                            \
  { SYS_##call, #call, PLUGIN_CAPABILITY_##capability, false, condition, folder, path }

static const filter_rule_t filter_rules[] = {
    REFUSED(socket, NETWORK, ALWAYS),
    /* Descriptors in messages that nobody reads count for all processes of the user, so that a pair which holds many
     * keeps others from passing any. A pair of datagram sockets can send to any address. */
    REFUSED(socketpair, NETWORK, ALWAYS),
    /* The socket to the host, too, can take a name that belongs to another program. */
    REFUSED(bind, NETWORK, ALWAYS),

    REPORTED(openat, READ, ALWAYS, 0, 1),
    REPORTED(openat2, READ, ALWAYS, 0, 1),
    REPORTED(unlinkat, WRITE, ALWAYS, 0, 1),
    REPORTED(renameat2, WRITE, ALWAYS, 0, 1),
    REPORTED(mkdirat, WRITE, ALWAYS, 0, 1),
    REPORTED(symlinkat, WRITE, ALWAYS, 1, 2),
    REPORTED(linkat, WRITE, ALWAYS, 2, 3),
    REPORTED(mknodat, WRITE, ALWAYS, 0, 1),
    REPORTED(truncate, WRITE, ALWAYS, -1, 0),
#ifdef SYS_renameat
    REPORTED(renameat, WRITE, ALWAYS, 0, 1),
#endif
#ifdef SYS_open
    REPORTED(open, READ, ALWAYS, -1, 0),
    REPORTED(creat, WRITE, ALWAYS, -1, 0),
    REPORTED(unlink, WRITE, ALWAYS, -1, 0),
    REPORTED(rename, WRITE, ALWAYS, -1, 0),
    REPORTED(mkdir, WRITE, ALWAYS, -1, 0),
    REPORTED(rmdir, WRITE, ALWAYS, -1, 0),
    REPORTED(symlink, WRITE, ALWAYS, -1, 1),
    REPORTED(link, WRITE, ALWAYS, -1, 1),
    REPORTED(mknod, WRITE, ALWAYS, -1, 0),
    /* Landlock has no rules for modes, owners, times and attributes. */
    REFUSED_PATH(chmod, WRITE, -1, 0),
    REFUSED_PATH(chown, WRITE, -1, 0),
    REFUSED_PATH(lchown, WRITE, -1, 0),
    REFUSED_PATH(utime, WRITE, -1, 0),
    REFUSED_PATH(utimes, WRITE, -1, 0),
    REFUSED_PATH(futimesat, WRITE, 0, 1),
    REFUSED(fork, PROCESSES, ALWAYS),
    REFUSED(vfork, PROCESSES, ALWAYS),
#endif
    REFUSED_PATH(fchmodat, WRITE, 0, 1),
    REFUSED_PATH(fchownat, WRITE, 0, 1),
    REFUSED_PATH(utimensat, WRITE, 0, 1),
    REFUSED_PATH(setxattr, WRITE, -1, 0),
    REFUSED_PATH(lsetxattr, WRITE, -1, 0),
    REFUSED_PATH(removexattr, WRITE, -1, 0),
    REFUSED_PATH(lremovexattr, WRITE, -1, 0),
    /* Attributes can hold secrets, and Landlock has no rules for reading them either. */
    REFUSED_PATH(getxattr, READ, -1, 0),
    REFUSED_PATH(lgetxattr, READ, -1, 0),
    REFUSED_PATH(listxattr, READ, -1, 0),
    REFUSED_PATH(llistxattr, READ, -1, 0),
    /* A file that is open only for reading can be changed by these. */
    REFUSED_OPEN(fchmod, WRITE, ALWAYS),
    REFUSED_OPEN(fchown, WRITE, ALWAYS),
    REFUSED_OPEN(fsetxattr, WRITE, ALWAYS),
    REFUSED_OPEN(fremovexattr, WRITE, ALWAYS),
    REFUSED(ioctl, PROCESSES, SIGNAL_RECEIVER_IOCTL),
    REFUSED_OPEN(ioctl, WRITE, FILE_ATTRIBUTES),

    REFUSED(clone, SYSTEM, OF_SYSTEM),
    REFUSED(clone, PROCESSES, NEW_PROCESS),
    REFUSED(execve, PROCESSES, ALWAYS),
    REFUSED(execveat, PROCESSES, ALWAYS),
    REFUSED(kill, PROCESSES, NOT_ITSELF),
    REFUSED(tkill, PROCESSES, OTHER_PROCESS),
    REFUSED(tgkill, PROCESSES, NOT_ITSELF),
    REFUSED(rt_sigqueueinfo, PROCESSES, NOT_ITSELF),
    REFUSED(rt_tgsigqueueinfo, PROCESSES, NOT_ITSELF),
    REFUSED(pidfd_send_signal, PROCESSES, ALWAYS),
    REFUSED(fcntl, PROCESSES, SIGNAL_RECEIVER),

    REFUSED(mmap, MEMORY, GROWING_MEMORY),
    REPORTED(mmap, MEMORY, MUCH_MEMORY, -1, -1),
    REPORTED(mremap, MEMORY, ALWAYS, -1, -1),
    /* The C library makes the stacks of threads writable in this way. */
    REPORTED(mprotect, MEMORY, MUCH_MEMORY, -1, -1),
    REPORTED(brk, MEMORY, ALWAYS, -1, -1),

    REFUSED(prlimit64, SYSTEM, OTHER_PROCESS),
    REFUSED(sched_setaffinity, SYSTEM, OTHER_PROCESS),
    REFUSED(sched_setscheduler, SYSTEM, OTHER_PROCESS),
    REFUSED(sched_setparam, SYSTEM, OTHER_PROCESS),
    REFUSED(sched_setattr, SYSTEM, OTHER_PROCESS),
    REFUSED(setpriority, SYSTEM, OTHER_PRIORITY),
    REFUSED(ioprio_set, SYSTEM, OTHER_IO_PRIORITY),
    /* Objects that every process of the user can open, and that outlive their creator. */
    REFUSED(shmget, SYSTEM, ALWAYS),
    REFUSED(shmat, SYSTEM, ALWAYS),
    REFUSED(shmctl, SYSTEM, ALWAYS),
    REFUSED(semget, SYSTEM, ALWAYS),
    REFUSED(semop, SYSTEM, ALWAYS),
    REFUSED(semtimedop, SYSTEM, ALWAYS),
    REFUSED(semctl, SYSTEM, ALWAYS),
    REFUSED(msgget, SYSTEM, ALWAYS),
    REFUSED(msgsnd, SYSTEM, ALWAYS),
    REFUSED(msgrcv, SYSTEM, ALWAYS),
    REFUSED(msgctl, SYSTEM, ALWAYS),
    REFUSED(mq_open, SYSTEM, ALWAYS),
    REFUSED(mq_unlink, SYSTEM, ALWAYS),
    REFUSED(prctl, SYSTEM, PARENT_DEATH),
    REFUSED(prctl, SYSTEM, NOT_DUMPABLE),
    REFUSED(setsid, SYSTEM, ALWAYS),
    REFUSED(setpgid, SYSTEM, ALWAYS),
    REFUSED(ptrace, SYSTEM, ALWAYS),
    REFUSED(process_vm_readv, SYSTEM, NOT_ITSELF),
    REFUSED(process_vm_writev, SYSTEM, NOT_ITSELF),
    REFUSED(kcmp, SYSTEM, ALWAYS),
    REFUSED(move_pages, SYSTEM, ALWAYS),
    REFUSED(migrate_pages, SYSTEM, ALWAYS),
    REFUSED(mount, SYSTEM, ALWAYS),
    REFUSED(umount2, SYSTEM, ALWAYS),
    REFUSED(pivot_root, SYSTEM, ALWAYS),
    REFUSED(chroot, SYSTEM, ALWAYS),
    REFUSED(unshare, SYSTEM, ALWAYS),
    REFUSED(setns, SYSTEM, ALWAYS),
    REFUSED(bpf, SYSTEM, ALWAYS),
    REFUSED(perf_event_open, SYSTEM, ALWAYS),
    REFUSED(userfaultfd, SYSTEM, ALWAYS),
    REFUSED(fanotify_init, SYSTEM, ALWAYS),
    /* inotify reports the names of files in any folder: Landlock has no right for it. */
    REFUSED(inotify_init1, SYSTEM, ALWAYS),
#ifdef SYS_inotify_init
    REFUSED(inotify_init, SYSTEM, ALWAYS),
#endif
    REFUSED(keyctl, SYSTEM, ALWAYS),
    REFUSED(add_key, SYSTEM, ALWAYS),
    REFUSED(request_key, SYSTEM, ALWAYS),
    REFUSED(open_by_handle_at, SYSTEM, ALWAYS),
    REFUSED(init_module, SYSTEM, ALWAYS),
    REFUSED(finit_module, SYSTEM, ALWAYS),
    REFUSED(delete_module, SYSTEM, ALWAYS),
    REFUSED(kexec_load, SYSTEM, ALWAYS),
    REFUSED(reboot, SYSTEM, ALWAYS),
    REFUSED(swapon, SYSTEM, ALWAYS),
    REFUSED(swapoff, SYSTEM, ALWAYS),
    REFUSED(sethostname, SYSTEM, ALWAYS),
    REFUSED(setdomainname, SYSTEM, ALWAYS),
    REFUSED(settimeofday, SYSTEM, ALWAYS),
    REFUSED(clock_settime, SYSTEM, ALWAYS),
    REFUSED(adjtimex, SYSTEM, ALWAYS),
    REFUSED(clock_adjtime, SYSTEM, ALWAYS),
    REFUSED(acct, SYSTEM, ALWAYS),
    REFUSED(quotactl, SYSTEM, ALWAYS),
    REFUSED(syslog, SYSTEM, ALWAYS),
    REFUSED(vhangup, SYSTEM, ALWAYS),
    REFUSED(personality, SYSTEM, ALWAYS),
#ifdef SYS_iopl
    REFUSED(iopl, SYSTEM, ALWAYS),
    REFUSED(ioperm, SYSTEM, ALWAYS),
#endif
#ifdef SYS_pidfd_getfd
    REFUSED(pidfd_getfd, SYSTEM, ALWAYS),
#endif
#ifdef SYS_process_madvise
    REFUSED(process_madvise, SYSTEM, ALWAYS),
#endif
    /* These make further calls, which the filter does not see. */
    REFUSED(io_uring_setup, SYSTEM, ALWAYS),
    REFUSED(io_uring_enter, SYSTEM, ALWAYS),
    REFUSED(io_uring_register, SYSTEM, ALWAYS),
    REFUSED(open_tree, SYSTEM, ALWAYS),
    REFUSED(move_mount, SYSTEM, ALWAYS),
    REFUSED(fsopen, SYSTEM, ALWAYS),
    REFUSED(fsconfig, SYSTEM, ALWAYS),
    REFUSED(fsmount, SYSTEM, ALWAYS),
    REFUSED(fspick, SYSTEM, ALWAYS),
    /* Newer than the headers of some systems; the numbers are those of every architecture. */
    {442, "mount_setattr", PLUGIN_CAPABILITY_SYSTEM, true, ALWAYS, -1, -1},
    {452, "fchmodat2", PLUGIN_CAPABILITY_WRITE, true, ALWAYS, 0, 1},
    {463, "setxattrat", PLUGIN_CAPABILITY_WRITE, true, ALWAYS, 0, 1},
    {464, "getxattrat", PLUGIN_CAPABILITY_READ, true, ALWAYS, 0, 1},
    {465, "listxattrat", PLUGIN_CAPABILITY_READ, true, ALWAYS, 0, 1},
    {466, "removexattrat", PLUGIN_CAPABILITY_WRITE, true, ALWAYS, 0, 1},
    {467, "open_tree_attr", PLUGIN_CAPABILITY_SYSTEM, true, ALWAYS, -1, -1},
    {469, "file_setattr", PLUGIN_CAPABILITY_WRITE, true, ALWAYS, 0, 1},
};

/* The flags of clone() for namespaces; and CLONE_PARENT, with which the new process is a child of the host, which does
 * not expect it. */
#define FILTER_FLAGS_OF_SYSTEM                                                                                         \
  (CLONE_PARENT | CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID |         \
   CLONE_NEWNET)

/* The requests of FILE_ATTRIBUTES; the headers of some systems lack a few. */
static const uint32_t filter_attribute_requests[] = {
    0x40086602 /* FS_IOC_SETFLAGS */,           0x40087602 /* FS_IOC_SETVERSION */,
    0x40086604 /* EXT4_IOC_SETVERSION */,       0x401C5820 /* FS_IOC_FSSETXATTR */,
    0x40806685 /* FS_IOC_ENABLE_VERITY */,      0x800C6613 /* FS_IOC_SET_ENCRYPTION_POLICY */,
    0x50009401 /* BTRFS_IOC_SNAP_CREATE */,     0x50009417 /* BTRFS_IOC_SNAP_CREATE_V2 */,
    0x5000940E /* BTRFS_IOC_SUBVOL_CREATE */,   0x50009418 /* BTRFS_IOC_SUBVOL_CREATE_V2 */,
    0x5000940F /* BTRFS_IOC_SNAP_DESTROY */,    0x5000943F /* BTRFS_IOC_SNAP_DESTROY_V2 */,
    0x4008941A /* BTRFS_IOC_SUBVOL_SETFLAGS */, 0x40047211 /* FAT_IOCTL_SET_ATTRIBUTES */,
};
enum { FILTER_REQUEST_COUNT = sizeof filter_attribute_requests / sizeof filter_attribute_requests[0] };

/* The constants of ioprio_set(), which the C library does not declare. */
enum { FILTER_IO_PRIORITY_PROCESS = 1 };

enum { FILTER_RULE_COUNT = sizeof filter_rules / sizeof filter_rules[0] };

#endif /* FILTER_RULES_H */
