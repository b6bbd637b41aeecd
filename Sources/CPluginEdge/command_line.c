#include "plugin_process.h"

static int32_t count;
static char **words;

/* The C library passes the command line to the constructors of a program. Swift would read it from /proc, which is not
 * mounted everywhere. */
__attribute__((constructor)) static void note(int argc, char **argv) {
  count = argc;
  words = argv;
}

int32_t plugin_process_word_count(void) {
  return count;
}

const char *plugin_process_word(int32_t index) {
  return index < count ? words[index] : NULL;
}
