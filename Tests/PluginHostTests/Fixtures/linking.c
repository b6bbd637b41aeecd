/* Makes symbolic links. */
#include "fixture.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

/* Makes a link at `path`, in place of a file. */
static int32_t put(const char *target, const char *path) {
  unlink(path);
  return symlink(target, path);
}

/* Puts a link to the root in place of a folder, while the plugin is mapped. */
__attribute__((constructor)) static void initialise(void) {
  const char *folder = getenv("LINK_FOLDER");
  char old[4096];
  if (folder == NULL)
    return;
  snprintf(old, sizeof old, "%s.old", folder);
  if (rename(folder, old) == 0 && symlink("/", folder) != 0)
    abort();
}

static int32_t peek(const char *path) {
  int descriptor = open(path, O_RDONLY);
  if (descriptor >= 0)
    close(descriptor);
  return descriptor >= 0 ? 0 : -1;
}

static const promise_plugin_function_t functions[] = {
    FUNCTION("peek(path: cstr) -> i32", peek, NULL),
    FUNCTION("put(target: cstr, path: cstr) -> i32", put, NULL),
};

PLUGIN("org.example.linking", NULL, NULL, NULL, functions)
