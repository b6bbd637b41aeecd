/* buffer.h - bytes that grow at the end. */
#ifndef EXAMPLES_BUFFER_H
#define EXAMPLES_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A zeroed buffer is empty and owns nothing. */
typedef struct buffer {
  uint8_t *data;
  size_t length;
  size_t capacity;
} buffer_t;

/* Makes room for `more` bytes after `length`. Returns false, and changes nothing, if there is no memory. */
bool buffer_reserve(buffer_t *buffer, size_t more);

/* Appends bytes. Returns false, and changes nothing, if there is no memory. */
bool buffer_append(buffer_t *buffer, const void *bytes, size_t length);

/* Appends the bytes of a NUL-terminated string, without the NUL. */
bool buffer_append_text(buffer_t *buffer, const char *text);

/* Frees the memory, and leaves the buffer empty. */
void buffer_free(buffer_t *buffer);

#endif /* EXAMPLES_BUFFER_H */
