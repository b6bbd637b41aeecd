#include "ending_json.hpp"
#include "plugin_output.h"

#include <cerrno>
#include <climits>
#include <cstring>
#include <poll.h>
#include <unistd.h>

namespace {

/// The maximum length of a string in bytes, so that three of them, escaped, fit into a line with the rest.
constexpr size_t longest_string = 1024;

/// Returns the length of the character that begins at `bytes`, of which `left` remain; 0 if they are not UTF-8.
size_t character_length(const unsigned char *bytes, size_t left) noexcept {
  unsigned char first = bytes[0];
  size_t length = first < 0x80 ? 1 : first >= 0xC2 && first < 0xE0 ? 2 : first >= 0xE0 && first < 0xF0 ? 3 : 4;
  if (length > left || (first >= 0x80 && first < 0xC2) || first > 0xF4)
    return 0;
  for (size_t i = 1; i < length; i++)
    if ((bytes[i] & 0xC0) != 0x80)
      return 0;
  // An overlong form, a surrogate, or a number beyond U+10FFFF.
  unsigned char second = length > 1 ? bytes[1] : 0;
  bool is_wrong = (first == 0xE0 && second < 0xA0) || (first == 0xED && second > 0x9F) ||
                  (first == 0xF0 && second < 0x90) || (first == 0xF4 && second > 0x8F);
  return is_wrong ? 0 : length;
}

} // namespace

const char *plugin::decimal(int64_t number, char (&digits)[24]) noexcept {
  char *at = digits + sizeof digits;
  *--at = '\0';
  uint64_t rest = number < 0 ? 0 - static_cast<uint64_t>(number) : static_cast<uint64_t>(number);
  do {
    *--at = static_cast<char>('0' + rest % 10);
  } while ((rest /= 10) != 0);
  if (number < 0)
    *--at = '-';
  return at;
}

void plugin::write_all(const char *text, size_t length) noexcept {
  plugin_output_await(1000000000);
  for (size_t at = 0; at < length;) {
    // A reader that does not read must not keep the process from ending. A pipe that is ready takes PIPE_BUF bytes.
    pollfd ready = {STDERR_FILENO, POLLOUT, 0};
    int count = poll(&ready, 1, 1000);
    if (count < 0 && errno == EINTR)
      continue;
    if (count == 0)
      return;
    ssize_t written = ::write(STDERR_FILENO, text + at, length - at < PIPE_BUF ? length - at : PIPE_BUF);
    if (written < 0 && errno != EINTR)
      return;
    at += written > 0 ? static_cast<size_t>(written) : 0;
  }
}

plugin::json_line::json_line(const ending_facts &facts, const char *message) noexcept {
  raw("{\"error\":{\"kind\":\"");
  raw(facts.kind);
  raw("\",\"status\":");
  number(facts.status);
  if (facts.signal != nullptr)
    member("signal", facts.signal, strlen(facts.signal));
  if (facts.subject != nullptr) {
    const char *dot = facts.is_call ? strrchr(facts.subject, '.') : nullptr;
    size_t size = strlen(facts.subject);
    member("plugin", facts.subject, dot == nullptr ? size : static_cast<size_t>(dot - facts.subject));
    if (dot != nullptr)
      member("function", dot + 1, strlen(dot + 1));
  }
  member("message", message, strlen(message));
  raw("}}\n");
}

void plugin::json_line::write() noexcept {
  write_all(text, length);
}

void plugin::json_line::raw(const char *part) noexcept {
  for (; *part != '\0' && length < sizeof text; part++)
    text[length++] = *part;
}

void plugin::json_line::number(int64_t number) noexcept {
  char digits[24];
  raw(decimal(number, digits));
}

void plugin::json_line::string(const char *part, size_t size) noexcept {
  raw("\"");
  size = size < longest_string ? size : longest_string;
  for (size_t at = 0; at < size;) {
    const unsigned char *bytes = reinterpret_cast<const unsigned char *>(part) + at;
    size_t count = character_length(bytes, size - at);
    if (count == 0 || *bytes < ' ' || *bytes == 127) {
      raw("?");
      at += 1;
      continue;
    }
    if (*bytes == '"' || *bytes == '\\')
      raw("\\");
    for (size_t i = 0; i < count; i++)
      text[length++] = part[at + i];
    at += count;
  }
  raw("\"");
}

void plugin::json_line::member(const char *name, const char *part, size_t size) noexcept {
  raw(",\"");
  raw(name);
  raw("\":");
  string(part, size);
}
