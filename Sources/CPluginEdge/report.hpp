// Lines on standard error about plugin code that ends its process.
#ifndef PLUGIN_REPORT_HPP
#define PLUGIN_REPORT_HPP

#include <cstddef>
#include <cstdint>

#include "ending_json.hpp"
#include "plugin_activity.h"

namespace plugin {

/// A line for standard error, of bounded length, formatted and written by async-signal-safe code.
class line {
public:
  line &operator<<(const char *part) noexcept {
    while (*part != '\0' && length < sizeof text - 1) {
      unsigned char byte = static_cast<unsigned char>(*part++);
      text[length++] = byte < ' ' || byte == 127 ? '?' : static_cast<char>(byte);
    }
    return *this;
  }

  line &operator<<(int64_t number) noexcept {
    char digits[24];
    return *this << decimal(number, digits);
  }

  /// Writes the line, after the text that plugins have printed before.
  void write() noexcept;
  /// Writes the line, or JSON with its text and these facts if the program asked for that.
  void write(const ending_facts &facts) noexcept;

private:
  char text[1024];
  size_t length = 0;
};

/// Returns the name of plugin code of a kind, to follow "in".
inline const char *place(plugin_activity_kind_t kind) noexcept {
  switch (kind) {
  case PLUGIN_ACTIVITY_CALL:
    return "this call";
  case PLUGIN_ACTIVITY_MAPPING:
    return "its initialisers, while it was being loaded";
  case PLUGIN_ACTIVITY_ENTRY:
    return "promise_plugin_entry()";
  case PLUGIN_ACTIVITY_LOAD:
    return "load()";
  case PLUGIN_ACTIVITY_EXIT:
    return "its exit handlers or its destructors";
  default:
    return "unload()";
  }
}

} // namespace plugin

#endif // PLUGIN_REPORT_HPP
