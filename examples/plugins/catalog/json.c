#include "json.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

bool json_string(buffer_t *out, const char *text, size_t length) {
  bool good = buffer_append(out, "\"", 1);
  for (size_t i = 0; good && i < length; i++) {
    unsigned char byte = (unsigned char)text[i];
    char escape[8];
    if (byte == '"' || byte == '\\') {
      snprintf(escape, sizeof escape, "\\%c", byte);
    } else if (byte == '\n') {
      strcpy(escape, "\\n");
    } else if (byte == '\t') {
      strcpy(escape, "\\t");
    } else if (byte < 0x20) {
      snprintf(escape, sizeof escape, "\\u%04x", byte);
    } else {
      good = buffer_append(out, text + i, 1);
      continue;
    }
    good = buffer_append_text(out, escape);
  }
  return good && buffer_append(out, "\"", 1);
}

static bool json_base64(buffer_t *out, const uint8_t *bytes, size_t length) {
  static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  bool good = buffer_append(out, "\"", 1);
  for (size_t i = 0; good && i < length; i += 3) {
    size_t rest = length - i;
    uint32_t three =
        (uint32_t)bytes[i] << 16 | (rest > 1 ? (uint32_t)bytes[i + 1] << 8 : 0) | (rest > 2 ? bytes[i + 2] : 0);
    char four[4] = {digits[three >> 18], digits[three >> 12 & 63], rest > 1 ? digits[three >> 6 & 63] : '=',
                    rest > 2 ? digits[three & 63] : '='};
    good = buffer_append(out, four, sizeof four);
  }
  return good && buffer_append(out, "\"", 1);
}

static bool json_column(buffer_t *out, sqlite3_stmt *statement, int column) {
  int type = sqlite3_column_type(statement, column);
  if (type == SQLITE_NULL)
    return buffer_append_text(out, "null");
  if (type == SQLITE_FLOAT && !isfinite(sqlite3_column_double(statement, column))) {
    return buffer_append_text(out, "null");
  }
  if (type == SQLITE_BLOB) {
    const void *blob = sqlite3_column_blob(statement, column);
    size_t length = (size_t)sqlite3_column_bytes(statement, column);
    return (blob != NULL || length == 0) && json_base64(out, blob, length);
  }
  /* SQLite writes a number as JSON does, in every locale. */
  const char *text = (const char *)sqlite3_column_text(statement, column);
  size_t length = (size_t)sqlite3_column_bytes(statement, column);
  if (text == NULL)
    return false;
  return type == SQLITE_TEXT ? json_string(out, text, length) : buffer_append(out, text, length);
}

bool json_row(buffer_t *out, sqlite3_stmt *statement) {
  int columns = sqlite3_column_count(statement);
  bool good = buffer_append_text(out, "{");
  for (int column = 0; good && column < columns; column++) {
    const char *name = sqlite3_column_name(statement, column);
    good = (column == 0 || buffer_append_text(out, ",")) && name != NULL && json_string(out, name, strlen(name)) &&
           buffer_append_text(out, ":") && json_column(out, statement, column);
  }
  return good && buffer_append_text(out, "}");
}
