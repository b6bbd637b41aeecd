#define _GNU_SOURCE
#include "host_exit.h"

#include <dlfcn.h>
#include <plugin_activity.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Ends the process as the C library does: with its handlers. */
static _Noreturn void finish(const char *name, int status) {
  void (*function)(int) = (void (*)(int))dlsym(RTLD_NEXT, name);
  if (function != NULL)
    function(status);
  for (;;)
    syscall(SYS_exit_group, status);
}

_Noreturn void exit(int status) {
  /* An exit status is one byte: the mask keeps -1, which means an unknown status, free. */
  plugin_activity_exits("exit", status & 0xFF);
  finish("exit", status);
}

_Noreturn void quick_exit(int status) {
  plugin_activity_exits("quick_exit", status & 0xFF);
  /* The program itself never calls it, and no exit handler runs that would report a thread of a plugin. */
  plugin_activity_replaces("quick_exit");
  finish("quick_exit", status);
}

/* Does not call into the C library: a child of fork() or vfork() may call it. */
_Noreturn void _exit(int status) {
  plugin_activity_exits("_exit", status & 0xFF);
  for (;;)
    syscall(SYS_exit_group, status);
}

_Noreturn void _Exit(int status) {
  _exit(status);
}
