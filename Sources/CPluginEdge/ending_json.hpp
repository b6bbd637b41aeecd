// The report of an end of the process as JSON, made and written by async-signal-safe code.
#ifndef PLUGIN_ENDING_JSON_HPP
#define PLUGIN_ENDING_JSON_HPP

#include <cstddef>
#include <cstdint>

namespace plugin {

/// The facts of an end, beside the sentence.
struct ending_facts {
  const char *kind;
  int64_t status;
  /// The signal's name; NULL: none.
  const char *signal;
  /// The plugin, or "plugin.function" if it is a call; NULL: unknown.
  const char *subject;
  bool is_call;
};

/// One line of JSON, of bounded length. Bytes that are not UTF-8 become question marks.
class json_line {
public:
  json_line(const ending_facts &facts, const char *message) noexcept;
  void write() noexcept;

private:
  void raw(const char *part) noexcept;
  void number(int64_t number) noexcept;
  /// Appends a string in quotes: at most `size` bytes of `part`.
  void string(const char *part, size_t size) noexcept;
  void member(const char *name, const char *part, size_t size) noexcept;

  char text[8192];
  size_t length = 0;
};

/// Returns a number in decimal, as text that ends in the array.
const char *decimal(int64_t number, char (&digits)[24]) noexcept;

/// Writes bytes to standard error, after the text that plugins have printed before.
void write_all(const char *text, size_t length) noexcept;

} // namespace plugin

#endif // PLUGIN_ENDING_JSON_HPP
