// The child of a fork in plugin code: it has a copy of the host's stack. The program would run twice if it went on as
// the host, so it ends where it enters code of the host.

#include "activity.hpp"
#include "plugin_process.h"
#include "report.hpp"

#include <cstdlib>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

// Without an initial value, because the kernel clears no pages of a file.
plugin_activity_own_pages plugin_activity_own;
static_assert(sizeof plugin_activity_own == PLUGIN_ACTIVITY_LARGEST_PAGE, "nothing else is in these pages");

namespace {

/// Whether this process is a worker, or a descendant of one.
bool is_of_worker;
/// The worker's socket; -1 once a child has closed its copy.
int32_t worker_socket = -1;

/// A child of a fork outside plugin code goes on as a host of its own, but not as the worker of another one.
void in_child() {
  static bool is_plugins;
  is_plugins = is_plugins || plugin_activity_current != nullptr;
  plugin_activity_own.is_own = is_plugins ? 0 : 1;
  plugin_activity_own.is_worker = 0;
  if (worker_socket >= 0)
    close(worker_socket);
  worker_socket = -1;
}

__attribute__((constructor)) void register_handler() {
  plugin_activity_own.is_own = 1;
  pthread_atfork(nullptr, nullptr, in_child);
}

} // namespace

void plugin_activity_notice_forks() {
  // Linux 4.14. In a child the pages are zero, also after _Fork() and the bare system call.
  madvise(&plugin_activity_own, sizeof plugin_activity_own, MADV_WIPEONFORK);
}

void plugin_process_serve(int32_t socket) {
  worker_socket = socket;
  plugin_activity_own.is_worker = 1;
  is_of_worker = true;
}

bool plugin_process_is_child_of_worker() {
  return is_of_worker && plugin_activity_own.is_worker == 0;
}

void plugin_activity_end_child(const plugin_activity *activity) {
  (plugin::line() << plugin_activity_program() << ": " << activity->subject << ": forked in "
                  << plugin::place(activity->kind)
                  << ", and the child process returned into the host instead of ending by exec() or _exit(): "
                  << "the child ends")
      .write();
  // Runs no exit handlers and writes no buffers: they are copies of the host's.
  syscall(SYS_exit_group, 1);
  abort();
}
