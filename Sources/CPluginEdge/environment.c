#define _GNU_SOURCE
#include "environment.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

extern char **environ;

/* Variables that every worker inherits. A trailing `_` stands for all names with that prefix. */
static const char *const common_names[] = {
    /* Folders of programs, libraries, temporary files, and of the rules of trust, which a worker reads too. */
    "PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "TMPDIR",
    "XDG_CONFIG_HOME",
    "XDG_STATE_HOME",
    /* Language, texts and time. */
    "LANG",
    "LANGUAGE",
    "LC_",
    "LOCPATH",
    "NLSPATH",
    "TZ",
    "TZDIR",
    /* The loader, the C library, the Swift runtime, sanitizers, coverage and mutation testing. */
    "LD_",
    "GLIBC_TUNABLES",
    "MALLOC_",
    "SWIFT_",
    "ASAN_OPTIONS",
    "LSAN_OPTIONS",
    "TSAN_OPTIONS",
    "UBSAN_OPTIONS",
    "LLVM_PROFILE_FILE",
    "MUTATION",
    "MUTATION_",
    NULL,
};

static bool has_name(const char *variable, const char *name) {
  size_t length = strlen(name);
  return strncmp(variable, name, length) == 0 && variable[length] == '=';
}

static bool is_common(const char *variable) {
  for (const char *const *name = common_names; *name != NULL; name++) {
    size_t length = strlen(*name);
    bool is_prefix = (*name)[length - 1] == '_';
    if (is_prefix ? strncmp(variable, *name, length) == 0 : has_name(variable, *name))
      return true;
  }
  return false;
}

static bool is_given(const char *variable, char *const *names) {
  if (names == NULL || is_common(variable))
    return true;
  for (; *names != NULL; names++)
    if (has_name(variable, *names))
      return true;
  return false;
}

char **plugin_environment(char *const *names) {
  size_t count = 0;
  while (environ[count] != NULL)
    count++;
  char **chosen = malloc((count + 2) * sizeof *chosen);
  if (chosen == NULL)
    return NULL;
  size_t length = 0;
  for (size_t i = 0; i < count; i++)
    if (is_given(environ[i], names))
      chosen[length++] = environ[i];
  if (getenv("SWIFT_BACKTRACE") == NULL)
    chosen[length++] = (char *)"SWIFT_BACKTRACE=enable=no";
  chosen[length] = NULL;
  return chosen;
}
