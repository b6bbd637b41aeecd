// The record of the plugin code that a thread has entered.
#ifndef PLUGIN_ACTIVITY_HPP
#define PLUGIN_ACTIVITY_HPP

#include "plugin_activity.h"

// On x86-64 every page has 4 KiB.
#ifdef __x86_64__
#define PLUGIN_ACTIVITY_LARGEST_PAGE 4096
#else
#define PLUGIN_ACTIVITY_LARGEST_PAGE 65536
#endif

extern "C" {

/// Plugin code that a thread is running. The activity that entered it is below it on the stack.
struct plugin_activity {
  plugin_activity_kind_t kind;
  /// The plugin's file, its id, or "plugin.function".
  const char *subject;
  plugin_activity *outer;
};

extern __thread plugin_activity *plugin_activity_current;

/// Starts and stops the time limit of an activity, and publishes its kind.
void plugin_activity_begin_limit(const plugin_activity *activity);
void plugin_activity_end_limit(const plugin_activity *activity);

/// The program's name, at the beginning of each message.
const char *plugin_activity_program();

/// Makes the kernel mark the child of each fork, also of forks without handlers of pthread_atfork().
void plugin_activity_notice_forks();
/// State in pages of its own, which the kernel clears in a child. If the first word is 0, the process is a child that
/// plugin code forked. Not behind a pointer, because every call reads it.
struct plugin_activity_own_pages {
  alignas(PLUGIN_ACTIVITY_LARGEST_PAGE) int32_t is_own;
  /// Whether this process serves a host as its worker; no child of it does.
  int32_t is_worker;
};
extern __attribute__((visibility("hidden"))) plugin_activity_own_pages plugin_activity_own;
/// Ends this process, a child that plugin code forked and that returned into the host. `activity` is that code.
[[noreturn]] void plugin_activity_end_child(const plugin_activity *activity);
}

namespace plugin {

/// RAII: an activity that lasts as long as this object.
template <plugin_activity_kind_t kind> class noted {
public:
  explicit noted(const char *subject) noexcept : activity{kind, subject, plugin_activity_current} {
    plugin_activity_current = &activity;
    if (kind != PLUGIN_ACTIVITY_CALL)
      plugin_activity_begin_limit(&activity);
  }

  noted(const noted &) = delete;

  ~noted() {
    if (__builtin_expect(plugin_activity_own.is_own == 0, false))
      plugin_activity_end_child(&activity);
    if (kind != PLUGIN_ACTIVITY_CALL)
      plugin_activity_end_limit(&activity);
    plugin_activity_current = activity.outer;
  }

private:
  plugin_activity activity;
};

} // namespace plugin

#endif // PLUGIN_ACTIVITY_HPP
