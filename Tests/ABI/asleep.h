/* Threads of this process that sleep in the kernel. */
#ifndef ASLEEP_H
#define ASLEEP_H

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* Whether the thread of that number sleeps; false for 0 and for a thread that has ended. */
static inline bool is_asleep(int thread) {
  char path[64], text[256] = "";
  snprintf(path, sizeof path, "/proc/self/task/%d/stat", thread);
  FILE *file = thread == 0 ? NULL : fopen(path, "r");
  if (file == NULL)
    return false;
  bool is_read = fgets(text, sizeof text, file) != NULL;
  fclose(file);
  /* The name is in parentheses, and may have blanks and parentheses. */
  const char *name_end = is_read ? strrchr(text, ')') : NULL;
  return name_end != NULL && name_end[1] == ' ' && name_end[2] == 'S';
}

#endif
