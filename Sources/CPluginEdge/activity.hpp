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
    if (activity.kind != PLUGIN_ACTIVITY_CALL)
      plugin_activity_end_limit(&activity);
    plugin_activity_current = activity.outer;
  }

private:
  plugin_activity activity;
};

} // namespace plugin

#endif // PLUGIN_ACTIVITY_HPP
