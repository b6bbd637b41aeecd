// The record of the plugin code that a thread has entered.
#ifndef PLUGIN_ACTIVITY_HPP
#define PLUGIN_ACTIVITY_HPP

#include "plugin_activity.h"

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

/// Makes the kernel note forks, those without handlers of pthread_atfork() too.
void plugin_activity_notice_forks();
/// 0 at this place: the process is a child that plugin code forked.
extern int32_t *plugin_activity_is_own;
/// Ends this process, a child that plugin code forked and that returned into the host. `activity` is that code.
[[noreturn]] void plugin_activity_end_child(const plugin_activity *activity);
}

namespace plugin {

/// RAII: an activity that lasts as long as this object.
class noted {
public:
  noted(plugin_activity_kind_t kind, const char *subject) noexcept : activity{kind, subject, plugin_activity_current} {
    plugin_activity_current = &activity;
    if (kind != PLUGIN_ACTIVITY_CALL)
      plugin_activity_begin_limit(&activity);
  }

  noted(const noted &) = delete;

  ~noted() {
    if (__builtin_expect(*plugin_activity_is_own == 0, false))
      plugin_activity_end_child(&activity);
    if (activity.kind != PLUGIN_ACTIVITY_CALL)
      plugin_activity_end_limit(&activity);
    plugin_activity_current = activity.outer;
  }

private:
  plugin_activity activity;
};

} // namespace plugin

#endif // PLUGIN_ACTIVITY_HPP
