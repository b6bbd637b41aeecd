// The child of a fork in plugin code: it has a copy of the host's stack. The program would run twice if it went on as
// the host, so it ends where it enters code of the host.

#include "activity.hpp"
#include "report.hpp"

#include <cstdlib>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace {

int32_t is_own = 1;

/// A child of a fork outside plugin code goes on as a host of its own.
void in_child() {
  static bool is_plugins;
  is_plugins = is_plugins || plugin_activity_current != nullptr;
  *plugin_activity_is_own = is_plugins ? 0 : 1;
}

__attribute__((constructor)) void register_handler() {
  pthread_atfork(nullptr, nullptr, in_child);
}

} // namespace

int32_t *plugin_activity_is_own = &is_own;

void plugin_activity_notice_forks() {
  const size_t size = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  void *page = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED)
    return;
  // Linux 4.14. In a child the page is zero, also after _Fork() and the bare system call.
  if (madvise(page, size, MADV_WIPEONFORK) != 0) {
    munmap(page, size);
    return;
  }
  auto *noted = static_cast<int32_t *>(page);
  *noted = *plugin_activity_is_own;
  plugin_activity_is_own = noted;
}

void plugin_activity_end_child(const plugin_activity *activity) {
  (plugin::line() << plugin_activity_program() << ": " << activity->subject << ": forked in "
                  << plugin::place(activity->kind)
                  << ", and the child process returned into the host instead of ending by exec() or _exit(): "
                  << "the child ends")
      .write();
  // Neither exit handlers nor buffers, which are copies of the host's.
  syscall(SYS_exit_group, 1);
  abort();
}
