/* Looks for ways to outrank the host, to hide from it, and to signal it. Each function returns 0, or the errno of the
 * refusal. */
#define _GNU_SOURCE
#include "fixture.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

static int32_t run_in_real_time(void) {
  struct sched_param parameters = {.sched_priority = 1};
  return error_of(sched_setscheduler(0, SCHED_FIFO, &parameters));
}

static int32_t raise_priority(void) {
  return error_of(setpriority(PRIO_PROCESS, 0, -5));
}

static int32_t hide(int32_t dumpable) {
  return error_of(prctl(PR_SET_DUMPABLE, dumpable, 0, 0, 0));
}

/* Asks to live on when the host ends. */
static int32_t survive(void) {
  return error_of(prctl(PR_SET_PDEATHSIG, 0, 0, 0, 0));
}

/* Makes the host, or this process, the receiver of the signals of a pipe. */
static int32_t direct_signals(const char *call, bool host) {
  int ends[2];
  if (pipe(ends) != 0)
    return -1;
  int receiver = host ? getppid() : getpid();
  struct f_owner_ex owner = {F_OWNER_PID, receiver};
  int32_t result = strcmp(call, "fcntl") == 0      ? error_of(fcntl(ends[0], F_SETOWN, receiver))
                   : strcmp(call, "extended") == 0 ? error_of(fcntl(ends[0], F_SETOWN_EX, &owner))
                                                   : error_of(ioctl(ends[0], FIOSETOWN, &receiver));
  close(ends[0]);
  close(ends[1]);
  return result;
}

static const promise_plugin_function_t functions[] = {
    FUNCTION("run_in_real_time() -> i32", run_in_real_time),
    FUNCTION("raise_priority() -> i32", raise_priority),
    FUNCTION("hide(dumpable: i32) -> i32", hide),
    FUNCTION("survive() -> i32", survive),
    FUNCTION("direct_signals(call: cstr, host: bool) -> i32", direct_signals),
};

PLUGIN("test.escaping")
