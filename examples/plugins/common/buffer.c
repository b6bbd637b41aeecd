#include "buffer.h"

#include <stdlib.h>
#include <string.h>

bool buffer_reserve(buffer_t *buffer, size_t more) {
  if (more <= buffer->capacity - buffer->length)
    return true;
  if (more > SIZE_MAX / 2 - buffer->length)
    return false;
  size_t capacity = buffer->capacity + buffer->capacity / 2;
  if (capacity < buffer->length + more)
    capacity = buffer->length + more;
  uint8_t *data = realloc(buffer->data, capacity);
  if (data == NULL)
    return false;
  buffer->data = data;
  buffer->capacity = capacity;
  return true;
}

bool buffer_append(buffer_t *buffer, const void *bytes, size_t length) {
  if (!buffer_reserve(buffer, length))
    return false;
  if (length > 0)
    memcpy(buffer->data + buffer->length, bytes, length);
  buffer->length += length;
  return true;
}

bool buffer_append_text(buffer_t *buffer, const char *text) {
  return buffer_append(buffer, text, strlen(text));
}

void buffer_free(buffer_t *buffer) {
  free(buffer->data);
  *buffer = (buffer_t){0};
}
