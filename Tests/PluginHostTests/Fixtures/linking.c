/* Makes symbolic links. */
#include "fixture.h"

#include <unistd.h>

/* Makes a link at `path`, in place of a file. */
static int32_t put(const char *target, const char *path) {
  unlink(path);
  return symlink(target, path);
}

static const promise_plugin_function_t functions[] = {
    FUNCTION("put(target: cstr, path: cstr) -> i32", put, NULL),
};

PLUGIN("org.example.linking", NULL, NULL, NULL, functions)
