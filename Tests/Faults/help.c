/* help.c - a dependency of a plugin. */
#include <unistd.h>

#ifdef TELLS
__attribute__((constructor)) static void tell(void) {
  ssize_t written = write(2, "it runs\n", 8);
  (void)written;
}
#endif

#ifndef HELP
#define HELP 1
#endif

int help(void) {
  return HELP;
}
