/* dump.h - the lines of a dump, for the programs that check them. */
#ifndef DUMP_H
#define DUMP_H

#include "support.h"

/* The lines of the last dump, each with its newline. */
static char dumped[1 << 17];
static int line_count;

static inline void take_line(void *ctx, const char *line, size_t length) {
  CHECK_POINTER(ctx, dumped);
  size_t used = strlen(dumped);
  CHECK(memchr(line, '\n', length) == NULL && memchr(line, '\0', length) == NULL);
  line_count++;
  if (used + length + 2 < sizeof dumped)
    snprintf(dumped + used, sizeof dumped - used, "%.*s\n", (int)length, line);
}

static inline void dump(void) {
  dumped[0] = '\0';
  line_count = 0;
  CHECK_STATUS(promise_dump_lines(take_line, dumped), PROMISE_OK);
}

#endif /* DUMP_H */
